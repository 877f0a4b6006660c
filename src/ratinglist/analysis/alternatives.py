"""Recompute the ratings of rated players with one thing changed: another reading, or one event more or less.

Every alternative recomputes the period of all selected players at once, from the games of the month.
:mod:`~ratinglist.analysis.list_comparison` compares the results with the official ratings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from ratinglist.analysis.our_month import OurMonth
from ratinglist.period import Period
from ratinglist.rating.change import change_hundredths, development_coefficient, is_junior, limited_coefficient, rounded
from ratinglist.rating.expected import CAP_CHOICES, difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import DevelopmentCoefficientRules, RuleBook, RuleSet

ALTERNATIVE = pl.Schema(
    {"fide_id": pl.Int64(), "cause": pl.String(), "detail": pl.String(), "rating": pl.Int32(), "games": pl.Int32()}
)
"""A player's rating and games by an alternative, named by its cause.

``rating`` null: not listed. ``detail``: the event, or the value that the reading uses.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """The choices by which a period is computed; an alternative replaces one or two of them.

    ``counted``: which games count. ``rating`` and ``opponent``: the columns with the ratings used. ``halves``: how .5
    is rounded. ``step``: whether the one-time step is taken. ``inferred_only``: recompute only players whose K rests on
    an inferred state.
    """

    counted: pl.Expr
    k: pl.Expr
    k_rules: DevelopmentCoefficientRules
    cap: pl.Expr
    cap_applies_to: pl.Expr
    cap_players_below: pl.Expr
    rounded_per: str
    floor: int
    step: bool = True
    rating: str = "rating"
    opponent: str = "opponent_rating"
    halves: str = "away_from_zero"
    inferred_only: bool = False


def our_reading(rule_set: RuleSet, month_before: str) -> Reading:
    """Return the reading by which the month was computed."""
    k_rules = rule_set.development_coefficient
    return Reading(
        counted=pl.col("rated"),
        k=_k(k_rules, month_before),
        k_rules=k_rules,
        cap=pl.col("cap"),
        cap_applies_to=pl.col("cap_applies_to"),
        cap_players_below=pl.col("cap_players_below"),
        rounded_per=rule_set.change.rounded_per,
        floor=rule_set.list.floor,
    )


def recompute(
    sides: pl.DataFrame, reading: Reading, players: pl.DataFrame, book: RuleBook, rule_set: RuleSet, period: Period
) -> pl.DataFrame:
    """Recompute the ratings of ``players`` (``fide_id``, ``detail``, ``old_rating``, ``inferred``) by ``reading``.

    In: ``sides`` from :func:`~ratinglist.analysis.our_month.select_sides`. Out: ``fide_id``, ``detail``,
    ``rating`` (null: below the floor) and ``games``.
    """
    used = pl.coalesce(
        pl.when(reading.cap_applies_to == choice).then(
            difference_used(
                pl.col("difference"),
                rating=pl.col(reading.rating),
                cap=reading.cap,
                applies_to=choice,
                players_below=reading.cap_players_below,
                player_of_event=["fide_id", "detail", "event_id"],
                order=["round", "opponent_id"],
            )
        )
        for choice in CAP_CHOICES
    )
    expected = pl.coalesce(
        pl.when(pl.col("table") == name).then(expected_hundredths(pl.col("used"), scores))
        for name, scores in sorted(book.expected_score.items())
    )
    both_rated = pl.col(reading.rating).is_not_null() & pl.col(reading.opponent).is_not_null()
    per = ["fide_id", "detail", *(["event_id"] if reading.rounded_per == "event" else [])]
    games = pl.len().over("fide_id", "detail").cast(pl.Int32)
    sums = (
        sides.filter(reading.counted & both_rated)
        .with_columns((pl.col(reading.rating) - pl.col(reading.opponent)).alias("difference"))
        .with_columns(used.alias("used"))
        .with_columns(
            change_hundredths(
                limited_coefficient(reading.k_rules, reading.k, games), pl.col("score_halves"), expected
            ).alias("sum")
        )
        .group_by(per)
        .agg(pl.col("sum").sum(), pl.len().cast(pl.Int32).alias("games"))
        .with_columns(_rounded(pl.col("sum"), reading.halves).alias("change"))
        .group_by("fide_id", "detail")
        .agg(pl.col("change").sum(), pl.col("games").sum())
    )
    carried = pl.col("old_rating") + pl.col("change").fill_null(0)
    final = after_one_time_step(carried, rule_set.list, period) if reading.step else carried
    players = players.filter(pl.lit(value=not reading.inferred_only) | is_state_inferred())
    return (
        players.join(sums, on=["fide_id", "detail"], how="left")
        .with_columns(final.alias("rating"))
        .select(
            "fide_id",
            "detail",
            pl.when(pl.col("rating") >= reading.floor).then("rating").cast(pl.Int32).alias("rating"),
            pl.col("games").fill_null(0),
        )
    )


