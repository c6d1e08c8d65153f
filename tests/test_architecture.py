"""The rules of the architecture: who imports whom, who owns which heavy dependency, how large files get."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "warp_nbprobe"
EXAMPLES = ROOT / "examples"  # programs to measure: users' code, not ours
FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != EXAMPLES)

# Part of the package -> the parts it may import. A part is a folder, or a file of the root.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "child": set(),
    "data": {"errors"},
    "run": {"errors", "data", "relay", "child"},
    "relay": {"errors", "data", "run"},
    "explain": {"errors", "data"},
    "views": {"errors", "data", "explain"},
    "measurement": {"errors", "data", "explain", "views"},
    "ask": {"errors", "data"},
    "limits": {"errors", "measurement", "ask"},
    "front": {"errors", "data", "run", "relay", "explain", "views", "measurement", "ask"},
    "api": {"errors", "data", "run", "relay", "explain", "measurement", "ask", "limits", "front", ""},
    "demo": {"ask"},
    "magics": {"errors", "data", "explain", "measurement", "ask", "front", "relay", "api"},
    "cli": {"", "errors", "views", "measurement", "relay", "ask", "front", "limits", "demo", "api"},
    "__main__": {"cli"},
    "": {"magics", "api", "errors", "measurement", "explain"},
}

# Heavy dependency -> the files that may import it.
OWNERS: dict[str, set[str]] = {
    "warp": set(),  # the child's own code imports it; we never do
    "IPython": {"magics.py", "relay.py", "child/launcher.py"},
    "ipykernel": {"child/launcher.py"},
    "ipywidgets": {"views/widgets/"},
    "matplotlib": {"views/plots.py"},
    "jupyter_client": {"run/"},
    "zmq": {"run/"},
    "psutil": {"run/"},
    "cloudpickle": {"ask/request.py", "child/launcher.py"},
}


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    if relative.name == "__init__.py" and len(relative.parts) == 1:
        return ""
    return relative.parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[tuple[str, int, bool]]:
    """Return (module, line, at run time) for every import of a file, wherever in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno, id(node) not in for_types) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "warp_nbprobe" else [module]
            found += [(name, node.lineno, id(node) not in for_types) for name in names]
    return found


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    part = part_of(path)
    allowed = MAY_IMPORT[part] | {part}
    for module, line, _ in imports_of(path):
        if module.partition(".")[0] != "warp_nbprobe":
            continue
        target = module.removeprefix("warp_nbprobe").lstrip(".").partition(".")[0]
        if not (ROOT / target).is_dir() and not (ROOT / f"{target}.py").exists():
            target = ""  # a name of the package itself
        assert target in allowed, f"{name_of(path)}:{line} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_heavy_dependency_has_one_owner(path: Path) -> None:
    for module, line, at_run_time in imports_of(path):
        package = module.partition(".")[0]
        owners = OWNERS.get(package)
        if owners is None or not at_run_time:
            continue
        owned = any(
            name_of(path) == owner or (owner.endswith("/") and name_of(path).startswith(owner)) for owner in owners
        )
        assert owned, f"{name_of(path)}:{line} imports {module}, which belongs to {sorted(owners)}"


@pytest.mark.parametrize("name", ["child/probe.py", "child/supervisor.py", "child/sitecustomize.py"])
def test_guests_of_the_child_use_the_standard_library_alone(name: str) -> None:
    path = ROOT / name
    if not path.exists():
        assert name == "child/sitecustomize.py"  # comes with commands
        return
    foreign = {module.partition(".")[0] for module, _, _ in imports_of(path)} - set(sys.stdlib_module_names)
    # The probe asks for what is there already; it names these only inside functions that run when it is.
    assert foreign <= ({"IPython", "warp"} if name == "child/probe.py" else set())


def test_the_two_front_ends_never_import_each_other() -> None:
    assert all(not module.startswith("warp_nbprobe.cli") for module, _, _ in imports_of(ROOT / "magics.py"))
    assert all(not module.startswith("warp_nbprobe.magics") for module, _, _ in imports_of(ROOT / "cli.py"))


def test_files_stay_small_enough_to_read() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    del lengths["child/probe.py"]  # one file by need
    long = {name: length for name, length in lengths.items() if length > 400}
    assert not long
    over_300 = sum(length > 300 for length in lengths.values())
    assert over_300 <= len(lengths) // 10


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "probe.py"], ids=name_of)
def test_functions_stay_small_and_annotated(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            where = f"{name_of(path)}:{node.lineno} {node.name}"
            assert node.returns is not None, f"{where} says not what it returns"
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert length <= 60, f"{where} has {length} lines"
