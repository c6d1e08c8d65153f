"""What axe-core finds wrong in a part of a page: only what is serious, and only ours."""

from __future__ import annotations

from importlib import resources
from typing import Any

_RUN = """async selector => {
  const found = await axe.run(selector, { resultTypes: ['violations'] });
  return found.violations.filter(rule => ['serious', 'critical'].includes(rule.impact))
    .flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)} | ${node.failureSummary}`));
}"""


def serious(page: Any, selector: str) -> list[str]:
    """Return the serious violations in what the selector finds."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    found: list[str] = page.evaluate(_RUN, selector)
    return found
