"""The ratings of many lists, a column each, over the same players: compared without a join of the lists."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.model import by_fide_id


@dataclass(slots=True)
class AlignedRatings:
    """``players``: sorted by ``fide_id``, with ``birth_year``; ``ratings``: by list, a value for each of the players.

    A player who is not on a list has null. One join of a list to sorted players replaces one for each comparison.
    """

    players: pl.DataFrame
    ratings: dict[Period, pl.Series] = field(default_factory=dict)

    def add(self, month: Period, listed: pl.DataFrame) -> pl.DataFrame:
        """Add a list, and return its columns besides ``fide_id`` for each of the players.

        In: ``fide_id``, ``rating`` and any other columns of the rated players, sorted by ``fide_id``.
        """
        found = self._aligned(listed)
        if found["rating"].count() < listed.height:
            self._add_players(listed.join(self.players, on="fide_id", how="anti").select("fide_id"))
            found = self._aligned(listed)
        self.ratings[month] = found["rating"]
        return found

    def over(self, players: pl.DataFrame) -> AlignedRatings:
        """Return the ratings over other ``players``, who contain these, sorted by ``fide_id``."""
        if players is self.players:
            return self
        row = self.players.select("fide_id").with_row_index("row")
        rows = players.select("fide_id").join(row, on="fide_id", how="left", maintain_order="left")["row"]
        return AlignedRatings(players, {month: rating.gather(rows) for month, rating in self.ratings.items()})

    def _aligned(self, listed: pl.DataFrame) -> pl.DataFrame:
        of_players = self.players.select("fide_id").join(listed, on="fide_id", how="left", maintain_order="left")
        return of_players.drop("fide_id")

    def _add_players(self, missing: pl.DataFrame) -> None:
        players = by_fide_id(pl.concat([self.players, missing], how="diagonal"))
        self.ratings = self.over(players).ratings
        self.players = players
