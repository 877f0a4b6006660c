"""State how the national Elo of Italy came to a player's number: the figures of all players, the terms of one."""

from __future__ import annotations

import polars as pl

from ratinglist.number_text import signed
from ratinglist.rating.change import rounded
from ratinglist.rating.systems import fsi
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    Entrant,
    Steps,
    SystemAccount,
    expected_of_game,
    of_players,
)
from ratinglist.rating.systems.fsi import FsiRules
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.terms import CitedRules, Term, Values


def _figures(calculated: Calculated, rules: FsiRules) -> pl.DataFrame:
    exact = pl.col("change_hundredths")
    events = (
        calculated.counted.group_by("fide_id", "event_id")
        .agg(pl.col("start_date", "end_date").first(), exact.sum())
        .sort("fide_id", "start_date", "end_date", "event_id", nulls_last=True)
        .group_by("fide_id", maintain_order=True)
        .agg(rounded(exact).alias("events"), exact.sum().alias("due_change_hundredths"))
        .with_columns(pl.col("events").list.sum().alias("total"))
    )
    stays = pl.col("status") != "lapsed"
    return (
        of_players(calculated)
        .join(events, on="fide_id", how="left")
        .with_columns(
            pl.col("due_change_hundredths", "total").fill_null(0),
            pl.col("old_rating").fill_null(rules.entry.rating).alias("counted_as"),
        )
        .select(
            *("fide_id", "counted_as", "events", "due_games", "due_change_hundredths"),
            pl.when(stays).then("total").alias("due_change"),
            pl.when(stays).then(pl.col("counted_as") + pl.col("total")).alias("due_new_rating"),
        )
    )


def _due_of_games(calculated: Calculated, rules: FsiRules) -> dict[str, pl.Expr]:
    cap = rules.expected_score.cap
    return {
        "difference_used": (pl.col("rating") - pl.col("opponent_rating")).clip(-cap, cap),
        "k": pl.lit(rules.development_coefficient.k),
        "expected_hundredths": expected_of_game(calculated, rules.expected_score.table, 100),
        "change_hundredths": CHANGE["hundredths"],
    }


def _sum(old: int | None, change: int | None) -> list[Term]:
    if old is None or change is None:
        return []
    return [Term("sum", "{old} {change:plus} = {result}", {"old": old, "change": change}, old + change)]


def _terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    del entrant
    k = rules["development_coefficient.k"]
    terms = [
        rules.term("entry.rating", "a player on no list counts as {rating}", rating=rules["entry.rating"]),
        rules.term("expected_score.table", "expected: from the difference, by the table"),
        rules.term("development_coefficient.k", "change of a game: {k} × (score - expected)", k=k),
    ]
    if figures["events"]:
        sentence = "each event is rounded by itself, .5 away from zero: {changes}"
        changes = ", ".join(signed(one) for one in figures["events"])
        terms.append(rules.term("change.halves", sentence, sum(figures["events"]), changes=changes))
    if change["status"] == "lapsed":
        return [*terms, rules.term("lapse.lapses_with", "the rating ends: the player is on the reference list")]
    return [*terms, *_sum(figures["counted_as"], change["change"])]


SYSTEM = RatingSystem(FsiRules, fsi.rate, SystemAccount(_figures, _due_of_games, _terms, "change_hundredths"))
"""The system as the program knows it."""
