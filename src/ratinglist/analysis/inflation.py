"""Inflation over a series of lists, five ways: no single number shows it.

The mean of all moves with who enters and leaves. The mean of the same players ages with them. The best hundred are not
many. Newcomers show whether a first rating is worth as much as before, and what becomes of it. Points that games create
are counted game by game: two players with the same K exchange points, and with different K one gets more than the other
loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from ratinglist.analysis.list_statistics import rounded_mean, spread
from ratinglist.period import Period
from ratinglist.rating.rating_list import points_of_one_time_step
from ratinglist.rating.rules import ListRules
from ratinglist.tables import Column, Table

TOP = 100
"""How many of the best players are watched."""

LISTS_LATER = 12
"""After how many lists newcomers are looked at again."""

INFLATION_TABLE = Table(
    "inflation",
    "list of the series",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "list_month": Column(pl.String(), "the list"),
        "players": Column(pl.Int32(), "players on it"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "same_players": Column(pl.Int32(), "players on every list of the series"),
        "same_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "top_players": Column(pl.Int32(), "the best players: 100, or all where there are fewer"),
        "top_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "entered": Column(pl.Int32(), "players who entered with this list; null: it was imported", null=True),
        "entered_mean_hundredths": Column(pl.Int32(), "their mean rating on it", null=True),
        "entered_12_before": Column(
            pl.Int32(), "players who entered 12 lists before and are on this one; null: not known", null=True
        ),
        "mean_at_entry_hundredths": Column(pl.Int32(), "their mean rating when they entered", null=True),
        "mean_now_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "games": Column(pl.Int32(), "games that changed both ratings; null: not published", null=True),
        "points_gained_hundredths": Column(
            pl.Int64(), "changes of both players of these games together, before rounding", null=True
        ),
        "games_of_one_side": Column(pl.Int32(), "games that changed one rating alone", null=True),
        "points_of_one_side_hundredths": Column(pl.Int64(), "the changes of these, before rounding", null=True),
        "step_hundredths": Column(pl.Int32(), "of the mean of all players, what a one-time step of this list added"),
        "same_step_hundredths": Column(pl.Int32(), "of the mean of the same players, what that step added"),
        "deviation_hundredths": Column(pl.Int32(), "standard deviation of all players", null=True),
        "standard_error_hundredths": Column(pl.Int32(), "of their mean rating", null=True),
    },
    key=("time_control", "list_month"),
)


_EXCHANGED = (
    *("games", "points_gained_hundredths"),
    *("games_of_one_side", "points_of_one_side_hundredths"),
)


def inflation_rows(
    lists: Mapping[Period, pl.DataFrame],
    entered: Mapping[Period, pl.DataFrame],
    exchanged: Mapping[Period, pl.DataFrame],
    rules: Mapping[Period, ListRules] = MappingProxyType({}),
) -> pl.DataFrame:
    """Return :data:`INFLATION_TABLE` without ``time_control``, one row per list, the oldest first.

    In, by month: ``lists``: ``fide_id`` and ``rating``; ``entered``: the same of the players who entered, without a
    month where it is not known; ``exchanged``: what :func:`points_exchanged` returns; ``rules``: those of the lists,
    which say where there is a one-time step. The first list of a series has none: nothing is compared across it.
    """
    months = sorted(lists)
    same = lists[months[0]].select("fide_id")
    for month in months[1:]:
        # An inner join, because one of sorted frames costs a third of a semi-join.
        same = same.join(lists[month].select("fide_id"), on="fide_id")
    rows = []
    before = None
    for month in months:
        listed = lists[month]
        newcomers, earlier = entered.get(month), entered.get(month - LISTS_LATER)
        still_listed = None if earlier is None else listed.join(earlier, on="fide_id", suffix="_at_entry")
        row: dict[str, object] = {"list_month": str(month)}
        row |= _mean(listed, "players", "mean_hundredths")
        row |= _mean(listed.join(same, on="fide_id"), "same_players", "same_mean_hundredths")
        row |= _mean(listed.top_k(TOP, by="rating"), "top_players", "top_mean_hundredths")
        row |= _mean(newcomers, "entered", "entered_mean_hundredths")
        row |= _mean(still_listed, "entered_12_before", "mean_now_hundredths")
        row |= _mean(still_listed, "entered_12_before", "mean_at_entry_hundredths", "rating_at_entry")
        row |= exchanged[month].row(0, named=True) if month in exchanged else {}
        gained = one_time_step(listed, before, rules.get(month), month)
        # There is one such step in many years: on the other lists nothing is joined.
        has_step = not gained.is_empty()
        row["step_hundredths"] = mean_gained(gained, listed) if has_step else 0
        same_listed = listed.join(same, on="fide_id", how="semi") if has_step else same
        row["same_step_hundredths"] = mean_gained(gained, same_listed) if has_step else 0
        squares = int(listed.select((pl.col("rating").cast(pl.Int64) ** 2).sum()).item())
        total = int(listed.select(pl.col("rating").cast(pl.Int64).sum()).item())
        if listed.height:
            found = spread(listed.height, total, squares)
            row["deviation_hundredths"], row["standard_error_hundredths"] = found
        rows.append(row)
        before = listed
    schema = {name: column.dtype for name, column in INFLATION_TABLE.columns.items() if name != "time_control"}
    return pl.DataFrame(rows, schema=schema)


def one_time_step(
    listed: pl.DataFrame, before: pl.DataFrame | None, rules: ListRules | None, month: Period
) -> pl.DataFrame:
    """Return what a one-time step gave each player who was on the list before: ``fide_id``, ``gained`` (hundredths).

    In: ``fide_id`` and ``rating`` of a list and of the one before (None: there is none); the rules of the list.
    """
    if before is None or rules is None:
        return pl.DataFrame(schema={"fide_id": pl.Int64, "gained": pl.Int64})
    gained = points_of_one_time_step(pl.col("rating"), rules, month).alias("gained")
    return listed.join(before, on="fide_id", how="semi").select("fide_id", gained)


def mean_gained(gained: pl.DataFrame, listed: pl.DataFrame) -> int:
    """Return the points gained by the players of ``listed``, divided by their number; 0 without players."""
    return int(gained.join(listed, on="fide_id", how="semi")["gained"].sum()) // max(listed.height, 1)


def points_exchanged(sides: pl.DataFrame) -> pl.DataFrame:
    """Return the points that the games of a list created: one row with the columns of ``_EXCHANGED``.

    In: ``event_id``, ``round``, ``fide_id``, ``opponent_id`` and ``change_hundredths`` of the sides that changed a
    rating. The points are null where a rule family has no changes in hundredths.
    """
    game = [pl.col("event_id").cast(pl.Categorical).to_physical().alias("event"), "round", "fide_id", "opponent_id"]
    change = pl.col("change_hundredths").cast(pl.Int64)
    coded = sides.select(*game, change)
    # Joined rather than grouped: each game has one side whose FIDE ID is the lower.
    is_lower = pl.col("fide_id") < pl.col("opponent_id")
    of_both = coded.filter(is_lower).join(
        coded.filter(~is_lower).rename({"fide_id": "opponent_id", "opponent_id": "fide_id"}),
        on=["event", "round", "fide_id", "opponent_id"],
        suffix="_other",
    )
    gained = of_both.select((change + pl.col("change_hundredths_other")).sum()).item()
    is_complete = coded["change_hundredths"].null_count() == 0
    return pl.DataFrame(
        {
            "games": of_both.height,
            "points_gained_hundredths": gained if is_complete else None,
            "games_of_one_side": coded.height - 2 * of_both.height,
            "points_of_one_side_hundredths": coded["change_hundredths"].sum() - gained if is_complete else None,
        },
        schema={name: INFLATION_TABLE.columns[name].dtype for name in _EXCHANGED},
    )


def _mean(rows: pl.DataFrame | None, count: str, mean: str, column: str = "rating") -> dict[str, int | None]:
    """Return the number of rows and the mean of a column under these names; nothing where the rows are not known."""
    if rows is None:
        return {}
    # The ratings of a million players are more than 32 bits hold.
    total = pl.col(column).cast(pl.Int64).sum()
    found = rows.select(pl.len().alias(count), rounded_mean(total, pl.len().cast(pl.Int64)).alias(mean))
    return dict(zip(found.columns, found.row(0), strict=True))
