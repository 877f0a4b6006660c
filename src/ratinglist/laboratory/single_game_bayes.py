"""The single-game Bayesian update as a system of the laboratory: one game after the other.

It is named ``bayes``, with parameters after colons: ``bayes:exact=yes:growth=250``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from ratinglist.laboratory.learning import MonthOfGames, gather
from ratinglist.laboratory.parameters import Parameters
from ratinglist.rating.expected_models import LOGISTIC_SCALE, logistic

NAME = "bayes"
_PARAMETERS = Parameters({"exact": ("yes", "no")}, ("entry", "deviation", "growth", "least", "white"))
_LARGEST = 350
_MOST_GAMES = 25
"""A listed player has the deviation of so many games at most."""
_STEPS = 8
"""Of Newton's method: the function falls and is nearly straight."""


@dataclass(slots=True)
class SingleGameBayes:
    """The first order of the distribution after each game, or ``exact`` its mode.

    ``entry`` and ``deviation``: of a newcomer. ``growth``: what is added to the variance for a month. ``least``: the
    smallest deviation. ``white``: points that White counts more.
    """

    columns: ClassVar[Mapping[str, Any]] = {"deviation": pl.Float64}
    name: str = NAME
    exact: bool = False
    entry: float = 1720
    deviation: float = _LARGEST
    growth: float = 250
    least: float = 30
    white: float = 0

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return newcomers at the entry rating; a listed player has the deviation of his games."""
        by_games = _LARGEST / pl.col("games_played").clip(1, _MOST_GAMES).sqrt()
        is_new = pl.col("list_rating").is_null()
        deviation = pl.when(is_new).then(pl.lit(self.deviation, dtype=pl.Float64)).otherwise(by_games)
        return players.with_columns(rating=pl.lit(self.entry, dtype=pl.Float64), deviation=deviation)

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return White's expected score, with the deviations of both."""
        white, black = (ratings.select("rating", "deviation")[games[colour]] for colour in ("white", "black"))
        rows = pl.DataFrame(
            {
                "difference": white["rating"] - black["rating"] + self.white,
                "variance": white["deviation"].pow(2) + black["deviation"].pow(2),
            }
        )
        return rows.select(logistic(_attenuation("variance") * pl.col("difference")).alias("expected")).to_series()

    def update(self, ratings: pl.DataFrame, month: MonthOfGames) -> pl.DataFrame:
        """Return the ratings after a month, game after game."""
        grown = (pl.col("deviation").pow(2) + self.growth).sqrt().clip(upper_bound=max(_LARGEST, self.deviation))
        ratings = ratings.with_columns(deviation=grown)
        for part in month.by_game():
            ratings = self._after_a_game(ratings, part)
        return ratings

    def _after_a_game(self, ratings: pl.DataFrame, games: MonthOfGames) -> pl.DataFrame:
        """Return the ratings after games of which nobody has two."""
        row = pl.concat([games.games["white"], games.games["black"]])
        advantage = games.both_sides(pl.repeat(1.0, len(games.games), eager=True)) * 2 - 1
        sides = pl.DataFrame(
            {
                "rating": gather(ratings, "rating", row),
                "variance": gather(ratings, "deviation", row).pow(2),
                # What White counts more, his opponent sees as less of himself.
                "opponent": games.of_opponent(ratings, "rating") - self.white * advantage,
                "opponent_variance": games.of_opponent(ratings, "deviation").pow(2),
                "score": games.score,
            }
        ).with_columns(slope=_attenuation("opponent_variance") / LOGISTIC_SCALE)
        slope, variance, score = pl.col("slope"), pl.col("variance"), pl.col("score")

        def share(rating: pl.Expr) -> pl.Expr:
            return logistic(slope * LOGISTIC_SCALE * (rating - pl.col("opponent")))

        at_rating = share(pl.col("rating"))
        precision = 1 / variance + slope**2 * at_rating * (1 - at_rating)
        found = sides.with_columns(
            new=pl.col("rating") + slope * (score - at_rating) / precision, new_deviation=(1 / precision).sqrt()
        )
        for _ in range(_STEPS if self.exact else 0):
            at, distance = share(pl.col("new")), pl.col("new") - pl.col("rating")
            step = (slope * (score - at) - distance / variance) / (1 / variance + slope**2 * at * (1 - at))
            found = found.with_columns(new=pl.col("new") + step)
        return ratings.with_columns(
            rating=ratings["rating"].scatter(row, found["new"]),
            deviation=ratings["deviation"].scatter(row, found["new_deviation"].clip(lower_bound=self.least)),
        )


def _attenuation(variance: str) -> pl.Expr:
    """Return g of a column of squared deviations."""
    return 1 / (1 + 3 * pl.col(variance) / (math.pi * LOGISTIC_SCALE) ** 2).sqrt()


def single_game_bayes(text: str) -> SingleGameBayes:
    """Return the system that ``text`` names; raise :class:`CommandLineError` where a parameter is none."""
    values, name = _PARAMETERS.read(text)
    system = SingleGameBayes(name)
    for key, value in values.items():
        setattr(system, key, value == "yes" if key == "exact" else value)
    return system
