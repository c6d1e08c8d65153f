"""What went into the hash of a module, as leaves that can be compared and as text made for diffing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from warp_nbprobe.data.events import ordered_events, place_text
from warp_nbprobe.data.lines import Table, Texts
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Inputs, KernelState, Place, Wire

Leaves = dict[str, str]
"""Name of an input (``kernel step(float32) / constant dt``) to what it was."""


def input_leaves(wire: Wire, inputs: Inputs) -> Leaves:
    """Return every input of one hash once, by name, in the order of their names."""
    found: Leaves = {f"option {name}": str(text) for name, text in inputs.options.items()}
    if inputs.block_dim is not None:
        found |= {"block_dim": str(inputs.block_dim)}
        found.pop("option block_dim", None)  # the same
    functions: dict[int, None] = {}
    structs: dict[int, None] = {}
    for label, kernel in labelled_kernels(wire, inputs):
        found |= {f"{label} / {name}": text for name, text in _kernel_leaves(wire, kernel).items()}
        functions |= dict.fromkeys(_reached(wire, kernel.functions))
        structs |= dict.fromkeys(kernel.structs)
    for number in functions:
        found |= _function_leaves(wire, number, structs)
    for number in structs:
        if number in wire.structs:
            struct = wire.structs[number]
            found |= {f"struct {struct.name} / {name}": of for name, of in struct.fields}
    return dict(sorted(found.items()))


def labelled_kernels(wire: Wire, inputs: Inputs) -> list[tuple[str, KernelState]]:
    """Return the kernels with names of their own: types tell instances apart, a number versions."""
    kernels = [wire.kernels[number] for number in inputs.kernels if number in wire.kernels]
    named = [(f"kernel {kernel.name}({', '.join(of for _, of in kernel.args)})", kernel) for kernel in kernels]
    named.sort(key=lambda pair: (pair[0], source_digest(wire, pair[1].source), str(pair[1].captured)))
    total, seen = Counter(label for label, _ in named), Counter[str]()
    labelled = []
    for label, kernel in named:
        seen[label] += 1
        labelled.append((f"{label} #{seen[label]}" if total[label] > 1 else label, kernel))
    return labelled


def source_digest(wire: Wire, number: int | None) -> str:
    """Return 12 hexadecimal digits that stand for a source text; empty where the wire lacks it."""
    source = wire.sources.get(number) if number is not None else None
    return sha256(source.text.encode()).hexdigest()[:12] if source else ""


def _kernel_leaves(wire: Wire, kernel: KernelState) -> Leaves:
    found: Leaves = {"source": source_digest(wire, kernel.source)}
    found |= {f"argument {name}": of for name, of in kernel.args}
    found |= {f"option {name}": str(text) for name, text in kernel.options.items()}
    found |= _value_leaves(kernel.constants, kernel.statics, kernel.types)
    return found


def _value_leaves(constants: Table, statics: Table, types: Texts) -> Leaves:
    found = {f"constant {name}": value_text(value) for name, value in constants.items()}
    found |= {f"static {name}": value_text(value) for name, value in statics.items()}
    return found | ({"types": ", ".join(types)} if types else {})


def _reached(wire: Wire, numbers: tuple[int, ...]) -> Iterator[int]:
    """Yield the functions that are called, however deep, each once."""
    waiting, seen = list(numbers), set[int]()
    while waiting:
        number = waiting.pop(0)
        if number in seen or number not in wire.functions:
            continue
        seen.add(number)
        yield number
        for overload in wire.functions[number].overloads:
            waiting += overload.get("functions") or ()


def _function_leaves(wire: Wire, number: int, structs: dict[int, None]) -> Leaves:
    """Return the leaves of one function; the structs it refers to are added to ``structs``."""
    function = wire.functions[number]
    found: Leaves = {}
    for position, overload in enumerate(function.overloads, start=1):
        label = f"function {function.name}"
        if len(function.overloads) > 1:
            label += f" [{position}/{len(function.overloads)}]"
        found[f"{label} / source"] = source_digest(wire, overload.get("source"))
        found |= {f"{label} / argument {name}": of for name, of in overload.get("args") or ()}
        if overload.get("native"):
            found[f"{label} / native"] = overload["native"]
        held = (overload.get("constants") or {}, overload.get("statics") or {}, overload.get("types") or ())
        found |= {f"{label} / {name}": text for name, text in _value_leaves(*held).items()}
        structs |= dict.fromkeys(overload.get("structs") or ())
    return found


def value_text(value: Table) -> str:
    """Return a constant as text: what it prints as, its type, and the bytes that Warp hashes."""
    told = [str(value[name]) for name in ("type", "from") if value.get(name)]
    told += [f"bytes {value['bytes']}"] if value.get("bytes") else []
    return f"{value.get('text')} ({', '.join(told)})" if told else str(value.get("text"))


def hash_inputs_text(run: Run, module: str) -> str:
    """Return what went into the hash of each event of ``module``; empty when the run has no such event.

    One block per event, one line per input, sorted, so that two blocks can be compared line by line.
    """
    blocks = []
    for seq, (wire, event) in enumerate(ordered_events(run)):
        if event.module != module:
            continue
        title = f"{module}, event {seq}: {event.status}, hash {event.hash or 'not known'}"
        title += f", device {event.device or 'not known'}, block_dim {event.block_dim or 'not known'}"
        inputs = wire.inputs.get(event.inputs) if event.inputs is not None else None
        if inputs is None:
            blocks.append([title, "    what went into this hash was not recorded"])
            continue
        leaves = [f"    {name}: {text}" for name, text in input_leaves(wire, inputs).items()]
        blocks.append([title, *leaves, *_defined(run, wire, inputs)])
    return "".join("\n".join(block) + "\n\n" for block in blocks).rstrip("\n")


def _defined(run: Run, wire: Wire, inputs: Inputs) -> list[str]:
    """Return where the kernels and functions stand, which is no input of the hash."""
    found: dict[str, Place | None] = {label: kernel.defined for label, kernel in labelled_kernels(wire, inputs)}
    kernels = [wire.kernels[number] for number in inputs.kernels if number in wire.kernels]
    for number in dict.fromkeys(item for kernel in kernels for item in _reached(wire, kernel.functions)):
        for overload in wire.functions[number].overloads:
            found[f"function {wire.functions[number].name}"] = overload.get("defined")
    spots = {label: place_text(run, place, wire)[2] for label, place in sorted(found.items())}
    return [f"    (defined) {label}: {spot}" for label, spot in spots.items() if spot]
