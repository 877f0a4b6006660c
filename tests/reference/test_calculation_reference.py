"""The program against the second rater: months in sequence, every table, row for row."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from random import Random

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from polars.testing import assert_frame_equal

from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import RuleBook
from ratinglist.rating.systems.registry import FIDE_SYSTEM
from ratinglist.tables import (
    CHANGE,
    EARLIER_EVENT,
    EARLIER_GAME,
    ENTRY,
    EVENT,
    GAME,
    LIST_STATE,
    PLAYER,
    POOL,
    REPORT,
    REPORT_GAME,
    Table,
)
from tests.reference import rater
from tests.reference.formulas import first_day_of
from tests.reference.office import Game, Office, Published, Report, Settled, Standing, Waiting
from tests.reference.regulations import TEXTS
from tests.reference.worlds import World, make_large_world, make_world, worlds

# A world that fails is shown however long it is: that warning as an error would hide the difference.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

TABLES = [table.name for table in fields(Published)]
CURRENT = (("fide", "2024-09"), ("fide", "2025-09"), ("fide", "2025-10"), ("fide", "2026-01"))
COURSE = (("course", "2025-11"), ("course-tranche", "2026-02"))
OLDER = (("fide", "2015-03"), ("fide", "2017-08"), ("fide", "2022-01"), ("fide", "2023-01"), ("fide", "2024-03"))
YEARS = (("fide", "2025-04"), ("fide", "2023-09"), ("fide", "2016-12"), ("fide", "2021-07"), ("course", "2025-04"))
THREE = ("standard", "rapid", "blitz")
SETTLING = ("rated", "late", "duplicate", "superseded")


def rule_book() -> RuleBook:
    def texts(folder: str, pattern: str) -> dict[str, str]:
        root = resources.data(folder)
        return {path.relative_to(root).with_suffix("").as_posix(): path.read_text() for path in root.glob(pattern)}

    return RuleBook.parse(texts("rules", "*/*/*.toml"), texts("tables", "*.csv"))


RULES = rule_book()


def months_of(world: World) -> Iterator[tuple[Office, Published]]:
    """The months of a world in sequence: what is known to each, and what the second rater makes of it."""
    lists, pool, earlier = list(world.lists), (), ()
    for month in world.months:
        office = Office(
            month,
            world.family,
            tuple(lists),
            tuple(player for player in world.players if world.known_from[player.fide_id] <= month),
            tuple(report for report in world.reports if report.received_on < first_day_of(month)),
            pool,
            earlier,
        )
        published = rater.rate_month(office)
        yield office, published
        lists += [Standing(**row) for row in published.list_state]
        pool = tuple(Waiting(**row) for row in published.pool)
        earlier += tuple(settled(world, published))


def settled(world: World, published: Published) -> Iterator[Settled]:
    """What a list is done with: the reports, and the games of the rated ones that counted there."""
    reports = {report.report_id: report for report in world.reports}
    elsewhere = {
        (row["event_id"], row["round"], row["fide_id"]) for row in published.games if row["reason"] == "same_game"
    }
    for row in published.events:
        report, status = reports[row["report_id"]], row["status"]
        if status in SETTLING:
            games = report.games if status == "rated" else ()
            counted = [game for game in games if (row["event_id"], game.round, game.white_id) not in elsewhere]
            yield Settled(report, status, tuple(counted))


def frame(table: Table, rows: list[dict]) -> pl.DataFrame:
    blank = dict.fromkeys(table.columns)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=table.schema)


def columns_of(report: Report, table: Table) -> dict:
    return {name: cell for name, cell in vars(report).items() if name in table.columns}


def game_rows(games: Iterable[Game]) -> list[dict]:
    return [
        {
            "round": game.round,
            "date": game.played_on,
            "white_id": game.white_id,
            "black_id": game.black_id,
            "white_halves": game.white_halves,
            "black_halves": game.black_halves,
        }
        for game in games
    ]


def inputs_of(office: Office, shuffle: Random | None = None) -> MonthInputs:
    """Return an office as the frames that the program takes."""

    def rows(in_order: list[dict]) -> list[dict]:
        return shuffle.sample(in_order, len(in_order)) if shuffle else in_order

    period = Period.parse(office.month)
    accepted = [report for report in office.reports if report.accepted]
    settled = {earlier.report.report_id for earlier in office.earlier}
    reports = [
        {
            **columns_of(report, REPORT),
            "file_name": f"{report.report_id}.trf",
            "report_format": "TRF16",
            "rounds": max((game.round for game in report.games), default=0),
            "players": len(report.players),
            "games": len(report.games),
            "forfeits": 0,
            "byes": 0,
        }
        for report in office.reports
        if report.received_on < period.first_day and report.report_id not in settled
    ]
    players = [
        {**asdict(player), "name": f"Player, {player.fide_id}", "federation": "ITA", "title": ""}
        for player in office.players
    ]
    report_games = [
        {"report_id": report.report_id, **game, "white_line": 20, "black_line": 21}
        for report in accepted
        for game in game_rows(report.games)
    ]
    earlier_events = [
        {**columns_of(earlier.report, EARLIER_EVENT), "status": earlier.status} for earlier in office.earlier
    ]
    earlier_games = [
        {
            **columns_of(earlier.report, EARLIER_GAME),
            "event_code": earlier.report.event_id,
            "games": len(earlier.report.games),
            **game,
        }
        for earlier in office.earlier
        for game in game_rows(earlier.counted)
    ]
    report_players = [
        {"report_id": report.report_id, "fide_id": fide_id} for report in accepted for fide_id in report.players
    ]
    return MonthInputs(
        period=period,
        family=office.family,
        rules=RULES,
        lists=frame(LIST_STATE, rows([dict(vars(listed)) for listed in office.lists])),
        players=frame(PLAYER, rows(players)),
        reports=frame(REPORT, rows(reports)),
        report_players=pl.DataFrame(rows(report_players), schema={"report_id": pl.String(), "fide_id": pl.Int64()}),
        report_games=frame(REPORT_GAME, rows(report_games)),
        pool=frame(POOL, rows([asdict(waiting) for waiting in office.pool])),
        earlier_events=frame(EARLIER_EVENT, rows(earlier_events)),
        earlier_games=frame(EARLIER_GAME, rows(earlier_games)),
    )


def computed(result: MonthResult, table: str) -> pl.DataFrame:
    """Return a table as published; events also with the report chosen."""
    if table == "events":
        return result.events.select(*EVENT.columns, "report_id")
    rows: pl.DataFrame = getattr(result, table)
    return rows.cast({pl.Enum: pl.String})


def differences(published: Published, result: MonthResult) -> list[str]:
    """Return the differences between the program and the second rater, a line each."""
    lines = []
    for table in TABLES:
        wanted, given_ = getattr(published, table), computed(result, table).to_dicts()
        if wanted == given_:
            continue
        lines += [f"{table}, only the reference: {row}" for row in wanted if row not in given_]
        lines += [f"{table}, only the program: {row}" for row in given_ if row not in wanted]
        lines = lines or [f"{table}: the same rows in another order"]
    return lines


def assert_same(world: World) -> int:
    """Compare a world, and return the number of ratings."""
    ratings = 0
    for office, published in months_of(world):
        differing = differences(published, rate_month(inputs_of(office)))
        assert not differing, f"{office.family} {office.month}\n" + "\n".join(differing[:50])
        ratings += sum(row["rating"] is not None for row in published.list_state)
    return ratings


STANDARD = ("standard",)
KINDS = {
    "current": (CURRENT, STANDARD),
    "older": (OLDER, STANDARD),
    "course": (COURSE, STANDARD),
    "all time controls": (CURRENT + OLDER, THREE),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_crowded_lists_agree_with_the_reference(seed, kind):
    assert_same(make_world(Random(seed), *KINDS[kind]))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hundred", range(10))
def test_thousands_of_lists_agree_with_the_reference(hundred, kind):
    for seed in range(100 * hundred, 100 * hundred + 100):
        assert_same(make_world(Random(seed), *KINDS[kind]))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_a_year_of_a_federation_of_2000_players_agrees_with_the_reference(seed):
    era = YEARS[seed % len(YEARS)]
    by_fide_rules = era[0] == "fide"
    assert_same(make_large_world(Random(seed), era, THREE if by_fide_rules and seed >= len(YEARS) else STANDARD))


@pytest.mark.long
@settings(
    max_examples=300,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(worlds(CURRENT + OLDER + COURSE, THREE))
def test_the_smallest_list_that_disagrees_with_the_reference(world):
    assert_same(world)


def test_every_text_of_the_reference_is_a_rule_set_of_the_program():
    # The other systems have references of their own (system_rater).
    of_fide = [rule_set.name for rule_set in RULES.rule_sets if rule_set.system == FIDE_SYSTEM]
    assert sorted(text.name for text in TEXTS) == sorted(of_fide)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_makes_no_difference_and_frames_have_the_types_of_their_tables(seed):
    event = pl.Schema({**EVENT.schema, "report_id": pl.String()})
    schemas = [event, GAME.schema, CHANGE.schema, ENTRY.schema, POOL.schema, LIST_STATE.schema]
    for office, _ in months_of(make_world(Random(seed), CURRENT + COURSE, STANDARD)):
        result, of_shuffled = rate_month(inputs_of(office)), rate_month(inputs_of(office, Random(seed)))
        assert [computed(result, table).schema for table in TABLES] == schemas
        for table in TABLES:
            assert_frame_equal(getattr(result, table), getattr(of_shuffled, table))
