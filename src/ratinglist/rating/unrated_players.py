"""Name the players of a month who are on none of its lists: newcomers whose results wait, and players removed."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ratinglist.rating.model import by_fide_id
from ratinglist.schemas import UNRATED


def unlisted_among(tables: Iterable[pl.DataFrame], listed: Iterable[pl.Series]) -> pl.Series:
    """Return the FIDE IDs of ``tables`` that no list has, sorted; ``listed``: the FIDE IDs on each list."""
    found = pl.concat([rows["fide_id"].unique() for rows in tables]).unique()
    on_a_list = pl.concat([found.clear(), *listed])
    return found.filter(~found.is_in(on_a_list.implode())).sort()


def unrated_players(ids: pl.Series, players: pl.DataFrame) -> pl.DataFrame:
    """Return the names of the players with these FIDE IDs (``UNRATED``), in order.

    In: ``players`` (``PLAYER``). An ID that is not registered has no row: its report is refused.
    """
    found = players.filter(pl.col("fide_id").is_in(ids.implode()))
    return UNRATED.conform(by_fide_id(found))
