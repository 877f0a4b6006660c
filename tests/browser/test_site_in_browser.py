"""The site in a real browser: search, a player, a correction, a phone, no other host, accessibility.

`make test-browser` installs Playwright, axe-core and Chromium; without them these tests are skipped.
"""

from __future__ import annotations

import gzip
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.browser.in_chromium import axe, chromium, with_chromium
from tests.conftest import office
from tests.sites import PAGES, hostile_folder, quick_site, served

__all__ = ["chromium"]
pytestmark = with_chromium


@pytest.fixture(scope="module")
def folder(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("browsed") / "site"
    quick_site(office(corrected_home), site)
    return site


class Visit:
    """A page of a site in a browser. Every request to another host, console error and exception is kept.

    The site is served for as long as the test runs.
    """

    def __init__(self, browser, folder: Path, **options: object) -> None:
        self.address, self.wrong = served(folder), []
        self.page = browser.new_context(**options).new_page()
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: self.wrong.append(f"dialog {dialog.message}") or dialog.dismiss())
        self.page.on("request", lambda request: request.url.startswith(self.address) or self.wrong.append(request.url))

    def open(self, name: str) -> str:
        """Open a page, and return its text when the script has filled it."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{name}")
        self.wait_for("!document.querySelector('script') || document.querySelector('main.ready') !== null")
        self.wait_for("!document.querySelector('[aria-busy]')")
        return self.page.inner_text("main")

    def wait_for(self, condition: str) -> None:
        """Wait until ``condition`` is true; evaluated here, because a page's policy forbids it to evaluate a text."""
        give_up = time.monotonic() + 30
        while not self.page.evaluate(condition):
            assert time.monotonic() < give_up, condition
            self.page.wait_for_timeout(20)


@pytest.fixture
def visit(chromium, folder: Path) -> Iterator[Visit]:
    visitor = Visit(chromium, folder)
    yield visitor
    assert visitor.wrong == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("conrad", "Çelård, Conrad"),
        ("ÇELÅRD con", "Çelård, Conrad"),
        ("miryatenko", "Мирятенко, Прохор"),
        ("Прохор", "Мирятенко, Прохор"),
        ("lård", "Çelård, Conrad"),
        ("900000113", "Çelård, Conrad"),
        ("0000113", "Çelård, Conrad"),
        ("Noerrstroem", "Nørrström, Ramón"),
        ("norstrom ramon", "Nørrström, Ramón"),
        ("Celaard", "Çelård, Conrad"),
        ("qqq", "No player fits"),
    ],
)
def test_a_player_is_found_by_any_part_of_the_name_in_any_alphabet(visit, query, name):
    visit.open("search.html")
    visit.page.fill("input[type=search]", query)
    visit.page.wait_for_selector(".found table, .found p")
    assert name in visit.page.inner_text(".found")


def test_the_page_of_a_player_explains_the_rating(visit):
    visit.open("player.html#900000113")
    visit.page.wait_for_selector("#account h3")
    text = visit.page.inner_text("#account")
    assert "1802 → 1948 (+146)" in text
    assert "−5.61, +34.65, +116.49 make +145.53" in text
    assert "−465 → −400" in text
    visit.page.click("text=In sentences")
    assert "ratinglist explain 900000113 2025-12" in visit.page.inner_text("#account")
    visit.page.click(".month-band >> nth=-2", force=True)
    visit.wait_for("document.querySelector('#months h2').textContent.startsWith('November')")
    visit.page.click(".month-band >> nth=-1", force=True)
    visit.wait_for("document.querySelector('#months h2').textContent.startsWith('December')")
    visit.page.click("#account h4 a >> nth=0")
    visit.page.wait_for_selector(".cross")
    assert "Games by round" in visit.page.inner_text("main")


def test_a_first_rating_is_new_on_its_card(visit, corrected_home):
    changes = pl.read_parquet(corrected_home / "published/2025-12/r1/changes.parquet")
    first = changes.filter(pl.col("status") == "entered").row(0, named=True)
    visit.open(f"player.html#{first['fide_id']}")
    assert visit.page.inner_text(".card.rating .big") == f"{first['new_rating']} new"


