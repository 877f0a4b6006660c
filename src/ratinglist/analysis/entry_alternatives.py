"""Recompute the initial ratings of unrated players by another reading, or with one event more or less."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ratinglist.analysis.alternatives import ALTERNATIVE
from ratinglist.analysis.our_month import OurMonth
from ratinglist.rating import entry
from ratinglist.rating.rules import EntryRules, RuleBook
from ratinglist.tables import POOL

_TRANCHE = ["fide_id", "event_id", "games", "score_halves", "opponent_rating_sum", "games_now"]


@dataclass(frozen=True, slots=True)
class _Case:
    """One alternative: the tranches it counts, the rules and the floor it applies.

    ``share_cut``: the share of the points is cut to hundredths, not rounded.
    """

    cause: str
    detail: str
    tranches: pl.DataFrame
    rules: EntryRules
    floor: int
    share_cut: bool = False


def entry_alternatives(ours: OurMonth, sides: pl.DataFrame, players: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """Recompute the unrated ones of ``players`` (``fide_id``) by every reading and with every event more or less.

    In: ``sides`` from :func:`~ratinglist.analysis.our_month.select_sides`. Out:
    :data:`~ratinglist.analysis.alternatives.ALTERNATIVE`; ``rating`` is null where a player would not enter. No rows
    where no rule set is in force.
    """
    rule_set = book.on(ours.family, ours.time_control, ours.period.first_day)
    if rule_set is None:
        return pl.DataFrame(schema=ALTERNATIVE)
    rules, floor = rule_set.entry, rule_set.list.floor
    rated = ours.before.filter(pl.col("rating").is_not_null()).select("fide_id")
    unrated = players.select("fide_id").join(rated, on="fide_id", how="anti")
    # A player with a standard rating in place of a missing one is rated; without that rule, the player is a newcomer.
    with_standard = ours.changes.filter(pl.col("status") != "entered").select("fide_id")
    newcomers = unrated.join(with_standard, on="fide_id", how="anti")
    own = sides.join(unrated, on="fide_id", how="semi")
    was_waiting = ours.waiting.join(unrated, on="fide_id", how="semi").with_columns(pl.lit(0).alias("games_now"))
    old = entry.is_expired(pl.col("counted_month"), ours.period, rules)
    waiting = was_waiting.filter(~old).select(_TRANCHE)
    counted = pl.concat([waiting, _tranches(own.filter(pl.col("reason") == "counts_for_entry"))])
    same_control = [one for one in book.of(ours.family) if one.time_control == ours.time_control]
    cases = [
        _Case(reason, "", pl.concat([counted, _tranches(own.filter(pl.col("reason") == reason))]), rules, floor)
        for reason in ("zero_first_event", "tranche_too_small")
    ]
    lapsed = was_waiting.filter(old).select(_TRANCHE)
    cases.append(_Case("entry_window", "", pl.concat([counted, lapsed]), rules, floor))
    method = {one.entry.method for one in book.rule_sets} - {rules.method}
    cases += [_Case("entry_method", name, counted, replace(rules, method=name), floor) for name in sorted(method)]
    maxima = {0, 2200} - {rules.maximum}
    cases += [
        _Case("entry_maximum", str(top) if top else "none", counted, replace(rules, maximum=top), floor)
        for top in sorted(maxima)
    ]
    cases += [
        _Case("floor", str(other) if other else "none", counted, rules, other)
        for other in sorted({0, *(one.list.floor for one in same_control)} - {floor})
    ]
    cases.append(_Case("entry_share_cut", "", counted, rules, floor, share_cut=True))
    performance = book.performance[rules.performance_table]
    results = [
        _computed(case, newcomers.with_columns(pl.lit(case.detail).alias("detail")), performance) for case in cases
    ]
    alone = unrated.join(with_standard, on="fide_id", how="semi").with_columns(pl.lit("").alias("detail"))
    without = pl.concat([waiting, _tranches(own.filter("rated"))])
    results.append(_computed(_Case("standard_stands_in", "", without, rules, floor), alone, performance))
    new = own.join(newcomers, on="fide_id", how="semi")
    counted = counted.join(newcomers, on="fide_id", how="semi")
    for case in _events_changed(new, counted, rules, floor):
        players = case.tranches.select("fide_id", "detail").unique()
        results.append(_computed(case, players, performance))
    return pl.concat(results)


def _events_changed(own: pl.DataFrame, counted: pl.DataFrame, rules: EntryRules, floor: int) -> list[_Case]:
    """Return the pools with one event less, and with one more; ``detail`` is the event."""
    events = counted.select("fide_id", pl.col("event_id").alias("detail"))
    # The left-out tranche stays, with zeros, so that a pool of one event becomes an empty pool and is still computed.
    is_it = pl.col("event_id") == pl.col("detail")
    less = counted.join(events, on="fide_id").with_columns(
        pl.when(is_it).then(0).otherwise(pl.col(name)).alias(name) for name in _TRANCHE[2:]
    )
    more = _tranches(own.filter(pl.col("status") != "rated"))
    added = more.with_columns(pl.col("event_id").alias("detail"))
    kept = counted.join(added.select("fide_id", "detail"), on="fide_id")
    return [
        _Case("extra_event", "", less, rules, floor),
        _Case("missing_event", "", pl.concat([kept, added]), rules, floor),
    ]


def _tranches(own: pl.DataFrame) -> pl.DataFrame:
    """Return the results against rated opponents, one row per player and event."""
    games = pl.len().cast(pl.Int32)
    return (
        own.filter(pl.col("opponent_rating").is_not_null())
        .group_by("fide_id", "event_id")
        .agg(
            games.alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
            games.alias("games_now"),
        )
        .select(_TRANCHE)
    )


def _computed(case: _Case, players: pl.DataFrame, performance: pl.Series) -> pl.DataFrame:
    tranches = case.tranches
    if "detail" not in tranches.columns:
        tranches = tranches.with_columns(pl.lit(case.detail).alias("detail"))
    # compute_entries groups by time control; ``detail`` in its place gives each alternative a pool of its own.
    blank = {name: pl.lit("") for name in ("counted_month", "expires_month")}
    pool = POOL.conform(tranches.with_columns(pl.col("detail").alias("time_control"), **blank))
    entries = entry.compute_entries(pool, case.rules, performance, case.floor).rename({"time_control": "detail"})
    games = tranches.group_by("fide_id", "detail").agg(pl.col("games_now").sum())
    sums = pool.group_by("fide_id", pl.col("time_control").alias("detail")).agg(
        pl.col("opponent_rating_sum").sum(), pl.col("score_halves").sum().alias("halves")
    )
    rating = _with_share_cut(case.rules, performance) if case.share_cut else pl.col("computed_rating")
    return (
        players.join(entries, on=["fide_id", "detail"], how="left")
        .join(sums, on=["fide_id", "detail"], how="left")
        .join(games, on=["fide_id", "detail"], how="left")
        .with_columns(pl.when(pl.col("computed_rating").is_not_null()).then(rating).alias("rating"))
        .with_columns(pl.when(pl.col("rating") >= case.floor).then("rating").alias("rating"))
        .with_columns(
            pl.lit(case.cause).alias("cause"),
            pl.when(pl.col("rating").is_not_null()).then(pl.col("games_now").fill_null(0)).otherwise(0).alias("games"),
        )
        .select(pl.col(name).cast(kind) for name, kind in ALTERNATIVE.items())
    )


def _with_share_cut(rules: EntryRules, performance: pl.Series) -> pl.Expr:
    """Return the initial rating with p cut to hundredths."""
    draws = 2 if rules.method == "two_draws_at_1800" else 0
    games, halves = pl.col("games") + draws, pl.col("halves") + draws
    total = pl.col("opponent_rating_sum") + draws * 1800
    dp = pl.lit(performance).gather((halves * 100) // (2 * games))
    rating = (2 * (total + dp * games) + games) // (2 * games)
    return pl.min_horizontal(rating, pl.lit(rules.maximum)) if rules.maximum else rating
