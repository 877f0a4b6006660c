"""The Italian Elo of 1998 to 2000: two lists a year, sums rounded to .05, entry by promotion to a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.change import change_hundredths
from ratinglist.rating.expected import expected_hundredths
from ratinglist.rating.system_rules import SystemSections, TableRules
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    SystemAccount,
    expected_of_game,
    of_players,
)
from ratinglist.rating.systems.categories import (
    CategoryRules,
    PromotionRules,
    best_promotions,
    event_performance,
    games_of_unlisted,
    known_category,
    new_categories,
    promotion_step,
    promotion_steps,
)
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    counted,
    gathered,
    half_up,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class SumStepRules(TableRules):
    """The expected score of an event: the sum of the table's values, rounded to a multiple of ``sum_step``."""

    sum_step: Whole


@dataclass(frozen=True, slots=True)
class BandCoefficientRules:
    """K: ``low`` below ``low_below``, ``middle`` up to ``middle_to`` inclusive, ``high`` above."""

    low: Whole
    low_below: Whole
    middle: Whole
    middle_to: Whole
    high: Whole


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """The own rating in use takes up the changes so far after every ``refresh_every`` events; 0: never."""

    refresh_every: Whole
    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class Fsi1998Rules(SystemSections):
    """The Italian Elo of 1998 to 2000."""

    SYSTEM: ClassVar = "fsi-1998"
    expected_score: SumStepRules
    development_coefficient: BandCoefficientRules
    change: RefreshRules
    entry: PromotionRules
    category: CategoryRules


def rate(month: SystemMonth, rules: Fsi1998Rules) -> SystemResult:
    """Calculate the list of ``month``.

    An unlisted opponent counts as ``entry.unclassified``. The own rating in use takes up the changes after every fourth
    event; opponents stay at the list before. The best promotion of the period counts.
    """
    sides = _sides(month, rules).with_row_index("row")
    scored = _scored_by_list_before(sides, month, rules)
    sums, later = _all_blocks(_of_events(scored, "player_row"), scored.drop(_OF_GAME), month, rules)
    before = month.before.with_columns(known_category(rules.category).alias("category"))
    promotions = best_promotions(promotion_steps(sides, month, rules.entry, rules.category), rules.entry)
    computed = _computed(sums, promotions, games_of_unlisted(sides), before)
    list_state = next_state(month, computed, coefficient(rules.development_coefficient, pl.col("rating")))
    later = later.select("row", *_OF_GAME)
    of_game = pl.concat([scored.select("row", *_OF_GAME).join(later, on="row", how="anti"), later])
    sides = sides.join(of_game, on="row", how="left", maintain_order="left")
    return SystemResult(
        changes=changes_of(month, computed),
        list_state=list_state,
        sides=as_sides(sides.with_columns(pl.coalesce("own", "rating").alias("rating"))),
        system_state=new_categories(month, list_state, before, promotions, rules.category),
    )


_OF_GAME = ("own", "difference_used", "k", "expected_hundredths", "change_hundredths")
"""What :func:`_scored` computes of a side, and the own rating that it uses."""


