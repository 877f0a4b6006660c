"""The page that asks the lists, in a real browser with the real DuckDB-WASM, from a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from ratinglist.workflows.site import site
from tests.browser.in_chromium import HINT, axe, chromium, with_chromium
from tests.browser.served import Quiet, served
from tests.conftest import office
from tests.sites import decoded

__all__ = ["chromium"]
PACKAGE = Path(__file__).resolve().parents[2] / ".browser" / "node_modules" / "@duckdb" / "duckdb-wasm"
pytestmark = [with_chromium, pytest.mark.skipif(not PACKAGE.is_dir(), reason=f"DuckDB-WASM {HINT}")]


@pytest.fixture(scope="module")
def folder(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made") / "site"
    site(office(corrected_home), made, sql=PACKAGE)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


@pytest.fixture
def page(chromium, address: str) -> Iterator[object]:
    """A phone at that site. Every request to another host and every exception is kept, and must not be there."""
    wrong: list[str] = []
    opened = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
    opened.context.on("request", lambda one: one.url.startswith((address, "blob:")) or wrong.append(one.url))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    assert wrong == []
    opened.context.close()


def ask(page, address: str, question: str) -> None:
    page.goto(f"{address}/ask.html#{question}")
    page.wait_for_selector("#answer:not([aria-busy]) > *", timeout=60_000)


def test_every_question_is_answered_in_the_browser_as_by_duckdb(page, folder, address):
    questions = decoded(folder, "ask")["questions"]
    ask(page, address, questions[0][0])
    for name, _, _ in questions:
        page.select_option("#question", name)
        page.wait_for_selector("#answer:not([aria-busy]) > *", timeout=60_000)
        assert page.locator("#answer .error").count() == 0, page.inner_text("#answer")
        assert page.locator("#answer table, #answer > p").count(), name


def test_an_answer_is_a_table_a_chart_and_a_file(page, address):
    ask(page, address, "upsets")
    assert page.locator("#answer tbody tr").count() == 20
    assert page.locator("#answer .bars progress").count() == 20
    ends = "all => all.map(one => one.getBoundingClientRect()).map(one => `${one.left} ${one.right}`)"
    assert len(set(page.locator("#answer .bars progress").evaluate_all(ends))) == 1, "bars have one scale"
    with page.expect_download() as saved:
        page.click("#save")
    lines = Path(saved.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "fide_id,name,rating,opponent,opponent_rating,difference"
    assert len(lines) == 21


def test_a_line_is_drawn_of_a_rating_from_list_to_list(page, address):
    ask(page, address, "history_of_a_player")
    assert page.locator("#answer svg.chart path.series").count() == 1


def test_a_query_of_ones_own_is_answered_and_a_wrong_one_says_why(page, address):
    ask(page, address, "women")
    page.click("#result summary")
    for query, found in (("select 'Ä, \"b\"' as name, null as nothing;", 'Ä, "b"'), ("select x from lists", "x")):
        page.fill("#query", query)
        page.click("#ask")
        page.wait_for_selector("#answer:not([aria-busy]) > *")
        assert found in page.inner_text("#answer")
    assert page.locator("#answer .error").count() == 1


def test_no_other_host_is_reached(chromium, address):
    received: list[str] = []

    class Other(Quiet):
        def handle(self) -> None:
            received.append(str(self.client_address))

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        page = chromium.new_context().new_page()
        ask(page, address, "women")
        page.click("#result summary")
        page.fill("#query", f"select * from read_parquet('http://127.0.0.1:{other.server_port}/x.parquet')")
        page.click("#ask")
        page.wait_for_selector("#answer .error")
        page.context.close()
        other.shutdown()
    assert received == []


def test_the_page_has_no_findings_of_axe_and_fits_a_phone(page, address):
    ask(page, address, "gained_on_this_list")
    page.click("#result summary")
    assert axe.Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
