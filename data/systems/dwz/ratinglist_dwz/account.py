"""State how the German rating came to a player's number, and calculate all of it again before a publication."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems.account import Calculated
from ratinglist_dwz import event
from ratinglist_dwz.month import rate_people, references_at_end, with_age, with_foreign
from ratinglist_dwz.rules import DwzRules

_USED = ("", "counts_for_entry", "opponent_unrated")
_EVENT = ["event_no", "fide_id"]
_DUE = ("expected_billionths", "k_tenths", "development", "rating_after", "opponent_rating", "dwz_index", "rating")


def figures(calculated: Calculated, rules: DwzRules) -> pl.DataFrame:
    """Calculate the figures of all players again from what is published and from the state of the list before.

    Where that state is not at hand, for the account of one player, the events of the player alone.
    """
    del rules
    changes = calculated.changes.with_columns(pl.col(pl.Int32).cast(pl.Int64))
    own = changes.select("fide_id").join(_events_of(calculated), on="fide_id", how="left", maintain_order="left")
    if calculated.own_state is None or calculated.births is None:
        return own.with_columns(pl.lit(None, pl.Int64).alias("due_new_rating"))
    people, games = _rated_again(calculated)
    counts = games.filter(pl.col("use").is_in([event.COUNTS, event.FIRST]))
    rated = people.filter(pl.col("due_rating_after").is_not_null())
    played = (
        counts.join(rated.select(_EVENT), on=_EVENT, how="semi").group_by("fide_id").agg(pl.len().alias("due_games"))
    )
    index = calculated.own_state.filter(pl.col("index").is_not_null())
    due = (
        rated.sort("fide_id", "event_rank")
        .group_by("fide_id", maintain_order=True)
        .agg(
            pl.col("due_rating_after").last().alias("due_new_rating"),
            pl.col("due_index_after").last().alias("due_new_dwz_index"),
            pl.len().cast(pl.Int64).alias("due_events"),
            pl.col("due_rating").first().alias("counted_as"),
        )
        .join(played, on="fide_id", how="left")
        .join(index.select("fide_id", pl.col("index").alias("due_old_dwz_index")), on="fide_id", how="left")
    )
    old = changes.select("fide_id", "old_rating")
    return (
        due.join(old, on="fide_id", how="full", coalesce=True)
        .with_columns((pl.col("due_new_rating") - pl.coalesce("old_rating", "counted_as")).alias("due_change"))
        .drop("old_rating", "counted_as")
        # A change without a rated event is wrong in any case.
        .with_columns(pl.col("due_events").fill_null(0))
        .join(own, on="fide_id", how="left")
    )


def games_again(calculated: Calculated, rules: DwzRules) -> pl.DataFrame:
    """Return the games of the rated events with what their columns have to be, as ``again_<name>``."""
    del rules
    if calculated.own_state is None or calculated.births is None:
        return calculated.counted
    people, games = _rated_again(calculated)
    place = pl.col("due_rating_after").is_not_null().cast(pl.Int64).cum_sum().over("fide_id", order_by="event_rank")
    of_event = people.with_columns(
        pl.when(pl.col("due_rating_after").is_not_null()).then(place).alias("again_event_place")
    ).select(*_EVENT, "again_event_place", *(pl.col(f"due_{name}").alias(f"again_{name}") for name in _OF_EVENT))
    return games.join(of_event, on=_EVENT, how="left", maintain_order="left").with_columns(
        pl.col("used_rating").alias("again_opponent_rating"), pl.col("expected").alias("again_expected_billionths")
    )


_OF_EVENT = ("rating", "dwz_index", "k_tenths", "development", "rating_after", "performance")


def due_of_games(calculated: Calculated, rules: DwzRules) -> dict[str, pl.Expr]:
    """Return what the columns of a counted game have to be."""
    del calculated, rules
    names = (*_OF_EVENT, "event_place", "opponent_rating", "expected_billionths")
    difference = pl.when(pl.col("again_expected_billionths").is_not_null()).then(
        pl.col("rating") - pl.col("opponent_rating")
    )
    return {"difference_used": difference} | {name: pl.col(f"again_{name}") for name in names}


def _rated_again(calculated: Calculated) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rate every event once more, from the published ratings after the one before.

    Out: the players of each event with ``event_rank`` and what is due, and their games with ``used_rating``, ``use``
    and ``expected``.
    """
    games = calculated.games.filter(pl.col("reason").is_in(_USED))
    numbers = games.select("event_no", "end_date", "start_date", "event_id").unique()
    ranked = (
        numbers.sort("end_date", "start_date", "event_id").with_row_index("event_rank").select("event_no", "event_rank")
    )
    games = games.join(ranked, on="event_no", how="left", maintain_order="left")
    published = ("rating", "dwz_index", "rating_after")
    people = (
        games.group_by(*_EVENT)
        .agg(pl.col("end_date", "rule_set", "event_rank", *published).first())
        .sort("fide_id", "event_rank")
        .join(
            calculated.changes.select("fide_id", "old_rating", "old_dwz_index", pl.lit(value=True).alias("changed")),
            on="fide_id",
            how="left",
            maintain_order="left",
        )
    )
    after = pl.col("rating_after")
    index_after = pl.when(after.is_not_null()).then(
        pl.when(pl.col("rating").is_null()).then(1).otherwise(pl.col("dwz_index") + 1)
    )
    before = pl.col("changed").is_not_null()
    people = people.with_columns(
        pl.coalesce(
            after.forward_fill().shift(1).over("fide_id"), pl.when(before).then("old_rating").otherwise("rating")
        ).alias("rating"),
        pl.coalesce(
            index_after.forward_fill().shift(1).over("fide_id"),
            pl.when(before).then("old_dwz_index").otherwise("dwz_index"),
        ).alias("index"),
    ).drop("dwz_index")
    assert calculated.births is not None and calculated.own_state is not None  # noqa: S101, PT018 - the callers see to it
    people = with_age(people, calculated.births)
    references = references_at_end(calculated.references, people["end_date"])
    end_month = pl.col("end_date").dt.strftime("%Y-%m").alias("end_month")
    people = people.with_columns(end_month).join(
        references, on=["end_month", "fide_id"], how="left", maintain_order="left"
    )
    stored = _stored(calculated.own_state, games)
    # Without a game there is no event: then the rows are none, by whatever rules.
    names = people["rule_set"].unique().sort().to_list() or [next(iter(calculated.rule_sets))]
    rated = [
        _by_rule_set(people.filter(pl.col("rule_set") == name), games, stored, calculated.rule_sets[name])
        for name in names
    ]
    return pl.concat(one for one, _ in rated), pl.concat(one for _, one in rated)


