"""What the tests in a real browser need: Playwright, axe-core and Chromium; without them they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

HINT = "is not installed: make test-browser"
playwright = pytest.importorskip("playwright.sync_api", reason=f"Playwright {HINT}")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"axe-core {HINT}")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
with_chromium = pytest.mark.skipif(CHROMIUM is None, reason=f"Chromium {HINT}")


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
