"""`ratinglist site`: the same bytes each time, the figures of the published files, nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.errors import AlteredError, CheckError, CommandLineError, NothingReadError, StoreInUseError
from ratinglist.files.durable_files import sha256_of
from ratinglist.pages.html_pages import SITE_POLICY
from ratinglist.period import Period
from ratinglist.publication.index import Index
from ratinglist.site import build
from ratinglist.site.folder import SiteFolder
from ratinglist.workflows import standings
from ratinglist.workflows.site import site
from ratinglist.workflows.undo import rollback
from tests.conftest import copied, office, unpublish
from tests.site_files import decoded
from tests.sites import HOSTILE, hostile_folder, site_bytes

CONTROLS = ("standard", "rapid", "blitz")


@pytest.fixture(scope="module")
def home(corrected_home: Path) -> Path:
    return corrected_home


@pytest.fixture(scope="module")
def made(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that office; look, do not touch."""
    made = tmp_path_factory.mktemp("made") / "site"
    site(office(home), made)
    return made


def changes_of(event: dict, fide_id: int) -> list[int]:
    """The changes of a player in an event's data file."""
    games = event["g"]
    if games is None:
        return []
    seat = [row[0] for row in event["p"]].index(fide_id)
    own = ((games[side][at], games[f"{side}c"][at]) for side in "wb" for at in range(len(games["r"])))
    return [change for one, change in own if one == seat and change is not None]


@pytest.mark.long
def test_the_sums_of_the_games_are_the_published_changes(home, made):
    months = [month["month"] for month in decoded(made, "meta")["months"]]
    sums = {}
    for player in decoded(made, "h/0"):
        for number, file, place in player.get("e", []):
            event = decoded(made, f"g/{months[number]}/{file}")[place]
            key = months[number], CONTROLS[event["c"]], player["id"]
            sums[key] = sums.get(key, 0) + sum(changes_of(event, player["id"]))
    compared = 0
    for month in months:
        current = home / "published" / month / (home / "published" / month / "latest").read_text().strip()
        changes = pl.read_parquet(current / "changes.parquet").filter(pl.col("status") != "entered")
        for control, fide_id, change in changes.select("time_control", "fide_id", "change_hundredths").iter_rows():
            assert sums.get((month, control, fide_id), 0) == change
            compared += 1
    assert compared > 200


def test_the_ratings_of_every_month_are_the_published_ones(home, made):
    months = [month["month"] for month in decoded(made, "meta")["months"]]
    players = {player["id"]: player.get("h", []) for player in decoded(made, "h/0")}
    for number, month in enumerate(months):
        current = home / "published" / month / (home / "published" / month / "latest").read_text().strip()
        listed = pl.read_parquet(current / "standard.parquet").select("fide_id", "rating", "k", "flag")
        shown = {
            fide_id: tuple(lines[-1][2:])
            for fide_id, rows in players.items()
            if (lines := [row for row in rows if row[0] == 0 and row[1] <= number]) and lines[-1][2] is not None
        }
        assert shown == {fide_id: (rating, k, flag) for fide_id, rating, k, flag in listed.iter_rows()}


@pytest.mark.long
def test_the_order_and_points_of_an_event_are_those_of_standings(home, made):
    settings, compared = office(home), 0
    for path in sorted(made.glob("data/*/g/2025-12/*.js")):
        for event in decoded(made, f"g/2025-12/{path.stem}"):
            if not event["g"]:
                continue
            points = [row[5] for row in event["p"]]
            for seat, _, halves in event["u"]:
                points[seat] += halves
                compared += 1
            shown = {row[0]: (place, own) for row, place, own in zip(event["p"], event["o"], points, strict=True)}
            rows = standings.standings(settings, event["id"]).rows.select("fide_id", "rank", "score_halves").rows()
            assert shown == {fide_id: (rank, halves) for fide_id, rank, halves in rows}
    assert compared > 5


def test_an_event_whose_report_does_not_name_a_player_has_no_places(home):
    events, games = (
        pl.read_parquet(home / "published" / "2025-12" / "r1" / f"{one}.parquet") for one in ("events", "games")
    )
    other = pl.when(pl.col("event_id") == "ORV25112").then(pl.col("fide_id") + 1).otherwise("fide_id")
    places, unplayed = standings.of_published(office(home), events, games.with_columns(other.alias("fide_id")))
    assert set(games["event_id"]) - set(places["event_id"]) == {"ORV25112"}
    assert "ORV25112" not in unplayed["event_id"]