def test_another_month_is_explained_in_place(visit):
    visit.open("player.html#900000113")
    visit.page.wait_for_selector("#account h3")
    visit.page.evaluate("document.querySelector('h1').marked = true")
    visit.page.focus("#month")
    before = visit.page.evaluate("window.scrollY")
    visit.page.select_option("#month", label="November 2025")
    visit.wait_for("document.querySelector('#months h2').textContent.startsWith('November')")
    assert visit.page.evaluate("document.querySelector('h1').marked && document.activeElement.id") == "month"
    assert visit.page.evaluate("window.scrollY") == before


def test_back_finds_the_query_and_the_rows_shown_again(visit):
    for page in ("search.html", "index.html"):
        visit.open(page)
        visit.page.fill("#search-0", "conrad")
        visit.page.click(".found a")
        visit.page.wait_for_selector("#account h3")
        visit.page.go_back()
        visit.page.wait_for_selector(".found table")
        assert visit.page.input_value("#search-0") == "conrad"
    visit.open("list-standard.html")
    visit.page.click("#show-more")
    visit.wait_for("document.querySelectorAll('tbody tr').length > 100")
    visit.page.click("tbody tr:nth-child(101) a")
    visit.page.wait_for_selector("#account h3, #account p")
    visit.page.go_back()
    visit.wait_for("document.querySelectorAll('tbody tr').length > 100")


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("player.html#99900046/2025-09", ["1824 → 1844", "result corrected from 0 to 1"]),
        ("list-standard.html#month=2025-09", ["September 2025", "114 players"]),
        ("compare.html#99900046,99900095", ["scored 1 in 1 game"]),
    ],
)
def test_a_page_shows_what_its_address_names(visit, page, texts):
    visit.open(page)
    for text in texts:
        visit.page.locator("main").get_by_text(text).first.wait_for()


def test_a_list_is_filtered(visit):
    visit.open("list-standard.html")
    visit.page.click("#filter-sex")
    visit.wait_for("document.querySelectorAll('tbody tr').length < 60")
    visit.page.select_option("#filter-group", "U18")
    visit.wait_for("[...document.querySelectorAll('tbody tr')].every(row => Number(row.cells[3].textContent) >= 2007)")
    assert "sex=F" in visit.page.url


def test_a_list_is_printed_whole_with_the_filters_that_are_chosen(chromium, folder):
    visit = Visit(chromium, folder)
    visit.page.add_init_script(
        "window.print = () => { window.printed = document.querySelectorAll('tbody tr').length; };"
    )
    visit.open("list-standard.html")
    visit.page.click("#print")
    visit.wait_for("window.printed === 124")
    visit.page.select_option("#filter-group", "U18")
    visit.page.emulate_media(media="print")
    shown = visit.page.locator("#filters > *").evaluate_all(
        "(all) => all.filter((one) => one.offsetParent).map((one) => one.id)"
    )
    assert shown == ["filter-group", ""]
    assert visit.wrong == []


CUT_TEXTS = """[...document.querySelectorAll("svg.chart")].flatMap((chart) => {
  const whole = chart.getBoundingClientRect();
  const isCut = ({ left, right }) => left < whole.left - 1 || right > whole.right + 1;
  const texts = [...chart.querySelectorAll("text:not([transform])")];
  return texts.filter((one) => isCut(one.getBoundingClientRect())).map((one) => one.textContent);
})"""
SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("width", [320, 360, 820, 1280])
def test_pages_fit_and_stay_where_they_are(chromium, folder, width):
    """No page and no table is wider than the window, and the layout shifts by less than 0.1."""
    visit = Visit(chromium, folder, viewport={"width": width, "height": 740})
    visit.page.add_init_script(SHIFTS)
    for page in PAGES:
        visit.open(page)
        visit.page.wait_for_timeout(150)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, page
        assert visit.page.evaluate(CUT_TEXTS) == [], page
        wide = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1)"
        assert visit.page.evaluate(f"{wide}.map(one => one.getAttribute('aria-label'))") == [], page
        assert visit.page.evaluate("window.shifts") < 0.1, page
    assert visit.wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium, folder, scheme):
    """Contrast is among what it measures; what a reader can unfold is unfolded."""
    visit = Visit(chromium, folder, color_scheme=scheme)
    for page in PAGES:
        visit.open(page)
        visit.page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        visit.wait_for("!document.querySelector('main').innerText.includes('Loading')")
        # axe is put into the page by the test, which the policy of the page would not allow.
        violations = axe.Axe().run(visit.page).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == [], page


