"""The interface of an analyst's own system: a class of some 15 lines, in a file named on the command line.

``data/laboratory/mine.py`` is one: Elo with K 20 and 35 points for White, new players at 1500.

Ratings are doubles. What is summed over games is first rounded to 1e-9 and summed in whole numbers, so the result is
the same in any order of the games and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import polars as pl

from ratinglist.rating.expected_models import LOGISTIC_SCALE

_UNIT = 1_000_000_000


class OwnSystem(Protocol):
    """An analyst's system.

    ``name``: letters, digits, ``.``, ``_``, ``-``. ``columns``: what it keeps of a player besides the rating, by type.
    """

    name: str
    columns: Mapping[str, Any]

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return ``players`` with ``rating`` and the columns of the system.

        In: ``fide_id``, ``birth_year``, ``sex``, ``title``, ``federation``, ``games_played``, and ``list_rating`` (null
        for a newcomer). A player of the starting list keeps the list's rating, whatever is returned.
        """
        ...

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return the expected score of White, 0 to 1, for every one of ``games``.

        In: ``ratings``: one row per player; ``games``: ``white`` and ``black`` (row numbers of ``ratings``),
        ``event_id``, ``round``, ``date``.
        """
        ...

    def update(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.DataFrame:
        """Return the ratings after a month, for the same players in the same order."""
        ...


@dataclass(frozen=True)
class OwnMonth:
    """The counted games of one month.

    ``games``: as :meth:`OwnSystem.expect` gets them. ``white_score``: the score of White, 0, 0.5 or 1. ``players``: the
    number of rows of the ratings.
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

    def _by_player(self, of_sides: pl.Series) -> pl.Series:
        rows = pl.concat([self.games["white"], self.games["black"]])
        sums = pl.DataFrame({"row": rows, "value": of_sides}).group_by("row").agg(pl.col("value").sum())
        zero = pl.repeat(0, self.players, dtype=pl.Int64, eager=True)
        return zero.scatter(sums["row"], sums["value"])


def gather(ratings: pl.DataFrame, column: str, rows: pl.Series) -> pl.Series:
    """Return a column of the ratings at row numbers."""
    return ratings[column].gather(rows)


def logistic(difference: pl.Series) -> pl.Series:
    """Return 1 / (1 + 10^(−difference/400)) of every difference."""
    return 1 / (1 + (-difference / LOGISTIC_SCALE).exp())
