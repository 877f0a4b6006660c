"""The desk in a real browser: four months by real clicks, every page on every width, keyboard, accessibility.

`make test-browser` installs Playwright, axe-core and Chromium; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.in_chromium import axe, chromium, with_chromium
from tests.conftest import MONTHS, SAMPLE, published_bytes

__all__ = ["chromium"]
pytestmark = with_chromium
TODAY = "2025-12-01"
SECONDS = 120


@contextmanager
def desk(home: Path, today: str = TODAY) -> Iterator[str]:
    """Open the desk as the command does, and give its first address."""
    command = [
        sys.executable,
        "-m",
        "ratinglist",
        "desk",
        "--home",
        str(home),
        "--port",
        "0",
        "--no-browser",
        "--new",
        "--json",
    ]
    environment = {**os.environ, "RATINGLIST_TODAY": today, "RATINGLIST_BY": "Ada Lind", "POLARS_MAX_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            printed = ""
            while not printed.endswith("}\n"):
                line = process.stdout.readline()
                assert line, printed
                printed += line
            yield json.loads(printed)["address"]
        finally:
            # Also where a test fails: to leave the block waits for the end of the process.
            process.terminate()


class Clicks:
    """An officer with a mouse. Every console error, exception and request to elsewhere is kept."""

    def __init__(self, browser, address: str, **options: object) -> None:
        self.wrong: list[str] = []
        self.page = browser.new_context(**options).new_page()
        self.page.set_default_timeout(SECONDS * 1000)
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.start = address.partition("/?")[0]
        self.page.on("request", lambda request: request.url.startswith(self.start) or self.wrong.append(request.url))
        self.page.goto(address)

    def opens(self, address: str) -> None:
        self.page.goto(self.start + address)

    def goes(self, name: str) -> None:
        """Click a link of the head of the page."""
        self.page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()

    def follows(self, name: str) -> None:
        """Click a link of the page itself."""
        self.page.locator("main").get_by_role("link", name=name, exact=True).click()

    def clicks(self, name: str, within: str = "main") -> None:
        """Click a button; a name that ends with a blank is its beginning."""
        self.page.locator(within).get_by_role("button", name=name, exact=not name.endswith(" ")).click()

    def fills(self, field: str, text: str) -> None:
        self.page.fill(field, text)

    def reads(self, text: str) -> None:
        """Wait until the page has a text."""
        self.page.locator("main").get_by_text(text).first.wait_for()

    def chooses(self, field: str, *files: Path) -> None:
        self.page.set_input_files(field, [str(file) for file in files])


def four_months(officer: Clicks) -> None:
    """Begin an office and publish four months, by clicks alone."""
    officer.chooses("#list-file", SAMPLE / "list-2025-08.csv")
    officer.fills("#list-month", "2025-08")
    officer.clicks("Show what changes")
    officer.reads("Nothing was changed yet")
    officer.clicks("Do it")
    officer.reads("It is done.")
    for month in MONTHS:
        players = SAMPLE / f"players-{month}.csv"
        if players.exists():
            officer.goes("Players")
            officer.chooses("#players-file", players)
            officer.clicks("Show what changes", within="#import")
            officer.reads("Nothing was changed yet")
            officer.clicks("Do it")
            officer.reads("It is done.")
        officer.goes("This month")
        officer.follows("Open the inbox")
        officer.chooses("#files", *sorted((SAMPLE / "reports" / month).iterdir()))
        officer.clicks("Load")
        officer.reads("Accepted:")
        officer.goes("This month")
        officer.clicks("Calculate and preview")
        officer.reads("This is what will be published.")
        officer.clicks("Publish ")
        officer.reads("revision: r1")
    officer.goes("Publications")
    officer.reads("December 2025")


def test_four_months_by_clicks_are_those_of_the_commands(chromium, homes: Path, tmp_path: Path):
    home = tmp_path / "home"
    with desk(home) as address:
        officer = Clicks(chromium, address, locale="en")
        four_months(officer)
        assert officer.wrong == []
    assert published_bytes(home) == published_bytes(homes / MONTHS[-1])


@pytest.fixture(scope="module")
def published(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office that has published four months, and corrected the first."""
    return Path(shutil.copytree(corrected_home, tmp_path_factory.mktemp("desk") / "home", symlinks=True))


@pytest.fixture
def address(published: Path) -> Iterator[str]:
    """The desk of that office; its first address opens it once."""
    with desk(published) as opened:
        yield opened


PAGES = (
    *("/", "/inbox", "/players?q=thor", "/players/99900046?month=2025-09", "/corrections?event=ORV25081", "/log"),
    *("/publications", "/publications/2025-09", "/month/2025-12", "/work/99"),
)


def report_address(officer: Clicks, state: str = "") -> str:
    """The address of the first report that needs a hand; ``state``: the first with this one."""
    officer.opens("/inbox")
    return officer.page.locator("main tr").filter(has_text=state).locator("a").first.get_attribute("href")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_every_page_is_accessible_and_fits_every_width(chromium, address, scheme, language):
    """640 pixels are a window of 1280 at 200 per cent."""
    officer = Clicks(chromium, address, color_scheme=scheme, locale=language)
    wrong = []
    for path in (*PAGES, report_address(officer)):
        for width in (1280, 820, 640, 390):
            officer.page.set_viewport_size({"width": width, "height": 900})
            officer.opens(path)
            if officer.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wrong.append(f"{path} is wider than {width}")
            if width in (1280, 390):
                findings = axe.Axe().run(officer.page, options={"resultTypes": ["violations"]})
                wrong += [
                    f"{path} at {width}: {rule['id']} {node['target']}"
                    for rule in findings.response["violations"]
                    for node in rule["nodes"]
                ]
    assert wrong == []
    assert [message for message in officer.wrong if "404" not in message] == []


def test_the_keyboard_goes_through_a_page_in_its_order(chromium, address):
    officer = Clicks(chromium, address, locale="en")
    officer.opens("/inbox")
    seen = []
    for _ in range(14):
        officer.page.keyboard.press("Tab")
        seen.append(
            officer.page.evaluate("document.activeElement.id || document.activeElement.innerText.split('\\n')[0]")
        )
    assert seen[0] == "To the content"
    menu = ["This month", "Inbox", "Players", "Corrections", "Publications", "Log"]
    assert seen[2:8] == menu
    assert seen[8:11] == ["files", "folder", "received"]
    officer.opens("/inbox")
    officer.page.keyboard.press("Tab")
    officer.page.keyboard.press("Enter")
    officer.page.keyboard.press("Tab")
    assert officer.page.evaluate("document.activeElement.id") == "files"
    assert officer.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
