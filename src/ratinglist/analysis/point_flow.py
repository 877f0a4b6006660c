"""The flow of points between two lists: where each point of the later one comes from. The parts add up exactly."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.list_statistics import rounded_mean
from ratinglist.schemas import Column, Table

PARTS = ("before", "games", "other_changes", "entering", "leaving", "after")
"""The parts of the flow: before + games + other_changes + entering − leaving = after."""

FLOW_TABLE = Table(
    "flow",
    "part of the flow of points between two lists",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "from_month": Column(pl.String(), "the earlier list"),
        "list_month": Column(pl.String(), "the later list"),
        "part": Column(
            pl.String(),
            "before, after: all players of a list; games: changes by games of players on both lists; other_changes: "
            "the rest of their changes, such as a one-time step or a correction; entering, leaving: ratings of players "
            "on the later, on the earlier list alone",
        ),
        "players": Column(pl.Int32(), "number of players; for the changes those whose rating they moved"),
        "points": Column(pl.Int64(), "sum of ratings, or of changes"),
        "mean_hundredths": Column(pl.Int32(), "points per player; null without players", null=True),
    },
    key=("time_control", "part"),
)


def flow_rows(before: pl.DataFrame, after: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`FLOW_TABLE` without the columns of the lists, in the order of :data:`PARTS`.

    In: ``fide_id`` and ``rating`` of both lists; ``changes``: ``fide_id`` and ``change`` of the lists after the earlier
    one up to the later one, several rows of a player where there are several lists between.
    """
    stayed = (
        after.join(before, on="fide_id", suffix="_before")
        .join(changes.group_by("fide_id").agg(pl.col("change").sum()), on="fide_id", how="left")
        .with_columns(pl.col("change").fill_null(0).cast(pl.Int64))
        .with_columns((pl.col("rating") - pl.col("rating_before") - pl.col("change")).cast(pl.Int64).alias("other"))
    )
    parts = {
        "before": before["rating"],
        "games": stayed["change"].filter(stayed["change"] != 0),
        "other_changes": stayed["other"].filter(stayed["other"] != 0),
        "entering": after.join(before, on="fide_id", how="anti")["rating"],
        "leaving": before.join(after, on="fide_id", how="anti")["rating"],
        "after": after["rating"],
    }
    rows = [(name, len(parts[name]), int(parts[name].cast(pl.Int64).sum())) for name in PARTS]
    schema = {"part": pl.String, "players": pl.Int32, "points": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        rounded_mean(pl.col("points"), pl.col("players")).cast(pl.Int32).alias("mean_hundredths")
    )


def adds_up(flow: pl.DataFrame) -> bool:
    """Return whether the parts of a flow add up."""
    points = dict(flow.select("part", "points").iter_rows())
    gained = points["games"] + points["other_changes"] + points["entering"] - points["leaving"]
    return bool(points["before"] + gained == points["after"])
