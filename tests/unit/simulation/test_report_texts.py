"""What is simulated is what the program reads: every report, back to its games."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.findings import RULES
from ratinglist.reports import judge
from ratinglist.simulation.months import Month
from ratinglist.simulation.report_texts import manifest, texts_of
from ratinglist.tables import DELIVERED, FILE_FINDING
from tests.unit.simulation.worlds import hard_luck, months_of

WORLD = hard_luck()
MONTHS = 4
GAME = ["file", "round", "white_id", "black_id", "white_halves", "black_halves"]
HALVES = {"1": 2, "=": 1, "0": 0}
EXPECTED_NOTES = {"pair_repeated", "default_registration", "official_event"}


def delivered(month: Month) -> pl.DataFrame:
    """The reports of a month as a delivery decoded them, with the data of their manifest."""
    texts = texts_of(month.due, month.entrants, month.cells, WORLD.seed)
    listed = manifest(month.due).drop("official").with_columns(month.due["official"])
    rows = listed.with_columns(
        pl.col("file").alias("file_name"),
        pl.col("file").alias("sha256"),
        texts["text"],
        pl.int_range(pl.len(), dtype=pl.Int32).alias("file_no"),
        pl.lit(None).alias("event_name"),
        pl.lit(None).alias("player_ids"),
    )
    return DELIVERED.conform(rows)


@pytest.fixture(scope="module")
def read() -> judge.ReadBatch:
    parts = [delivered(month) for month in months_of(WORLD, MONTHS)]
    together = pl.concat(parts).with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("file_no"))
    return judge.read(together, FILE_FINDING.empty())


@pytest.fixture(scope="module")
def due() -> pl.DataFrame:
    return pl.concat([month.due for month in months_of(WORLD, MONTHS)])


@pytest.fixture(scope="module")
def simulated() -> pl.DataFrame:
    """Every game of every sound and true report as it was played, with the IDs of both players."""
    parts = []
    for month in months_of(WORLD, MONTHS):
        ids = month.entrants.select("event_no", "start_number", "fide_id")
        sound = month.due.filter((pl.col("damage") == 0) & ~pl.col("is_altered"))
        sides = month.cells.filter(pl.col("result").is_in(list(HALVES))).with_columns(
            pl.col("result").replace_strict(HALVES, return_dtype=pl.Int32).alias("halves")
        )
        sides = sides.join(ids, on=["event_no", "start_number"])
        white, black = (sides.filter(pl.col("colour") == colour) for colour in "wb")
        games = white.join(
            black,
            left_on=["event_no", "round", "opponent"],
            right_on=["event_no", "round", "start_number"],
            suffix="_b",
        )
        reported = games.join(sound, on="event_no").filter(
            pl.col("round").is_between(pl.col("first_round"), pl.col("last_round"))
        )
        parts.append(
            reported.select(
                *("file", "round"),
                white_id="fide_id",
                black_id="fide_id_b",
                white_halves="halves",
                black_halves="halves_b",
            )
        )
    return pl.concat(parts)


@pytest.mark.parametrize("report_format", ["TRF16", "TRF26"])
def test_a_report_reads_back_to_the_games_that_were_played(read, simulated, due, report_format):
    of_format = due.filter(pl.col("is_trf26") == (report_format == "TRF26"))["file"].implode()
    names = read.reports.filter(pl.col("report_format") == report_format).select("report_id", "file_name")
    parsed = (
        read.games.with_columns(pl.col("report_id").cast(pl.String))
        .join(names, on="report_id")
        .rename({"file_name": "file"})
    )
    # A report that came twice with the same bytes is one report, by its first name.
    played = simulated.filter(pl.col("file").is_in(of_format) & pl.col("file").is_in(parsed["file"].unique().implode()))
    found = parsed.filter(pl.col("file").is_in(played["file"].unique().implode())).select(GAME)
    assert found.height > 1000
    assert sorted(found.iter_rows()) == sorted(played.select(GAME).iter_rows())


def test_only_reports_with_a_damage_are_refused(read, due):
    refused = set(read.reports.filter(~pl.col("accepted"))["file_name"])
    assert refused == set(due.filter(pl.col("damage") > 0)["file"])
    assert refused


def test_every_damage_is_found_for_what_it_is(read, due):
    damages = due.filter(pl.col("damage") > 0).select("file", "damage")
    found = read.findings.filter(pl.col("effect") == "refused").join(read.reports, on="report_id")
    by_damage = (
        damages.join(found, left_on="file", right_on="file_name").group_by("damage").agg(pl.col("rule").unique())
    )
    assert {damage: sorted(rules) for damage, rules in by_damage.iter_rows()} == {
        1: ["fide_id_missing"],
        2: ["columns_shifted"],
        3: ["tab_in_line"],
        4: ["results_exceed"],
    }


def test_a_sound_report_has_no_unexpected_note(read):
    sound = read.reports.filter("accepted").select("report_id")
    noted = read.findings.join(sound, on="report_id", how="semi")
    assert {rule for rule in noted["rule"] if RULES[rule].effect == "noted"} <= EXPECTED_NOTES


def test_the_facts_of_an_event_come_through(read, due):
    facts = ["time_control", "event_type", "official", "federation", "start_date", "end_date", "registered_on", "name"]
    found = read.reports.join(due, left_on="file_name", right_on="file", suffix="_meant")
    assert found.height > 40
    for fact in facts:
        assert found[fact].to_list() == found[f"{fact}_meant"].to_list()
    assert found["minutes_per_60_moves"].to_list() == found["minutes"].to_list()


def test_a_corrected_report_differs_from_its_first_version_in_one_game(read, due):
    names = read.reports.select("report_id", "file_name", "event_id", "version")
    corrected = due.filter(pl.col("plant") == "corrected")["event_id"].unique().to_list()
    games = (
        read.games.with_columns(pl.col("report_id").cast(pl.String))
        .join(names, on="report_id")
        .select(*GAME[1:], "event_id", "version")
    )
    differing = []
    for code in corrected:
        first, second = (
            set(games.filter((pl.col("event_id") == code) & (pl.col("version") == number)).select(GAME[1:]).iter_rows())
            for number in (1, 2)
        )
        if first and second:
            differing.append(len(first ^ second))
    assert differing
    assert set(differing) == {2}


def test_a_later_part_reports_its_own_rounds(read, due):
    parts = due.filter(pl.col("part") > 1)
    found = read.reports.join(parts, left_on="file_name", right_on="file", suffix="_meant")
    assert found.height > 0
    assert (found["first_round"].cast(pl.Int64) == found["first_round_meant"]).all()
    assert (found["last_round"].cast(pl.Int64) == found["last_round_meant"]).all()
    assert found["start_date"].min() > date(2025, 10, 31)


def test_the_manifest_leaves_the_time_control_to_a_trf26_report(due):
    listed = manifest(due)
    assert listed.columns == [
        *("file", "event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
        *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
    ]
    assert (listed["time_control"].is_null() == due["is_trf26"]).all()


@pytest.fixture(scope="module")
def texts() -> pl.DataFrame:
    """The reports with how they were meant to be written."""
    parts = [
        month.due.join(texts_of(month.due, month.entrants, month.cells, WORLD.seed), on="delivery")
        for month in months_of(WORLD, MONTHS)
    ]
    return pl.concat(parts)
