"""Rating systems of riix as an analyst's systems, to be replayed and reported with the others on the same games.

``ratinglist lab replay --systems glicko,benchmarks/peers/riix_systems.py:Glicko``, in an environment that has riix. The
players of the starting list keep its ratings; everything else is as riix has it: newcomers at 1500, deviations of 350,
its own parameters, but in :class:`GlickoTuned`. All games of a month count together where the class says so, else game
after game.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from riix.models import elo, glicko, glicko2

from ratinglist.laboratory import OwnMonth

_IN_ORDER = ("end_date", "event_id", "round", "white")


class Kept(NamedTuple):
    """A column that is kept: riix's array, what a newcomer has, and riix's unit and zero in points."""

    array: str
    newcomer: float
    unit: float = 1.0
    zero: float = 0.0


class OfRiix:
    """A system of riix, and what is kept of a player by column."""

    name: str
    model: Any
    options: ClassVar[dict[str, Any]] = {}
    state: ClassVar[dict[str, Kept]] = {"rating": Kept("ratings", 1500.0)}

    @property
    def columns(self) -> dict[str, Any]:
        """Return the columns that are kept besides the rating."""
        return {name: pl.Float64 for name in (*self.state, "played") if name != "rating"}

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return the players with what riix gives a newcomer."""
        started = {name: pl.lit(kept.newcomer) for name, kept in self.state.items()}
        return players.with_columns(**started, played=pl.lit(0.0))

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return what riix predicts."""
        return pl.Series(self._system(ratings).predict(_pairs(games), time_step=1))

    def update(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.DataFrame:
        """Let riix learn the games of a month."""
        if not len(month.games):
            return ratings
        games = month.games.with_columns(score=month.white_score).sort(_IN_ORDER)
        system = self._system(ratings)
        system.update(_pairs(games), games["score"].to_numpy(), time_step=1)
        learnt = {
            name: pl.Series(getattr(system, kept.array) * kept.unit + kept.zero) for name, kept in self.state.items()
        }
        played = getattr(system, "has_played", np.zeros(len(ratings)))
        return ratings.with_columns(**learnt, played=pl.Series(played.astype(float)))

    def _system(self, ratings: pl.DataFrame) -> Any:
        system = self.model(list(range(len(ratings))), **self.options)
        for name, kept in self.state.items():
            getattr(system, kept.array)[:] = (ratings[name].to_numpy() - kept.zero) / kept.unit
        if hasattr(system, "has_played"):
            system.has_played[:] = ratings["played"].to_numpy() > 0
            system.prev_time_step = 0
        return system


class Elo(OfRiix):
    """Elo with K 32, game after game."""

    name, model = "riix-elo", elo.Elo


class Glicko(OfRiix):
    """Glicko, game after game."""

    name, model = "riix-glicko", glicko.Glicko
    state: ClassVar = {"rating": Kept("ratings", 1500.0), "deviation": Kept("rating_devs", 350.0)}


class GlickoAtOnce(Glicko):
    """Glicko, all games of a month at once."""

    name, options = "riix-glicko-at-once", {"update_method": "batched"}


class GlickoTuned(GlickoAtOnce):
    """The same with the parameters of the family ``glicko``: its growth, its newcomers, its imported deviations."""

    name = "riix-glicko-tuned"
    options: ClassVar = {"update_method": "batched", "c": 250**0.5}
    state: ClassVar = {"rating": Kept("ratings", 1720.0), "deviation": Kept("rating_devs", 350.0)}

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return the players, those of the starting list with the deviation of their games."""
        games = pl.col("games_played").fill_null(0).clip(1, 25)
        return super().enter(players).with_columns(deviation=350 / games.sqrt())


class Glicko2(OfRiix):
    """Glicko-2, game after game."""

    name, model = "riix-glicko2", glicko2.Glicko2
    state: ClassVar = {
        "rating": Kept("mus", 1500.0, 173.7178, 1500.0),
        "deviation": Kept("phis", 350.0, 173.7178),
        "volatility": Kept("sigmas", 0.06),
    }


def _pairs(games: pl.DataFrame) -> Any:
    return games.select("white", "black").to_numpy().astype(np.int64)
