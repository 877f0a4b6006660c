"""`ratinglist site`: the figures of the published files, pages whole without a script, nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
import shutil
import urllib.request
from pathlib import Path
from threading import Thread

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.errors import AlteredError, CheckError, CommandLineError, NothingReadError, StoreInUseError
from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.publication.manifest import Index
from ratinglist.workflows.undo import rollback
from ratinglist_site import build
from ratinglist_site.folder import SiteFolder
from ratinglist_site.make import make_site, server
from ratinglist_site.pages import POLICY
from tests.conftest import MONTHS, copied, office
from tests.site_files import rows_of, slice_of, table_of
from tests.sites import HOSTILE, hostile_folder, site_bytes

NUMBERS = {"standard": 0, "rapid": 1, "blitz": 2}


@pytest.fixture(scope="module")
def home(corrected_home: Path) -> Path:
    return corrected_home


@pytest.fixture(scope="module")
def made(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that office; look, do not touch."""
    made = tmp_path_factory.mktemp("made") / "site"
    make_site(office(home), made)
    return made


def published(home: Path, month: str, stem: str) -> pl.DataFrame:
    """A current published table, as text where the site has text, and with the number of the time control."""
    folder = home / "published" / month
    rows = pl.read_parquet(folder / (folder / "latest").read_text().strip() / f"{stem}.parquet")
    number = pl.col("time_control").replace_strict(NUMBERS, return_dtype=pl.Int64).alias("control")
    return rows.with_columns(number, pl.col(pl.Date).cast(pl.String))


def assert_same(shown: pl.DataFrame, expected: pl.DataFrame, columns: dict[str, str]) -> None:
    """Compare the rows of a site with published ones. ``columns``: the names on the site, and as published."""
    missing = [pl.lit(None).alias(name) for name in columns if name not in shown.columns]
    left = shown.with_columns(missing).select(*columns)
    right = expected.select(pl.col(name).alias(own) for own, name in columns.items())
    assert_frame_equal(left.cast(right.schema), right, check_row_order=False)


def test_every_figure_of_a_player_is_the_published_one(home, made):
    """The lists are kept as runs of months with the same figures."""
    runs, changes, entries = (table_of(made, "p", name) for name in ("ratings", "changes", "entries"))
    compared = 0
    for number, month in enumerate(MONTHS):
        own = runs.filter(pl.lit(number).is_between(pl.col("first"), pl.col("last")))
        listed = published(home, month, "standard")
        figures = {name: name for name in ("control", "rating", "k", "flag")}
        assert_same(own, listed, {"id": "fide_id", **figures})
        of_month = published(home, month, "changes")
        same = ("control", "old_rating", "games", "k", "change_hundredths", "change", "new_rating", "status")
        assert_same(changes.filter(month=number), of_month, {"id": "fide_id", **{name: name for name in same}})
        first = published(home, month, "entries").with_columns(pl.col("opponent_average") * 100)
        same = ("control", "games", "score_halves", "p_hundredths", "dp", "computed_rating", "published", "reason")
        columns = {"id": "fide_id", "average_hundredths": "opponent_average", **{name: name for name in same}}
        assert_same(entries.filter(month=number), first.cast({"opponent_average": pl.Int64}), columns)
        compared += 4 * listed.height + 8 * of_month.height + 9 * first.height
    assert compared > 3000


def test_every_game_of_an_event_is_the_published_one(home, made):
    for month in MONTHS:
        sides = table_of(made, "e", "sides", month)
        events = table_of(made, "e", "events", month)
        games = published(home, month, "games")
        own = sides.join(events.select("event", "event_id"), on="event", how="left")
        same = ("event_id", "round", "date", "opponent_id", "colour", "score_halves", "rating", "opponent_rating")
        columns = {name: name for name in (*same, "expected_hundredths", "k", "change_hundredths", "reason")}
        assert_same(own, games, {"id": "fide_id", **columns})
        same = ("event_id", "name", "federation", "control", "start_date", "end_date", "status", "reason")
        assert_same(events, published(home, month, "events"), {name: name for name in same})


def test_every_list_is_the_published_one_with_the_changes_of_its_month(home, made):
    for month in MONTHS:
        rows = table_of(made, f"l/{month}/standard", "players")
        listed = published(home, month, "standard")
        same = ("fide_id", "name", "federation", "sex", "title", "rating", "games", "k", "birth_year", "flag")
        assert_same(rows, listed, {name: name for name in same})
        assert rows["fide_id"].to_list() == listed["fide_id"].to_list()
        changes = published(home, month, "changes")
        known = rows.join(changes, on="fide_id", how="left", suffix="_published")
        assert_frame_equal(known.select("change").cast(pl.Int32), known.select(change="change_published"))


