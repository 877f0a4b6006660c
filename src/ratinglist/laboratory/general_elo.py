"""General Elo as a system of the laboratory: an expected score, a way to update, and their parameters.

It is named ``general-elo``, with parameters after colons: ``general-elo:expected=normal:update=weights:n0=25``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.laboratory.own_system import OwnMonth, gather
from ratinglist.rating.expected_models import LINEAR_UNITS, LOGISTIC_SCALE, linear_units, logistic, normal

NAME = "general-elo"
_CHOICES = {
    "expected": ("logistic", "normal", "linear"),
    "update": ("k", "weights", "second-order"),
    "against": ("all", "crude", "g"),
}
_NUMBERS = ("k", "n0", "cut", "entry", "white")


@dataclass(slots=True)
class GeneralElo:
    """Elo by parameters.

    ``expected``: the model of the expected score; ``cut``: the largest difference, 0 for none (``linear`` has 350).
    ``update``: by K, by the weight of the performance, or of the second order. ``k``, or ``n0`` = 800 / K. ``against``:
    what a game counts against an opponent of n games so far: the same, n / (n + 1), or (1 + 1.2 / n)^(-1/2).
    ``entry``: the rating of a newcomer. ``white``: points that White counts more.
    """

    columns: ClassVar[Mapping[str, Any]] = {"games": pl.Int32}
    name: str = NAME
    expected: str = "logistic"
    cut: int = 0
    update_by: str = "k"
    k: float = 20
    against: str = "all"
    entry: float = 1500
    white: float = 0

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return newcomers at the entry rating, with the games of the list."""
        return players.with_columns(rating=pl.lit(self.entry, dtype=pl.Float64), games=pl.col("games_played"))

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return White's expected score."""
        white, black = (gather(ratings, "rating", games[colour]) for colour in ("white", "black"))
        difference = pl.col("difference") + self.white
        cut = self.cut or (350 if self.expected == "linear" else 0)
        used = difference.clip(-cut, cut) if cut else difference
        share = {
            "logistic": logistic(used),
            "normal": normal(used),
            "linear": linear_units(used, cut) / LINEAR_UNITS,
        }[self.expected]
        return pl.DataFrame({"difference": white - black}).select(share.alias("expected")).to_series()

    def update(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.DataFrame:
        """Return the ratings after all games of a month at once."""
        share = month.both_sides(self.expect(ratings, month.games))
        counts = self._counts(ratings, month)
        games = month.games_of_player
        if self.update_by == "weights":
            worth = month.of_opponent(ratings, "rating") + 400 * (2 * month.score - 1)
            total, weight = month.sum_by_player(counts * worth), month.sum_by_player(counts)
            changes = pl.DataFrame({"rating": ratings["rating"], "total": total, "weight": weight}).select(
                pl.when(pl.col("weight") > 0)
                .then(
                    (pl.col("weight") * self.k / LINEAR_UNITS).clip(0, 1)
                    * (pl.col("total") / pl.col("weight") - pl.col("rating"))
                )
                .otherwise(0.0)
                .alias("change")
            )
        else:
            gain = month.sum_by_player(counts * (month.score - share))
            information = month.sum_by_player(counts * share * (1 - share))
            k = pl.lit(self.k)
            if self.update_by == "second-order":
                k = LOGISTIC_SCALE * (pl.col("games") * self.k / LINEAR_UNITS) / pl.col("information")
            changes = pl.DataFrame({"gain": gain, "information": information, "games": games}).select(
                pl.when(pl.col("games") > 0).then(k * pl.col("gain")).otherwise(0.0).fill_nan(0.0).alias("change")
            )
        return ratings.with_columns(
            rating=pl.col("rating") + changes["change"], games=(pl.col("games") + games).cast(pl.Int32)
        )

    def _counts(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.Series:
        """Return what each side of a game counts."""
        played = pl.DataFrame({"n": month.of_opponent(ratings, "games").cast(pl.Float64)})
        n = pl.col("n")
        g = pl.when(n > 0).then(1 / (1 + 1.2 / n).sqrt()).otherwise(0.0)
        count = {"all": pl.lit(1.0), "crude": n / (n + 1), "g": g}[self.against]
        return played.select(pl.when(n.is_not_null()).then(count).alias("count")).to_series()


def general_elo(text: str) -> GeneralElo:
    """Return the system that ``text`` names; raise :class:`CommandLineError` where a parameter is none."""
    system, named = GeneralElo(), [NAME]
    for part in text.split(":")[1:]:
        key, _, value = part.partition("=")
        if key in _CHOICES:
            if value not in _CHOICES[key]:
                raise CommandLineError(f"{text}: '{key}' is one of {', '.join(_CHOICES[key])}, and not '{value}'.")
            setattr(system, "update_by" if key == "update" else key, value)
            named.append(value)
            continue
        if key not in _NUMBERS:
            known = ", ".join((*_CHOICES, *_NUMBERS))
            raise CommandLineError(f"{text}: '{key}' is no parameter; the parameters are {known}.")
        if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", value) or (key in ("k", "n0") and float(value) < 1):
            raise CommandLineError(f"{text}: '{key}' is a number such as 20, and not '{value}'.")
        number = LINEAR_UNITS / float(value) if key == "n0" else float(value)
        setattr(system, "k" if key == "n0" else key, int(number) if number.is_integer() else number)
        named.append(f"{key}{value}")
    system.name = "-".join(named)
    return system
