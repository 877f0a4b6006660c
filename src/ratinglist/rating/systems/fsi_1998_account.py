"""State how the Italian Elo of 1998 to 2000 came to a player's number: the figures of all players, the terms of one."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.rating.change import change_hundredths
from ratinglist.rating.systems import fsi_1998
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    Entrant,
    Steps,
    SystemAccount,
    expected_of_game,
    of_players,
)
from ratinglist.rating.systems.categories import best_promotions, event_performance, promotion_step
from ratinglist.rating.systems.fsi_1998 import Fsi1998Rules
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.terms import CitedRules, Term, Values
from ratinglist.safe_text import on_one_line

_PLAYED = ("", "counts_for_promotion")
"""The reasons of games that change a rating, or by which a promotion is judged."""


def _figures(calculated: Calculated, rules: Fsi1998Rules) -> pl.DataFrame:
    key = ("fide_id", "event_id")
    every = rules.change.refresh_every
    place = pl.int_range(pl.len()).over("fide_id")
    used = fsi_1998.expected_used(pl.col("expected_hundredths"), rules)
    events = (
        calculated.counted.filter(pl.col("k").is_not_null(), pl.col("expected_hundredths").is_not_null())
        .group_by(key)
        .agg(
            pl.col("start_date", "end_date", "rating", "k").first(),
            pl.col("score_halves", "expected_hundredths").cast(pl.Int64).sum(),
        )
        .sort("fide_id", "end_date", "start_date", "event_id")
        .with_columns(used.alias("expected_used"), (place // every if every else pl.lit(0)).alias("block"))
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_used")).alias("change_hundredths")
        )
    )
    blocks = (
        events.group_by("fide_id", "block", maintain_order=True)
        .agg(pl.col("rating").first(), pl.col("change_hundredths").sum())
        .with_columns(fsi_1998.after_events(pl.col("rating"), pl.col("change_hundredths")).alias("after"))
        .with_columns(pl.col("after").shift(1).over("fide_id").alias("in_use"))
    )
    shown = ("event_id", "rating", "k", "score_halves", "expected_hundredths", "expected_used", "change_hundredths")
    of_events = events.group_by("fide_id", maintain_order=True).agg(
        pl.struct(shown).alias("events"), pl.col("change_hundredths").sum().alias("due_change_hundredths")
    )
    of_blocks = blocks.group_by("fide_id", maintain_order=True).agg(
        pl.col("after").last(),
        pl.col("rating").first().alias("due_old_rating"),
        # Each block begins with the rating after the one before.
        (pl.col("in_use").is_null() | (pl.col("in_use") == pl.col("rating"))).all().alias("goes_on"),
    )
    promotions = _promotions(calculated, rules)
    by_games, old, promoted = pl.col("by_games"), pl.col("old_rating"), pl.col("promoted_to")
    played = calculated.games.filter(pl.col("reason").is_in(_PLAYED)).group_by("fide_id")
    found = (
        of_players(calculated)
        .join(played.agg(pl.len().cast(pl.Int64).alias("played")), on="fide_id", how="left")
        .join(of_events, on="fide_id", how="left")
        .join(of_blocks, on="fide_id", how="left")
        .join(promotions, on="fide_id", how="full", coalesce=True)
        .with_columns(pl.when(old.is_not_null()).then(pl.coalesce("after", "old_rating")).alias("by_games"))
    )
    is_promoted = pl.col("new_rating").is_not_null() & (by_games.is_null() | (pl.col("new_rating") > by_games))
    may_be_promoted = is_promoted & (pl.col("step") == 2)
    return found.select(
        *("fide_id", "by_games", "events"),
        pl.when(is_promoted).then("new_rating").alias("promoted_to"),
        pl.when(is_promoted & (calculated.listed_events is not None)).then("promotions").alias("promotions"),
        pl.when(old.is_null()).then("played").otherwise("due_games").alias("due_games"),
        "due_old_rating",
        pl.when(old.is_not_null()).then(pl.col("due_change_hundredths").fill_null(0)).alias("due_change_hundredths"),
        # A listed player is promoted from category 3N only, which these tables do not have.
        pl.when(old.is_null())
        .then(promoted if calculated.listed_events is not None else "new_rating")
        .when(may_be_promoted)
        .then(promoted)
        .when(~pl.col("goes_on").fill_null(value=True))
        .then(pl.lit(0))
        .otherwise(by_games)
        .alias("due_new_rating"),
    )


def _promotions(calculated: Calculated, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the best promotion of every player: ``step``, ``promoted_to`` and the events that give it."""
    judged = calculated.games.filter(pl.col("reason").is_in(_PLAYED))
    listed = list(calculated.listed_events or ())
    games = (
        judged.group_by("fide_id", "event_id")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("score_halves").cast(pl.Int64).sum(),
            pl.col("opponent_rating").cast(pl.Int64).sum().alias("opponent_sum"),
            pl.col("opponent_rating").null_count().alias("unknown"),
            pl.col("rating").first().is_not_null().alias("is_listed"),
            pl.col("start_date", "end_date").first(),
        )
        .filter(pl.col("games") >= rules.entry.min_games, pl.col("unknown") == 0)
        .with_columns((~pl.col("event_id").is_in(listed)).alias("is_unlisted_event"))
        .with_columns(promotion_step(rules.entry).alias("step"), event_performance().alias("performance_sum"))
        .filter(pl.col("step") > 0, pl.col("step") == pl.col("step").max().over("fide_id"))
        .sort("fide_id", "start_date", "end_date", "event_id", nulls_last=True)
    )
    shown = ("event_id", "games", "score_halves", "opponent_sum", "performance_sum", "is_unlisted_event")
    best = games.group_by("fide_id", maintain_order=True).agg(
        pl.col("step").first(), pl.struct(shown).alias("promotions")
    )
    return best.join(best_promotions(best.select("fide_id", "step"), rules.entry), on="fide_id").drop("promotion")


