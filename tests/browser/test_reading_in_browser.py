"""What a reader of the site does, in a real browser: on a phone, from page to page and back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.tables import LISTS
from tests.browser.in_chromium import chromium, with_chromium
from tests.browser.test_site_in_browser import Visit
from tests.conftest import office
from tests.sites import quick_site, state_digests

__all__ = ["chromium"]
pytestmark = with_chromium

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
COPY = "ORV25112X"


@pytest.fixture(scope="module")
def folder(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in whose newest month an event came a second time, under another code; the month has three lists."""
    root = tmp_path_factory.mktemp("read")
    published = root / "office" / "published"
    shutil.copytree(corrected_home / "published", published)
    newest = max((published / "2025-12").glob("r*"))
    for stem, changed in (
        ("events", {"event_id": COPY, "status": "duplicate", "reason": "same_games"}),
        ("games", {"event_id": COPY, "rated": False, "reason": "same_games", "change_hundredths": None}),
    ):
        path = newest / f"{stem}.parquet"
        rows = pl.read_parquet(path)
        values = [pl.lit(value, rows.schema[name]).alias(name) for name, value in changed.items()]
        path.chmod(0o644)
        again = rows.filter(pl.col("event_id") == COPY[:-1]).with_columns(values)
        pl.concat([rows, again]).write_parquet(path)
    add_lists(newest)
    quick_site(office(root / "office"), root / "site")
    return root / "site"


def add_lists(revision: Path) -> None:
    """Give the players of the standard list the same ratings and changes in rapid and blitz."""
    changes = pl.read_parquet(revision / "changes.parquet")
    for control in ("rapid", "blitz"):
        listed = pl.read_parquet(revision / "standard.parquet").with_columns(time_control=pl.lit(control))
        listed.cast(pl.read_parquet_schema(revision / "standard.parquet")).write_parquet(
            revision / f"{control}.parquet"
        )
    every = [
        changes.with_columns(pl.lit(control, changes.schema["time_control"]).alias("time_control")) for control in LISTS
    ]
    (revision / "changes.parquet").chmod(0o644)
    pl.concat(every).write_parquet(revision / "changes.parquet")
    path = revision / "manifest.json"
    contents = manifest.read(path.read_bytes())
    files = {**contents.files, **{f"{control}.parquet": contents.files["standard.parquet"] for control in LISTS}}
    path.chmod(0o644)
    path.write_bytes(manifest.encode(Period.parse(contents.month), contents.revision, contents.facts, files))
    state_digests(path)


@pytest.fixture
def phone(chromium, folder: Path) -> Iterator[Visit]:
    visitor = Visit(chromium, folder, **PHONE)
    yield visitor
    assert visitor.wrong == []


@pytest.fixture(scope="module")
def active(folder: Path) -> pl.DataFrame:
    """The active players of the newest standard list, in its order, with their changes."""
    newest = max((folder.parent / "office/published/2025-12").glob("r*"))
    changes = pl.read_parquet(newest / "changes.parquet").filter(time_control="standard")
    is_inactive = pl.col("flag").fill_null("").str.contains("i", literal=True)
    listed = pl.read_parquet(newest / "standard.parquet").filter(~is_inactive)
    return listed.join(changes.select("fide_id", "change"), on="fide_id", how="left", maintain_order="left")


@pytest.fixture(scope="module")
def pair(folder: Path) -> tuple[int, int, int]:
    """Two players of the event that came twice who met in it, and how many games they played in all."""
    games = pl.read_parquet(max((folder.parent / "office/published/2025-12").glob("r*")) / "games.parquet")
    of_copy = games.filter(pl.col("event_id") == COPY)
    player, opponent = of_copy.select("fide_id", "opponent_id").row(0)
    every = pl.concat(
        pl.read_parquet(max(month.glob("r*")) / "games.parquet").select(
            "event_id", "round", "fide_id", "opponent_id", "reason"
        )
        for month in sorted((folder.parent / "office/published").glob("20*"))
    )
    met = every.filter(
        (pl.col("fide_id") == player) & (pl.col("opponent_id") == opponent) & (pl.col("event_id") != COPY)
    )
    return player, opponent, met.unique().height


def test_a_game_of_an_event_that_came_twice_counts_once(phone, pair):
    player, opponent, games = pair
    text = phone.open(f"compare.html#{player},{opponent}")
    assert f" in {games} game" in text
    assert COPY not in text
    phone.open(f"player.html#{player}")
    phone.page.click("summary:text('Opponents')")
    phone.page.wait_for_selector("[aria-label='Opponents'] tbody tr")
    row = phone.page.locator("[aria-label='Opponents'] tbody tr", has=phone.page.locator(f"a[href$=',{opponent}']"))
    assert row.locator("td").nth(1).inner_text() == str(games)


def test_the_place_in_an_age_group_is_that_of_the_list_it_leads_to(phone, active):
    player = active.filter(pl.col("birth_year") >= 2025 - 20).row(-1, named=True)
    group = next(age for age in (8, 10, 12, 14, 16, 18, 20) if player["birth_year"] >= 2025 - age)
    is_same = (pl.col("federation") == player["federation"]) & (pl.col("birth_year") >= 2025 - group)
    same = active.filter(is_same)
    place = 1 + int((same["rating"] > player["rating"]).sum())
    phone.open(f"player.html#{player['fide_id']}")
    link = phone.page.locator(f".card.standard a:text('in U{group}')")
    assert link.inner_text() == f"no. {place} of {same.height} in U{group}"
    link.tap()
    phone.page.wait_for_selector("#rows tbody")
    assert f"{same.height} player" in phone.page.inner_text("#filters")
    own = phone.page.locator("#rows tbody tr", has=phone.page.locator(f"a[href$='#{player['fide_id']}']"))
    assert own.locator("td").first.inner_text() == str(place)


