"""Count the players of a list by rating. Frames in, whole numbers out."""

from __future__ import annotations

import polars as pl

BAND = 100


def rating_bands(now: pl.Series, before: pl.Series) -> list[tuple[int, int, int]]:
    """Return the players by bands of 100 points, the lowest first: first rating of the band, players now, before.

    A band without players between two others is there, so that a line over it goes down to zero.
    """

    def counted(ratings: pl.Series, name: str) -> pl.DataFrame:
        bands = pl.DataFrame({"band": ratings.drop_nulls() // BAND * BAND}, schema={"band": pl.Int32})
        return bands.group_by("band").agg(pl.len().alias(name))

    both = counted(now, "now").join(counted(before, "before"), on="band", how="full", coalesce=True)
    if both.is_empty():
        return []
    first, last = both.select(pl.col("band").min().alias("first"), pl.col("band").max().alias("last")).row(0)
    every = pl.select(pl.int_range(first, last + 1, BAND, dtype=pl.Int32).alias("band"))
    whole = every.join(both, on="band", how="left", maintain_order="left").fill_null(0)
    return [(int(band), int(new), int(old)) for band, new, old in whole.select("band", "now", "before").iter_rows()]