def _due_of_games(calculated: Calculated, rules: Fsi1998Rules) -> dict[str, pl.Expr]:
    cap = rules.expected_score.cap
    return {
        "difference_used": (pl.col("rating") - pl.col("opponent_rating")).clip(-cap, cap),
        "k": fsi_1998.coefficient(rules.development_coefficient, pl.col("rating")),
        "expected_hundredths": expected_of_game(calculated, rules.expected_score.table, 100),
        "change_hundredths": CHANGE["hundredths"],
    }


def _terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    step = (
        "{event}: expected {expected:h}, counted as {used:h}; K {k} × ({score:points} - {used:h}) = {result:+h}, from "
        "{rating}"
    )
    events = figures["events"] or []
    terms = [
        rules.term("entry.unclassified", "an unlisted opponent counts as {rating}", rating=rules["entry.unclassified"]),
        *(
            rules.term(
                "expected_score.sum_step",
                step,
                event["change_hundredths"],
                event=event["event_id"],
                expected=event["expected_hundredths"],
                used=event["expected_used"],
                k=event["k"],
                score=event["score_halves"],
                rating=event["rating"],
            )
            for event in events
        ),
    ]
    every = rules["change.refresh_every"]
    if every and len(events) > every:
        sentence = "after every {every} events the rating in use takes up their changes"
        terms.append(rules.term("change.refresh_every", sentence, every=every))
    if figures["by_games"] is not None:
        sentence = "{old} and {change:+h} in all, rounded: {result}"
        old, exact = change["old_rating"], change["change_hundredths"]
        terms.append(rules.term("change.halves", sentence, figures["by_games"], old=old, change=exact))
    if figures["promoted_to"] is not None:
        is_second = figures["promoted_to"] == rules["entry.second_rating"]
        name, key = ("2N", "second") if is_second else ("3N", "third")
        sentence = "promoted to {category} by an event: at least {result}"
        terms += [_judged(event, rules, key, entrant.names) for event in figures["promotions"] or []]
        terms.append(rules.term(f"entry.{key}_from", sentence, figures["promoted_to"], category=name))
    return terms


def _judged(event: Values, rules: CitedRules, key: str, names: Mapping[str, str | None]) -> Term:
    """Return how an event is judged for a promotion: by the share of the points, or by the performance."""
    n, halves, name = event["games"], event["score_halves"], on_one_line(names.get(event["event_id"]) or "")
    place = on_one_line(event["event_id"]) + (f" ({name})" if name else "")
    if event["is_unlisted_event"]:
        least = "entry.third_share_hundredths"
        sentence = (
            "{event}: all players are unlisted; {score:points} of {n} points, {result:h} of them; {least:h} is needed"
        )
        return rules.term(least, sentence, 50 * halves // n, event=place, score=halves, n=n, least=rules[least])
    least = f"entry.{key}_from"
    sentence = (
        "{event}: {games:game}, {score:points} points; the opponents' ratings and 400 more for a win, less for a loss: "
        "({opponents} {difference:plus}) / {games} = {result:t}; {least} is needed"
    )
    return rules.term(
        least,
        sentence,
        1000 * event["performance_sum"] // n,
        event=place,
        games=n,
        score=halves,
        opponents=event["opponent_sum"],
        difference=event["performance_sum"] - event["opponent_sum"],
        least=rules[least],
    )


SYSTEM = RatingSystem(
    Fsi1998Rules,
    fsi_1998.rate,
    SystemAccount(_figures, _due_of_games, _terms, judges_by_listed=True),
)
"""The system as the program knows it."""
