"""What changed in a kernel, as the end of a sentence."""

from __future__ import annotations

from warp_nbprobe.explain.changes import Change
from warp_nbprobe.explain.parts import function_of
from warp_nbprobe.explain.words import quoted


def change_text(change: Change, several: bool = False) -> str:
    """Return what changed; ``several`` kernels share the change."""
    part = change.part
    if part.kind == "source":
        return _source_text(change, several)
    moved = f"went from {change.old} to {change.new}"
    if part.kind == "constant" and change.hidden:
        return f"global {quoted(part.name)}, which {_hiding(change, several)} hides, {moved}"
    if part.kind == "constant":
        return f"{'captured value' if change.origin == 'closure' else 'global'} {quoted(part.name)} {moved}"
    if part.kind == "calls":
        return f"it now calls {change.new or 'nothing'} instead of {change.old or 'nothing'}"
    if part.kind == "struct":
        return f"the fields of struct {quoted(part.name)}"
    named = {
        "static": f"the wp.static value {quoted(part.name)}",
        "decorator": f"its option {quoted(part.name)}",
        "type": "a type that it uses",
    }
    return f"{named.get(part.kind, 'its arguments')} {moved}"


def _source_text(change: Change, several: bool) -> str:
    function = function_of(change.part.holder)
    if function:
        what = f"function {quoted(function)}, which {'they call' if several else 'it calls'}"
    else:
        what = "its own source"
    return f"only comments or blank lines of {what}" if change.text_only else what


def _hiding(change: Change, several: bool) -> str:
    function = function_of(change.part.holder)
    owner = f"function {quoted(function)}" if function else "the kernels" if several else "the kernel"
    return f"{'an' if change.hider == 'argument' else 'a'} {change.hider} of {owner}"