def _rounded(hundredths: pl.Expr, halves: str) -> pl.Expr:
    """Round hundredths to whole points; ``halves`` says what .5 becomes."""
    if halves == "up":
        return (hundredths + 50) // 100
    if halves == "towards_zero":
        return hundredths.sign() * ((hundredths.abs() + 49) // 100)
    if halves == "to_even":
        down = hundredths // 100
        rest = hundredths - 100 * down
        return down + ((rest > 50) | ((rest == 50) & (down % 2 == 1))).cast(pl.Int32)
    return rounded(hundredths)


def _k(rules: DevelopmentCoefficientRules, month_before: str, **changed: pl.Expr) -> pl.Expr:
    """Return the K of a side, with ``changed`` in place of parts of the state on the list before."""
    judged_on = (
        pl.col("start_date")
        if rules.junior_judged_on == "event_start"
        else pl.lit(month_before).add("-01").str.to_date("%Y-%m-%d")
    )
    state = {
        "games_played": pl.col("games_played").fill_null(0),
        "reached_2400": pl.col("reached_2400").fill_null(value=False),
        "reached_2300": pl.col("reached_2300").fill_null(value=False),
    } | changed
    birth = {"birth_date": pl.col("birth_date"), "birth_year": pl.col("birth_year")}
    return development_coefficient(rules, junior=is_junior(rules, judged_on=judged_on, **birth), **state)


def readings(
    rule_set: RuleSet, rule_sets: list[RuleSet], ours: Reading, month_before: str
) -> Iterator[tuple[str, str, Reading]]:
    """Yield cause, detail and reading of every alternative that is not an event.

    Some change nothing in this month. ``rule_sets`` are all of the family and time control: an office may apply what
    another text says.
    """
    if rule_set.list.one_time_step != "none":
        yield "one_time_step", "", replace(ours, step=False)
    for floor in sorted({0, *(one.list.floor for one in rule_sets)} - {ours.floor}):
        yield "floor", str(floor) if floor else "none", replace(ours, floor=floor)
    for halves in ("up", "towards_zero", "to_even"):
        yield f"halves_{halves}", "", replace(ours, halves=halves)
    other = "event" if ours.rounded_per == "period" else "period"
    yield f"rounded_per_{other}", "", replace(ours, rounded_per=other)
    yield "cap_every_game", "", replace(ours, cap_applies_to=pl.lit("every_game"), cap=_cap())
    yield "cap_once", "", replace(ours, cap_applies_to=pl.lit("best_game_per_event"), cap=_cap())
    below = replace(ours, cap_applies_to=pl.lit("players_below"), cap_players_below=pl.lit(2650), cap=_cap())
    yield "cap_below_2650", "", below
    yield "no_cap", "", replace(ours, cap_applies_to=pl.lit("every_game"), cap=pl.lit(10_000))
    gap = is_gap_not_rated(
        pl.col("rating"), pl.col("opponent_rating"), gap=pl.lit(600), needs_player_above=pl.lit(2600)
    )
    yield "rating_gap", "counted", replace(ours, counted=pl.col("rated") | (pl.col("reason") == "rating_gap"))
    yield "rating_gap", "not counted", replace(ours, counted=pl.col("rated") & ~gap.fill_null(value=False))
    yield "newest_ratings", "", replace(ours, rating="current", opponent="opponent_current")
    since = pl.col("rated") | (pl.col("reason") == "opponent_unrated")
    yield "opponent_rated_since", "", replace(ours, counted=since, opponent="opponent_then_or_now")
    yield "player_rated_since", "", replace(ours, counted=pl.col("rated") & pl.col("at_start").is_not_null())
    if rule_set.time_control != "standard":
        alone = pl.col("rated") & pl.col("opponent_at_start").is_not_null()
        yield "standard_stands_in", "", replace(ours, counted=alone)
    for reason in ("time_limit", "same_game"):
        yield reason, "", replace(ours, counted=pl.col("rated") | (pl.col("reason") == reason))
    yield from _readings_of_k(rule_set, ours, month_before)


def alternatives(ours: OurMonth, sides: pl.DataFrame, players: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """Recompute the rated ones of ``players`` (``fide_id``) by every reading and with every event more or less.

    In: ``sides`` from :func:`~ratinglist.analysis.our_month.select_sides`. Out: :data:`ALTERNATIVE`; no rows where no
    rule set is in force.
    """
    rule_set = book.on(ours.family, ours.time_control, ours.period.first_day)
    if rule_set is None:
        return pl.DataFrame(schema=ALTERNATIVE)
    month_before = str(ours.lists["month"].max())
    same_control = [one for one in book.of(ours.family) if one.time_control == ours.time_control]
    reading = our_reading(rule_set, month_before)
    rated = _rated(ours, players)
    results = [
        _alternative(recompute(sides, other, rated, book, rule_set, ours.period), cause, detail)
        for cause, detail, other in readings(rule_set, same_control, reading, month_before)
    ]
    rateable = pl.col("rating").is_not_null() & pl.col("opponent_rating").is_not_null()
    of_event = pl.col("event_id") == pl.col("detail")
    for cause, changed, counted in (
        ("extra_event", sides.filter("rated"), pl.col("rated") & ~of_event),
        ("missing_event", sides.filter((pl.col("status") != "rated") & rateable), pl.col("rated") | of_event),
    ):
        events = changed.select("fide_id", pl.col("event_id").alias("detail")).unique()
        without = rated.drop("detail").join(events, on="fide_id")
        each = sides.drop("detail").join(events, on="fide_id")
        other = replace(reading, counted=counted)
        results.append(_alternative(recompute(each, other, without, book, rule_set, ours.period), cause, None))
    return pl.concat(results)


def _rated(ours: OurMonth, players: pl.DataFrame) -> pl.DataFrame:
    """Return those of ``players`` that have a rating to add a change to, with ``old_rating`` and ``inferred``."""
    old = ours.changes.filter(pl.col("status") != "entered").select("fide_id", "old_rating")
    current = ours.before.select("fide_id", pl.col("rating").alias("current"))
    return (
        players.select("fide_id", pl.lit("").alias("detail"))
        .join(old, on="fide_id", how="left")
        .join(current, on="fide_id", how="left")
        .join(ours.inferred, on="fide_id", how="left")
        .select("fide_id", "detail", pl.coalesce("old_rating", "current").alias("old_rating"), "inferred")
        .drop_nulls("old_rating")
    )


def _alternative(computed: pl.DataFrame, cause: str, detail: str | None) -> pl.DataFrame:
    details = pl.col("detail") if detail is None else pl.lit(detail)
    columns = {"cause": pl.lit(cause), "detail": details}
    return computed.with_columns(**columns).select(pl.col(name).cast(kind) for name, kind in ALTERNATIVE.items())


def is_state_inferred() -> pl.Expr:
    """Return whether the import of a player inferred any column that K depends on."""
    names = pl.col("inferred").fill_null("").str.split(",")
    return names.list.set_intersection(pl.lit(["games_played", "reached_2300", "reached_2400", "k"])).list.len() > 0


def _readings_of_k(rule_set: RuleSet, ours: Reading, month_before: str) -> Iterator[tuple[str, str, Reading]]:
    rules = rule_set.development_coefficient
    variants = [
        ("k_limit", replace(rules, period_limit=0 if rules.period_limit else 700)),
        ("k_junior_until", other_end_of_junior(rules)),
        ("k_junior_judged_on", _other_day_of_junior(rules)),
        *([("k_fixed", replace(rules, fixed=0 if rules.fixed else 20))] if rule_set.time_control != "standard" else []),
    ]
    for cause, variant in variants:
        yield cause, "", replace(ours, k=_k(variant, month_before), k_rules=variant)
    played = pl.col("games_played").fill_null(0) + pl.col("rated").sum().over("fide_id", "detail").cast(pl.Int32)
    above = (pl.col("new_rating") >= rules.master_from).fill_null(value=False)
    reached = pl.col("reached_2400").fill_null(value=False) | above
    yield "k_state", "", replace(ours, k=_k(rules, month_before, games_played=played, reached_2400=reached))
    for k in sorted({rules.new, rules.normal, rules.master, rules.junior}):
        yield "k_inferred", str(k), replace(ours, k=pl.lit(k, dtype=pl.Int32), inferred_only=True)


def other_end_of_junior(rules: DevelopmentCoefficientRules) -> DevelopmentCoefficientRules:
    """Return ``rules`` with the other day on which a junior's K ends."""
    if rules.junior_until == "eighteenth_birthday":
        return replace(rules, junior_until="end_of_year_of_eighteenth_birthday")
    return replace(rules, junior_until="eighteenth_birthday")


def _other_day_of_junior(rules: DevelopmentCoefficientRules) -> DevelopmentCoefficientRules:
    if rules.junior_judged_on == "list_before":
        return replace(rules, junior_judged_on="event_start")
    return replace(rules, junior_judged_on="list_before")


def _cap() -> pl.Expr:
    """Return the cap of the event's rule set; 400, the cap of every rule set that has one, where it has none."""
    return pl.when(pl.col("cap") > 0).then("cap").otherwise(400)
