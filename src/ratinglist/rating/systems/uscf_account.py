"""State how the US Chess Federation came to a player's number: the figures of all players, the terms of one."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems import uscf
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    Entrant,
    Steps,
    SystemAccount,
    expected_of_game,
    of_players,
    thousandths_added,
)
from ratinglist.rating.systems.month import linear_performance, plus_thousandths
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.systems.uscf import UscfRules
from ratinglist.rating.terms import CitedRules, Values


def _figures(calculated: Calculated, rules: UscfRules) -> pl.DataFrame:
    is_averaged = pl.col("k").is_null()
    worth = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.provisional.points)
    exact = pl.col("change_thousandths")
    left = uscf.games_left(pl.col("old_rating"), pl.col("games_before"), rules)
    first = pl.min_horizontal(left, "due_games")
    return (
        of_players(
            calculated,
            worth.filter(is_averaged).sum().cast(pl.Int64).alias("worth"),
            exact.sum().alias("others"),
            (~is_averaged).sum().cast(pl.Int64).alias("established_games"),
        )
        .with_columns(
            uscf.average(
                pl.col("old_rating"),
                pl.col("games_before"),
                pl.col("performance_games").fill_null(0),
                pl.col("performance_sum").fill_null(0),
            ).alias("average")
        )
        .select(
            *("fide_id", "games_before", "performance_games", "performance_sum", "average", "established_games"),
            (1000 * pl.col("average") + exact).alias("exact_thousandths"),
            "due_games",
            pl.when(first > 0).then(first).alias("due_performance_games"),
            pl.when(first > 0).then("worth").alias("due_performance_sum"),
            pl.when(pl.col("established_games") > 0).then("others").alias("due_change_thousandths"),
            plus_thousandths(pl.col("average"), exact.fill_null(0)).alias("due_new_rating"),
        )
    )


def _due_of_games(calculated: Calculated, rules: UscfRules) -> dict[str, pl.Expr]:
    figures = {
        "difference_used": pl.col("average") - pl.col("opponent_rating"),
        "k": uscf.coefficient(rules, pl.col("average")),
        "expected_thousandths": expected_of_game(calculated, rules.expected_score.table, 1000),
        "change_thousandths": CHANGE["thousandths"],
    }
    return {name: pl.when(pl.col("k").is_not_null()).then(value) for name, value in figures.items()}


def _terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    del entrant
    terms = []
    n, total, played = figures["performance_games"], figures["performance_sum"], figures["games_before"]
    average, points = figures["average"], rules["provisional.points"]
    if n and total is not None and played is not None:
        whole = f"({played} × {change['old_rating']} + {total})" if played else str(total)
        terms += [
            rules.term(
                "provisional.points",
                "a provisional game is worth the opponent's rating, {points} more or less",
                points=points,
            ),
            rules.term(
                "provisional.games",
                "{games:provisional_game}: {whole} / {weight} = {result}",
                average,
                games=n,
                whole=whole,
                weight=played + n,
            ),
        ]
    if figures["established_games"]:
        is_master = (average or 0) >= int(rules["development_coefficient.master_from"])
        k = f"development_coefficient.{'master' if is_master else 'normal'}"
        terms += [
            rules.term(
                "expected_score.table",
                "expected: from the difference to {average}, in thousandths",
                average=average,
            ),
            rules.term(
                k,
                "{games:established_game} with K {k}: {result:+t}",
                change["change_thousandths"],
                games=figures["established_games"],
                k=rules[k],
            ),
        ]
        if figures["exact_thousandths"] is not None:
            added = thousandths_added(average, change["change_thousandths"], figures["exact_thousandths"])
            sentence = "{old} {sign} {size:t} = {exact:t}, rounded {result}"
            terms.append(rules.term("change.halves", sentence, change["new_rating"], **added))
    return terms


SYSTEM = RatingSystem(
    UscfRules, uscf.rate, SystemAccount(_figures, _due_of_games, _terms, "change_thousandths"), needs_rated=True
)
"""The system as the program knows it."""
