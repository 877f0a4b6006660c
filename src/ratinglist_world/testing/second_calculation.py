"""Compare a system with a second calculation in plain Python, which the author of the system writes too.

The second calculation gets the players of the list before and the games that were played; it knows nothing else of
the program. So an error in the month's step shows, unless both have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ratinglist.rating.model import MonthInputs, MonthResult, newest_list
from ratinglist.rating.month import rate_month
from ratinglist_world.testing.made_up import STANDARD, MadeUp, families_of, sample_of

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class PlainPlayer:
    """A player who was on the list before: rating and number of rated games."""

    rating: int
    games: int


@dataclass(frozen=True, slots=True)
class PlainGame:
    """A game as one of its players sees it: each game comes twice.

    ``score_halves``: 2 for a win, 1 for a draw, 0. ``reason``: why it does not count; empty where it does. A forfeit is
    never among them.
    """

    event_id: str
    ended: date
    round: int
    player: int
    opponent: int
    is_white: bool
    score_halves: int
    reason: str


SecondCalculation = Callable[[Mapping[int, PlainPlayer], Sequence[PlainGame]], Mapping[int, int]]
"""From the list before, by FIDE ID, and the games, in the order of the events' ends, the rating of every player."""


def unlike_second_calculation(
    system: str, second: SecondCalculation, *, lists: int = 20, made_up: MadeUp | None = None
) -> list[str]:
    """Return a sentence for each rating that the system and a second calculation have differently.

    In: ``lists``: how many are compared, each with other players listed and other events. ``made_up``: the federation,
    where it was made already. Raises :class:`CommandLineError` where no installed system has the name.
    """
    found: list[str] = []
    with families_of(system) as (families, packages), TemporaryDirectory() as folder:
        world = made_up or MadeUp.make(Path(folder) / "federation")
        for family in families:
            sample = sample_of(world, Path(folder) / family, family, packages)
            for number in range(lists):
                inputs = _another_month(sample.inputs, number)
                found += [f"{family}, list {number}: {text}" for text in _unlike(inputs, rate_month(inputs), second)]
    return found[:_SHOWN]


def _another_month(inputs: MonthInputs, number: int) -> MonthInputs:
    """Return the inputs with some players unlisted and some events not reported; 0: as they are."""
    if not number:
        return inputs
    is_listed = pl.col("fide_id").hash(number) % 10 >= number % 10
    is_there = pl.col("report_id").cast(pl.String).hash(number) % 4 > 0
    return replace(
        inputs,
        lists=inputs.lists.filter(is_listed),
        system_state=inputs.system_state.filter(is_listed),
        own_state=inputs.own_state.filter(is_listed) if "fide_id" in inputs.own_state.columns else inputs.own_state,
        reports=inputs.reports.filter(is_there),
        report_players=inputs.report_players.filter(is_there),
        report_games=inputs.report_games.filter(is_there),
    )


def _unlike(inputs: MonthInputs, result: MonthResult, second: SecondCalculation) -> Iterator[str]:
    before = newest_list(inputs.lists, STANDARD).filter(pl.col("rating").is_not_null())
    listed = {
        player: PlainPlayer(rating, games)
        for player, rating, games in before.select("fide_id", "rating", "games_played").iter_rows()
    }
    due = dict(second(listed, list(_games(result))))
    after = result.list_state.filter(pl.col("rating").is_not_null())
    found = dict(after.select("fide_id", "rating").iter_rows())
    for player in sorted(due.keys() | found.keys()):
        if due.get(player) != found.get(player):
            yield f"player {player} has {found.get(player)}, and {due.get(player)} by the second calculation"


def _games(result: MonthResult) -> Iterator[PlainGame]:
    events = result.events.filter(status="rated").select("event_id", "start_date", "end_date")
    rows = (
        result.games.cast({pl.Enum: pl.String}).join(events, on="event_id").filter(pl.col("score_halves").is_not_null())
    )
    ordered = rows.sort("end_date", "start_date", "event_id", "round", "fide_id", maintain_order=True)
    for row in ordered.iter_rows(named=True):
        yield PlainGame(
            row["event_id"],
            row["end_date"],
            row["round"],
            row["fide_id"],
            row["opponent_id"],
            row["colour"] == "w",
            row["score_halves"],
            row["reason"] or "",
        )
