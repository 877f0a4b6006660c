"""What a file of players changes in the memberships of clubs."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

_BEFORE = {"club": "club_before", "member_until": "until_before"}
COLUMNS = tuple(_BEFORE)


def compare(memberships: pl.DataFrame, stored: pl.DataFrame, *, partial: bool, stated: Collection[str]) -> pl.DataFrame:
    """Compare the ``memberships`` of a file with the ``stored`` ones, both ``MEMBERSHIP`` with a row per FIDE ID.

    ``partial``: a blank cell is not stated, and what is stored is kept. ``stated``: the columns that the file has. The
    last day of a membership is that of its club: where the club changes, the stored day does not stay.
    Out: the memberships that change, as they will be, with ``club_before`` and ``until_before``.
    """
    both = memberships.join(stored.rename(_BEFORE), on="fide_id", how="left", maintain_order="left").with_columns(
        pl.col("club_before").fill_null("")
    )
    if partial:
        both = both.with_columns(pl.when(pl.col("club") == "").then("club_before").otherwise("club").alias("club"))
    same_club = pl.col("club") == pl.col("club_before")
    if partial or "member_until" not in stated:
        kept = pl.when(same_club).then("until_before")
        both = both.with_columns(pl.coalesce("member_until", kept).alias("member_until"))
    return both.filter(~same_club | pl.col("member_until").ne_missing(pl.col("until_before")))
