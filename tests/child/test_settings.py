"""Assignments are recorded with their line, and those that a build does not have are said at the next launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import line_of, run
from warp_nbprobe.data.records import OptionMissed, Wire

pytestmark = pytest.mark.warp

MISSED = """
    import warp as wp

    wp.config.use_precompiled_headers = False  # before
    x = wp.zeros(4, dtype=float, device="cpu")

    def make(name, **options):
        module = wp.get_module(name)
        if options:
            wp.set_module_options(options, module=module)

        @wp.kernel(module=module)
        def kernel(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0
        return kernel

    copies, own, hashed, in_place, back, arrives = (
        make("copies"), make("own", enable_backward=True), make("hashed"), make("in_place"), make("back"),
        make("arrives"),
    )
    for kernel in (copies, own, hashed, in_place, back):
        wp.launch(kernel, dim=4, inputs=[x])
    wp.config.enable_backward = False  # too late
    after = make("after")
    wp.launch(after, dim=4, inputs=[x])  # made afterwards
    wp.launch(copies, dim=4, inputs=[x])  # copied earlier
    wp.launch(copies, dim=4, inputs=[x])  # said already
    wp.launch(own, dim=4, inputs=[x])  # an option of its own
    wp.utils.array_inner(x, x)  # of Warp itself
    wp.config.enable_backward = True
    wp.config.verify_fp = True  # not hashed again
    wp.launch(hashed, dim=4, inputs=[x])  # hashed earlier
    wp.launch(arrives, dim=4, inputs=[x])  # hashed now
    wp.config.verify_fp = False
    in_place.module.options["fuse_fp"] = False  # in place
    wp.launch(in_place, dim=4, inputs=[x])  # not modified
    wp.config.verify_fp = True
    wp.config.max_unroll = 2
    wp.config.verify_fp = False
    wp.config.max_unroll = 16
    back.module.options["fuse_fp"] = False
    back.module.options["fuse_fp"] = True
    wp.launch(back, dim=4, inputs=[x])  # put back in time
    wp.set_module_options({"fuse_fp": False}, module=arrives.module)  # by a call
    wp.launch(arrives, dim=4, inputs=[x])  # built anew
    wp.set_module_options({"max_unroll": 3})
    vars(wp.config)["mode"] = "release"
    wp.config.log_level = 20
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    ran = run(tmp_path_factory.mktemp("missed"), MISSED)
    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    return ran.wire


def at(wire: Wire, comment: str) -> list[OptionMissed]:
    line = line_of(MISSED, f"  # {comment}")
    return [missed for missed in wire.options_missed if missed.place is not None and missed.place.line == line]


@pytest.mark.parametrize(
    ("comment", "assignment", "module", "name", "how"),
    [
        ("copied earlier", "too late", "copies", "enable_backward", "copied"),
        ("hashed earlier", "not hashed again", "hashed", "verify_fp", "hashed"),
        ("not modified", "in place", "in_place", "fuse_fp", "in_place"),
    ],
)
def test_an_option_that_did_not_arrive_is_said_at_the_next_launch(
    wire: Wire, comment: str, assignment: str, module: str, name: str, how: str
) -> None:
    (missed,) = at(wire, comment)

    assert (missed.module, missed.name, missed.how) == (module, name, how)
    assert missed.assigned != missed.in_force
    assert missed.assignment is not None
    assert missed.assignment.line == line_of(MISSED, f"  # {assignment}")
    assert missed.created is not None
    assert missed.created.line == line_of(MISSED, "wp.get_module(name)")


def test_nothing_else_is_missed(wire: Wire) -> None:
    assert len(wire.options_missed) == 3


def test_every_assignment_is_recorded_with_its_line(wire: Wire) -> None:
    mine = [assign for assign in wire.assigns if not assign.by_warp]
    found = [(assign.what, assign.name, assign.module, assign.old, assign.new, assign.in_place) for assign in mine]

    assert found == [
        ("config", "use_precompiled_headers", None, "True", "False", False),
        ("option", "enable_backward", "own", "True", "True", False),
        ("config", "enable_backward", None, "True", "False", False),
        ("config", "enable_backward", None, "False", "True", False),
        ("config", "verify_fp", None, "False", "True", False),
        ("config", "verify_fp", None, "True", "False", False),
        ("option", "fuse_fp", "in_place", "True", "False", True),
        ("config", "verify_fp", None, "False", "True", False),
        ("config", "max_unroll", None, "16", "2", False),
        ("config", "verify_fp", None, "True", "False", False),
        ("config", "max_unroll", None, "2", "16", False),
        ("option", "fuse_fp", "back", "True", "False", True),
        ("option", "fuse_fp", "back", "False", "True", True),
        ("option", "fuse_fp", "arrives", "True", "False", False),
        ("option", "max_unroll", "__main__", "16", "3", False),
        ("config", "log_level", None, "20", "20", False),
    ]
    assert all(assign.place is not None and assign.place.user for assign in mine)
    assert mine[0].place is not None
    assert mine[0].place.line == line_of(MISSED, "  # before")


def test_modules_are_recorded_with_what_they_copied(wire: Wire) -> None:
    modules = {module.module: module for module in wire.modules}

    assert modules["copies"].copied["enable_backward"] == "True"
    assert modules["after"].copied["enable_backward"] == "False"
    assert not modules["copies"].stock
    assert modules["warp.utils"].stock
    assert modules["warp.utils"].place is None


def test_what_was_hashed_is_compared_with_what_is_generated(tmp_path: Path) -> None:
    program = """
        import warp as wp

        wp.config.use_precompiled_headers = False
        wp.config.enable_cpu_blocks = True
        RATE, dt = 1.0, 1.0
        x = wp.zeros(256, dtype=float, device="cpu")

        @wp.kernel(module="unique")
        def alone(a: wp.array(dtype=float), dt: float):
            a[wp.tid()] = RATE * dt

        RATE, dt = 2.0, 2.0
        wp.launch(alone, dim=256, inputs=[x, dt], block_dim=256)
        wp.launch(alone, dim=256, inputs=[x, dt], block_dim=256)
        print(x.numpy()[0])
    """

    ran = run(tmp_path, program)

    assert ran.code == 0, ran.error
    (event,) = ran.wire.events
    assert event.block_dim == 256
    assert list(event.mismatch) == [{"kernel": "alone", "name": "RATE", "hashed": "1.0", "generated": "2.0"}]
    assert ran.out.endswith("4.0\n")
    assert ran.wire.stales == ()  # the code has the new value