def test_a_copy_of_the_published_folder_makes_a_site_without_places(home, tmp_path):
    shutil.copytree(home / "published", tmp_path / "office" / "published")
    site(office(tmp_path / "office"), tmp_path / "site", Period.parse("2025-12"))
    event = decoded(tmp_path / "site", "g/2025-12/0")[0]
    assert "o" not in event


@pytest.mark.long
def test_two_sites_of_the_same_have_the_same_bytes(home, made, tmp_path):
    site(office(home), tmp_path / "again")
    assert site_bytes(tmp_path / "again") == site_bytes(made)


@pytest.mark.long
def test_a_month_more_gives_the_bytes_of_a_site_made_whole(homes, tmp_path):
    for month in ("2025-11", "2025-12"):
        summary = site(office(homes / month), tmp_path / "grown")
    assert summary.months_made == 1
    site(office(homes / "2025-12"), tmp_path / "whole")
    assert site_bytes(tmp_path / "grown") == site_bytes(tmp_path / "whole")


@pytest.mark.long
def test_a_month_taken_back_disappears(rated, tmp_path):
    site(rated, tmp_path / "site")
    unpublish(rated, "2025-12")
    site(rated, tmp_path / "site")
    names = set(site_bytes(tmp_path / "site"))
    assert not [name for name in names if "2025-12" in name]
    assert "2025-12" not in (tmp_path / "site" / "index.html").read_text()
    assert "month-2025-11.html" in names


def test_a_correction_is_on_the_page_of_its_month_and_in_the_data_of_its_players(made):
    page = (made / "month-2025-09.html").read_text()
    assert re.search(r'<a href="event.html#2025-09/ORV25081">[^<]+</a>, round 1: result corrected from 0 to 1', page)
    assert "Reported on" in page
    assert decoded(made, "corrections")
    (player,) = [one for one in decoded(made, "h/0") if one["id"] == 99900046]
    assert player["x"][0][:5] == [0, 2, 0, 1824, 1844]
    assert player["b"][0] == [0, 0, 1824, 1844]


def test_a_rollback_is_on_its_pages_and_in_the_data_of_whom_it_moved(home, tmp_path):
    settings = copied(home, tmp_path)
    rollback(settings, Period.parse("2025-12"), "the report was of another year", by="A. Officer")
    site(settings, tmp_path / "site", downloads=False)
    for name in ("corrections.html", "month-2025-12.html"):
        page = (tmp_path / "site" / name).read_text()
        assert "Rolled back on 1 December 2025: revision r1 is current again, in the place of r2" in page
        assert "Reason: the report was of another year. Decided by A. Officer." in page
        assert page.count("player.html#99900046/2025-12") >= 2
    assert "This list was changed after" in (tmp_path / "site" / "index.html").read_text()
    (player,) = [one for one in decoded(tmp_path / "site", "h/0") if one["id"] == 99900046]
    assert player["r"] == [[3, 0, 1845, 1828, 2, 1, "2025-12-01", "the report was of another year"]]


@pytest.mark.long
def test_a_month_that_was_taken_back_is_named_among_the_corrections(rated, tmp_path):
    rollback(rated, Period.parse("2025-12"), "two events were missing")
    site(rated, tmp_path / "site", downloads=False)
    page = (tmp_path / "site" / "corrections.html").read_text()
    assert "Taken back on 1 December 2025: the month has no list in the place of revision r1" in page
    assert "two events were missing" in page
    assert not (tmp_path / "site" / "month-2025-12.html").exists()


def test_each_data_file_states_the_version_that_the_pages_and_the_months_name(made):
    version = re.search(r'data-version="(\w{12})"', (made / "index.html").read_text())[1]
    keys = {month["month"]: month["key"] for month in decoded(made, "meta")["months"]}
    for path in sorted((made / "data").rglob("*.js")):
        address, kind, month, *_ = (*path.relative_to(made / "data").parts, "")
        stated = path.read_bytes().decode("utf-16").split('"')[3]
        assert stated == address == (keys[month] if kind in ("g", "e", "l") else version), path
    texts = (made / "parts" / version / "texts.js").read_text()
    assert json.loads(texts[len("window.RL_TEXTS = ") : -2])["version"] == version


