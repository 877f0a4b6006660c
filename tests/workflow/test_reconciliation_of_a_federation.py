"""Eighteen differences planted in one official list of several thousand players: each gets the right cause.

The official list is our own, as a file, with the rows of eighteen players changed. Where another reading of the rules
is planted, the value is that of the whole month under rules with this reading; the player is one for whom no other of
these readings gives the same value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.month import rate_month
from ratinglist.settings import Settings
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import import_files, run
from ratinglist_lab import reconcile
from ratinglist_lab.reconcile import ReconcileSummary
from ratinglist_world import plan, simulate
from tests.command_line import ratinglist
from tests.conftest import asks_nothing
from tests.stores import open_store
from tests.unit.test_list_comparison import book

pytestmark = pytest.mark.long

FIRST = Period.parse("2024-04")
MONTHS = [FIRST, FIRST + 1, FIRST + 2]
MONTH = MONTHS[-1]
CONTROLS = ("standard", "rapid", "blitz")

READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "no_cap": {"expected_score": {"cap": 9999}},
    "cap_once": {"expected_score": {"cap_applies_to": "best_game_per_event"}},
    "rounded_per_event": {"change": {"rounded_per": "event"}},
    "k_junior_until": {"development_coefficient": {"junior_until": "eighteenth_birthday"}},
    "k_limit": {"development_coefficient": {"period_limit": 0}},
    "k_fixed": {"development_coefficient": {"fixed": 20}},
    "floor": {"list": {"floor": 1000}},
    "entry_method": {"entry": {"method": "twenty_per_half_point"}},
    "standard_stands_in": {"event": {"standard_rating_stands_in": False}},
}
"""Cause, and the values of the rules with this reading."""

PLANTED_IN = [
    *((cause, "standard") for cause in ("no_cap", "cap_once", "k_junior_until", "k_limit", "floor", "entry_method")),
    *((cause, "rapid") for cause in ("no_cap", "rounded_per_event", "floor", "standard_stands_in")),
    *((cause, "blitz") for cause in ("k_fixed", "entry_method")),
]


@dataclass(frozen=True)
class Planted:
    """One difference: where it is, the official values, and the cause that must be found."""

    cause: str
    time_control: str
    fide_id: int
    column: str
    values: dict[str, object]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office that has published three months of a made-up federation of 4,000."""
    root = tmp_path_factory.mktemp("federation")
    world = root / "world"
    simulate.simulate(world, plan.world_of(4_000, FIRST, 7, 70, (), plan.Plan(changes=5)), len(MONTHS))
    made = Settings(home=root / "home", family="fide", today=MONTH.first_day)
    asks_nothing(made.home)
    import_files.import_list(made, world / f"list-{FIRST - 1}.csv", FIRST - 1)
    for period in MONTHS:
        import_files.import_players(made, world / f"players-{period}.csv")
        run.run(made, period, [world / "reports" / str(period)])
    return made


@pytest.fixture(scope="module")
def ours(settings: Settings) -> dict[str, pl.DataFrame]:
    """The published tables of the month, the three lists as one."""
    revision = settings.published / str(MONTH) / "r1"
    tables = {path.stem: pl.read_parquet(path) for path in revision.glob("*.parquet")}
    return {**tables, "lists": pl.concat(tables[control] for control in CONTROLS)}


@pytest.fixture(scope="module")
def inputs(settings: Settings) -> MonthInputs:
    """What the month is calculated from."""
    with open_store(settings.store) as store:
        return read_month_inputs(store, MONTH, "fide", rule_book())


@pytest.fixture(scope="module")
def planted(inputs: MonthInputs, ours: dict[str, pl.DataFrame], settings: Settings) -> list[Planted]:
    """Eighteen differences, each of another player.

    An official row describes its player as one of our lists does, so only players on a list of ours are taken.
    """
    with open_store(settings.store) as store:
        versions = store.read("select distinct fide_id, name from player")
    listed = set(ours["lists"]["fide_id"])
    taken: set[int] = set()
    chosen = []
    for one in [
        *_by_reading(inputs),
        *_by_event(inputs, ours),
        *_by_count(ours),
        *_by_description(ours, versions),
        *_without_a_cause(ours),
    ]:
        used = {(other.cause, other.time_control) for other in chosen if other.cause}
        if (one.cause, one.time_control) not in used and one.fide_id in listed - taken:
            taken.add(one.fide_id)
            chosen.append(one)
    return chosen


