"""The reader reads from a report what was played, and refuses only what was meant to be refused."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.reports import judge
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist_world.simulate import Report
from tests.world.worlds import hard_luck, reports_due

WORLD = hard_luck()
MONTHS = 4
GAME = ["file", "round", "white_id", "black_id", "white_halves"]
HALVES = {"1": 2, "=": 1, "0": 0}


@pytest.fixture(scope="module")
def due() -> dict[str, Report]:
    return {report.file: report for report in reports_due(WORLD, MONTHS)}


def delivered(report: Report, file_no: int) -> dict[str, object]:
    event, stated = report.event, not report.is_trf26
    return dict.fromkeys(DELIVERED.columns) | {
        "file_no": file_no,
        "file_name": report.file,
        "sha256": report.file,
        "text": report.text(),
        "event_id": report.code,
        "version": report.version,
        "received_on": report.received_on,
        "event_type": event.system,
        "time_control": event.time_control if stated else None,
        "minutes_per_60_moves": event.clock[1] if stated else None,
        "federation": event.federation,
        "start_date": report.dates[0],
        "end_date": report.dates[-1],
        "registered_on": event.registered_on,
    }


@pytest.fixture(scope="module")
def read(due) -> judge.ReadBatch:
    rows = [delivered(report, number) for number, report in enumerate(due.values())]
    return judge.read(DELIVERED.conform(pl.DataFrame(rows, schema=DELIVERED.schema)), FILE_FINDING.empty())


@pytest.fixture(scope="module")
def games(read) -> pl.DataFrame:
    names = read.reports.select("report_id", "event_id", "version", file="file_name")
    return read.games.with_columns(pl.col("report_id").cast(pl.String)).join(names, on="report_id")


def played(report: Report) -> list[tuple[object, ...]]:
    """Every game over the board of the rounds that are reported."""
    ids = {entrant.seat.number: entrant.player.fide_id for entrant in report.event.entrants}
    return [
        (report.file, turn, ids[number], ids[cell.opponent], HALVES[cell.code])
        for turn in range(report.first_round, report.last_round + 1)
        for number, cell in ((entrant.seat.number, entrant.seat.cells[turn - 1]) for entrant in report.event.entrants)
        if cell.colour == "w" and cell.code in HALVES
    ]


@pytest.mark.parametrize("is_trf26", [False, True])
def test_a_report_reads_back_to_the_games_that_were_played(games, due, is_trf26):
    sound = [report for report in due.values() if not report.fault and report.is_trf26 is is_trf26]
    games_read = games.filter(pl.col("file").is_in([report.file for report in sound])).select(GAME)
    # A report that came twice with the same bytes is one report, by its first name.
    wanted = [game for report in sound if report.file in set(games_read["file"]) for game in played(report)]
    assert len(wanted) > 1000
    assert sorted(games_read.iter_rows()) == sorted(wanted)


def test_only_reports_with_a_fault_are_refused_each_for_its_own(read, due):
    refusals = read.findings.filter(pl.col("effect") == "refused").join(read.reports, on="report_id")
    rules = {"no_id": "fide_id_missing", "both_won": "results_exceed"}
    wanted = {(file, rules[report.fault]) for file, report in due.items() if report.fault in rules}
    assert {rule for _, rule in wanted} == set(rules.values())
    assert set(refusals.select("file_name", "rule").iter_rows()) == wanted
    assert set(read.reports.filter(~pl.col("accepted"))["file_name"]) == {file for file, _ in wanted}


def test_a_corrected_report_differs_from_its_first_version_in_one_game(games, due):
    differing = []
    for code in {report.code for report in due.values() if report.event.problem == "corrected"}:
        first, second = (
            set(games.filter(event_id=code, version=number).select(GAME[1:]).iter_rows()) for number in (1, 2)
        )
        if first and second:
            differing.append(len(first ^ second))
    assert set(differing) == {2}


def test_a_later_part_reports_its_own_rounds(read, due):
    parts = [due[row["file_name"]] for row in read.reports.iter_rows(named=True) if row["file_name"].endswith("-2.trf")]
    assert parts
    assert min(report.dates[0] for report in parts) > date(2025, 10, 31)
    rounds = dict(zip(read.reports["file_name"], read.reports.select("first_round", "last_round").rows(), strict=True))
    assert all(rounds[report.file] == (report.first_round, report.last_round) for report in parts)