def test_lists_and_months_are_read_without_a_script(chromium, folder):
    visit = Visit(chromium, folder, java_script_enabled=False)
    for page, text in (
        ("index.html", "Ravnik"),
        ("list-standard.html", "Ravnik"),
        ("month-2025-12.html", "Gained most"),
        ("events.html", "November Open"),
        ("corrections.html", "result corrected from 0 to 1"),
    ):
        visit.page.goto(f"{folder.as_uri()}/{page}")
        assert text in visit.page.inner_text("main")


def test_a_page_opened_from_a_folder_says_how_to_serve_it(chromium, folder):
    page = chromium.new_page()
    page.goto(f"{folder.as_uri()}/player.html#900000113")
    page.wait_for_selector("[role=alert]")
    assert "ratinglist site --serve" in page.inner_text("main")


def test_the_games_of_each_round_are_there_when_a_reader_opens_them(visit):
    visit.open("events.html")
    visit.page.click("main tbody a >> nth=0")
    visit.page.wait_for_selector(".cross")
    assert visit.page.locator("#result h3").count() == 0
    visit.page.click("#result details summary")
    visit.page.wait_for_selector("#result h3")
    assert "Round 1" in visit.page.inner_text("#result h3 >> nth=0")
    assert visit.page.locator("#result details tbody a").count() > 0


@pytest.mark.parametrize("damage", ["missing", "cut", "other", "version"])
def test_a_missing_or_damaged_file_is_named(chromium, folder, tmp_path, damage):
    broken = tmp_path / "site"
    shutil.copytree(folder, broken)
    (file,) = broken.glob("data/*/p/0.json.gz")
    data = file.read_bytes()
    file.unlink()
    if damage == "cut":
        file.write_bytes(data[:200])
    if damage == "other":
        file.write_bytes(b"<!doctype html>")
    if damage == "version":
        file.write_bytes(gzip.compress(gzip.decompress(data).replace(b'"version":"', b'"version":"0', 1)))
    visit = Visit(chromium, broken)
    text = visit.open("player.html#900000113")
    assert "p/0 is" in text
    assert ("of another version" in text) is (damage == "version")


def test_a_file_that_the_server_has_unpacked_is_read(chromium, folder, tmp_path):
    """As where it states that the content is encoded: then the browser unpacks it."""
    unpacked = tmp_path / "site"
    shutil.copytree(folder, unpacked)
    for file in unpacked.glob("data/**/*.gz"):
        file.write_bytes(gzip.decompress(file.read_bytes()))
    visit = Visit(chromium, unpacked)
    assert "1948" in visit.open("player.html#900000113")
    assert visit.wrong == []


def test_hostile_names_events_and_reasons_do_nothing(chromium, corrected_home, tmp_path):
    hostile_folder(corrected_home / "published", tmp_path / "office" / "published")
    quick_site(office(tmp_path / "office"), tmp_path / "site")
    visit = Visit(chromium, tmp_path / "site")
    pages = (
        "index.html",
        "month-2025-09.html",
        "list-standard.html",
        "player.html#99900046/2025-09",
        "events.html",
    )
    for page in (*pages, "event.html#2025-12/ORV25112", "compare.html#99900046,99900095"):
        visit.open(page)
        assert visit.page.title() != "harm"
        assert visit.page.locator("main img, main script, main style").count() == 0
        assert visit.page.evaluate("getComputedStyle(document.querySelector('main')).display") == "block"
    visit.open("search.html")
    visit.page.fill("input[type=search]", "script")
    visit.page.wait_for_selector(".found table")
    assert visit.page.locator(".found img, .found script").count() == 0
    assert visit.wrong == []