def test_the_results_of_a_player_are_those_of_the_rated_games(home, made):
    games = pl.concat(published(home, month, "games") for month in MONTHS).filter("rated")
    records, wins = (table_of(made, "p", name) for name in ("records", "wins"))
    counted = games.group_by("fide_id", "control", "colour").agg(
        (pl.col("score_halves") == halves).sum().cast(pl.Int64).alias(name)
        for name, halves in (("won", 2), ("drawn", 1), ("lost", 0))
    )
    same = {name: name for name in ("control", "colour", "won", "drawn", "lost")}
    assert_same(records, counted, {"id": "fide_id", **same})
    best = games.filter(score_halves=2).drop_nulls("opponent_rating").sort("opponent_rating", descending=True)
    for (fide_id,), own in best.partition_by("fide_id", as_dict=True).items():
        shown = wins.filter(id=fide_id)["opponent_rating"].drop_nulls().to_list()
        assert shown == own["opponent_rating"].head(3).to_list()


def test_the_places_of_a_player_are_among_the_active_of_the_federation_and_the_age_group(home, made):
    listed = published(home, "2025-12", "standard")
    active = listed.filter(~pl.col("flag").fill_null("").str.contains("i"))
    places = {row["id"]: row for row in table_of(made, "p", "places").to_dicts()}
    assert places.keys() == set(active["fide_id"])
    for row in active.iter_rows(named=True):
        same = active.filter(federation=row["federation"])
        own = places[row["fide_id"]]
        assert (own["place"], own["players"]) == (1 + (same["rating"] > row["rating"]).sum(), same.height)
        ages = [age for age in (8, 10, 12, 14, 16, 18, 20) if row["birth_year"] and row["birth_year"] >= 2025 - age]
        if ages:
            group = same.filter(pl.col("birth_year") >= 2025 - ages[0])
            assert own["age_group"] == f"U{ages[0]}"
            assert own["place_of_group"] == 1 + (group["rating"] > row["rating"]).sum()


def test_a_correction_is_shown_with_its_cause_and_as_it_was_published(home, made):
    diff = published(home, "2025-09", "diff")
    rows = table_of(made, "p", "corrections").filter(month=0)
    same = {name: name for name in ("control", "old_rating", "new_rating", "cause", "because")}
    assert_same(rows, diff, {"id": "fide_id", **same})
    for name in ("corrections.html", "month-2025-09.html"):
        page = html.unescape((made / name).read_text())
        assert (home / "published/2025-09/r2/DIFF.md").read_text() in page
        assert all(because in page for because in diff["because"])
    assert "month-2025-09.html#changed" in (made / "months.html").read_text()


@pytest.mark.long
def test_a_rollback_is_shown_with_whom_it_moved(home, tmp_path):
    settings = copied(home, tmp_path)
    rollback(settings, Period.parse("2025-12"), "the report was of another year", by="A. Officer")
    make_site(settings, tmp_path / "site", downloads=False)
    for name in ("corrections.html", "month-2025-12.html"):
        page = (tmp_path / "site" / name).read_text()
        assert "the report was of another year" in page
        assert "A. Officer" in page
        assert 'href="player.html#99900046"' in page
    (row,) = table_of(tmp_path / "site", "p", "rollbacks").filter(id=99900046).to_dicts()
    expected = {"month": 3, "control": 0, "old_rating": 1845, "new_rating": 1828, "from_revision": 2, "to_revision": 1}
    assert expected.items() <= row.items()
    assert (row["day"], row["reason"]) == ("2025-12-01", "the report was of another year")


@pytest.mark.long
def test_a_month_taken_back_is_named_among_the_corrections_and_has_no_page(rated, tmp_path):
    make_site(rated, tmp_path / "site", downloads=False)
    rollback(rated, Period.parse("2025-12"), "two events were missing")
    make_site(rated, tmp_path / "site", downloads=False)
    assert "two events were missing" in (tmp_path / "site" / "corrections.html").read_text()
    assert not [name for name in site_bytes(tmp_path / "site") if "2025-12" in name]


@pytest.mark.long
def test_two_sites_of_the_same_have_the_same_bytes_and_a_month_more_leaves_the_events_before(homes, tmp_path):
    settings = office(homes / "2025-12")
    for name in ("site", "again"):
        make_site(settings, tmp_path / name, downloads=False)
    assert site_bytes(tmp_path / "site") == site_bytes(tmp_path / "again")
    make_site(office(homes / "2025-11"), tmp_path / "before", downloads=False)
    before, after = (site_bytes(tmp_path / name) for name in ("before", "site"))
    events = {name for name in before if "/e/" in name}
    assert {name for name in before.keys() & after.keys() if name.startswith(("data/", "parts/"))} == events
    assert {name: before[name] for name in events} == {name: after[name] for name in events}


