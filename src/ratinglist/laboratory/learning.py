"""What a system without a list learns from: the games of a month, and the ratings of the players by row.

Ratings are doubles. What is summed over games is first rounded to 1e-9 and summed in whole numbers, so the result is
the same in any order of the games and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import polars as pl

from ratinglist.rating.systems.month import wave_of_ranks

_UNIT = 1_000_000_000


class LearningSystem(Protocol):
    """A system without a list. ``columns``: what it keeps of a player besides the rating, by type."""

    name: str
    columns: ClassVar[Mapping[str, Any]]

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return ``players`` with ``rating`` and the columns of the system.

        In: ``fide_id``, ``birth_year``, ``age`` in the year of the list, ``games_played``, and ``list_rating`` (null
        for a newcomer). A player of the starting list keeps the list's rating, whatever is returned.
        """
        ...

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return the expected score of White, 0 to 1, for every one of ``games``.

        In: ``ratings``: one row per player; ``games``: ``white`` and ``black`` (row numbers of ``ratings``),
        ``event_id``, ``round``, ``date``.
        """
        ...

    def update(self, ratings: pl.DataFrame, month: MonthOfGames) -> pl.DataFrame:
        """Return the ratings after a month, for the same players in the same order."""
        ...


@dataclass(frozen=True)
class MonthOfGames:
    """The counted games of one month.

    ``games``: as :meth:`LearningSystem.expect` gets them, with the ``end_date`` of the event. ``white_score``: the
    score of White, 0, 0.5 or 1. ``players``: the number of rows of the ratings.
    """

    games: pl.DataFrame
    white_score: pl.Series
    players: int

    @cached_property
    def score(self) -> pl.Series:
        """Return the scores of both sides of the games: first every White, then every Black."""
        return self.both_sides(self.white_score)

    def both_sides(self, of_white: pl.Series) -> pl.Series:
        """Return a share of White and 1 less it for Black: first every White, then every Black."""
        return pl.concat([of_white, 1 - of_white]).alias("side")

    def of_opponent(self, ratings: pl.DataFrame, column: str) -> pl.Series:
        """Return a column of the ratings of every side's opponent: first every White's, then every Black's."""
        return pl.concat(
            [gather(ratings, column, self.games["black"]), gather(ratings, column, self.games["white"])]
        ).alias(column)

    def sum_by_player(self, of_sides: pl.Series) -> pl.Series:
        """Return the sum of a value of both sides by player, 0 for those without a game; in units of 1e-9."""
        units = (of_sides * _UNIT).round().cast(pl.Int64)
        return self._by_player(units).cast(pl.Float64) / _UNIT

    @cached_property
    def games_of_player(self) -> pl.Series:
        """Return the number of games by player."""
        return self._by_player(pl.repeat(1, 2 * self.games.height, dtype=pl.Int64, eager=True)).cast(pl.Int32)

    def by_event(self) -> list[MonthOfGames]:
        """Return the month in parts, to be learnt one after the other: as if event by event, by their ends.

        No player is in two events of a part, and every event of a player is in a later part than the one before.
        """
        return self._in_waves(pl.struct("end_date", "event_id"))

    def by_game(self) -> list[MonthOfGames]:
        """Return the month in parts with one game of a player each: as if game by game, event after event."""
        return self._in_waves(pl.struct("end_date", "event_id", "round", "white", "black"))

    def _in_waves(self, of_game: pl.Expr) -> list[MonthOfGames]:
        games = self.games.with_columns(
            self.white_score.alias("white_score"), (of_game.rank("dense") - 1).alias("rank")
        )
        sides = pl.concat(games.select("rank", player=colour) for colour in ("white", "black")).unique()
        wave = wave_of_ranks(sides, int(sides.select((pl.col("rank").max() + 1).fill_null(0)).item()))
        parts = games.with_columns(wave.gather(games["rank"]).alias("wave")).sort("wave", "rank", maintain_order=True)
        return [
            MonthOfGames(one.drop("white_score", "rank", "wave"), one["white_score"], self.players)
            for one in parts.partition_by("wave", maintain_order=True)
        ]

    def _by_player(self, of_sides: pl.Series) -> pl.Series:
        rows = pl.concat([self.games["white"], self.games["black"]])
        sums = pl.DataFrame({"row": rows, "value": of_sides}).group_by("row").agg(pl.col("value").sum())
        zero = pl.repeat(0, self.players, dtype=pl.Int64, eager=True)
        return zero.scatter(sums["row"], sums["value"])


def gather(ratings: pl.DataFrame, column: str, rows: pl.Series) -> pl.Series:
    """Return a column of the ratings at row numbers."""
    return ratings[column].gather(rows)
