"""Calculate the month of some players again, each time with one thing changed: a value of the rules, or an event.

It is the calculation of the lists itself (:func:`~ratinglist.rating.month.rate_month`) that is run, on the reports with
these players and under a changed rule set. :mod:`~ratinglist.analysis.list_comparison` compares what it gives with the
official numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from ratinglist.analysis.our_month import OurMonth
from ratinglist.rating.change import rounded
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.month import Judged, judge_month, rate_judged, rate_month
from ratinglist.rating.rules import SECTIONS, SystemRuleSet
from ratinglist.rating.systems.month import wave_of_ranks
from ratinglist.tables import POOL

ALTERNATIVE = pl.Schema(
    {
        "fide_id": pl.Int64(),
        "cause": pl.String(),
        "detail": pl.String(),
        "rating": pl.Int32(),
        "games": pl.Int32(),
        "k": pl.Int32(),
    }
)
"""A player's rating, games and K with one thing changed, named by its cause.

``rating`` null: not listed. ``detail``: the event, or the value of the rules.
"""

_CAP = {"cap": 400}
_K = "development_coefficient"
_REASON = pl.col("reason")
_CHANGED_VALUES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("one_time_step", "", "list", {"one_time_step": "none"}),
    ("rounded_per_event", "", "change", {"rounded_per": "event"}),
    ("rounded_per_period", "", "change", {"rounded_per": "period"}),
    ("cap_every_game", "", "expected_score", {"cap_applies_to": "every_game", **_CAP}),
    ("cap_once", "", "expected_score", {"cap_applies_to": "best_game_per_event", **_CAP}),
    ("cap_below_2650", "", "expected_score", {"cap_applies_to": "players_below", "cap_players_below": 2650, **_CAP}),
    ("no_cap", "", "expected_score", {"cap_applies_to": "every_game", "cap": 10_000}),
    ("rating_gap", "counted", "expected_score", {"gap_not_rated": 0}),
    ("rating_gap", "not counted", "expected_score", {"gap_not_rated": 600, "gap_needs_player_above": 2600}),
    ("standard_stands_in", "", "event", {"standard_rating_stands_in": False}),
    ("time_limit", "", "event", {"time_limit_applies_to": "nothing"}),
    ("k_limit", "", _K, {"period_limit": 0}),
    ("k_limit", "", _K, {"period_limit": 700}),
    ("k_junior_until", "", _K, {"junior_until": "eighteenth_birthday"}),
    ("k_junior_until", "", _K, {"junior_until": "end_of_year_of_eighteenth_birthday"}),
    ("k_junior_judged_on", "", _K, {"junior_judged_on": "list_before"}),
    ("k_junior_judged_on", "", _K, {"junior_judged_on": "event_start"}),
    ("tranche_too_small", "", "entry", {"tranche_min_games": 1, "tranche_min_halves": 0}),
    ("entry_window", "", "entry", {"window_lists": 1_000}),
    ("entry_method", "two_draws_at_1800", "entry", {"method": "two_draws_at_1800"}),
    ("entry_method", "twenty_per_half_point", "entry", {"method": "twenty_per_half_point"}),
    ("entry_maximum", "none", "entry", {"maximum": 0}),
    ("entry_maximum", "2200", "entry", {"maximum": 2200}),
)
"""The cause, its detail, and the values of a section of the rules that it changes."""

_INFERRED = {"new": (0, False), "normal": (1_000, False), "master": (1_000, True)}
"""Games played and whether 2400 was reached, of a player with each K."""


def alternatives(ours: OurMonth, players: pl.Series) -> pl.DataFrame:
    """Return the numbers of ``players`` with each thing changed (:data:`ALTERNATIVE`).

    None where no rule set of FIDE's is in force: another system has no other readings.
    """
    if ours.rules is None or isinstance(ours.rules, SystemRuleSet) or players.is_empty():
        return pl.DataFrame(schema=ALTERNATIVE)
    own, control, rules = _with_these_players(ours.inputs, players), ours.time_control, ours.rules
    result, judged = rate_month(own), judge_month(own)

    def named(changed: MonthResult, cause: str, detail: str = "", of: pl.Series = players) -> pl.DataFrame:
        return _numbers(changed, control, of).with_columns(cause=pl.lit(cause), detail=pl.lit(detail))

    newcomers = players.filter(~players.is_in(ours.before.drop_nulls("rating")["fide_id"].implode()))
    sections = [section for section in SECTIONS if section != "entry" or len(newcomers)]
    changed_rules = _changed_rules(own, judged.events, sections, ours)
    found = [named(rate_month(changed), cause, detail) for cause, detail, changed in changed_rules]
    found += [named(rate_month(changed), cause) for cause, changed in _changed_lists(own, result)]
    if len(newcomers):
        found.append(named(rate_month(_with_waiting(own, newcomers, ours)), "zero_first_event"))
    if judged.games["same_game"].any():
        twice = judged._replace(games=judged.games.with_columns(same_game=pl.lit(value=False)))
        found.append(named(rate_judged(twice, own), "same_game"))
    inferred = ours.inferred.filter(is_state_inferred(), pl.col("fide_id").is_in(players.implode()))["fide_id"]
    for name, (games, reached) in _INFERRED.items() if len(inferred) else ():
        lists = own.lists.with_columns(games_played=pl.lit(games, pl.Int32), reached_2400=pl.lit(reached))
        k = str(getattr(rules.development_coefficient, name))
        found.append(named(rate_month(replace(own, lists=lists)), "k_inferred", k, inferred))
    found += [
        _numbers(rate_judged(changed, own), control, pairs["fide_id"])
        .join(pairs, on="fide_id")
        .with_columns(cause=pl.lit(cause))
        for cause, pairs, changed in _changed_events(judged, players, control)
    ]
    found += _other_halves(result, control, players) if rules.change.rounded_per == "period" else []
    return pl.concat(one.select(pl.col(name).cast(kind) for name, kind in ALTERNATIVE.items()) for one in found)


def _with_these_players(inputs: MonthInputs, players: pl.Series) -> MonthInputs:
    """Return the inputs with the reports of these players alone, and with those who play in them."""
    theirs = inputs.report_players.filter(pl.col("fide_id").is_in(players.implode()))["report_id"]
    ids = inputs.reports.filter(pl.col("report_id").is_in(theirs.cast(pl.String).implode()))["event_id"]
    reports = inputs.reports.filter(pl.col("event_id").is_in(ids.implode()))
    of_report = pl.col("report_id").cast(pl.String).is_in(reports["report_id"].implode())
    playing = inputs.report_players.filter(of_report)
    known = pl.col("fide_id").is_in(pl.concat([players, playing["fide_id"]]).unique().implode())
    return replace(
        inputs,
        reports=reports,
        report_players=playing,
        report_games=inputs.report_games.filter(of_report),
        lists=inputs.lists.filter(known),
        pool=inputs.pool.filter(known),
        players=inputs.players.filter(known),
    )


def _numbers(result: MonthResult, time_control: str, players: pl.Series) -> pl.DataFrame:
    """Return rating, games and K of these players on the list of a time control."""
    listed = result.list_state.filter(time_control=time_control).select("fide_id", "rating", "games", "k")
    every = players.unique().to_frame("fide_id").join(listed, on="fide_id", how="left")
    return every.with_columns(pl.col("games").fill_null(0))


def _changed_rules(
    own: MonthInputs, events: pl.DataFrame, sections: Collection[str], ours: OurMonth
) -> Iterator[tuple[str, str, MonthInputs]]:
    """Yield the cause, its detail and the inputs with other values in these ``sections`` of the rules in use."""
    names = events["rule_set"].drop_nulls().unique().sort()
    in_use = [*([] if ours.rules is None else [ours.rules]), *(own.rules.named(name) for name in names)]
    fixed = [("k_fixed", "", _K, {"fixed": k}) for k in (0, 20)] if ours.time_control != "standard" else []
    floors = sorted({0, *(one.list.floor for one in own.rules.of(own.family))})
    of_floor = [("floor", str(floor) if floor else "none", "list", {"floor": floor}) for floor in floors]
    for cause, detail, section, values in (*_CHANGED_VALUES, *fixed, *of_floor):
        of_section = [getattr(one, section) for one in in_use]
        differs = any(getattr(one, key) != value for one in of_section for key, value in values.items())
        if section in sections and differs:
            yield cause, detail, with_rules(own, section, values)


def _changed_lists(own: MonthInputs, result: MonthResult) -> Iterator[tuple[str, MonthInputs]]:
    """Yield the cause and the inputs with other lists before; ``result``: of the inputs as they are."""
    of_player = ["time_control", "fide_id"]
    state = result.list_state.select(*of_player, "games_played", "reached_2400", "reached_2300")
    yield "k_state", replace(own, lists=own.lists.update(state, on=of_player))
    is_newest = pl.col("month") == pl.col("month").max().over("time_control")
    on_every_list = (
        own.lists.select("time_control", "month")
        .unique()
        .join(own.lists.filter(is_newest).drop("month"), on="time_control")
        .select(own.lists.columns)
    )
    rated = own.lists.filter(pl.col("rating").is_not_null())
    since = on_every_list.join(rated, on=[*of_player, "month"], how="anti")
    if own.lists["month"].n_unique() > 1:
        yield "newest_ratings", replace(own, lists=on_every_list)
        yield "opponent_rated_since", replace(own, lists=pl.concat([rated, since]))


def _with_waiting(own: MonthInputs, newcomers: pl.Series, ours: OurMonth) -> MonthInputs:
    """Return the inputs in which a result of no games waits of each newcomer: so no event is the first one."""
    values = {
        "time_control": ours.time_control,
        "event_id": "",
        **dict.fromkeys(("games", "score_halves", "opponent_rating_sum"), 0),
        "counted_month": str(own.period),
        "expires_month": "",
    }
    waits = newcomers.to_frame("fide_id").with_columns(pl.lit(value).alias(name) for name, value in values.items())
    return replace(own, pool=pl.concat([own.pool, POOL.conform(waits)]))


def with_rules(inputs: MonthInputs, section: str, values: Mapping[str, Any]) -> MonthInputs:
    """Return the inputs with other values in a section of all rule sets of the family."""
    made = [
        replace(one, **{section: replace(getattr(one, section), **values)}) for one in inputs.rules.of(inputs.family)
    ]
    return replace(inputs, rules=replace(inputs.rules, files={}, made=tuple(made)))


def _changed_events(
    judged: Judged, players: pl.Series, time_control: str
) -> Iterator[tuple[str, pl.DataFrame, Judged]]:
    """Yield months with some events less, or with some that are not rated.

    Of no player is more than one event changed at once. Out: the cause, the players (``fide_id``) with their event
    (``detail``), and the month.
    """
    known = judged.events.filter(pl.col("status") != "superseded", pl.col("rule_set").is_not_null())
    known = known.filter(pl.col("time_control") == time_control).select("event_id", (_REASON == "").alias("is_rated"))
    sides = [judged.games.select("event_id", fide_id=f"{colour}_id") for colour in ("white", "black")]
    played = (
        pl.concat(sides)
        .unique()
        .filter(pl.col("fide_id").is_in(players.implode()))
        .join(known, on="event_id")
        .with_columns(rank=pl.col("event_id").rank("dense").cast(pl.UInt32) - 1)
    )
    wave = wave_of_ranks(played.select("rank", player="fide_id"), played["rank"].n_unique())
    changes = {True: ("extra_event", "withdrawn"), False: ("missing_event", "")}
    for (_, is_rated), pairs in played.with_columns(wave=wave.gather(played["rank"])).group_by("wave", "is_rated"):
        cause, reason = changes[bool(is_rated)]
        is_changed = pl.col("event_id").is_in(pairs["event_id"].unique().implode())
        events = judged.events.with_columns(
            pl.when(is_changed).then(pl.lit(value)).otherwise(name).alias(name)
            for name, value in (("reason", reason), ("status", STATUS[reason]))
        )
        detail = pl.col("event_id").cast(pl.String).alias("detail")
        yield cause, pairs.select("fide_id", detail), judged._replace(events=events)


def _other_halves(result: MonthResult, time_control: str, players: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield the ratings by other ways to round half a point, which no rule file has."""
    exact = pl.col("change_hundredths")
    down = exact // 100
    is_half = exact % 100 == 50
    rows = result.changes.filter(pl.col("fide_id").is_in(players.implode()), pl.col("status") == "rated")
    rows = rows.filter(pl.col("time_control") == time_control)
    for name, of_half in (
        ("up", down + 1),
        ("towards_zero", down + (exact < 0).cast(pl.Int32)),
        ("to_even", down + down % 2),
    ):
        change = pl.when(is_half).then(of_half).otherwise(rounded(exact))
        yield rows.select(
            "fide_id",
            "games",
            "k",
            cause=pl.lit(f"halves_{name}"),
            detail=pl.lit(""),
            rating=pl.col("old_rating") + change,
        )


def is_state_inferred() -> pl.Expr:
    """Return whether the import of a player inferred any column that K depends on."""
    names = pl.col("inferred").fill_null("").str.split(",")
    return names.list.set_intersection(pl.lit(["games_played", "reached_2300", "reached_2400", "k"])).list.len() > 0
