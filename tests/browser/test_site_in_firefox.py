"""The site in Firefox: every page is filled, fits the window, and finds a player."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ratinglist_site.make import make_site
from tests.browser.in_firefox import FirefoxPage, at_firefox, with_firefox
from tests.conftest import office
from tests.sites import PAGES, served

pytestmark = with_firefox
FILLED = """(!document.querySelector("script") || document.querySelector("main.ready") !== null)
    && !document.querySelector("[aria-busy]")"""


@pytest.fixture(scope="module")
def folder(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("firefox") / "site"
    make_site(office(corrected_home), folder)
    return folder


@pytest.fixture(scope="module")
def firefox(folder: Path) -> Iterator[FirefoxPage]:
    with at_firefox("about:blank", folder.with_name("profile")) as opened:
        yield opened


def opened(firefox: FirefoxPage, folder: Path, page: str) -> None:
    """Open a page of the site, and wait until the script has filled it."""
    firefox.opens("about:blank")
    firefox.opens(f"{served(folder)}/{page}")
    firefox.waits_for(FILLED)


@pytest.mark.parametrize("width", [360, 820, 1280])
def test_pages_are_filled_and_fit_in_firefox(firefox, folder, width):
    firefox.resizes(width, 900)
    for page in PAGES:
        opened(firefox, folder, page)
        firefox.waits_for("document.querySelector('main').innerText.length > 100")
        assert firefox.value("document.querySelectorAll('[role=alert]').length") == 0, page
        assert firefox.value("document.documentElement.scrollWidth <= innerWidth"), page
        wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)"
        assert firefox.value(f"{wide}.map((one) => one.getAttribute('aria-label'))") == [], page


def test_firefox_finds_a_player_and_explains_the_rating(firefox, folder):
    opened(firefox, folder, "search.html#conrad")
    firefox.waits_for("document.querySelector('.found table') !== null")
    assert "Çelård, Conrad" in firefox.value("document.querySelector('.found').innerText")
    opened(firefox, folder, "player.html#900000113")
    firefox.waits_for("document.querySelector('#account').innerText.includes('1802 → 1948 (+146)')")
