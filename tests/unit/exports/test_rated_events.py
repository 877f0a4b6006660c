"""The events that a list rated, as reports in TRF26, and what our own reader and office make of them."""

from __future__ import annotations

import re
import zipfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError, ExportError, NothingReadError
from ratinglist.lists import rated_events
from ratinglist.lists.selection import ExportRequest, PublishedLists
from ratinglist.reports import find, read, read_batches
from tests.conftest import office
from tests.unit.exports.lists import MONTH, event, event_tables, export, listed, player, publish, sides

DAY = date(2025, 12, 1)
OF_REPORT = [
    *("event_id", "time_control", "event_type", "version", "official", "registered_on", "minutes_per_60_moves"),
]
GAMES = ["event_id", "round", "date", "white_id", "black_id", "white_halves", "black_halves"]


def lists_of(
    events: list[dict[str, object]], games: list[dict[str, object]], *players: dict[str, object]
) -> PublishedLists:
    standard = {"standard": listed(*(players or (player(1, "Adami, Åsa", sex="F", women_title="WGM"), player(2))))}
    tables = event_tables(events, games)
    return PublishedLists(lists=standard, selected=standard, carried=(), manifest="manifest", tables=tables)


def text_of(events: list[dict[str, object]], games: list[dict[str, object]], **request: object) -> str:
    prepared = rated_events.prepare(lists_of(events, games), ExportRequest(MONTH, "trf26", **request))
    return prepared.rows["text"].item()


def test_a_report_has_the_records_of_trf26():
    text = text_of([event("A1")], sides("A1", (1, 1, 2, 2), (3, 2, 1, 1)))
    assert text.splitlines() == [
        "012 Open",
        "032 ORV",
        "042 2025/10/01",
        "052 2025/10/03",
        "062 2",
        "072 2",
        "092 Individual: Swiss System",
        f"132{' ' * 88}25/10/01            25/10/03",
        "142 3",
        f"001    1 wWGM {'Adami, Åsa':33} 2000 ORV {1:11}{' ' * 12} 1.5    1     2 w 1               2 b =",
        f"001    2 m    {'Nemo, Nora':33} 2000 ORV {2:11}{' ' * 12} 0.5    2     1 b 0               1 w =",
        "### Rated in the list of 2025-11: start number, FIDE ID, rating used, K, rated games, exact change",
        "###    1           1   2000  20     2    +10.00",
        "###    2           2   2000  20     2    -10.00",
    ]


def test_a_type_that_decides_the_pairing_has_fides_code():
    text = text_of([event("A1", event_type="double_roundrobin")], sides("A1", (1, 1, 2, 2)))
    assert "\n092 Individual: Double Round Robin\n" in text
    assert "\n192 FIDE_DOUBLEROUNDROBIN\n" in text


def test_a_side_that_was_not_rated_has_no_change_and_no_rating_that_was_not_used():
    games = [one | {"rated": False, "rating": None, "k": None} for one in sides("A1", (1, 1, 2, 2))]
    lines = text_of([event("A1")], games).splitlines()
    assert lines[-2:] == [
        "###    1           1      -   -     0         -",
        "###    2           2      -   -     0         -",
    ]
    assert [line[48:52] for line in lines if line.startswith("001")] == ["    ", "    "]


def test_an_event_that_was_not_rated_is_left_out_and_counted():
    games = [*sides("A1", (1, 1, 2, 2)), *sides("A2", (1, 1, 2, 2))]
    found = rated_events.prepare(
        lists_of([event("A1"), event("A2", status="deferred")], games), ExportRequest(MONTH, "trf26")
    )
    assert found.rows["event_id"].to_list() == ["A1"]
    assert found.counts == {"games": 1, "events_left_out": 1, "texts_cut": 0}


def test_events_of_one_federation_and_time_control_are_selected():
    events = [event("A1"), event("A2", federation="KEL"), event("A3", federation="KEL", time_control="rapid")]
    games = [side for one in events for side in sides(str(one["event_id"]), (1, 1, 2, 2))]
    request = ExportRequest(MONTH, "trf26", federation="KEL", time_control="rapid")
    assert rated_events.prepare(lists_of(events, games), request).rows["event_id"].to_list() == ["A3"]


def test_no_rated_event_is_said():
    with pytest.raises(NothingReadError, match=r"The list of 2025-11 rated no event of KEL at blitz"):
        text_of([event("A1")], sides("A1", (1, 1, 2, 2)), federation="KEL", time_control="blitz")


def test_games_without_what_makes_a_report_are_not_exported():
    published = lists_of([event("A1")], sides("A1", (1, 1, 2, 2)))
    published.tables["games"] = published.tables["games"].drop("colour")
    with pytest.raises(NothingReadError, match="leaves colour out of the games"):
        rated_events.prepare(published, ExportRequest(MONTH, "trf26"))


def test_an_event_with_more_rounds_than_a_report_has_room_for_is_named():
    games = [one | {"round": 201} for one in sides("A1", (1, 1, 2, 2))]
    with pytest.raises(ExportError, match=r"the event A1 \(Open\) has 2 players and 201 rounds"):
        text_of([event("A1")], games)


