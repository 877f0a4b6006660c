"""State how a club's internal Elo came to a player's number: the figures of all players, the terms of one."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems import club
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
from ratinglist.rating.systems.club import ClubRules
from ratinglist.rating.systems.month import plus_thousandths
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.terms import CitedRules, Term, Values


def _figures(calculated: Calculated, rules: ClubRules) -> pl.DataFrame:
    minima = list(club.minima(rules.title_minimum).values())
    counted_as = pl.coalesce("old_rating", pl.col("new_rating") - pl.col("change"))
    is_entry = (pl.col("counted_as") == rules.entry.rating) | pl.col("counted_as").is_in(minima)
    return (
        of_players(calculated, pl.col("change_thousandths").sum().alias("due_change_thousandths"))
        .with_columns(counted_as.alias("counted_as"), pl.col("due_change_thousandths").fill_null(0))
        .with_columns(
            (1000 * pl.col("counted_as") + pl.col("change_thousandths")).alias("exact_thousandths"),
            plus_thousandths(pl.col("counted_as"), pl.col("change_thousandths")).alias("by_games"),
        )
        .with_columns(pl.when(pl.col("new_rating") > pl.col("by_games")).then("new_rating").alias("raised_to"))
        .select(
            *("fide_id", "counted_as", "games_before", "exact_thousandths", "by_games", "raised_to"),
            *("due_games", "due_change_thousandths"),
            pl.when(pl.col("raised_to").is_in(minima)).then("raised_to").otherwise("by_games").alias("due_new_rating"),
            # An unlisted player begins at the entry rating or at the minimum of a title.
            pl.when(pl.col("old_rating").is_null() & ~is_entry)
            .then(pl.col("new_rating") - rules.entry.rating)
            .alias("due_change"),
        )
    )


def _due_of_games(calculated: Calculated, rules: ClubRules) -> dict[str, pl.Expr]:
    return {
        "difference_used": pl.col("rating") - pl.col("opponent_rating"),
        "k": club.coefficient(rules.development_coefficient, pl.col("games_before"), pl.col("counted_as")),
        "expected_thousandths": expected_of_game(calculated, rules.expected_score.table, 1000),
        "change_thousandths": CHANGE["thousandths"],
    }


def _terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    terms: list[Term] = []
    if change["games"]:
        terms += [
            rules.term("expected_score.table", "expected: from the difference, by the logistic table"),
            Term("change_of_game", "change of a game: K × (score - expected)"),
            _coefficient(change, rules),
        ]
    if figures["counted_as"] is not None and figures["exact_thousandths"] is not None:
        terms.append(
            rules.term(
                "change.halves",
                "{old} {sign} {size:t} = {exact:t}, rounded {result}",
                figures["by_games"],
                **thousandths_added(figures["counted_as"], change["change_thousandths"], figures["exact_thousandths"]),
            )
        )
    title_rule = f"title_minimum.{entrant.title.lower()}"
    if figures["raised_to"] is not None and title_rule in rules:
        sentence = "raised to {result}: a title was recorded for the first time"
        terms.append(rules.term(title_rule, sentence, figures["raised_to"]))
    return terms


def _coefficient(change: Values, rules: CitedRules) -> Term:
    k, played, until = change["k"], change["games_before"], rules["development_coefficient.new_until_games"]
    if played is not None and played < until:
        sentence = "K {result}: fewer than {until} games counted so far"
        return rules.term("development_coefficient.new", sentence, k, until=until)
    low, high = rules["development_coefficient.formula_from"], rules["development_coefficient.master_from"]
    old = change["old_rating"] or 0
    if low <= old < high:
        sentence = "K {result}: 130 - {old} / 20, rounded"
        return rules.term("development_coefficient.formula", sentence, k, old=old)
    key, case = ("master", "from {limit}") if old >= high else ("normal", "below {limit}")
    sentence = "K {result}: {until} games or more, " + case
    limit = high if old >= high else low
    return rules.term(f"development_coefficient.{key}", sentence, k, until=until, limit=limit)


SYSTEM = RatingSystem(
    ClubRules,
    club.rate,
    SystemAccount(_figures, _due_of_games, _terms, "change_thousandths"),
    levels=club.LEVELS,
)
"""The system as the program knows it."""