def _sides(month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the sides with their reason and ``event_rank``; an unlisted opponent counts as unclassified."""
    unlisted = pl.lit("counts_for_promotion", dtype=month.sides.schema["reason"])
    is_event_rated = pl.col("reason").is_not_null()
    unclassified = pl.lit(rules.entry.unclassified, dtype=pl.Int32)
    return month.sides.with_columns(
        month.event_rank().gather(month.sides["event_no"]),
        pl.when((pl.col("reason") == "") & pl.col("rating").is_null())
        .then(unlisted)
        .otherwise("reason")
        .alias("reason"),
        pl.col("opponent_rating").is_not_null().alias("is_opponent_listed"),
        pl.when(is_event_rated).then(pl.col("opponent_rating").fill_null(unclassified)).alias("opponent_rating"),
    )


def _scored_by_list_before(sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the counted sides with :data:`_OF_GAME` by the players' ratings on the list before."""
    own = month.of_participants(month.before.select("fide_id", own="rating"))
    needed = ("row", "fide_id", "player_row", "event_rank", "opponent_rating", "score_halves")
    rows = counted(sides.select("reason", *needed))
    return _scored(gathered(rows.drop("reason"), "player_row", own), month, rules)


def _scored(sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return sides with difference, K, expected score and change by the ``own`` rating."""
    cap = rules.expected_score.cap
    table = month.tables[rules.expected_score.table]
    return (
        sides.lazy()
        .with_columns(
            (pl.col("own") - pl.col("opponent_rating")).clip(-cap, cap).alias("difference_used"),
            coefficient(rules.development_coefficient, pl.col("own")).alias("k"),
        )
        .with_columns(expected_hundredths(pl.col("difference_used"), table).alias("expected_hundredths"))
        .with_columns(CHANGE["hundredths"].alias("change_hundredths"))
        .collect()
    )


def _of_events(scored: pl.DataFrame, *key: str) -> pl.DataFrame:
    """Sum the scored sides of every player in every event, which ``key`` identifies.

    Out: ``fide_id``, ``event_rank``, ``own``, ``k``, ``games``, ``score_halves``, ``expected_hundredths``.
    """
    others = [name for name in ("fide_id", "event_rank") if name not in key]
    return (
        scored.group_by(key)
        .agg(
            pl.col(*others, "own", "k").first(),
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("score_halves", "expected_hundredths").sum(),
        )
        .select("fide_id", "event_rank", "own", "k", "games", "score_halves", "expected_hundredths")
    )


def _all_blocks(
    events: pl.DataFrame, sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the sums of every player with counted games, and the sides that another rating than the list's scores.

    In: ``events``: :func:`_of_events` by the list before, all of a player; ``sides``: their counted sides. The own
    rating in use takes up the changes after every fourth event: few players have more than four in a period, hardly any
    more than eight. Out: ``fide_id``, ``games``, ``least_k``, ``largest_k``, ``change_hundredths`` and ``after``.
    """
    every = rules.change.refresh_every
    place = pl.col("event_rank").rank("dense").over("fide_id") - 1
    placed = events.with_columns((place // every if every else pl.lit(0)).cast(pl.Int32).alias("block"))
    later = placed.filter(pl.col("block") > 0).select("fide_id", "event_rank", "block")
    found = [_of_players(placed.filter(pl.col("block") == 0), rules)]
    # By one column first: a join by two has a key of all sides in memory.
    sides = sides.filter(pl.col("fide_id").is_in(later["fide_id"].unique().implode()))
    sides = sides.join(later, on=["fide_id", "event_rank"])
    scored_again = [_scored(sides.clear().with_columns(pl.lit(None, dtype=pl.Int32).alias("own")), month, rules)]
    for block in later["block"].unique().sort():
        in_use = found[-1].select("fide_id", own="after")
        scored = _scored(sides.filter(pl.col("block") == block).join(in_use, on="fide_id"), month, rules)
        of_block = _of_events(scored, "fide_id", "event_rank").with_columns(pl.lit(block, pl.Int32).alias("block"))
        found.append(_of_players(of_block, rules))
        scored_again.append(scored)
    sums = (
        pl.concat(found)
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("least_k").min(),
            pl.col("largest_k").max(),
            pl.col("change_hundredths").sum(),
            pl.col("after").sort_by("block").last(),
        )
    )
    return sums, pl.concat(scored_again)


def _of_players(events: pl.DataFrame, rules: Fsi1998Rules) -> pl.DataFrame:
    """Sum the events of a ``block`` of every player, and return the rating after them."""
    used = expected_used(pl.col("expected_hundredths"), rules)
    change = change_hundredths(pl.col("k"), pl.col("score_halves"), used).sum()
    return events.group_by("fide_id").agg(
        pl.col("games").sum(),
        pl.col("k").min().alias("least_k"),
        pl.col("k").max().alias("largest_k"),
        change.alias("change_hundredths"),
        after_events(pl.col("own").first(), change).cast(pl.Int32).alias("after"),
        pl.col("block").first(),
    )


def expected_used(expected_hundredths: pl.Expr, rules: Fsi1998Rules) -> pl.Expr:
    """Return the expected score of an event: the sum of its games, rounded to a multiple of ``sum_step`` hundredths.

    A sum of whole hundredths is never halfway between two multiples of 5.
    """
    step = rules.expected_score.sum_step
    return step * half_up(expected_hundredths, step)


def after_events(rating: pl.Expr, hundredths: pl.Expr) -> pl.Expr:
    """Return the rating after events that changed it by ``hundredths``, a half upwards."""
    return half_up(100 * rating + hundredths, 100)


def coefficient(rules: BandCoefficientRules, rating: pl.Expr) -> pl.Expr:
    """Return K of a player by the own rating in use."""
    return (
        pl.when(rating < rules.low_below)
        .then(rules.low)
        .when(rating <= rules.middle_to)
        .then(rules.middle)
        .otherwise(rules.high)
        .cast(pl.Int32)
    )


def _computed(sums: pl.DataFrame, promotions: pl.DataFrame, played: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose rating was computed: those with games, and those promoted."""
    entering = promotions.join(before, on="fide_id", how="anti")
    entered = (
        entering.lazy()
        .join(played.lazy(), on="fide_id")
        .select(
            "fide_id",
            "games",
            pl.col("games").alias("counted_games"),
            pl.col("promoted_to").alias("new_rating"),
            pl.lit("entered").alias("status"),
        )
    )
    listed = (
        sums.lazy()
        .join(before.lazy().select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id")
        .join(promotions.lazy(), on="fide_id", how="left")
        .with_columns(pl.max_horizontal("after", "promoted_to").alias("new_rating"))
        .select(
            "fide_id",
            "games",
            pl.col("games").alias("counted_games"),
            "old_rating",
            "new_rating",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            (pl.col("new_rating") - pl.col("old_rating")).alias("change"),
            pl.lit("rated").alias("status"),
        )
    )
    return pl.concat([listed, entered], how="diagonal").collect()


_PLAYED = ("", "counts_for_promotion")
"""The reasons of games that change a rating, or by which a promotion is judged."""


def _figures(calculated: Calculated, rules: Fsi1998Rules) -> pl.DataFrame:
    key = ("fide_id", "event_id")
    every = rules.change.refresh_every
    place = pl.int_range(pl.len()).over("fide_id")
    used = expected_used(pl.col("expected_hundredths"), rules)
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
        .with_columns(after_events(pl.col("rating"), pl.col("change_hundredths")).alias("after"))
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
        "k": coefficient(rules.development_coefficient, pl.col("rating")),
        "expected_hundredths": expected_of_game(calculated, rules.expected_score.table, 100),
        "change_hundredths": CHANGE["hundredths"],
    }


SYSTEM = RatingSystem(
    Fsi1998Rules,
    rate,
    SystemAccount(_figures, _due_of_games),
)
"""The system as the program knows it."""
