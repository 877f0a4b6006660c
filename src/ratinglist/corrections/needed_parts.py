"""Leave out the ratings whose part of a sum is lost in its rounding: without them the change would be the same."""

from __future__ import annotations

import polars as pl

from ratinglist.corrections.carried import KEY, ORIGIN
from ratinglist.rating.change import rounded


def without_lost_parts(parts: pl.DataFrame, others: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """Return the ``parts`` that the change of a player would be another without, by what is behind them.

    In: ``parts``: the key, the origin and ``part``, by how many hundredths the side adds something else (null: not
    known); ``others``: the key of the players with another cause; ``changes``: ``CHANGE`` of the new revision. Where
    no part is needed and there is no other cause, the parts do the same as each other, and all are returned. So are
    they where the change is not the rounded sum: a rule set may round it once per event.
    """
    sums = changes.filter(rounded(pl.col("change_hundredths")) == pl.col("change")).select(
        *KEY, "change", sum="change_hundredths"
    )
    by_origin = (
        parts.group_by(*KEY, *ORIGIN)
        .agg(pl.col("part").sum(), pl.col("part").is_null().any().alias("unknown"))
        .join(sums, on=KEY, how="left")
    )
    lost = by_origin.filter(~pl.col("unknown"), rounded(pl.col("sum") - pl.col("part")) == pl.col("change"))
    kept = parts.join(lost, on=[*KEY, *ORIGIN], how="anti", nulls_equal=True)
    explained = pl.concat([kept.select(KEY), others.select(KEY)]).unique()
    return pl.concat([kept, parts.join(lost, on=[*KEY, *ORIGIN], how="semi", nulls_equal=True).join(
        explained, on=KEY, how="anti")])  # fmt: skip