def _numbers(result: MonthResult) -> pl.DataFrame:
    return result.list_state.select("time_control", "fide_id", "rating", "games", "k")


_ONE = ["time_control", "fide_id"]


def _by_reading(inputs: MonthInputs) -> Iterator[Planted]:
    """Yield players whose rating only one of the readings gives."""
    own = _numbers(rate_month(inputs)).rename({"rating": "our_rating"}).select(*_ONE, "our_rating")
    by = pl.concat(
        _numbers(rate_month(replace(inputs, rules=book(**values)))).with_columns(pl.lit(cause).alias("cause"))
        for cause, values in READINGS.items()
    )
    differing = (
        by.join(own, on=_ONE, how="left")
        .filter(pl.col("rating").ne_missing(pl.col("our_rating")), pl.col("rating").is_not_null())
        .filter(pl.len().over(*_ONE, "rating") == 1)
        .sort("cause", *_ONE)
    )
    for row in differing.iter_rows(named=True):
        if (row["cause"], row["time_control"]) in PLANTED_IN:
            values = {name: row[name] for name in ("rating", "games", "k")}
            yield Planted(row["cause"], row["time_control"], row["fide_id"], "rating", values)


def _by_event(inputs: MonthInputs, ours: dict[str, pl.DataFrame]) -> Iterator[Planted]:
    """Yield a player of two events, one of which the official list does not count."""
    standard = ours["games"].filter("rated", time_control="standard")
    several = (
        standard.group_by("fide_id").agg(pl.col("event_id").unique().sort()).filter(pl.col("event_id").list.len() == 2)
    )
    player, (gone, _) = several.sort("fide_id").row(0)
    digest = ours["events"].filter(event_id=gone).item(0, "report_sha256")
    reports = inputs.reports.filter(sha256=digest)["report_id"]
    without = _numbers(rate_month(replace(inputs, withdrawn=reports))).filter(fide_id=player, time_control="standard")
    yield Planted("extra_event", "standard", player, "rating", without.select("rating", "games").row(0, named=True))


def _by_count(ours: dict[str, pl.DataFrame]) -> Iterator[Planted]:
    """Yield players for whom the official list counts games that we do not."""
    games, standard = ours["games"], ours["standard"].sort("fide_id")
    refused = games.filter(pl.col("time_control") == "standard").join(
        ours["events"].filter(pl.col("status") != "rated"), on="event_id", how="semi"
    )
    left_out = refused.group_by("fide_id").len().join(standard, on="fide_id").sort("fide_id")
    for row in left_out.head(1).iter_rows(named=True):
        values = {"rating": row["rating"] + 3, "games": row["games"] + row["len"]}
        yield Planted("missing_event", "standard", row["fide_id"], "rating", values)
    idle = standard.join(games, on="fide_id", how="anti").row(0, named=True)
    values = {"rating": idle["rating"] + 5, "games": 4}
    yield Planted("event_not_received", "standard", idle["fide_id"], "rating", values)


def _on_one_list(ours: dict[str, pl.DataFrame], time_control: str) -> pl.DataFrame:
    """Return players on one list only: an official file describes a player alike on every list."""
    once = ours["lists"].filter(~pl.col("fide_id").is_duplicated())
    return once.filter(pl.col("time_control") == time_control).sort("fide_id")


def _by_description(ours: dict[str, pl.DataFrame], versions: pl.DataFrame) -> Iterator[Planted]:
    """Yield players whom the official list describes differently."""
    standard = _on_one_list(ours, "standard")
    accented = standard.filter(pl.col("name").str.contains("ö"), pl.col("games") == 0).row(0, named=True)
    name = {"name": str(accented["name"]).replace("ö", "oe")}
    yield Planted("transliteration", "standard", accented["fide_id"], "name", name)
    renamed = versions.join(standard.filter(pl.col("games") == 0), on="fide_id").filter(
        pl.col("name") != pl.col("name_right")
    )
    row = renamed.sort("fide_id").row(0, named=True)
    yield Planted("another_version", "standard", row["fide_id"], "name", {"name": row["name"]})


