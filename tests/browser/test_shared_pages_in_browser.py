"""The pages of one player or event, in a browser and from a server: what they show, and the address to be copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ratinglist.workflows.site import site
from tests.browser.in_chromium import axe, chromium, with_chromium
from tests.browser.served import served
from tests.conftest import office
from tests.sites import without_pictures

__all__ = ["chromium"]
pytestmark = with_chromium
CARD = """Object.fromEntries(
  [...document.querySelectorAll("meta[property]")].map((one) => [one.getAttribute("property"), one.content]))"""
ADDRESS = "https://ratings.example.org"


@pytest.fixture(scope="module")
def address(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("shared")
    home = shutil.copytree(corrected_home, folder / "home")
    (home / "office.toml").write_text(f'[site]\naddress = "{ADDRESS}"\n', encoding="utf-8")
    with without_pictures():
        site(office(home), folder / "site", downloads=False)
    with served(folder / "site") as found:
        yield found


@pytest.fixture
def page(chromium, address: str) -> Iterator[object]:
    """A page on a phone; it may load nothing from elsewhere, and no script of it may fail."""
    wrong: list[str] = []
    opened = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
    opened.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda one: one.url.startswith(address) or wrong.append(one.url))
    yield opened
    assert wrong == []
    opened.context.close()


def test_the_page_of_a_player_shows_the_player_and_its_card_is_right(page, address):
    page.goto(f"{address}/player-99900143.html")
    page.wait_for_selector("#account h3, #account p")
    assert page.inner_text("h1") == "Ravnik, Teodor"
    assert page.url == f"{address}/player-99900143.html"
    shown = page.evaluate(CARD)
    assert shown["og:title"].startswith("Ravnik, Teodor – ")
    assert shown["og:url"] == page.get_attribute("link[rel=canonical]", "href") == f"{ADDRESS}/player-99900143.html"
    rating = page.inner_text(".card.rating .big").split()[0]
    assert f"Standard {rating}" in shown["og:description"]
    found = axe.Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_another_month_of_the_page_is_explained_in_place_and_back_leads_to_the_newest(page, address):
    page.goto(f"{address}/player-900000113.html")
    page.wait_for_selector("#month")
    newest = page.inner_text("#months h2")
    page.select_option("#month", "2025-11")
    page.wait_for_selector("#months h2:has-text('November')")
    assert page.url == f"{address}/player-900000113.html#900000113/2025-11"
    page.go_back()
    page.wait_for_selector(f"#months h2:has-text('{newest}')")


def test_an_address_behind_a_hash_becomes_the_one_to_share(page, address):
    page.goto(f"{address}/player.html#99900143/2025-11")
    page.wait_for_selector("#account h3")
    assert page.url == f"{address}/player-99900143.html#99900143/2025-11"
    page.goto(f"{address}/event.html#2025-12/ORV25112")
    page.wait_for_selector(".cross")
    assert page.url == f"{address}/event-2025-12-ORV25112.html"
    page.reload()
    page.wait_for_selector(".cross")
    assert page.inner_text("h1") == "November Open"
    page.click(".cross a >> nth=0")
    page.wait_for_selector("#account h3")
    assert page.url.startswith(f"{address}/player-")


def test_a_player_without_a_page_stays_at_the_address_of_all(page, address, corrected_home):
    listed = pl.read_parquet(corrected_home / "published" / "2025-12" / "r2" / "standard.parquet")
    minor = listed.filter(pl.col("birth_year") > 2010)["fide_id"][0]
    page.goto(f"{address}/player.html#{minor}")
    page.wait_for_selector("#account h3, #account p")
    assert page.url == f"{address}/player.html#{minor}"
    assert page.request.get(f"{address}/player-{minor}.html").status == 404


def test_a_search_result_has_its_labels_and_the_change(page, address):
    page.goto(f"{address}/search.html")
    page.fill("#search-0", "conrad")
    page.wait_for_selector(".found table")
    assert "born 1999 · FIDE ID 900000113" in page.inner_text(".found")
    assert "+146" in page.inner_text(".found tbody")
    page.fill("#search-0", "0000113")
    page.wait_for_selector(".found .note:has-text('1 found')")
    assert "+146" in page.inner_text(".found tbody")


def test_the_first_page_leads_to_the_dates_of_the_next_list(page, address):
    page.goto(f"{address}/index.html")
    line = page.locator("p:has-text('Next list')")
    links = line.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert links == ["calendar.ics", "feed.xml"]
    assert page.evaluate("document.querySelector('a[href=\"months.html\"].whole').getClientRects().length") == 1


def test_the_legend_of_an_event_explains_the_cells_where_they_are_shown(page, address):
    page.goto(f"{address}/event-2025-12-ORV25112.html")
    page.wait_for_selector(".cross")
    assert "A cell is" not in page.inner_text("main")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert "A cell is" in page.inner_text("main")
