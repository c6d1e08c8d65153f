"""What the process wrote is there however it ends, and each process has a wire of its own."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.child.running import launched, run

pytestmark = pytest.mark.warp

SMALL = """
    import os, signal, sys, threading, time
    import warp as wp

    wp.config.use_precompiled_headers = False

    @wp.kernel
    def fill(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    x = wp.zeros(4, dtype=float, device="cpu")
    for number in range(20):
        wp.launch(fill, dim=4, inputs=[x])
    print("launched", flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    assert run(folder, SMALL).code == 0
    return folder


def left(folder: Path) -> list[Path]:
    return sorted((folder / "wire").glob("launches-*.bin"))


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os._exit(3)", 3),
        ("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV),
    ],
    ids=["killed", "left", "crashed"],
)
def test_launches_outlive_the_process(folder: Path, end: str, code: int) -> None:
    ran = run(folder, SMALL + f"    {end}\n")

    assert (ran.code, ran.out.endswith("launched\n")) == (code, True)
    assert ran.wire.truncated
    assert len(launched(ran.wire)) == 20
    assert len(ran.wire.events) == 1
    for path in left(folder):
        path.unlink()


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "raise SystemExit", "raise ValueError", "wp.launch = None"])
def test_an_orderly_end_leaves_one_whole_file(folder: Path, end: str) -> None:
    ran = run(folder, SMALL + f"    {end}\n")

    assert not ran.wire.truncated
    assert len(launched(ran.wire)) == 20
    assert ran.wire.launch_ns is not None
    assert ran.wire.launch_ns > 0
    assert left(folder) == []


def test_launches_beyond_the_room_are_counted(folder: Path) -> None:
    ran = run(folder, SMALL, before="probe.ROOM = 8")

    assert ran.code == 0, ran.error
    assert len(ran.wire.order) == 8
    assert ran.wire.footer is not None
    assert ran.wire.footer.launches == 20
    assert ran.wire.troubles == ()


def test_a_full_disk_or_a_folder_that_is_gone_stops_the_wire_and_nothing_else(folder: Path) -> None:
    gone = "    import shutil, glob\n    [os.unlink(path) for path in glob.glob('wire/*')]\n"
    limit = "    import resource\n    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    more = "    wp.launch(fill, dim=3, inputs=[x])\n    print(x.numpy())\n"

    assert run(folder, SMALL + gone + more).out.endswith("[1. 1. 1. 1.]\n")
    ran = run(folder, SMALL + limit + more)
    assert ran.out.endswith("[1. 1. 1. 1.]\n")
    assert ran.error.count("Error") == 0
    for path in left(folder):
        path.unlink()


def test_a_forked_process_that_uses_warp_has_a_wire_of_its_own(folder: Path) -> None:
    ran = run(
        folder,
        SMALL
        + """
    import multiprocessing, subprocess
    def work(number):
        wp.launch(fill, dim=number, inputs=[x])
        wp.launch(fill, dim=number, inputs=[x])
        return number

    if os.fork() == 0:
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            a[wp.tid()] = 2.0
        wp.launch(more, dim=4, inputs=[x])
        sys.exit(0)
    os.wait()
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(work, [5, 6])
        pool.close()
        pool.join()
    subprocess.run([sys.executable, "-c", "pass"])
    wp.launch(fill, dim=3, inputs=[x])
    """,
    )

    assert ran.code == 0, ran.error
    parent, child, worker = ran.wires
    assert parent.header is not None
    assert [made.dim for made in launched(parent)] == [(4,)] * 20 + [(3,)]
    for wire in (child, worker):
        assert wire.header is not None
        assert wire.header.ppid == parent.header.pid
        assert wire.warp is not None
        assert wire.troubles == ()
        assert not wire.truncated
    assert [made.kernel for made in launched(child)] == ["more"]
    (event,) = child.events
    assert event.status == "compiled"
    assert event.kernels == ("fill", "more")
    assert event.inputs in child.inputs
    assert [made.dim for made in launched(worker)] == [(5,), (5,), (6,), (6,)]
    assert left(folder) == []


def test_a_fork_during_a_build_keeps_its_own_error_output(folder: Path) -> None:
    program = """
        import os, subprocess, sys, threading, time
        import warp as wp

        wp.config.use_precompiled_headers = False
        children = []

        def later():
            time.sleep(0.05)  # while the compiler runs
            children.append(subprocess.Popen([sys.executable, "-c",
                "import sys, time; time.sleep(2); print('from outside', file=sys.stderr)"]))
            pid = os.fork()
            if pid == 0:
                time.sleep(2)
                os.write(2, b"from a fork" + bytes([10]))
                os._exit(0)
            children.append(pid)

        @wp.kernel
        def slow(a: wp.array(dtype=float)):
            for i in range(40):
                a[i] = wp.sin(a[i])

        x = wp.zeros(64, dtype=float, device="cpu")
        thread = threading.Thread(target=later)
        thread.start()
        begun = time.perf_counter()
        wp.launch(slow, dim=1, inputs=[x])
        took = time.perf_counter() - begun
        thread.join()
        children[0].wait()
        os.waitpid(children[1], 0)
        os.write(2, b"my own" + bytes([10]))
    """
    ran = run(folder, program, cache=folder / "another")

    assert ran.code == 0, ran.error
    assert ran.error.splitlines()[-3:-1] in (["from outside", "from a fork"], ["from a fork", "from outside"])
    assert ran.error.splitlines()[-1] == "my own"