def _by_rule_set(
    people: pl.DataFrame, games: pl.DataFrame, stored: pl.DataFrame, rules: DwzRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    people = with_foreign(people, rules)
    of_rules = games.join(people.select(_EVENT), on=_EVENT, how="semi", maintain_order="left")
    # What waited when the event was rated: that of the list before, and of earlier events of the period.
    waiting = stored.join(people.select("fide_id", "event_no", "event_rank"), on="fide_id").filter(
        pl.col("stored_rank") < pl.col("event_rank")
    )
    rated = rate_people(of_rules, people, waiting, rules)
    due = {
        "rating_after": "rating_after",
        "k_tenths": "k_tenths",
        "development": "development",
        "rating": "rating",
        "index": "dwz_index",
        "performance": "performance",
    }
    after = rated.players.select(
        *_EVENT,
        "event_rank",
        *(pl.col(name).cast(pl.Int64).alias(f"due_{shown}") for name, shown in due.items()),
        pl.when(pl.col("first").is_not_null()).then(1).otherwise(pl.col("index") + 1).alias("due_index_after"),
    )
    used = pl.concat([of_rules, rated.games.rename({"opponent_rating": "used_rating"})], how="horizontal")
    return after, used


def _stored(own_state: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return the games that wait, of the list before and of the period, with ``stored_rank`` of their event."""
    of_state = own_state.filter(pl.col("index").is_null()).with_columns(pl.lit(-1, pl.Int64).alias("stored_rank"))
    of_month = games.filter(pl.col("reason") == "counts_for_entry").with_columns(
        pl.col("event_rank").cast(pl.Int64).alias("stored_rank")
    )
    columns = ("fide_id", "opponent_rating", "score_halves", pl.col("end_date").alias("stored_date"), "stored_rank")
    return pl.concat(one.select(columns) for one in (of_state, of_month))


# --------------------------------------------------------------------------------------------------- the account


def _events_of(calculated: Calculated) -> pl.DataFrame:
    """Return the rated events of each player in the order rated, as ``of_events``, a list of their figures."""
    is_rated = pl.col("rating").is_not_null()
    return (
        calculated.counted.filter(pl.col("rating_after").is_not_null())
        .group_by("fide_id", "event_place")
        .agg(
            pl.col("event_id", "rule_set", "rating", "dwz_index", "k_tenths", "development").first(),
            pl.col("rating_after", "performance").first(),
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("score_halves").sum(),
            pl.when(is_rated).then("expected_billionths").sum().alias("expected_billionths"),
        )
        .sort("fide_id", "event_place")
        .group_by("fide_id", maintain_order=True)
        .agg(pl.struct(pl.exclude("fide_id")).alias("of_events"))
    )