def test_names_are_in_slices_by_the_first_letters_where_there_are_many(home, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "LONG_LIST", 20)
    make_site(office(home), tmp_path / "site", downloads=False)
    meta = slice_of(tmp_path / "site", "meta")
    names = [rows_of(slice_of(tmp_path / "site", f"n/{number}")["names"]) for number in range(len(meta["beginnings"]))]
    assert max(map(len, names)) <= 20
    persons = table_of(tmp_path / "site", "p", "persons")
    assert {row["id"] for rows in names for row in rows} == set(persons.drop_nulls("name")["id"])
    conrad = [number for number, beginning in enumerate(meta["beginnings"]) if "conrad ".startswith(beginning)]
    assert [row["name"] for number in conrad for row in names[number] if row["id"] == 900000113] == ["Çelård, Conrad"]
    (of_kel,) = (parts for name, parts in meta["months"][-1]["lists"]["standard"].items() if name == "KEL")
    slices = range(of_kel["first"], of_kel["first"] + of_kel["slices"])
    parts = [slice_of(tmp_path / "site", f"l/2025-12/standard/{number}")["players"] for number in slices]
    listed = published(home, "2025-12", "standard").filter(federation="KEL")
    assert [one for part in parts for one in part["fide_id"]] == listed["fide_id"].to_list()


def test_pages_are_whole_without_a_script(home, made):
    listed = published(home, "2025-12", "standard")
    page = (made / "list-standard.html").read_text()
    assert [int(one) for one in re.findall(r"player\.html#(\d+)", page)] == listed["fide_id"].to_list()
    for month in MONTHS:
        events = published(home, month, "events")
        shown = re.findall(r'href="event\.html#[^/]+/([^"]+)"', (made / f"events-{month}.html").read_text())
        assert sorted(shown) == sorted(events["event_id"])
        page = (made / f"month-{month}.html").read_text()
        changes = published(home, month, "changes")
        moved = changes.filter((pl.col("status") != "entered") & (pl.col("games") > 0))
        assert f">{moved['change'].sum():+d}<".replace("-", "\u2212") in page
        assert f">{published(home, month, 'standard').height}<" in page
    home_page = (made / "index.html").read_text()
    assert "1 January 2026" in home_page
    assert "29 December 2025" in home_page
    assert "the same event was received under another event code" in html.unescape(
        "".join((made / f"month-{month}.html").read_text() for month in MONTHS)
    )


def test_every_page_has_the_policy_and_nothing_that_it_forbids(made):
    for page in sorted(made.glob("*.html")):
        text = page.read_text()
        assert f'content="{POLICY.replace(chr(39), "&#39;")}"' in text, page
        assert re.findall(r"<script(?! src=\"parts/[0-9a-f]{12}/(?:texts|site)\.js\"></script>)", text) == [], page
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", text) == [], page


def test_nothing_leads_to_another_host(made):
    for name, content in site_bytes(made).items():
        if name.endswith((".html", ".js", ".css")):
            text = (
                content.decode().replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "")
            )
            assert re.findall(r"https?:[^ ]*|wss?://|[\"'(]//[a-z][^ ]*", text) == [], name


def test_the_pages_of_players_and_events_are_not_for_search_engines(made):
    hidden = {page.name for page in made.glob("*.html") if '<meta name="robots" content="noindex">' in page.read_text()}
    assert hidden == {"player.html", "event.html", "search.html", "compare.html", "events.html"}


def test_the_downloads_are_the_published_files_and_every_format(home, made):
    names = {path.name for path in (made / "files" / "2025-12-r2").iterdir()}
    lists = {"standard.csv", "players_list_foa.txt.zip", "players_list_xml_foa.xml.zip", "vega_standard_2025-12.csv"}
    assert lists | {"manifest.json"} <= names
    file = home / "published" / "2025-12" / "r2" / "standard.csv"
    assert (made / "files" / "2025-12-r2" / "standard.csv").read_bytes() == file.read_bytes()


