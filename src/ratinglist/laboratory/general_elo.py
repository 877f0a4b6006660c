"""General Elo as a system of the laboratory: an expected score, a way to update, and their parameters.

It is named ``general-elo``, with parameters after colons: ``general-elo:expected=normal:update=weights:n0=25``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from ratinglist.laboratory.learning import MonthOfGames, gather
from ratinglist.laboratory.parameters import Parameters
from ratinglist.rating.change import expected_units
from ratinglist.rating.expected_models import LINEAR_CUT, LINEAR_UNITS, LOGISTIC_SCALE, linear_units, logistic, normal

NAME = "general-elo"
_PARAMETERS = Parameters(
    {
        "expected": ("logistic", "normal", "linear", "table"),
        "update": ("k", "weights", "second-order", "mean-of-opponents"),
        "period": ("list", "event"),
        "against": ("all", "ratio", "crude", "g"),
        "entry": ("preliminary",),
    },
    ("k", "n0", "cut", "entry", "first_k", "white"),
)
_GUESS_WITHOUT_AGE, _GUESS_BY_YEAR, _FIRST_K = 1300, 50, 150


@dataclass(slots=True)
class GeneralElo:
    """Elo by parameters.

    ``expected``: the model of the expected score; ``table``: that of the regulations, in hundredths. ``cut``: the
    largest difference, 0 for none (``linear`` has 350). ``update_by``: by K, by the weight of the performance, of the
    second order, or by K with the mean of the opponents. ``k``, or ``n0`` = 800 / K. ``period``: what is learnt at
    once: the games of a list, or event after event. ``against``: what a game counts against a new opponent: the same;
    own K / the opponent's K; n / (n + 1) or (1 + 1.2 / n)^(-1/2) where he has n games so far. ``entry``: the rating of
    a newcomer; ``is_guessed``: a guess by his age instead. ``first_k``: K of his first period; 0: as later.
    ``white``: points that White counts more.
    """

    columns: ClassVar[Mapping[str, Any]] = {"games": pl.Int32, "is_new": pl.Boolean}
    table: pl.Series | None = None
    name: str = NAME
    expected: str = "logistic"
    cut: int = 0
    update_by: str = "k"
    k: float = 20
    period: str = "list"
    against: str = "all"
    entry: float = 1500
    is_guessed: bool = False
    first_k: float = 0
    white: float = 0

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return newcomers at the entry rating, with the games of the list."""
        guess = (_GUESS_BY_YEAR * pl.col("age")).clip(upper_bound=_GUESS_WITHOUT_AGE).fill_null(_GUESS_WITHOUT_AGE)
        return players.with_columns(
            rating=guess.cast(pl.Float64) if self.is_guessed else pl.lit(self.entry, dtype=pl.Float64),
            games=pl.col("games_played"),
            is_new=pl.col("list_rating").is_null(),
        )

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return White's expected score."""
        white, black = (gather(ratings, "rating", games[colour]) for colour in ("white", "black"))
        return self._share(white - black + self.white)

    def _share(self, difference: pl.Series) -> pl.Series:
        cut = self.cut or (LINEAR_CUT if self.expected == "linear" else 0)
        used = pl.col("difference").clip(-cut, cut) if cut else pl.col("difference")
        if self.expected == "linear":
            share = linear_units(used, cut) / LINEAR_UNITS
        elif self.expected == "table" and self.table is not None:
            share = expected_units(used.round().cast(pl.Int32), self.table, 100) / 100
        else:
            share = normal(used) if self.expected == "normal" else logistic(used)
        return difference.alias("difference").to_frame().select(share.alias("expected")).to_series()

    def update(self, ratings: pl.DataFrame, month: MonthOfGames) -> pl.DataFrame:
        """Return the ratings after all games of a month: at once, or event after event."""
        for part in month.by_event() if self.period == "event" else [month]:
            ratings = self._updated(ratings, part)
        return ratings

    def _updated(self, ratings: pl.DataFrame, month: MonthOfGames) -> pl.DataFrame:
        share = month.both_sides(self.expect(ratings, month.games))
        counts = self._counts(ratings, month)
        worth = month.of_opponent(ratings, "rating") + 400 * (2 * month.score - 1)
        sums = pl.DataFrame(
            {
                "rating": ratings["rating"],
                "games": month.games_of_player,
                "weight": month.sum_by_player(counts),
                "worth": month.sum_by_player(counts * worth),
                "gain": month.sum_by_player(counts * (month.score - share)),
                "information": month.sum_by_player(counts * share * (1 - share)),
                "points": month.sum_by_player(month.score),
                "opponents": month.sum_by_player(month.of_opponent(ratings, "rating")),
                "k": self._k(ratings),
            }
        )
        games, k = pl.col("games"), pl.col("k")
        if self.update_by == "weights":
            weight = pl.col("weight")
            change = (weight * k / LINEAR_UNITS).clip(0, 1) * (pl.col("worth") / weight - pl.col("rating"))
        elif self.update_by == "second-order":
            change = LOGISTIC_SCALE * (games * k / LINEAR_UNITS) / pl.col("information") * pl.col("gain")
        elif self.update_by == "mean-of-opponents":
            mean = sums.select(pl.col("rating") - (pl.col("opponents") / games + 0.5).floor().fill_nan(0))
            change = k * (pl.col("points") - games * pl.lit(self._share(mean.to_series())))
        else:
            change = k * pl.col("gain")
        # Where no game counts, as against opponents without a game, the quotients are none.
        is_rated = (games > 0) & (pl.col("weight") > 0)
        changes = sums.select(pl.when(is_rated).then(change).otherwise(0.0).alias("change"))
        return ratings.with_columns(
            rating=pl.col("rating") + changes["change"],
            games=(pl.col("games") + sums["games"]).cast(pl.Int32),
            is_new=pl.col("is_new") & (sums["games"] == 0),
        )

    def _k(self, ratings: pl.DataFrame) -> pl.Series:
        """Return K of every player."""
        first = pl.lit(self.first_k or self.k, dtype=pl.Float64)
        return ratings.select(pl.when("is_new").then(first).otherwise(pl.lit(self.k, dtype=pl.Float64))).to_series()

    def _counts(self, ratings: pl.DataFrame, month: MonthOfGames) -> pl.Series:
        """Return what each side of a game counts."""
        with_k = ratings.with_columns(self._k(ratings).alias("k"))
        own = pl.concat([gather(with_k, "k", month.games[colour]) for colour in ("white", "black")])
        opponent = month.of_opponent(with_k, "k")
        n = month.of_opponent(ratings, "games").cast(pl.Float64)
        rows = pl.DataFrame({"n": n, "share": own / opponent})
        by_games = pl.col("n")
        count = {
            "all": pl.lit(1.0),
            "ratio": pl.col("share").clip(upper_bound=1),
            "crude": by_games / (by_games + 1),
            "g": pl.when(by_games > 0).then(1 / (1 + 1.2 / by_games).sqrt()).otherwise(0.0),
        }[self.against]
        return rows.select(pl.when(by_games.is_not_null()).then(count).alias("count")).to_series()


def general_elo(text: str, table: pl.Series | None = None) -> GeneralElo:
    """Return the system that ``text`` names; raise :class:`CommandLineError` where a parameter is none.

    ``table``: that of the regulations, for ``expected=table``.
    """
    values, name = _PARAMETERS.read(text)
    system = GeneralElo(table, name)
    for key, value in values.items():
        if key == "n0":
            system.k = LINEAR_UNITS / float(value)
        elif key == "update":
            system.update_by = str(value)
        elif value == "preliminary":
            system.is_guessed = True
            system.first_k = system.first_k or _FIRST_K
        else:
            setattr(system, key, value)
    return system
