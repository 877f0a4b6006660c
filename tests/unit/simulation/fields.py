"""Events and their entrants for the tests of the pairing systems, and the properties of the cells of every event."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.store.rule_files import rule_book

EXPECTED = rule_book().expected_score["expected_score"]
MIRROR = {"1": "0", "0": "1", "=": "="}


def events_of(system: str, count: int, rounds: int, first: int = 1) -> pl.DataFrame:
    numbers = pl.DataFrame({"event_no": range(first, first + count)}, schema={"event_no": pl.UInt32})
    return numbers.with_columns(system=pl.lit(system), rounds=pl.Series([rounds] * count, dtype=pl.Int32))


def entrants_of(events: pl.DataFrame, players: int, late: int = 0, gone: int = 0, seed: int = 1) -> pl.DataFrame:
    """``players`` in each event, ``late`` and ``gone`` per thousand of them, the stronger first."""
    numbers = pl.DataFrame({"start_number": range(1, players + 1)}, schema={"start_number": pl.Int32})
    keys = [pl.col("event_no"), pl.col("start_number")]
    return events.join(numbers, how="cross").select(
        "event_no",
        "start_number",
        strength=(2300 - 900 * pl.col("start_number") // players + roll(seed, "s", *keys, sides=150)).cast(pl.Int32),
        team=pl.lit(None, dtype=pl.Int32),
        board=pl.lit(None, dtype=pl.Int32),
        enters_round=pl.when(per_thousand(seed, "late", *keys, chance=late)).then(2).otherwise(1).cast(pl.Int32),
        leaves_after=pl.when(per_thousand(seed, "gone", *keys, chance=gone))
        .then(roll(seed, "when", *keys, sides=pl.col("rounds")))
        .otherwise("rounds")
        .cast(pl.Int32),
    )


def teams_of(events: pl.DataFrame, teams: int, boards: int) -> pl.DataFrame:
    number = pl.col("start_number") - 1
    return entrants_of(events, teams * boards).with_columns(
        team=(number // boards + 1).cast(pl.Int32), board=(number % boards + 1).cast(pl.Int32)
    )


@st.composite
def fields(draw: st.DrawFn, system: str, most_players: int = 12) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A few events of one system, of any size, with late entrants and withdrawals."""
    players = draw(st.integers(2, most_players))
    rounds = draw(st.integers(1, players // 2 + 3))
    events = events_of(system, draw(st.integers(1, 3)), rounds, first=draw(st.integers(1, 1000)))
    late, gone = draw(st.sampled_from([0, 100, 400])), draw(st.sampled_from([0, 100, 400]))
    return events, entrants_of(events, players, late, gone, draw(st.integers(0, 99)))


def games(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells with an opponent, joined with the opponent's own cell (columns ending in ``_right``)."""
    return cells.filter(pl.col("opponent").is_not_null()).join(
        cells,
        left_on=["event_no", "round", "opponent"],
        right_on=["event_no", "round", "start_number"],
        how="left",
        maintain_order="left",
    )


def assert_one_cell_each(cells: pl.DataFrame, events: pl.DataFrame, entrants: pl.DataFrame) -> None:
    wanted = (
        entrants.join(events, on="event_no")
        .with_columns(round=pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int32))
        .explode("round")
        .select("event_no", "round", "start_number")
        .sort("event_no", "round", "start_number")
    )
    assert cells.select("event_no", "round", "start_number").equals(wanted)


def assert_mirrored(cells: pl.DataFrame) -> None:
    pairs = games(cells)
    assert pairs["opponent_right"].to_list() == pairs["start_number"].to_list()
    assert {*zip(pairs["colour"], pairs["colour_right"], strict=True)} <= {("w", "b"), ("b", "w")}
    assert {*zip(pairs["result"], pairs["result_right"], strict=True)} <= {
        *MIRROR.items(),
        ("+", "-"),
        ("-", "+"),
        ("-", "-"),
    }


def met(cells: pl.DataFrame) -> pl.DataFrame:
    """Return how often each player met each opponent."""
    return games(cells).group_by("event_no", "start_number", "opponent").len()