def test_the_page_of_the_data_has_every_file_and_a_query_that_runs(made):
    page = html.unescape((made / "data.html").read_text())
    files = set(re.findall(r'<td class="code"><a href="(files/[^"]+)">|<td><a href="(files/[^"]+)">', page))
    assert {path.name for path in (made / "files" / "2025-12-r2").iterdir()} == {
        Path(one or other).name for one, other in files
    }
    (query,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert len(duckdb.sql(query.replace("ADDRESS-OF-THIS-SITE/", f"{made}/")).fetchall()) == 10
    assert ">change_hundredths</td>" in page


@pytest.mark.long
def test_a_site_without_years_of_birth_has_none_and_no_downloads(home, tmp_path):
    make_site(office(home), tmp_path / "site", birth_years=False)
    assert not (tmp_path / "site" / "files").exists()
    assert "birth_year" not in table_of(tmp_path / "site", "p", "persons").columns
    assert "birth_year" not in table_of(tmp_path / "site", "l/2025-12/standard", "players").columns
    assert slice_of(tmp_path / "site", "meta")["groups"] == {}
    assert "Born" not in (tmp_path / "site" / "list-standard.html").read_text()


@pytest.mark.long
def test_names_events_and_reasons_stay_texts(home, tmp_path):
    hostile_folder(home / "published", tmp_path / "office" / "published")
    make_site(office(tmp_path / "office"), tmp_path / "site", downloads=False)
    pages = [page.read_text() for page in (tmp_path / "site").glob("*.html")]
    assert any("&lt;script&gt;document.title" in page for page in pages)
    for text in HOSTILE[:3]:
        assert not [page for page in pages if text in page]


@pytest.mark.parametrize(("language", "text"), [("en", "December 2025"), ("it", "dicembre 2025")])
@pytest.mark.long
def test_a_site_is_in_the_language_chosen(homes, tmp_path, language, text):
    make_site(office(homes / "2025-12"), tmp_path / "site", language=language, months=1, downloads=False)
    assert text in (tmp_path / "site" / "index.html").read_text()
    assert not (tmp_path / "site" / "month-2025-11.html").exists()


def test_a_folder_with_other_files_is_refused(homes, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear arbiter")
    with pytest.raises(CommandLineError, match=r"has no site\.json"):
        make_site(office(homes / "2025-12"), tmp_path / "letters")
    assert [path.name for path in tmp_path.rglob("*")] == ["letters", "letter.txt"]


def test_a_site_is_not_put_into_the_home(rated):
    with pytest.raises(CommandLineError, match="is in the home of an office"):
        make_site(rated, rated.home / "site")


def test_a_failing_build_leaves_the_site_as_it_was(homes, tmp_path, monkeypatch):
    make_site(office(homes / "2025-11"), tmp_path / "site", downloads=False)
    before = site_bytes(tmp_path / "site")
    monkeypatch.setattr(build.pages, "calendar", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        make_site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    assert site_bytes(tmp_path / "site") == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_two_commands_do_not_make_a_site_at_once(homes, tmp_path):
    first = SiteFolder(tmp_path / "site")
    with pytest.raises(StoreInUseError):
        make_site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    first.discard()


@pytest.mark.long
def test_a_run_killed_between_two_renames_leaves_a_site_that_the_next_finds(homes, tmp_path):
    make_site(office(homes / "2025-11"), tmp_path / "site", downloads=False)
    (tmp_path / "site").rename(tmp_path / ".tmp-site-replaced")
    make_site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_damaged_file_is_named_and_no_site_is_made(rated, tmp_path):
    games = rated.published / "2025-11" / "r1" / "games.parquet"
    games.chmod(0o644)
    games.write_bytes(games.read_bytes()[:500])
    with pytest.raises(CheckError, match=r"2025-11/r1/games\.parquet: was altered"):
        make_site(rated, tmp_path / "site")
    assert list(tmp_path.glob("*site*")) == []


@pytest.mark.parametrize("name", ["r2/games.parquet", "r2/diff.parquet", "r2/DIFF.md"])
def test_a_file_that_was_altered_becomes_no_page(home, tmp_path, name):
    """Of a copy of the published folder alone: there is no log to compare it with."""
    shutil.copytree(home / "published", tmp_path / "office" / "published")
    file = tmp_path / "office" / "published" / "2025-09" / name
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(AlteredError, match=rf"{file} is not what was published"):
        make_site(office(tmp_path / "office"), tmp_path / "site", downloads=False)
    assert not (tmp_path / "site").exists()


def test_rollbacks_that_the_signed_index_does_not_state_become_no_page(home, tmp_path):
    settings = copied(home, tmp_path)
    rollback(settings, Period.parse("2025-12"), "the report was of another year")
    folder = shutil.copytree(settings.published, tmp_path / "office" / "published")
    file = folder / "2025-12" / "rollbacks.csv"
    index = Index("", 1, "2025-12-01", "", "", (), {"2025-12/rollbacks.csv": sha256_of(file)}, {})
    (folder / "index.json").write_bytes(index.encode())
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"another year", b"this year"))
    with pytest.raises(AlteredError, match="rollbacks"):
        make_site(office(tmp_path / "office"), tmp_path / "site", downloads=False)


def test_nothing_published_is_no_site(homes, tmp_path):
    with pytest.raises(NothingReadError, match="No list is published from 2026-01 on"):
        make_site(office(homes / "2025-12"), tmp_path / "site", Period.parse("2026-01"))


def test_a_site_is_served_to_this_computer(made):
    with server(made) as opened:
        assert opened.server_address[0] == "127.0.0.1"
        Thread(target=opened.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{opened.server_port}/site.json") as answer:
            assert json.loads(answer.read())["months"].keys() == set(MONTHS)
        opened.shutdown()