@pytest.mark.long
def test_a_page_that_was_opened_before_the_site_changed_names_no_file_that_has_changed(homes, tmp_path):
    files = []
    for month in ("2025-11", "2025-12"):
        site(office(homes / month), tmp_path / "site", downloads=False)
        files.append({name: content for name, content in site_bytes(tmp_path / "site").items() if "/" in name})
    before, after = files
    both = before.keys() & after.keys()
    assert {name: before[name] for name in both} == {name: after[name] for name in both}
    assert {name.split("/")[2] for name in both} == {"e", "g", "l"}


def test_the_changes_of_a_first_list_that_began_from_an_unpublished_one_are_those_published(homes, tmp_path):
    site(office(homes / "2025-09"), tmp_path / "site", downloads=False)
    columns = decoded(tmp_path / "site", "meta")["listColumns"]
    rows = [dict(zip(columns, row, strict=True)) for row in decoded(tmp_path / "site", "l/2025-09/standard/all/0")]
    changes = pl.read_parquet(homes / "2025-09" / "published" / "2025-09" / "r1" / "changes.parquet")
    published = dict(changes.filter(pl.col("status") == "rated").select("fide_id", "change").iter_rows())
    assert {row["fide_id"]: row["change"] for row in rows if row["fide_id"] in published} == published
    entered = set(changes.filter(pl.col("status") == "entered")["fide_id"])
    assert {row["fide_id"] for row in rows if row["change"] is None} == entered


def test_every_list_is_kept_with_its_changes(home, made):
    assert set(decoded(made, "meta")["lists"]) == {"2025-09", "2025-10", "2025-11", "2025-12"}
    columns = decoded(made, "meta")["listColumns"]
    rating, change, fide_id = (columns.index(name) for name in ("rating", "change", "fide_id"))
    (before, now) = (
        {row[fide_id]: row for row in decoded(made, f"l/{month}/standard/all/0")} for month in ("2025-10", "2025-11")
    )
    assert len(now) == pl.read_parquet(home / "published" / "2025-11" / "r2" / "standard.parquet").height
    for one, row in now.items():
        assert row[change] == (row[rating] - before[one][rating] if one in before else None)


def test_the_results_of_a_player_are_those_of_the_rated_games(home, made):
    games = pl.concat(
        pl.read_parquet(path.parent / path.read_text().strip() / "games.parquet")
        for path in sorted((home / "published").glob("*/latest"))
    ).filter("rated")
    for player in decoded(made, "h/0"):
        own = games.filter(fide_id=player["id"])
        shown = {tuple(row[:2]): row[2:] for row in player.get("g", [])}
        for number, colour in enumerate("wb"):
            scores = own.filter(colour=colour)["score_halves"].to_list()
            expected = [scores.count(halves) for halves in (2, 1, 0)]
            assert shown.get((0, number), [0, 0, 0]) == expected
        wins = own.filter(score_halves=2)["opponent_rating"].drop_nulls().sort(descending=True).head(3).to_list()
        assert [row[4] for row in player.get("q", []) if row[4] is not None] == wins


def test_the_places_of_a_player_are_among_the_active_of_the_federation(made):
    columns = decoded(made, "meta")["listColumns"]
    rows = [dict(zip(columns, row, strict=True)) for row in decoded(made, "l/2025-12/standard/all/0")]
    active = [row for row in rows if "i" not in (row["flag"] or "")]
    (player,) = [one for one in decoded(made, "h/0") if one["id"] == 99900208]
    (own,) = [row for row in rows if row["fide_id"] == 99900208]
    same = [row["rating"] for row in active if row["federation"] == own["federation"]]
    assert player["a"] == [[0, 1 + sum(one > own["rating"] for one in same), len(same), None, None, None]]


def test_every_page_has_the_policy_and_nothing_that_it_forbids(made):
    for page in sorted(made.glob("*.html")):
        text = page.read_text()
        assert f'content="{SITE_POLICY.replace(chr(39), "&#39;")}"' in text, page
        assert re.findall(r"<script(?! src=\"parts/[0-9a-f]{12}/(?:texts|site)\.js\"></script>)", text) == [], page
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", text) == [], page