def test_files_of_codes_that_no_name_can_hold_have_different_names():
    events = [event("a/b"), event("a:b")]
    games = [side for one in events for side in sides(str(one["event_id"]), (1, 1, 2, 2))]
    found = rated_events.prepare(lists_of(events, games), ExportRequest(MONTH, "trf26"))
    assert found.rows["file"].to_list() == ["0001-a-b.trf", "0002-a-b.trf"]


def test_events_written_one_by_one_are_the_same(monkeypatch):
    events = [event(f"A{number}") for number in range(3)]
    games = [side for one in events for side in sides(str(one["event_id"]), (1, 1, 2, 2))]
    together = rated_events.prepare(lists_of(events, games), ExportRequest(MONTH, "trf26"))
    monkeypatch.setattr(rated_events, "_EVENTS_AT_ONCE", 1)
    assert rated_events.prepare(lists_of(events, games), ExportRequest(MONTH, "trf26")).rows.equals(together.rows)


def test_an_office_without_rated_events_is_said(tmp_path):
    with pytest.raises(NothingReadError, match="rated no event: there is no report to write"):
        export(publish(tmp_path / "home", listed(player(1))), "trf26", tmp_path)


def test_the_first_of_each_list_is_no_part_of_the_events(rated, tmp_path):
    with pytest.raises(CommandLineError, match="which has events"):
        export(rated, "trf26", tmp_path, top=3)


@pytest.fixture(scope="module")
def exported(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(export(office(published.parent), "trf26", tmp_path_factory.mktemp("events")).file)


def tables(published: Path, *names: str) -> list[pl.DataFrame]:
    folder = published / str(MONTH)
    current = folder / (folder / "latest").read_text(encoding="utf-8").strip()
    return [pl.read_parquet(current / f"{name}.parquet") for name in names]


def test_our_reader_reads_the_same_games_of_every_rated_event(published, exported):
    batch, *others = read_batches(find([exported]), DAY, DAY)
    found = read(batch.delivered, batch.findings)
    assert not others
    assert found.reports["accepted"].all(), found.findings.filter(pl.col("effect") != "noted").to_dicts()
    events, games = tables(published, "events", "games")
    rated = events.filter((pl.col("status") == "rated") & (pl.col("games") > 0))
    assert found.reports.sort("event_id").select(OF_REPORT).equals(rated.sort("event_id").select(OF_REPORT))
    white = games.filter(pl.col("colour") == "w").join(rated, on="event_id", how="semi")
    expected = white.select(
        *("event_id", "round", "date"),
        white_id="fide_id",
        black_id="opponent_id",
        white_halves="score_halves",
        black_halves=2 - pl.col("score_halves"),
    )
    own = found.games.cast({"report_id": pl.String}).join(found.reports, on="report_id").select(GAMES)
    assert own.height > 100
    assert (
        own.drop("black_halves")
        .sort("event_id", "round", "white_id")
        .equals(expected.drop("black_halves").sort("event_id", "round", "white_id"))
    )


def test_a_report_has_the_ratings_that_were_used(published, exported):
    batch = next(iter(read_batches(find([exported]), DAY, DAY)))
    found = read(batch.delivered, batch.findings)
    (games,) = tables(published, "games")
    used = games.group_by("event_id", "fide_id").agg(pl.col("rating").max())
    written = found.players.cast({"report_id": pl.String}).join(
        found.reports.select("report_id", "event_id"), on="report_id"
    )
    both = written.join(used, on=["event_id", "fide_id"], suffix="_used")
    assert both.height == written.height
    assert (
        both["rating"].equals(both["rating_used"], check_names=False)
        if False
        else (both["rating"].to_list() == both["rating_used"].to_list())
    )
    assert written["birth_date"].null_count() == written["birth_year"].null_count() == written.height


def test_the_comments_add_up_to_the_published_changes(published, exported):
    (changes,) = tables(published, "changes")
    sums: dict[tuple[str, int], int] = {}
    with zipfile.ZipFile(exported) as archive:
        manifest = pl.read_csv(archive.read("manifest.csv"))
        for name, control in manifest.select("file", "time_control").iter_rows():
            lines = archive.read(name).decode().splitlines()
            for fide_id, change in re.findall(r"^### +\d+ +(\d+) .* ([+-]?\d+\.\d\d)$", "\n".join(lines), re.MULTILINE):
                key = (control, int(fide_id))
                sums[key] = sums.get(key, 0) + int(change.replace(".", ""))
    published_changes = changes.filter(pl.col("status") == "rated").select(
        "time_control", "fide_id", "change_hundredths"
    )
    expected = {(control, fide_id): change for control, fide_id, change in published_changes.iter_rows()}
    assert expected
    assert {key: sums[key] for key in expected} == expected


def test_the_same_list_gives_the_same_bytes(published, exported, tmp_path):
    again = export(office(published.parent), "trf26", tmp_path)
    assert Path(again.file).read_bytes() == exported.read_bytes()
    assert exported.name == "events_2025-11.zip"


def test_the_summary_counts_events_and_games(published, tmp_path):
    summary = export(office(published.parent), "trf26", tmp_path)
    (events,) = tables(published, "events")
    assert summary.rows + summary.counts["events_left_out"] == events.height
    assert f"{summary.rows} events" in summary.text()
    assert f"{summary.counts['games']:,} games" in summary.text()
