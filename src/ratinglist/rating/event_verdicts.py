"""The verdict of a list on every event: rated, or the reason why not.

Every list judges an event again until one rates it, finds it late or finds it a duplicate. So the order in which
reports and players were delivered makes no difference.
"""

from __future__ import annotations

import polars as pl

from ratinglist.messages import EVENT_REASONS
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.participants import facts_of_events
from ratinglist.rating.rules import last_list
from ratinglist.tables import EVENT

STATUS = {"": "rated"} | {code: reason.status for code, reason in EVENT_REASONS.items()}
"""The status of an event by its reason."""


def judge_dates(period: Period) -> pl.Expr:
    """Return the first reason in the report itself, in its players or in its dates; null where there is none.

    Needs ``accepted``, ``is_without_games``, ``is_withdrawn``, ``is_other_event``, ``is_disputed``, ``settled``,
    ``time_control`` (empty: not known), ``rule_set``, ``closing_date``, ``has_player_twice``,
    ``unknown_players`` (count), ``last_list_after_end``, ``received_on``, ``end_date`` and ``base_month`` (the list in
    force at the start).
    """
    return (
        pl.when("is_without_games")
        .then(pl.lit("no_games"))
        .when(~pl.col("accepted"))
        .then(pl.lit("report_refused"))
        .when("is_withdrawn")
        .then(pl.lit("withdrawn"))
        .when("is_other_event")
        .then(pl.lit("code_of_another_event"))
        .when(pl.col("settled") == "rated")
        .then(pl.lit("rated_in_earlier_list"))
        .when("is_disputed")
        .then(pl.lit("two_reports"))
        .when(pl.col("time_control") == "")
        .then(pl.lit("time_control_unknown"))
        .when(pl.col("rule_set").is_null() | pl.col("closing_date").is_null())
        .then(pl.lit("no_rule_set"))
        .when("has_player_twice")
        .then(pl.lit("player_twice"))
        .when(pl.col("unknown_players") > 0)
        .then(pl.lit("unknown_player"))
        .when(last_list() < period.index)
        .then(pl.lit("third_list_limit"))
        .when(pl.col("received_on") > pl.col("closing_date"))
        .then(pl.lit("received_after_closing"))
        .when(pl.col("end_date") > pl.col("closing_date"))
        .then(pl.lit("ended_after_closing"))
        .when(pl.col("base_month").is_null())
        .then(pl.lit("no_list_in_force"))
    )


def withheld(is_refused: pl.Expr, name_has_date: pl.Expr) -> list[pl.Expr]:
    """Return the columns of an event without what must not be published.

    Of a refused report, that is everything it says of its event; of a name with a date of birth, the name. Such an
    event is named by its code.
    """
    return [
        pl.when(is_refused | name_has_date).then("event_id").otherwise("name").alias("name"),
        pl.when(is_refused).then(pl.lit("")).otherwise("federation").alias("federation"),
        *(pl.when(~is_refused).then(day).alias(day) for day in ("start_date", "end_date")),
    ]


_FACTS = ("official", "registered_on", "minutes_per_60_moves")
"""What a refused report says of its event, besides what :func:`withheld` leaves out."""


_SAME_GAMES = ["games_digest", "start_date", "time_control"]


def has_rated_duplicate(earlier: pl.DataFrame) -> pl.Expr:
    """Return whether an earlier list rated an event with the same games; false where there is a ``reason`` already.

    Two events have the same games if they have the same ``games_digest``, start date and time control, and at least one
    game.
    """
    rated = earlier.filter(pl.col("status") == "rated").select(pl.struct(_SAME_GAMES).alias("same"))
    is_rated = pl.struct(_SAME_GAMES).is_in(rated["same"].unique().implode())
    return pl.col("reason").is_null() & (pl.col("games_digest") != "") & is_rated


def has_earlier_duplicate() -> pl.Expr:
    """Return whether another event that this list can rate has the same games, under a code received earlier.

    Only events without a ``reason`` so far are compared: a refused report must not exclude a better one. Codes
    received on the same day are ordered by ``event_id``.
    """
    first = pl.struct("first_received_on", "event_id").rank("ordinal").over([*_SAME_GAMES, "reason"]) == 1
    return pl.col("reason").is_null() & (pl.col("games_digest") != "") & ~first