def test_nothing_leads_to_another_host(made):
    namespaces = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml")
    for name, content in site_bytes(made).items():
        if name.endswith((".html", ".js", ".css")):
            text = content.decode("utf-16" if name.startswith("data/") else "utf-8")
            for namespace in namespaces:
                text = text.replace(namespace, "")
            assert re.findall(r"https?:[^ ]*|wss?://|[\"'(]//[a-z][^ ]*", text) == [], name


def test_the_pages_of_players_and_events_are_not_for_search_engines(made):
    carries = {
        page.name for page in made.glob("*.html") if '<meta name="robots" content="noindex">' in page.read_text()
    }
    assert {"player.html", "event.html", "search.html"} <= carries
    assert not {"index.html", "month-2025-12.html"} & carries


def test_lists_and_months_can_be_read_without_a_script(made):
    page = (made / "list-standard.html").read_text()
    assert "Ravnik, Teodor" in page
    assert page.count("<tr") == 101
    assert "The first 100 of 124 players." in page
    month = (made / "month-2025-12.html").read_text()
    assert "Gained most" in month
    assert "the same event was received under another event code" in (made / "month-2025-11.html").read_text() + month


def test_the_first_page_says_when_reports_for_the_next_list_are_due(made):
    assert "Next list: 1 January 2026. Reports for it are due by 29 December 2025." in (made / "index.html").read_text()


def test_the_downloads_are_the_published_files_and_every_format(home, made):
    names = {path.name for path in (made / "files" / "2025-12-r2").iterdir()}
    lists = {"standard.csv", "players_list.zip", "players_list_xml.zip", "vega_standard_2025-12.csv"}
    assert lists | {"manifest.json"} <= names
    published = home / "published" / "2025-12" / "r2" / "standard.csv"
    assert (made / "files" / "2025-12-r2" / "standard.csv").read_bytes() == published.read_bytes()