def _without_a_cause(ours: dict[str, pl.DataFrame]) -> Iterator[Planted]:
    idle = _on_one_list(ours, "rapid").join(ours["games"], on="fide_id", how="anti")
    ratings = idle["rating"]
    for at, (column, values) in enumerate(
        [("rating", {"rating": ratings[0] + 9}), ("k", {"k": 11}), ("name", {"name": "Quite, Otherwise"})]
    ):
        yield Planted("", "rapid", idle["fide_id"][at], column, values)


def official(ours: dict[str, pl.DataFrame], planted: list[Planted], file: Path) -> Path:
    """Our lists as one official file, with what is planted."""
    rows = {(row["time_control"], row["fide_id"]): row for row in ours["lists"].iter_rows(named=True)}
    for one in planted:
        key = (one.time_control, one.fide_id)
        known = rows.get(key) or next(row for row in rows.values() if row["fide_id"] == one.fide_id)
        rows[key] = {**known, "time_control": one.time_control, **one.values}
    pl.DataFrame(list(rows.values()), schema=ours["lists"].schema).write_csv(file)
    return file


@pytest.fixture(scope="module")
def found(settings: Settings, ours: dict[str, pl.DataFrame], planted: list[Planted]) -> ReconcileSummary:
    """Return the comparison with the list that has all of them."""
    return reconcile.reconcile(settings, MONTH, official(ours, planted, settings.home / "official.csv"))


def test_eighteen_are_planted_in_a_list_of_some_thousand(planted: list[Planted], ours: dict[str, pl.DataFrame]) -> None:
    assert len(planted) >= 18
    assert len({one.cause for one in planted}) >= 12
    assert {one.time_control for one in planted} == set(CONTROLS)
    assert len(ours["lists"]) > 3_000


def test_each_has_its_cause(found: ReconcileSummary, planted: list[Planted]) -> None:
    differences = pl.read_csv(found.path, infer_schema=False).fill_null("")
    named = {
        (row["time_control"], int(row["fide_id"]), row["column"]): row["cause"]
        for row in differences.iter_rows(named=True)
    }
    where = [(one.time_control, one.fide_id, one.column) for one in planted]
    assert {one: named.get(one) for one in where} == {
        one: differs.cause for one, differs in zip(where, planted, strict=True)
    }


def test_no_other_player_differs(found: ReconcileSummary, planted: list[Planted]) -> None:
    differences = pl.read_csv(found.path)
    assert set(differences.select(_ONE).rows()) == {(one.time_control, one.fide_id) for one in planted}


def test_unexplained_is_only_what_was_planted_so(found: ReconcileSummary, planted: list[Planted]) -> None:
    differences = pl.read_csv(found.path).filter(pl.col("class") == "unexplained")
    assert sorted(differences.select(*_ONE, "column").rows()) == sorted(
        (one.time_control, one.fide_id, one.column) for one in planted if not one.cause
    )
    assert found.unexplained == 3


def test_the_exit_code_says_whether_anything_is_unexplained(
    settings: Settings, ours: dict[str, pl.DataFrame], planted: list[Planted], tmp_path: Path
) -> None:
    explained = [one for one in planted if one.cause]
    codes = [
        ratinglist("reconcile", str(MONTH), official(ours, differences, tmp_path / "official.csv"), home=settings.home)
        for differences in ([], explained, planted)
    ]
    assert [one.returncode for one in codes] == [0, 0, 4]


def test_our_own_list_is_all_equal(settings: Settings, ours: dict[str, pl.DataFrame], tmp_path: Path) -> None:
    summary = reconcile.reconcile(settings, MONTH, official(ours, [], tmp_path / "own.csv"))
    rated = ours["lists"].group_by("time_control").len().rows()
    assert pl.read_csv(summary.path).is_empty()
    assert {(row["time_control"], row["equal"]) for row in summary.figures if row["column"] == "rating"} == set(rated)