def test_another_player_begins_at_the_top_and_back_comes_back_to_the_place(phone):
    phone.open("player.html#900000113")
    phone.page.wait_for_selector("#account tbody a")
    phone.page.locator("#account tbody a").first.scroll_into_view_if_needed()
    phone.page.wait_for_timeout(300)
    place = phone.page.evaluate("window.scrollY")
    assert place > 400
    phone.page.locator("#account tbody a").first.tap()
    phone.wait_for("!location.hash.startsWith('#900000113') && document.querySelector('#account h3, #account p')")
    phone.wait_for("window.scrollY === 0 && document.activeElement.tagName === 'H1'")
    phone.page.go_back()
    phone.wait_for(f"location.hash.startsWith('#900000113') && Math.abs(window.scrollY - {place}) < 3")


def test_a_row_with_one_link_is_that_link_as_a_whole(phone):
    phone.open("search.html")
    phone.page.fill("input[type=search]", "celard")
    phone.page.wait_for_selector(".found table")
    box = phone.page.locator(".found tbody tr").first.bounding_box()
    phone.page.touchscreen.tap(box["x"] + box["width"] - 6, box["y"] + box["height"] - 4)
    phone.page.wait_for_selector(".cards")
    assert "player.html#" in phone.page.url


def test_the_change_on_a_card_leads_to_its_explanation(phone):
    phone.open("player.html#900000113/2025-11")
    phone.page.tap(".card.standard a .gain")
    phone.wait_for("document.querySelector('#months h2').textContent.startsWith('December')")
    phone.wait_for("Math.abs(document.getElementById('900000113/2025-12/standard')?.getBoundingClientRect().top) < 2")


def test_the_mark_of_a_month_that_was_changed_leads_to_the_changes(phone):
    phone.open("months.html")
    phone.page.tap("a:has(.tag.mark) >> nth=0")
    phone.page.wait_for_selector("#changed")
    assert phone.page.url.endswith("#changed")


LIT = """getComputedStyle([...document.querySelectorAll(".tabs a")].find(
  (one) => one.offsetParent && one.textContent === "{}")).fontWeight"""


@pytest.mark.parametrize(("page", "width"), [("index.html", 390), ("index.html", 1280), ("month-2025-12.html", 390)])
def test_the_tab_that_is_chosen_lights_up_and_the_movers_follow_it(chromium, folder, page, width):
    visit = Visit(chromium, folder, viewport={"width": width, "height": 844})
    visit.open(page)
    assert visit.page.evaluate(LIT.format("Standard")) == "600"
    visit.page.evaluate("window.scrollTo(0, 150)")
    for name in ("Rapid", "Blitz"):
        visit.page.click(f".tabs a:visible:text('{name}')")
        assert visit.page.evaluate("window.scrollY") >= 150
        assert visit.page.evaluate(LIT.format(name)) == "600"
        assert visit.page.evaluate(LIT.format("Standard")) == "400"
        captions = visit.page.locator("caption").evaluate_all(
            "(all) => all.filter((one) => one.closest('table').offsetParent).map((one) => one.textContent)"
        )
        moved = [caption for caption in captions if caption.startswith(("Gained most", "Lost most"))]
        assert moved
        assert all(name in caption for caption in moved)
    assert visit.wrong == []


def test_a_copy_of_an_event_says_so_and_comes_last(phone, pair):
    player, *_ = pair
    phone.open(f"player.html#{player}/2025-12")
    phone.page.wait_for_selector("#account .notice")
    notice = phone.page.inner_text("#account .notice")
    assert notice.startswith("Does not count for this list: the same event was received under another event code.")
    names = phone.page.locator("#account section:first-child h4 a").evaluate_all("(all) => all.map((one) => one.hash)")
    assert names[-1].endswith(COPY)
    assert "Exp. is the expected score" in phone.page.inner_text("#account")


def test_the_count_of_a_list_is_that_of_the_filter_and_places_are_those_of_the_rating(phone, active):
    phone.open("list-standard.html#active=1")
    phone.page.wait_for_selector("#rows tbody")
    assert f"of {active.height} players" in phone.page.inner_text("#filters")
    places = [int(place) for place in phone.page.locator("#rows tbody td:first-child").all_inner_texts()]
    assert places == [1 + int((active["rating"] > rating).sum()) for rating in active["rating"][: len(places)]]


def test_events_that_do_not_count_come_last(phone):
    text = phone.open("events.html")
    states = phone.page.locator("tbody .tag").all_inner_texts()
    rank = [0 if state == "rated" else 2 if state == "refused" else 1 for state in states]
    assert rank == sorted(rank)
    assert f"{rank.count(0)} of {len(states)} rated" in text


def test_a_player_to_compare_with_is_chosen_by_the_whole_row_or_among_the_opponents(phone, pair):
    player, opponent, games = pair
    phone.open(f"compare.html#{player}")
    phone.page.fill("input[type=search]", str(opponent))
    phone.page.wait_for_selector(".found table")
    box = phone.page.locator(".found tbody tr").first.bounding_box()
    phone.page.touchscreen.tap(box["x"] + box["width"] - 6, box["y"] + box["height"] - 4)
    phone.wait_for(f"location.hash === '#{player},{opponent}' && document.querySelector('h2')")
    phone.open(f"compare.html#{player}")
    phone.page.tap("summary:text('Opponents')")
    phone.page.tap(f"a[href$=',{opponent}']")
    phone.wait_for(f"location.hash === '#{player},{opponent}' && document.querySelector('h2')")
    assert f" in {games} game" in phone.page.inner_text("main")
