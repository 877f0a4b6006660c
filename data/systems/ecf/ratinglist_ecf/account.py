"""State how the English rating came to a player's number: the figures of all players, the terms of one.

Before a publication the months of play are rated once more, from the published games, the state of the list before and
the births, by the functions that calculate a list. An account, which has the games of one player, states what is
published.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems.account import Calculated, of_players
from ratinglist_ecf.month import known_players, month_of
from ratinglist_ecf.passes import SIDE, new_rating, performance, rate_months
from ratinglist_ecf.rules import EcfRules

_AGAIN = tuple(name for name in SIDE if name not in ("row", "month", "fide_id", "score_halves"))


def figures(calculated: Calculated, rules: EcfRules) -> pl.DataFrame:
    """Calculate the figures of all players again from what is published."""
    months = _months(calculated)
    of_months = months.group_by("fide_id", maintain_order=True).agg(
        pl.struct("month_of_play", "rating", "games", "change_hundredths", "performance_rating", "after").alias(
            "months"
        ),
        pl.col("performance_rating").drop_nulls().last().alias("performance"),
        pl.col("after").last().alias("last_after"),
        pl.col("performance_rating").last().is_not_null().alias("ends_by_performance"),
    )
    table = calculated.tables.get(rules.performance.table)
    n, opponents, halves = (pl.col(f"performance_{one}") for one in ("games", "opponents", "halves"))
    due = pl.col("performance") if table is None else performance(n, opponents, halves, pl.col("nominal_rating"), table)
    found = (
        of_players(
            calculated, pl.col("change_hundredths").sum().alias("sum"), pl.col("k").null_count().alias("without_k")
        )
        .join(of_months, on="fide_id", how="left")
        .join(_sums_again(calculated, rules), on="fide_id", how="left")
    )
    stays = pl.col("status") != "lapsed"
    return found.select(
        *("fide_id", "months", "performance_games", "performance_opponents", "performance_halves", "nominal_rating"),
        "due_games",
        pl.when(pl.col("without_k") < pl.col("due_games")).then("sum").alias("due_change_hundredths"),
        pl.when(stays & pl.col("ends_by_performance")).then(due).when(stays).then("last_after").alias("due_new_rating"),
        *(pl.col(f"again_{one}").alias(f"due_{one}") for one in _SUMS),
    )


_SUMS = ("performance_games", "performance_opponents", "performance_halves", "nominal_rating")


def _months(calculated: Calculated) -> pl.DataFrame:
    """Return the months of play of every player, with the rating after each."""
    months = (
        calculated.counted.group_by("fide_id", "month_of_play")
        .agg(
            pl.col("rating", "performance_rating").first().cast(pl.Int64),
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("change_hundredths").cast(pl.Int64).sum(),
        )
        .sort("fide_id", "month_of_play")
    )
    after = pl.coalesce("performance_rating", new_rating(pl.col("rating"), pl.col("change_hundredths")))
    return months.with_columns(after.alias("after"))


def _again(calculated: Calculated, rules: EcfRules) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Return the sides rated once more, and the players before; None for an account, which has not all inputs."""
    if calculated.births is None or calculated.own_state is None or calculated.period is None:
        return None
    counted = calculated.counted
    sides = counted.select("row", "fide_id", "opponent_id", "score_halves", month_of(pl.coalesce("date", "end_date")))
    before = calculated.changes.select("fide_id", rating="old_rating", last_month=pl.lit(0, pl.Int64))
    players = known_players(before, calculated.own_state, sides["fide_id"], calculated.births, calculated.period, rules)
    return rate_months(sides, players, calculated.tables, rules)[0], players


def _sums_again(calculated: Calculated, rules: EcfRules) -> pl.DataFrame:
    names = [f"again_{one}" for one in _SUMS]
    again = _again(calculated, rules)
    if again is None:
        return pl.DataFrame(schema={"fide_id": pl.Int64, **dict.fromkeys(names, pl.Int64)})
    sides, players = again
    own = sides.filter(pl.col("performance_rating").is_not_null()).group_by("fide_id")
    sums = own.agg(
        pl.len().cast(pl.Int64).alias("games"),
        pl.col("opponent_rating").sum().alias("opponents"),
        pl.col("score_halves").cast(pl.Int64).sum().alias("halves"),
    )
    return sums.join(players, on="fide_id").select(
        "fide_id",
        *(
            (pl.col(of) + pl.col(f"stored_{of}")).alias(name)
            for name, of in zip(names[:3], ("games", "opponents", "halves"), strict=True)
        ),
        pl.col("nominal").alias(names[3]),
    )


def games_again(calculated: Calculated, rules: EcfRules) -> pl.DataFrame:
    """Return the counted games with what each figure has to be: ``again_<name>``, null in an account."""
    counted, again = calculated.counted, _again(calculated, rules)
    if again is None:
        return counted.with_columns(pl.lit(None, pl.Int64).alias(f"again_{name}") for name in _AGAIN)
    sides = again[0].select("row", *(pl.col(name).alias(f"again_{name}") for name in _AGAIN))
    return counted.join(sides, on="row", how="left")


def due_of_games(calculated: Calculated, rules: EcfRules) -> dict[str, pl.Expr]:
    """Return what the columns of a counted game have to be."""
    del calculated, rules
    return {name: pl.col(f"again_{name}") for name in _AGAIN}
