"""Makes the picture of the README: measures the README's own cell and takes a picture of the report card.

Needs the extra ``test`` and a Chromium: ``python docs/images/make.py``.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import warp_nbprobe as nb

HERE = Path(__file__).parent
README = HERE.parent.parent / "README.md"
PICTURE = HERE / "card.png"
WIDTH, SCALE = 880, 1.5


def readme_cell() -> str:
    """Return the body of the README's measured cell, the magic's line as a comment so that lines keep their numbers."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if block.startswith("%%warp_cold")).replace("%%warp_cold", "# %%warp_cold", 1)


def main() -> None:
    measurement = nb.measure(readme_cell(), label="base", quiet=True)
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder) / "card.html"
        measurement.to_html(page_path)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 200}, device_scale_factor=SCALE)
        page.goto(page_path.as_uri())
        page.screenshot(path=PICTURE, full_page=True)
        browser.close()
    print(f"{PICTURE.relative_to(HERE.parent.parent)}: {PICTURE.stat().st_size / 1000:.0f} kB; {measurement}")


if __name__ == "__main__":
    main()