def judge_conditions() -> pl.Expr:
    """Return the first condition of the regulations that an event does not meet; null where it meets them all.

    Needs the columns of the event's rule set and of
    :func:`~ratinglist.rating.participants.facts_of_events`:
    ``listed_players``, ``rated_players``, ``highest_rating`` and ``highest_woman`` among the players listed,
    ``highest_playing`` among the players with a game (null: none of them rated), ``most_rounds`` on one day (null: no
    dates), and :func:`too_short_from`. An unknown value breaks no condition; the report has a note then.
    """
    rated, players = pl.col("rated_players"), pl.col("listed_players")
    someone_unrated = rated < players
    elite = (
        (pl.col("elite_registration_days") > 0)
        & ((pl.col("highest_rating") > pl.col("elite_above")) | (pl.col("highest_woman") > pl.col("elite_women_above")))
    ).fill_null(value=False)
    notice = pl.when(elite).then("elite_registration_days").otherwise("registration_days")
    days_before_start = (pl.col("start_date") - pl.col("registered_on")).dt.total_days()
    hours = pl.col("hours_per_day")
    small = players < pl.col("round_robin_small_below")
    meets_single = (rated * pl.col("round_robin_rated_one_in") >= players) & (
        ~small | (rated >= pl.col("round_robin_small_min_rated"))
    )
    meets_double = (players >= pl.col("double_round_robin_min_players")) & (
        rated >= pl.col("double_round_robin_min_rated")
    )
    meets = (
        pl.when(pl.col("event_type") == "roundrobin")
        .then(meets_single)
        .when(pl.col("event_type") == "double_roundrobin")
        .then(meets_double)
        .otherwise(pl.lit(value=True))
    )
    return (
        pl.when(~pl.col("official") & (days_before_start < notice))
        .then(pl.lit("registered_late"))
        .when(
            (pl.col("time_limit_applies_to") == "event")
            & (pl.col("highest_playing").fill_null(0) >= pl.col("too_short_from"))
        )
        .then(pl.lit("time_limit"))
        .when((pl.col("rounds_per_day") > 0) & (pl.col("most_rounds") > pl.col("rounds_per_day")))
        .then(pl.lit("too_many_rounds_a_day"))
        .when((hours > 0) & (pl.col("most_rounds") * 2 * pl.col("minutes_per_60_moves") > hours * 60))
        .then(pl.lit("too_many_hours_a_day"))
        .when((pl.col("round_robin_with_unrated") == "conditions") & someone_unrated & ~meets)
        .then(pl.lit("round_robin_unrated"))
        .when((pl.col("match_with_unrated") == "not_rated") & (pl.col("event_type") == "match") & someone_unrated)
        .then(pl.lit("match_with_unrated_player"))
    )


def too_short_from() -> pl.Expr:
    """Return the rating from which the thinking time of an event is too short (1.1); null: long enough for anybody.

    Nobody rated counts as 0. Needs ``minutes_per_60_moves`` (null: unknown, which is never too short) and the section
    ``event`` of the event's rule set.
    """
    minutes = pl.col("minutes_per_60_moves")
    return (
        pl.when(minutes < pl.col("short_game_minutes"))
        .then(0)
        .when(minutes < pl.col("middle_game_minutes"))
        .then("middle_game_from")
        .when(minutes < pl.col("long_game_minutes"))
        .then("long_game_from")
        .alias("too_short_from")
    )


def judge_events(
    reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, inputs: MonthInputs
) -> pl.DataFrame:
    """Judge every event known to the period.

    In: ``reports`` (:func:`~ratinglist.rating.report_versions.newest_versions`), their ``players`` and ``games``
    (:mod:`~ratinglist.rating.participants`). Out: the reports, a row per event, sorted by time control and event, with
    ``status``, ``reason`` (empty: rated), :func:`too_short_from` and ``report_sha256``.
    """
    reports = reports.with_columns(too_short_from())
    judged = (
        reports.join(facts_of_events(reports, players, games), on="event_id", how="left")
        .with_columns(
            pl.col("unknown_players", "listed_players", "rated_players").fill_null(0),
            pl.col("report_id").is_in(inputs.withdrawn.implode()).alias("is_withdrawn"),
            pl.col("report_id").is_in(inputs.without_games.implode()).alias("is_without_games"),
            pl.col("report_id").is_in(inputs.with_player_twice.implode()).alias("has_player_twice"),
        )
        .with_columns(judge_dates(inputs.period).alias("reason"))
    )
    same_games = pl.lit("same_games")
    has_rated = pl.when(has_rated_duplicate(inputs.earlier_events)).then(same_games)
    return (
        judged.with_columns(pl.coalesce("reason", has_rated, judge_conditions()).alias("reason"))
        .with_columns(
            pl.coalesce("reason", pl.when(has_earlier_duplicate()).then(same_games), pl.lit("")).alias("reason")
        )
        .with_columns(pl.col("reason").replace_strict(STATUS).alias("status"))
        .rename({"sha256": "report_sha256"})
        .sort("event_id")
    )


def published_events(judged_events: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
    """Return the events as published (``EVENT``), with ``event_no``, ``rule_set`` (null: not rated), ``report_id``.

    ``event_no`` is the row of the judged event. What must not be published is left out.
    """
    is_refused = pl.col("reason") == "report_refused"
    has_date = pl.col("report_id").is_in(inputs.without_name.implode())
    facts = (pl.when(~is_refused).then(fact).alias(fact) for fact in _FACTS)
    named = judged_events.with_columns(pl.col("event_id").cast(pl.String))
    shown = named.with_columns(*withheld(is_refused, has_date), *facts)
    return EVENT.sorted(
        EVENT.conform(shown).with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_no"),
            pl.when(pl.col("status") == "rated").then(judged_events["rule_set"]).alias("rule_set"),
            judged_events["report_id"],
        )
    )
