"""Compute what a player's cards show: the place in the federation and the age group, and the results of all games."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.site.data_file import CONTROLS

_UNDER = (8, 10, 12, 14, 16, 18, 20)
_OVER = (65, 50)
BEST_WINS = 3


def age_groups(period: Period) -> dict[str, tuple[int, int]]:
    """Return the years of birth, first and last, of the age groups in the year of a list, the youngest group first.

    Under 8 are those who are at most 8 in the course of the year; 65 and over those who are 65 by its end.
    """
    year = period.first_day.year
    young = {f"U{age}": (year - age, year) for age in _UNDER}
    return young | {f"{age}+": (0, year - age) for age in _OVER}


def places(lists: pl.DataFrame, groups: dict[str, tuple[int, int]]) -> pl.DataFrame:
    """Return the places of the active players of the newest lists.

    Out: ``fide_id``, the time control, the place and the number of players in the federation; the narrowest age group
    that the player is in, and the same in this group of the federation. Players of equal rating share a place.
    """
    active = lists.filter(~pl.col("flag").fill_null("").str.contains("i", literal=True))
    rank = pl.col("rating").rank("min", descending=True)
    of_federation = ["time_control", "federation"]
    group, place_of_group, players_of_group = (pl.lit(None, kind) for kind in (pl.String, pl.UInt32, pl.UInt32))
    for name, (first, last) in reversed(groups.items()):
        # All who were born in these years are in the group, those of a narrower one too.
        is_in = pl.col("birth_year").is_between(first, last).fill_null(value=False)
        of_group = [*of_federation, is_in]
        group = pl.when(is_in).then(pl.lit(name)).otherwise(group)
        place_of_group = pl.when(is_in).then(rank.over(of_group)).otherwise(place_of_group)
        players_of_group = pl.when(is_in).then(pl.len().over(of_group)).otherwise(players_of_group)
    return active.select(
        "fide_id",
        pl.col("time_control").replace_strict(CONTROLS, return_dtype=pl.Int64).alias("control"),
        rank.over(of_federation).alias("place"),
        pl.len().over(of_federation).alias("players"),
        group.alias("group"),
        place_of_group.alias("place_of_group"),
        players_of_group.alias("players_of_group"),
    )


def records(games: pl.DataFrame) -> pl.DataFrame:
    """Return the results of the rated games of a month: ``fide_id``, ``control``, ``colour``, and won, drawn, lost.

    ``colour``: 0 White, 1 Black, 2 where the office does not publish it.
    """
    colour = pl.col("colour").replace_strict({"w": 0, "b": 1}, default=2, return_dtype=pl.Int64)
    return (
        games.lazy()
        .filter("rated")
        .group_by(
            "fide_id",
            pl.col("time_control").replace_strict(CONTROLS, return_dtype=pl.UInt8).alias("control"),
            colour.alias("colour"),
        )
        .agg(
            *((pl.col("score_halves") == halves).sum().cast(pl.Int64).alias(name) for name, halves in _RESULTS.items())
        )
        .sort("fide_id", "control", "colour")
        .collect()
    )


_RESULTS = {"won": 2, "drawn": 1, "lost": 0}


def summed_records(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the results of all months: ``fide_id``, time control, colour, won, drawn, lost."""
    keys = ["fide_id", "control", "colour"]
    return rows.group_by(keys).agg(pl.col(name).sum() for name in _RESULTS).sort(keys)


def wins(games: pl.DataFrame, names: pl.DataFrame, month: int) -> pl.DataFrame:
    """Return the best wins of each player in a month: against the highest ratings. In: ``names`` with ``title``."""
    # The code of an event decides between equal wins: its number among the sorted codes takes a quarter of the memory.
    events = games.select(pl.col("event_id").unique().sort()).with_row_index("event")
    won = games.lazy().filter(pl.col("rated") & (pl.col("score_halves") == 2))
    return (
        won.join(events.lazy(), on="event_id")
        .select(
            "fide_id",
            pl.col("time_control").replace_strict(CONTROLS, return_dtype=pl.UInt8).alias("control"),
            "opponent_id",
            "opponent_rating",
            "event",
            pl.lit(month, pl.UInt16).alias("month"),
        )
        .collect()
        .pipe(_best)
        .join(
            names.select(opponent_id="fide_id", name="name", title="title"),
            on="opponent_id",
            how="left",
            maintain_order="left",
        )
    )


_ORDER = ["fide_id", "control", "opponent_rating", "month", "event", "opponent_id"]


def best_wins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the best wins of all months: ``fide_id``, and what the page shows of each."""
    return _best(rows).select("fide_id", "control", "opponent_id", "name", "title", "opponent_rating", "month")


def _best(rows: pl.DataFrame) -> pl.DataFrame:
    ordered = rows.sort(_ORDER, descending=[False, False, True, True, False, False])
    return ordered.group_by("fide_id", "control", maintain_order=True).head(BEST_WINS)
