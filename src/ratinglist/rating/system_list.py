"""Calculate the list of a family of another system: judged as all events are, rated by the system's own month step."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.event_verdicts import published_events
from ratinglist.rating.model import JudgedMonth, MonthInputs, MonthResult, newest_list
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.player_games import REASON, is_among
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.month import SystemMonth, SystemResult
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import CHANGE, ENTRY, LIST_STATE, POOL, SYSTEM_STATE


def rate_system(judged: JudgedMonth, inputs: MonthInputs, rule_set: SystemRuleSet) -> MonthResult:
    """Rate the games of a judged month by the system of ``rule_set`` and calculate its list."""
    result = SYSTEMS[rule_set.system].rate(_system_month(judged, inputs, rule_set), rule_set.own)
    return with_system_result(judged, inputs, result)


def with_system_result(judged: JudgedMonth, inputs: MonthInputs, result: SystemResult) -> MonthResult:
    """Return every table of the month; ``result``: what a system gave of the judged games."""
    return MonthResult(
        events=published_events(judged.events, inputs),
        sides=result.sides,
        changes=CHANGE.sorted(result.changes),
        entries=ENTRY.empty(),
        pool=POOL.sorted(result.pool),
        list_state=LIST_STATE.sorted(result.list_state),
        coincidences=judged.coincidences,
        system_state=result.system_state,
        own_state=result.own_state,
    )


def _system_month(judged: JudgedMonth, inputs: MonthInputs, rule_set: SystemRuleSet) -> SystemMonth:
    time_control, state = rule_set.time_control, SYSTEMS[rule_set.system].state
    newest = newest_list(inputs.lists, time_control)
    return SystemMonth(
        period=inputs.period,
        time_control=time_control,
        before=_with_state(newest, inputs.system_state, inputs.imported),
        month_before=Period.parse(str(newest["month"].max())),
        sides=game_sides(judged, rule_set),
        participants=judged.participants.select("fide_id", pl.col("event_row").alias("event_no")),
        events=judged.events.with_row_index("event_no")
        .filter(pl.col("status") == "rated")
        .select("event_no", "event_id", "pool_id", "start_date", "end_date", "minutes_per_60_moves"),
        players=inputs.players.select("fide_id", "title", "birth_date", "birth_year"),
        tables=inputs.rules.tables,
        pool=inputs.pool.filter(pl.col("time_control") == time_control),
        pooled_games=inputs.pooled_games,
        references=inputs.references,
        own_state=NO_STATE if state is None else state.of(inputs.own_state),
        rule_sets=[
            (of_family.effective_from, of_family.own)
            for of_family in inputs.rules.of(inputs.family)
            if isinstance(of_family, SystemRuleSet) and of_family.time_control == time_control
        ],
    )


def _with_state(newest: pl.DataFrame, system_state: pl.DataFrame, imported: pl.DataFrame) -> pl.DataFrame:
    """Return the rated players of the list before, with what the system and the imported lists have of them."""
    listed = newest.filter(pl.col("rating").is_not_null()).select(
        "fide_id", "rating", "games_played", "reached_2400", "reached_2300", "last_played"
    )
    of_lists = imported.filter(pl.col("time_control") == newest["time_control"].first()).drop("time_control")
    listed = listed.join(of_lists, on="fide_id", how="left", maintain_order="left")
    listed = listed.with_columns(pl.col("first_title").fill_null(""))
    if system_state.is_empty():
        return listed.with_columns(
            pl.lit("" if column.dtype == pl.String() else None, dtype=column.dtype).alias(name)
            for name, column in SYSTEM_STATE.columns.items()
            if name not in ("fide_id", "time_control")
        )
    state = system_state.select([name for name in SYSTEM_STATE.columns if name != "time_control"])
    return listed.join(state, on="fide_id", how="left", maintain_order="left").with_columns(
        pl.col("category", "titles_seen").fill_null("")
    )


def game_sides(judged: JudgedMonth, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the sides of all games with the players' ratings on the list that the rules use; null: not on it."""
    of_list = "seen" if rule_set.own.list.ratings_used == "event_start" else "old_rating"
    ratings, fide_ids = judged.participants[of_list], judged.participants["fide_id"]
    is_rated = judged.events["status"] == "rated"
    is_duplicate = is_among(judged.duplicate_sides, judged.participants)
    reason = pl.when(is_duplicate).then(pl.lit("same_game", dtype=REASON)).otherwise(pl.lit("", dtype=REASON))
    return gather_columns(
        judged.sides, "event_row", pl.DataFrame({"is_event_rated": is_rated}), "is_event_rated"
    ).select(
        pl.col("event_row").alias("event_no"),
        "round",
        "date",
        fide_ids.gather(judged.sides["participant_row"]).alias("fide_id"),
        fide_ids.gather(judged.sides["opponent_row"]).alias("opponent_id"),
        "is_white",
        "score_halves",
        ratings.gather(judged.sides["participant_row"]).alias("rating"),
        ratings.gather(judged.sides["opponent_row"]).alias("opponent_rating"),
        pl.when("is_event_rated").then(reason).alias("reason"),
        pl.col("participant_row").alias("player_row"),
        "opponent_row",
    )
