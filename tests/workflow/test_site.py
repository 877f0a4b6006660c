"""`ratinglist site`: the figures of the published files, pages whole without a script, nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import urllib.request
import zipfile
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree as ET

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError, StoreInUseError
from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.publication.manifest import Index
from ratinglist.workflows.undo import rollback
from ratinglist_lab.formulas import performances
from ratinglist_site import build, folder
from ratinglist_site.folder import SiteFolder
from ratinglist_site.make import SiteSummary, make_site, server
from ratinglist_site.pages import POLICY
from tests.command_line import ratinglist
from tests.conftest import MONTHS, copied, office
from tests.site_files import events_of, rows_of, sides_of, slice_of, table_of
from tests.sites import HOSTILE, hostile_folder, quick_site, site_bytes

NUMBERS = {"standard": 0, "rapid": 1, "blitz": 2}


ADDRESS = "https://ratings.example.org/lists"
CHOICES = f"""name = "Orvania, North; South"
[site]
address = "{ADDRESS}"
colour = "#8a1538"
text = "The federation of <Orvania>."
"""
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def home(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The office after a correction of its first month, with choices for its site; look, do not touch."""
    home = Path(shutil.copytree(corrected_home, tmp_path_factory.mktemp("site") / "home"))
    (home / "office.toml").write_text(CHOICES, encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def site(home: Path) -> Path:
    """The site of that office; look, do not touch."""
    target = home.with_name("made")
    make_site(office(home), target)
    return target


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


CHANGED = ("control", "old_rating", "games", "k", "change_hundredths", "change", "new_rating", "status")
ENTERED = ("control", "games", "score_halves", "p_hundredths", "dp", "computed_rating", "published", "reason")
PLAYED = (
    *("event_id", "round", "date", "opponent_id", "colour", "score_halves", "rating", "opponent_rating"),
    *("expected_hundredths", "k", "change_hundredths", "reason"),
)
EVENTS = ("event_id", "name", "federation", "control", "start_date", "end_date", "status", "reason")
LISTED = ("fide_id", "name", "federation", "sex", "title", "rating", "games", "k", "birth_year", "flag")


def test_every_figure_is_the_published_one(home, site):
    """The lists are kept as runs of months with the same figures."""
    runs, changes, entries = (table_of(site, "p", name) for name in ("ratings", "changes", "entries"))
    own = {"id": "fide_id"}
    compared, kept = 0, 0
    for number, month in enumerate(MONTHS):
        listed, changed = published(home, month, "standard"), published(home, month, "changes")
        first = published(home, month, "entries").with_columns((pl.col("opponent_average") * 100).cast(pl.Int64))
        events, players = events_of(site, month), table_of(site, f"l/{month}/standard", "players")
        sides = sides_of(site, month)
        kept += events.filter(pl.col("first") < number).height
        current = runs.filter(pl.lit(number).is_between(pl.col("first"), pl.col("last")))
        for shown, expected, columns in (
            (current, listed, own | same(("control", "rating", "k", "flag"))),
            (changes.filter(month=number), changed, own | same(CHANGED)),
            (entries.filter(month=number), first, own | {"average_hundredths": "opponent_average"} | same(ENTERED)),
            (sides, published(home, month, "games"), own | same(PLAYED)),
            (events, published(home, month, "events"), same(EVENTS)),
            (players, listed, same(LISTED)),
        ):
            assert_same(shown, expected, columns)
            compared += expected.height
        assert players["fide_id"].to_list() == listed["fide_id"].to_list()
        known = players.join(changed, on="fide_id", how="left", suffix="_published")
        assert_frame_equal(known.select("change").cast(pl.Int32), known.select(change="change_published"))
    assert compared > 3000
    assert kept > 0, "an event that is as in the month before"


def same(columns: tuple[str, ...]) -> dict[str, str]:
    """Columns that have the same name on the site as published."""
    return {name: name for name in columns}


def test_the_results_of_a_player_are_those_of_the_rated_games(home, site):
    games = pl.concat(published(home, month, "games") for month in MONTHS).filter("rated")
    records, wins = (table_of(site, "p", name) for name in ("records", "wins"))
    counted = games.group_by("fide_id", "control", "colour").agg(
        (pl.col("score_halves") == halves).sum().cast(pl.Int64).alias(name)
        for name, halves in (("won", 2), ("drawn", 1), ("lost", 0))
    )
    assert_same(records, counted, {"id": "fide_id", **same(("control", "colour", "won", "drawn", "lost"))})
    best = games.filter(score_halves=2).drop_nulls("opponent_rating").sort("opponent_rating", descending=True)
    for (fide_id,), own in best.partition_by("fide_id", as_dict=True).items():
        shown = wins.filter(id=fide_id)["opponent_rating"].drop_nulls().to_list()
        assert shown == own["opponent_rating"].head(3).to_list()


def test_the_places_of_a_player_are_among_the_active_of_the_federation_and_the_age_group(home, site):
    listed = published(home, "2025-12", "standard")
    active = listed.filter(~pl.col("flag").fill_null("").str.contains("i"))
    places = {row["id"]: row for row in table_of(site, "p", "places").to_dicts()}
    assert places.keys() == set(active["fide_id"])
    for row in active.iter_rows(named=True):
        federation = active.filter(federation=row["federation"])
        own = places[row["fide_id"]]
        assert (own["place"], own["players"]) == (
            *(1 + (federation["rating"] > row["rating"]).sum(), federation.height),
        )
        ages = [age for age in (8, 10, 12, 14, 16, 18, 20) if row["birth_year"] and row["birth_year"] >= 2025 - age]
        if ages:
            group = federation.filter(pl.col("birth_year") >= 2025 - ages[0])
            assert own["age_group"] == f"U{ages[0]}"
            assert own["place_of_group"] == 1 + (group["rating"] > row["rating"]).sum()


def test_the_performance_of_a_player_in_an_event_is_that_of_the_command(home, site):
    for month in MONTHS:
        sides = sides_of(site, month)
        shown = sides.filter(pl.col("performance").is_not_null()).select("event_id", "id", "performance")
        expected = []
        for key, games in published(home, month, "games").group_by("event_id", "fide_id"):
            methods = performances(games.select("opponent_rating", "score_halves", "rating").rows())
            performance = next(row.get("performance") for row in methods if row["method"] == "fide")
            expected += [(*key, performance)] if performance is not None else []
        assert sorted(shown.rows()) == sorted(expected)
        assert len(expected) > 50


def test_a_correction_is_shown_with_its_cause_and_as_it_was_published(home, site):
    diff = published(home, "2025-09", "diff")
    rows = table_of(site, "p", "corrections").filter(month=0)
    assert_same(rows, diff, {"id": "fide_id", **same(("control", "old_rating", "new_rating", "cause", "because"))})
    page = html.unescape((site / "month-2025-09.html").read_text())
    assert (home / "published/2025-09/r2/DIFF.md").read_text() in page
    (correction,) = json.loads((home / "published/2025-09/r2/manifest.json").read_bytes())["corrections"]
    says = (correction["what"], correction["reason"], correction["who"], "1 December 2025")
    assert [part for part in says if part not in html.unescape((site / "corrections.html").read_text())] == []
    assert "month-2025-09.html#changed" in (site / "months.html").read_text()


@pytest.mark.long
def test_a_rollback_is_shown_with_whom_it_moved_and_a_month_taken_back_has_no_page(home, tmp_path):
    settings, site = copied(home, tmp_path), tmp_path / "site"
    rollback(settings, Period.parse("2025-12"), "the report was of another year", by="A. Officer")
    quick_site(settings, site)
    page = (site / "corrections.html").read_text()
    shown = ("the report was of another year", "A. Officer", 'href="player.html#99900046"')
    assert [part for part in shown if part not in page] == []
    (row,) = table_of(site, "p", "rollbacks").filter(id=99900046).to_dicts()
    assert (row["old_rating"], row["new_rating"], row["from_revision"], row["reason"]) == (1845, 1828, 2, shown[0])
    rollback(settings, Period.parse("2025-12"), "two events were missing")
    quick_site(settings, site)
    assert "two events were missing" in (site / "corrections.html").read_text()
    assert not [name for name in site_bytes(site) if "2025-12" in name]
    rollback(settings, Period.parse("2025-12"), "no event was missing", to="r2")
    make_site(settings, site)
    page = (site / "corrections.html").read_text()
    assert re.search(r"the list had been taken back, and revision r2 is current.*no event was missing", page, re.DOTALL)
    assert not re.search(r"\br0\b", page)


@pytest.mark.long
def test_two_sites_of_the_same_have_the_same_bytes_and_a_month_more_leaves_the_events_before(homes, tmp_path):
    last, before = office(homes / "2025-12"), office(homes / "2025-11")
    for name, settings in {"site": last, "again": last, "before": before}.items():
        quick_site(settings, tmp_path / name)
    site, again, earlier = (site_bytes(tmp_path / name) for name in ("site", "again", "before"))
    assert site == again
    kept = {name for name in earlier.keys() & site.keys() if name.startswith(("data/", "parts/"))}
    assert kept == {name for name in earlier if "/e/" in name}
    assert {name: earlier[name] for name in kept} == {name: site[name] for name in kept}


@pytest.fixture(scope="module")
def in_parts(home: Path) -> Path:
    """The site of that office, with twenty names in a slice and two events on a page; look, do not touch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "LONG_LIST", 20)
        patch.setattr(build, "_EVENTS_OF_PAGE", 2)
        quick_site(office(home), home.with_name("in-parts"))
    return home.with_name("in-parts")


def test_names_are_in_slices_by_the_first_letters_where_there_are_many(home, in_parts):
    meta = slice_of(in_parts, "meta")
    names = [rows_of(slice_of(in_parts, f"n/{number}")["names"]) for number in range(len(meta["beginnings"]))]
    assert max(map(len, names)) <= 20
    persons = table_of(in_parts, "p", "persons")
    assert {row["id"] for rows in names for row in rows} == set(persons.drop_nulls("name")["id"])
    conrad = [number for number, beginning in enumerate(meta["beginnings"]) if "conrad ".startswith(beginning)]
    assert [row["name"] for number in conrad for row in names[number] if row["id"] == 900000113] == ["Çelård, Conrad"]
    of_kel = meta["months"][-1]["lists"]["standard"]["KEL"]
    slices = range(of_kel["first"], of_kel["first"] + of_kel["slices"])
    parts = [slice_of(in_parts, f"l/2025-12/standard/{number}")["players"]["fide_id"] for number in slices]
    assert [fide_id for part in parts for fide_id in part] == published(home, "2025-12", "standard").filter(
        federation="KEL"
    )["fide_id"].to_list()


# ------------------------------------------------------------------------------------------------------------- pages


def test_pages_are_whole_without_a_script(home, site):
    page = (site / "list-standard.html").read_text()
    listed = published(home, "2025-12", "standard")["fide_id"].to_list()
    assert [int(fide_id) for fide_id in re.findall(r"player\.html#(\d+)", page)] == listed
    for month in MONTHS:
        shown = re.findall(r'href="event\.html#[^/]+/([^"]+)"', (site / f"events-{month}.html").read_text())
        assert sorted(shown) == sorted(published(home, month, "events")["event_id"])
        changes = published(home, month, "changes").filter((pl.col("status") != "entered") & (pl.col("games") > 0))
        page = (site / f"month-{month}.html").read_text()
        assert f">{changes['change'].sum():+d}<".replace("-", "\u2212") in page
        assert f">{published(home, month, 'standard').height}<" in page
    assert [day in (site / "index.html").read_text() for day in ("1 January 2026", "29 December 2025")] == [True] * 2


def test_many_events_of_a_month_are_on_several_pages_and_on_the_page_of_the_month_there_are_the_first(home, in_parts):
    for month in MONTHS:
        events = published(home, month, "events")["event_id"]
        pages = [in_parts / f"events-{month}{part}.html" for part in ("", *(f"-{n}" for n in range(2, 9)))]
        pages = [page.read_text() for page in pages if page.is_file()]
        shown = [re.findall(r'href="event\.html#[^/]+/([^"]+)"', page) for page in pages]
        assert [len(names) for names in shown] == [2] * (len(events) // 2) + [1] * (len(events) % 2)
        assert sorted(name for names in shown for name in names) == sorted(events)
        files = {f"events-{month}.html", *(f"events-{month}-{number}.html" for number in range(2, len(pages) + 1))}
        assert [set(re.findall(rf'href="(events-{month}[^"]*)"', page)) for page in pages] == [files] * len(pages)
    newest = (in_parts / "events.html").read_text()
    assert re.findall(r'href="event\.html#[^/]+/([^"]+)"', newest) == shown[0]


def test_every_page_has_its_policy_and_address_and_leads_to_no_other_host(site):
    hidden = set()
    for path in sorted(site.glob("*.html")):
        page = path.read_text(encoding="utf-8")
        assert f'content="{POLICY.replace(chr(39), "&#39;")}"' in page, path
        assert re.findall(r"<script(?! src=\"parts/[0-9a-f]{12}/(?:texts|site)\.js\"></script>)", page) == [], path
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", page) == [], path
        assert "Orvania, North; South" in page
        hidden |= {path.name} if '<meta name="robots" content="noindex">' in page else set()
        address = f'<link rel="canonical" href="{ADDRESS}/{"" if path.name == "index.html" else path.name}">'
        assert (address in page) is (path.name not in hidden), path
    assert hidden == {"player.html", "event.html", "search.html", "compare.html", "events.html"}
    for name, content in site_bytes(site).items():
        if name.endswith((".html", ".js", ".css")):
            text = re.sub(f"http://www.w3.org/(2000/svg|1999/xhtml)|{ADDRESS}", "", content.decode())
            assert re.findall(r"https?:[^ ]*|wss?://|[\"'(]//[a-z][^ ]*", text) == [], name


def test_the_text_and_the_colour_of_the_office_are_on_its_pages(site):
    assert "The federation of &lt;Orvania&gt;." in (site / "index.html").read_text(encoding="utf-8")
    (style,) = site.glob("parts/*/site.css")
    assert style.read_text(encoding="utf-8").count("#8a1538") == 1
    assert 'fill="#8a1538"' in (site / "icon.svg").read_text(encoding="utf-8")


def test_the_downloads_are_the_published_files_and_every_format_and_the_page_of_data_has_them(home, site):
    files = site / "files" / "2025-12-r2"
    names = {path.name for path in files.iterdir()}
    lists = {"standard.csv", "players_list_foa.txt.zip", "players_list_xml_foa.xml.zip", "vega_standard_2025-12.csv"}
    assert lists | {"manifest.json"} <= names
    assert (files / "standard.csv").read_bytes() == (home / "published/2025-12/r2/standard.csv").read_bytes()
    page = html.unescape((site / "data.html").read_text())
    assert {Path(link).name for link in re.findall(r'<a href="(files/[^"]+)">', page)} == names
    (query,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert len(duckdb.sql(query.replace(f"{ADDRESS}/", f"{site}/")).fetchall()) == 10


def test_a_long_list_as_text_is_in_a_zip(home, tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_LONG_TEXT", 1_000)
    place, file = SiteFolder(tmp_path / "site"), home / "published/2025-12/r2/standard.csv"
    copies = [place.copy(path, f"files/{path.name}") for path in (file, file.with_suffix(".parquet"))]
    with zipfile.ZipFile(copies[0]) as packed:
        assert (packed.namelist(), packed.read("standard.csv")) == (["standard.csv"], file.read_bytes())
    assert copies[1].read_bytes() == file.with_suffix(".parquet").read_bytes()
    place.discard()


def test_the_feed_has_every_list_and_every_change_once(site):
    root = ET.fromstring((site / "feed.xml").read_bytes())
    entries = [{part.tag.removeprefix(ATOM): part.text for part in entry} for entry in root.iter(f"{ATOM}entry")]
    names = [entry["id"].removeprefix(f"{ADDRESS}/") for entry in entries]
    assert len(set(names)) == len(names)
    assert {name for name in names if "#" not in name} == {path.name for path in site.glob("month-*.html")}
    assert [name for name in names if name.endswith("-r2")], "a correction"
    days = [entry["updated"] for entry in entries]
    assert days == sorted(days, reverse=True)
    assert root.findtext(f"{ATOM}updated") == days[0]
    for link in root.iter(f"{ATOM}link"):
        file = link.attrib["href"].removeprefix(f"{ADDRESS}/") or "index.html"
        assert (site / file).is_file(), file


def test_the_map_names_the_pages_that_are_there_for_search_engines(site):
    places = re.findall("<loc>(.*)</loc>", (site / "sitemap.xml").read_text(encoding="utf-8"))
    named = {place.removeprefix(f"{ADDRESS}/") or "index.html" for place in places}
    listed = {path.name for path in site.glob("*.html") if "noindex" not in path.read_text(encoding="utf-8")}
    assert named == listed


def test_the_calendar_has_closing_dates_and_lists_of_a_year(site):
    text = (site / "calendar.ics").read_bytes()
    assert all(len(line) <= 75 for line in text.split(b"\r\n"))
    assert b"\n" not in text.replace(b"\r\n", b"")
    lines = text.decode().replace("\r\n ", "").splitlines()
    days = dict(
        zip(
            (line for line in lines if line.startswith("UID")),
            [line for line in lines if line.startswith("DTSTART")],
            strict=True,
        )
    )
    assert len(days) == 24
    january = {uid.split("-")[2].partition("-")[0]: day for uid, day in days.items() if uid.startswith("UID:2026-01-")}
    assert january == {"closing_date": "DTSTART;VALUE=DATE:20251229", "month_title": "DTSTART;VALUE=DATE:20260101"}
    assert "SUMMARY:Reports for the list of January 2026 are due (Orvania\\, North\\; South)" in lines


@pytest.mark.long
def test_a_site_without_years_of_birth_has_none_and_no_downloads(home, tmp_path):
    quick_site(office(home), tmp_path / "site", downloads=True, birth_years=False)
    assert not (tmp_path / "site" / "files").exists()
    for slices, name in (("p", "persons"), ("l/2025-12/standard", "players")):
        assert "birth_year" not in table_of(tmp_path / "site", slices, name).columns
    assert slice_of(tmp_path / "site", "meta")["groups"] == {}
    assert "Born" not in (tmp_path / "site" / "list-standard.html").read_text()


@pytest.mark.parametrize(("language", "text"), [("en", "December 2025"), ("it", "dicembre 2025")])
@pytest.mark.long
def test_a_site_is_in_the_language_chosen_and_without_an_address_no_page_names_one(homes, tmp_path, language, text):
    quick_site(office(homes / "2025-12"), tmp_path / "site", language=language, months=1)
    page = (tmp_path / "site" / "index.html").read_text()
    assert [part in page for part in (text, "canonical", "feed.xml")] == [True, False, False]
    assert not {"month-2025-11.html", "feed.xml", "sitemap.xml"} & site_bytes(tmp_path / "site").keys()


@pytest.mark.long
def test_names_events_and_reasons_stay_texts(home, tmp_path):
    hostile_folder(home / "published", tmp_path / "office" / "published")
    quick_site(office(tmp_path / "office"), tmp_path / "site")
    pages = [page.read_text() for page in (tmp_path / "site").glob("*.html")]
    assert any("&lt;script&gt;document.title" in page for page in pages)
    for text in HOSTILE[:3]:
        assert not [page for page in pages if text in page]


def test_a_failing_build_leaves_the_site_as_it_was(site, homes, tmp_path, monkeypatch):
    shutil.copytree(site, tmp_path / "site")
    before = site_bytes(tmp_path / "site")
    monkeypatch.setattr(build.pages, "calendar", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        quick_site(office(homes / "2025-09"), tmp_path / "site")
    assert site_bytes(tmp_path / "site") == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_two_commands_do_not_make_a_site_at_once(homes, tmp_path):
    first = SiteFolder(tmp_path / "site")
    with pytest.raises(StoreInUseError):
        quick_site(office(homes / "2025-09"), tmp_path / "site")
    first.discard()


def test_the_command_that_shows_a_site_can_be_copied():
    shown = SiteSummary("/srv/my office", "it's ours", [MONTHS[0]], 1, 1, 1).text()
    command = shown.partition("Look at it with: ")[2]
    assert shlex.split(command)[3::2] == ["/srv/my office", "it's ours"]


def test_a_site_is_served_to_this_computer(site):
    with server(site) as opened:
        assert opened.server_address[0] == "127.0.0.1"
        Thread(target=opened.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{opened.server_port}/site.json") as answer:
            assert json.loads(answer.read())["months"].keys() == set(MONTHS)
        opened.shutdown()


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("name", ["2025-09/r2/games.parquet", "2025-09/r2/DIFF.md", "2025-12/rollbacks.csv"])
def test_a_file_that_was_altered_becomes_no_page(home, tmp_path, name):
    """Of a copy of the published folder alone: there is no log to compare it with. The index states the rollbacks."""
    settings = copied(home, tmp_path)
    rollback(settings, Period.parse("2025-12"), "the report was of another year")
    folder = shutil.copytree(settings.published, tmp_path / "office" / "published")
    stated = {"2025-12/rollbacks.csv": sha256_of(folder / "2025-12" / "rollbacks.csv")}
    (folder / "index.json").write_bytes(Index("", 1, "2025-12-01", "", "", stated, {}).encode())
    file = folder / name
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(AlteredError, match=str(file) if "/r2/" in name else "rollbacks"):
        quick_site(office(tmp_path / "office"), tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("out", "first", "error", "says"),
    [
        ("letters", None, CommandLineError, r"has no site\.json"),
        ("home/site", None, CommandLineError, "is in the home of an office"),
        ("site", "2026-01", NothingReadError, "No list is published from 2026-01 on"),
    ],
)
def test_a_site_that_cannot_be_made_there_writes_nothing(homes, tmp_path, out, first, error, says):
    settings = copied(homes / "2025-12", tmp_path)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear arbiter")
    before = site_bytes(tmp_path)
    with pytest.raises(error, match=says):
        make_site(settings, tmp_path / out, first and Period.parse(first))
    assert site_bytes(tmp_path) == before


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ('colour = "red"', "'site.colour' is no colour: write six hexadecimal digits, such as #17493b"),
        ('address = "ratings.example.org"', "'site.address' is no address of a site"),
        ('address = "https://me:secret@example.org/"', "'site.address' is no address of a site"),
    ],
)
def test_a_choice_that_readers_would_suffer_from_is_refused(homes, tmp_path, choice, reason):
    home = shutil.copytree(homes / "2025-09", tmp_path / "home")
    (home / "office.toml").write_text(f"[site]\n{choice}\n", encoding="utf-8")
    done = ratinglist("site", "--out", str(tmp_path / "site"), home=home)
    assert done.returncode == 2
    assert reason in done.stderr
