"""Draw the pictures of the desk in ``docs/images``: ``PYTHONPATH=.browser python -m tests.browser.desk_pictures``."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from ratinglist.workflows import import_files, load
from tests.browser.in_chromium import CHROMIUM
from tests.browser.test_desk_in_browser import Clicks, desk, report_address
from tests.conftest import ROOT, SAMPLE, import_sample, office, run_sample

TODAY = date(2025, 9, 27)
IMAGES = ROOT / "docs" / "images"


def draw(folder: Path) -> None:
    """Draw the checklist of October, and a report that is refused, of the sample's office."""
    settings = replace(office(folder / "Federation of Orvania"), today=TODAY)
    import_sample(settings)
    run_sample(settings, "2025-09")
    import_files.import_players(settings, SAMPLE / "players-2025-10.csv")
    load.load(settings, [SAMPLE / "reports" / "2025-10"])
    with desk(settings.home, TODAY.isoformat()) as address, sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        officer = Clicks(browser, address, locale="en", viewport={"width": 1000, "height": 760})
        officer.page.screenshot(path=IMAGES / "desk-month.png")
        officer.page.goto(officer.start + report_address(officer, "Vale Weekend"))
        officer.page.screenshot(path=IMAGES / "desk-report.png")
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw(Path(folder))
