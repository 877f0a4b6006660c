"""Follow differences from list to list: who differs on an earlier list, in what, and which correction is behind it."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.tables import DIFF

LIST_KEY = ["time_control", "fide_id"]

MOVED = {
    "time_control": pl.String(),
    "fide_id": pl.Int64(),
    "month": pl.String(),
    "correction_no": pl.Int32(),
    "rule_file": pl.String(),
    "old_rating": pl.Int32(),
    "rating": pl.Int32(),
    "k_moved": pl.Boolean(),
    "games_moved": pl.Boolean(),
    "pool_moved": pl.Boolean(),
    "hundredths_moved": pl.Boolean(),
}
"""The players who differ on earlier lists: a row per list, and per correction and rule file behind it (null: none).

``rating`` is the player's rating on the new revision of that list, ``old_rating`` that on the one before. The state of
the player differs too, which only later lists show: ``k_moved``: the K from that list on; ``games_moved``: the games
counted for K, or the last game; ``pool_moved``: the results that wait for a first rating; ``hundredths_moved``: the
hundredths of rating and deviation, where a system has them.
"""

ORIGIN = ["correction_no", "rule_file"]
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")


def no_moves() -> pl.DataFrame:
    """Return an empty frame of :data:`MOVED`."""
    return pl.DataFrame(schema=MOVED)


def moved_by(diff: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return the published diff of a list as :data:`MOVED`; of the state it has what the list shows."""
    rows = diff.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        "corrections",
        "rule_files",
        "old_rating",
        pl.col("new_rating").alias("rating"),
        pl.col("old_k").ne_missing(pl.col("new_k")).alias("k_moved"),
        pl.col("old_games").ne_missing(pl.col("new_games")).alias("games_moved"),
        (pl.col("old_rating").is_null() | pl.col("new_rating").is_null()).alias("pool_moved"),
        hundredths_differ(diff).alias("hundredths_moved"),
    )
    return with_origins(rows)


def hundredths_differ(diff: pl.DataFrame) -> pl.Expr:
    """Return whether the hundredths of rating or deviation, or a system's own columns, differ in a row of a diff.

    False where it has none of these.
    """
    names = [name.removeprefix("old_") for name in diff.columns if name.startswith("old_") and name not in DIFF.columns]
    differ = [
        pl.col(f"old_{name}").ne_missing(pl.col(f"new_{name}")) for name in names if f"new_{name}" in diff.columns
    ]
    return pl.any_horizontal(differ) if differ else pl.lit(value=False)


def with_origins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`MOVED` of rows with the origins as texts, ``corrections`` and ``rule_files``."""
    exploded = rows.with_columns(
        pl.col("corrections").str.split(", ").alias("correction_no"),
        pl.col("rule_files").str.split(", ").alias("rule_file"),
    )
    for name in ORIGIN:
        exploded = exploded.explode(name, empty_as_null=True, keep_nulls=True)
    return exploded.with_columns(pl.col(name).replace("", None) for name in ORIGIN).select(
        pl.col(name).cast(dtype) for name, dtype in MOVED.items()
    )


def states_differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose state on a list differs: the key, ``was``, ``is``, ``k_moved`` and ``games_moved``.

    In: ``LIST_STATE`` of one month by two calculations. ``was`` and ``is`` are the ratings.
    """
    columns = ["rating", "k", *_STATE]
    both = before.select(*LIST_KEY, *columns).join(
        after.select(*LIST_KEY, *columns), on=LIST_KEY, how="full", coalesce=True, suffix="_new"
    )
    games = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_new")) for name in _STATE)
    k = pl.col("k").ne_missing(pl.col("k_new"))
    return both.select(
        *LIST_KEY,
        pl.col("rating").alias("was"),
        pl.col("rating_new").alias("is"),
        k.alias("k_moved"),
        games.alias("games_moved"),
    ).filter(pl.col("was").ne_missing(pl.col("is")) | pl.col("k_moved") | pl.col("games_moved"))


def carried_on(moved: pl.DataFrame, base: str, states: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return :data:`MOVED` of a list of which no table differs: what is carried through it, from the ``base`` list.

    ``states``: :func:`states_differing` of the list. Waiting results are a table, so none differ.
    """
    rows = moved.filter(pl.col("month") == base).select(*LIST_KEY, *ORIGIN).join(states, on=LIST_KEY)
    return rows.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        *ORIGIN,
        pl.col("was").alias("old_rating"),
        pl.col("is").alias("rating"),
        "k_moved",
        "games_moved",
        pl.lit(value=False).alias("pool_moved"),
        pl.lit(value=False).alias("hundredths_moved"),
    ).select(*MOVED)