def test_the_page_of_the_data_has_every_file_and_a_query_that_runs(made):
    page = html.unescape((made / "data.html").read_text())
    files = re.findall(r'<td><a href="(files/[^"]+)">', page)
    assert {path.name for path in (made / "files" / "2025-12-r2").iterdir()} == {Path(one).name for one in files}
    (query,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert len(duckdb.sql(query.replace("ADDRESS/", f"{made}/")).fetchall()) == 10
    assert ">change_hundredths</td>" in page
    assert 'href="data.html"' in (made / "index.html").read_text()


@pytest.mark.long
def test_a_site_without_years_of_birth_has_none_and_no_downloads(home, tmp_path):
    site(office(home), tmp_path / "site", birth_years=False)
    assert "This site offers no files" in (tmp_path / "site" / "data.html").read_text()
    assert not (tmp_path / "site" / "files").exists()
    assert {row[-1] for player in decoded(tmp_path / "site", "h/0") for row in player.get("d", [])} == {None}
    assert {row[8] for row in decoded(tmp_path / "site", "l/2025-12/standard/all/0")} == {None}
    assert decoded(tmp_path / "site", "meta")["groups"] == {}
    assert "Born" not in (tmp_path / "site" / "list-standard.html").read_text()


@pytest.mark.long
def test_names_events_and_reasons_stay_texts(home, tmp_path):
    hostile_folder(home / "published", tmp_path / "office" / "published")
    site(office(tmp_path / "office"), tmp_path / "site", downloads=False)
    pages = [page.read_text() for page in (tmp_path / "site").glob("*.html")]
    assert any("&lt;script&gt;document.title" in page for page in pages)
    for text in HOSTILE[:3]:
        assert not [page for page in pages if text in page]
    for path in (tmp_path / "site" / "data").rglob("*.js"):
        text = path.read_bytes().decode("utf-16")
        assert re.fullmatch(r'RL\("[a-z0-9A-Z/-]+","[0-9a-f]{12}",\d+,"[^"\\\n\r\0]*"\);\n', text), path


@pytest.mark.parametrize(("language", "text"), [("en", "December 2025"), ("it", "dicembre 2025")])
@pytest.mark.long
def test_a_site_is_in_the_language_chosen(homes, tmp_path, language, text):
    site(office(homes / "2025-12"), tmp_path / "site", language=language, months=1, downloads=False)
    assert text in (tmp_path / "site" / "index.html").read_text()
    assert not (tmp_path / "site" / "month-2025-11.html").exists()


@pytest.mark.long
def test_results_counted_by_lists_that_are_not_shown_have_the_names_of_their_events(homes, tmp_path):
    site(office(homes / "2025-12"), tmp_path / "site", Period.parse("2025-12"), downloads=False)
    rows = [row for player in decoded(tmp_path / "site", "h/0") for row in player.get("p", [])]
    assert "2025-10" in {row[8] for row in rows}
    assert None not in {row[4] for row in rows}


def test_a_folder_with_other_files_is_refused(homes, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear arbiter")
    with pytest.raises(CommandLineError, match="is not a site that ratinglist made"):
        site(office(homes / "2025-12"), tmp_path / "letters")
    assert [path.name for path in tmp_path.rglob("*")] == ["letters", "letter.txt"]


def test_a_site_is_not_put_into_the_home(rated):
    with pytest.raises(CommandLineError, match="is in the home of an office"):
        site(rated, rated.home / "site")


def test_a_failing_build_leaves_the_site_as_it_was(homes, tmp_path, monkeypatch):
    site(office(homes / "2025-11"), tmp_path / "site", downloads=False)
    before = site_bytes(tmp_path / "site")
    monkeypatch.setattr(build.pages, "about_page", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    assert site_bytes(tmp_path / "site") == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.long
def test_two_commands_do_not_make_a_site_at_once(homes, tmp_path):
    first = SiteFolder(tmp_path / "site")
    with pytest.raises(StoreInUseError, match=r"Another command is making the site .*site\. Wait"):
        site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    first.discard()
    site(office(homes / "2025-12"), tmp_path / "site", downloads=False)


@pytest.mark.long
def test_a_run_killed_between_two_renames_leaves_a_site_that_the_next_finds(homes, tmp_path):
    site(office(homes / "2025-11"), tmp_path / "site", downloads=False)
    (tmp_path / "site").rename(tmp_path / ".tmp-site-replaced")
    summary = site(office(homes / "2025-12"), tmp_path / "site", downloads=False)
    assert summary.months_made == 1
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_damaged_file_is_named_and_no_site_is_made(rated, tmp_path):
    games = rated.published / "2025-11" / "r1" / "games.parquet"
    games.chmod(0o644)
    games.write_bytes(games.read_bytes()[:500])
    with pytest.raises(CheckError, match=r"2025-11/r1/games\.parquet: was altered"):
        site(rated, tmp_path / "site")
    # Without a log there is nothing to compare the files with before they are read.
    shutil.copytree(rated.published, tmp_path / "copy" / "published")
    with pytest.raises(NothingReadError, match=r"2025-11/r1/games\.parquet is damaged"):
        site(office(tmp_path / "copy"), tmp_path / "site")
    assert list(tmp_path.glob("*site*")) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("r2/games.parquet", "it was altered: its digest is not the one recorded"),
        ("r2/diff.parquet", "it was altered: its digest is not the one recorded"),
        ("both_numbers.parquet", "its digest is not the one in .*index.json"),
    ],
)
def test_a_file_that_was_altered_becomes_no_page(home, tmp_path, name, reason):
    shutil.copytree(home / "published", tmp_path / "office" / "published")
    file = tmp_path / "office" / "published" / "2025-09" / name
    stated = {f"2025-09/{name}": sha256_of(file)}
    index = Index("", 1, "2025-12-01", "", "", (), stated, {})
    (tmp_path / "office" / "published" / "index.json").write_bytes(index.encode())
    rows = pl.read_parquet(file)
    file.unlink()
    rows.head(rows.height - 1).write_parquet(file)
    with pytest.raises(AlteredError, match=rf"{file} is not what was published: {reason}"):
        site(office(tmp_path / "office"), tmp_path / "site", downloads=False)
    assert not (tmp_path / "site").exists()


def test_nothing_published_is_no_site(homes, tmp_path):
    with pytest.raises(NothingReadError, match="No list is published from 2026-01 on"):
        site(office(homes / "2025-12"), tmp_path / "site", Period.parse("2026-01"))


def test_events_and_players_of_a_month_are_in_their_order(made):
    rows = decoded(made, "e/2025-12/all")
    assert all(first[0] < second[0] for first, second in pairwise(rows))
    ids = [player["id"] for player in decoded(made, "h/0")]
    assert ids == sorted(set(ids))
