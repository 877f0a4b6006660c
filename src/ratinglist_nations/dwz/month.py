"""Calculate a list: the events of the month one after another, each from the ratings after the one before."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.rating.systems.month import (
    COUNTS,
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    next_state,
    with_seats,
)
from ratinglist.rating.systems.system import OwnState, RatingSystem
from ratinglist.tables import SYSTEM_STATE, Column
from ratinglist_nations.dwz import event
from ratinglist_nations.dwz.event import DwzRules

_NUMBER, _WIDE = pl.Int32(), pl.Int64()

STATE = OwnState(
    1,
    {
        "fide_id": Column(pl.Int64(), "the player"),
        "event_id": Column(pl.String(), "of a stored game its event; empty for a rated player"),
        "round": Column(_NUMBER, "of a stored game; 0 for a rated player"),
        "index": Column(_NUMBER, "number of rated events; null for a stored game", null=True),
        "opponent_rating": Column(_NUMBER, "of a stored game: the opponent's DWZ at that time", null=True),
        "score_halves": Column(_NUMBER, "of a stored game: the player's score in half points", null=True),
        "end_date": Column(pl.Date(), "of a stored game: the last day of its event", null=True),
    },
    ("fide_id", "event_id", "round"),
)
"""A row for each rated player, and for each stored game of an unrated one."""

LIST_COLUMNS = {"dwz_index": Column(_NUMBER, "number of rated events, as in 1779-82", null=True)}
CHANGE_COLUMNS = {
    "events": Column(_NUMBER, "rated events of the period", null=True),
    "old_dwz_index": Column(_NUMBER, "number of rated events before; null: unrated before", null=True),
    "new_dwz_index": Column(_NUMBER, "number of rated events after", null=True),
}
GAME_COLUMNS = {
    "event_place": Column(
        _NUMBER, "number of the event among the player's of the period, in the order rated", null=True
    ),
    "dwz_index": Column(_NUMBER, "number of the player's rated events before the event", null=True),
    "expected_billionths": Column(_WIDE, "expected score, in units of 0.000000001", null=True),
    "k_tenths": Column(_NUMBER, "K of the text of 2026 in tenths", null=True),
    "development": Column(_NUMBER, "development coefficient E of the text of 2014", null=True),
    "rating_after": Column(_NUMBER, "the player's DWZ after the event", null=True),
    "performance": Column(_NUMBER, "the player's performance in the event; null: too few games", null=True),
}


@dataclass(slots=True)
class _Standing:
    """Where the rating of events has come to.

    ``known``: ``fide_id``, ``rating`` and ``index`` of the players of the month's games, null where unrated.
    ``stored``: the games that wait, by player.
    """

    known: pl.DataFrame
    stored: pl.DataFrame


def rate(month: SystemMonth, rules: DwzRules) -> SystemResult:
    """Calculate the list of ``month``, each event by the rules in force when it ended.

    Events that share no player are rated together (:meth:`SystemMonth.waves`).
    """
    del rules
    sides = month.sides.with_row_index("row")
    counted = sides.filter(pl.col("reason") == COUNTS)
    before = _before(month)
    standing = _standing(month, counted, before)
    references = month.references_in(month.events["end_date"]).cast({"reference": pl.Int64})
    events, games = [_NO_EVENTS], [_NO_GAMES]
    for own, of_rules in month.waves_of_rules(counted, "end_date"):
        rated, used = _rate_wave(month, own, of_rules, counted, standing, references)
        events.append(rated)
        games.append(used)
    rated_events = _placed(pl.concat(events))
    computed = _computed(rated_events, pl.concat(games), before)
    state = next_state(month, computed, pl.lit(None, pl.Int32))
    index = _index_after(before, rated_events)
    return SystemResult(
        sides=as_sides(_published(sides, pl.concat(games), rated_events), GAME_COLUMNS),
        changes=changes_of(month, computed, CHANGE_COLUMNS),
        list_state=state,
        system_state=_of_list(state, index),
        own_state=_state(index, standing.stored),
    )


_NO_EVENTS = pl.DataFrame(
    schema={
        "event_no": pl.UInt32,
        "event_rank": pl.UInt32,
        "fide_id": pl.Int64,
        "rating": pl.Int64,
        "index": pl.Int64,
        "games": pl.Int64,
        "first": pl.Int64,
        "k_tenths": pl.Int64,
        "development": pl.Int64,
        "rating_after": pl.Int64,
        "performance": pl.Int64,
    }
)
_NO_GAMES = pl.DataFrame(
    schema={
        "row": pl.UInt32,
        "event_no": pl.UInt32,
        "fide_id": pl.Int64,
        "own_rating": pl.Int64,
        "index": pl.Int64,
        "opponent_rating": pl.Int64,
        "use": pl.String,
        "expected": pl.Int64,
    }
)


def _before(month: SystemMonth) -> pl.DataFrame:
    """Return the players of the list before with their index: ``fide_id``, ``rating``, ``index``.

    Of a player who has none it is the number of games counted on the imported list.
    """
    kept = month.own_state.filter(pl.col("index").is_not_null()).select("fide_id", "index")
    listed = month.before.select("fide_id", "rating", "games_played").join(kept, on="fide_id", how="left")
    return listed.select("fide_id", "rating", pl.coalesce("index", "games_played", 0).cast(pl.Int32).alias("index"))


def _standing(month: SystemMonth, counted: pl.DataFrame, before: pl.DataFrame) -> _Standing:
    start = counted.select("fide_id").unique().join(before, on="fide_id", how="left")
    stored = month.own_state.filter(pl.col("index").is_null()).drop("index")
    return _Standing(start.with_columns(pl.col("rating", "index").cast(pl.Int64)), stored)


def _rate_wave(
    month: SystemMonth,
    rules: DwzRules,
    events: pl.DataFrame,
    counted: pl.DataFrame,
    standing: _Standing,
    references: pl.DataFrame,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rate events that share no player, and bring ``standing`` up to the end of them."""
    of_event = events.select("event_no", "event_id", "event_rank", "end_date")
    games = counted.join(of_event, on="event_no", maintain_order="left")
    people = games.select("event_no", "event_rank", "end_date", "fide_id").unique("fide_id").sort("fide_id")
    people = people.join(standing.known, on="fide_id", how="left", maintain_order="left")
    people = with_age(people, month.players.select("fide_id", "birth_date", "birth_year"))
    in_month = pl.col("end_date").dt.strftime("%Y-%m").alias("in_month")
    people = people.with_columns(in_month).join(
        references, on=["in_month", "fide_id"], how="left", maintain_order="left"
    )
    people = with_foreign(people, rules)
    waiting = standing.stored.rename({"end_date": "stored_date"}).join(
        people.select("fide_id", "event_no"), on="fide_id"
    )
    rated = rate_people(games, people, waiting, rules)
    after = rated.players
    used = pl.concat([games, rated.games.rename({"opponent_rating": "used_rating"})], how="horizontal")
    standing.known = standing.known.update(
        after.select("fide_id", pl.col("rating_after").alias("rating"), _index_after_event().alias("index")),
        on="fide_id",
    )
    entering = after.filter(pl.col("rating_after").is_not_null())["fide_id"]
    kept = used.filter(pl.col("use") == event.STORED).with_columns(
        pl.col("used_rating").alias("opponent_rating"), pl.lit(None).alias("index")
    )
    standing.stored = pl.concat(
        [
            standing.stored.filter(~pl.col("fide_id").is_in(entering.implode())),
            STATE.table.conform(kept).drop("index"),
        ]
    )
    own = after.select("event_no", "fide_id", pl.col("rating").alias("own_rating"), "index")
    used = used.with_columns(pl.col("used_rating").alias("opponent_rating")).join(
        own, on=["event_no", "fide_id"], how="left", maintain_order="left"
    )
    return after.select(_NO_EVENTS.columns), used.select(_NO_GAMES.columns)


def with_age(people: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Add ``age``, that of the year of ``end_date`` (3.2); ``births``: ``fide_id``, ``birth_date``, ``birth_year``."""
    born = pl.coalesce(pl.col("birth_date").dt.year(), "birth_year").cast(pl.Int64)
    known = births.select("fide_id", born.alias("born"))
    joined = people.join(known, on="fide_id", how="left", maintain_order="left")
    return joined.with_columns((pl.col("end_date").dt.year() - pl.col("born")).alias("age")).drop("born")


def with_foreign(people: pl.DataFrame, rules: DwzRules) -> pl.DataFrame:
    """Give players without a DWZ their FIDE ``reference`` (2.2.4); add ``development_index``."""
    of = rules.players
    is_foreign = pl.col("rating").is_null() & pl.col("reference").is_not_null()
    is_strong = (pl.col("rating") >= of.fide_from) if of.fide_from else pl.lit(value=False)
    return people.with_columns(
        pl.when(is_foreign | is_strong).then(pl.coalesce("reference", "rating")).otherwise("rating").alias("rating"),
        pl.when(is_foreign).then(of.foreign_index).otherwise("index").cast(pl.Int64).alias("index"),
        pl.when(is_foreign)
        .then(of.foreign_development_index)
        .otherwise("index")
        .cast(pl.Int64)
        .alias("development_index"),
    )


def rate_people(games: pl.DataFrame, people: pl.DataFrame, stored: pl.DataFrame, rules: DwzRules) -> event.RatedEvents:
    """Rate events by :func:`~ratinglist_nations.dwz.event.rate_events`, the players named by FIDE ID and event.

    In: ``games``: ``event_no``, ``fide_id``, ``opponent_id``, ``score_halves``; ``people``: ``event_no``, ``fide_id``,
    ``end_date``, ``rating``, ``index``, ``development_index``, ``age``; ``stored``: ``event_no`` (of the event
    rated), ``fide_id``, ``opponent_rating``, ``score_halves`` and ``stored_date``, the end of the game's event: those
    that have lapsed are left out (4.1.1).
    """
    key = ["event_no", "fide_id"]
    unrated = people.with_row_index("seat").filter(pl.col("rating").is_null()).select("seat", *key, "end_date")
    lapses = pl.col("stored_date").dt.offset_by(f"{rules.first_rating.stored_years}y")
    usable = stored.join(unrated, on=key).filter(lapses >= pl.col("end_date"))
    return event.rate_events(with_seats(games, people), people, usable, rules)


def _index_after_event() -> pl.Expr:
    """Return the index after an event; null where it changed nothing."""
    counted = pl.when(pl.col("first").is_not_null()).then(1).otherwise(pl.col("index") + 1)
    return pl.when(pl.col("rating_after").is_not_null()).then(counted)


# -------------------------------------------------------------------------------------------------------- the list


def _placed(events: pl.DataFrame) -> pl.DataFrame:
    """Return the events that changed a rating with ``place``, the number among the player's, and ``index_after``."""
    rated = events.filter(pl.col("rating_after").is_not_null()).sort("fide_id", "event_rank")
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("fide_id")
    return rated.with_columns(place.alias("place"), _index_after_event().alias("index_after"))


def _computed(rated: pl.DataFrame, games: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each player with a rated event, as the new list and the changes need it."""
    counts = pl.col("use").is_in([event.COUNTS, event.FIRST])
    played = games.filter(counts).join(rated.select("event_no", "fide_id"), on=["event_no", "fide_id"], how="semi")
    sums = played.group_by("fide_id").agg(pl.len().cast(pl.Int32).alias("games"))
    old = before.select("fide_id", pl.col("rating").alias("old_rating"), pl.col("index").alias("old_dwz_index"))
    return (
        rated.group_by("fide_id", maintain_order=True)
        .agg(
            pl.len().alias("events"),
            pl.col("rating").first().alias("counted_as"),
            pl.col("rating_after").last().alias("new_rating"),
            pl.col("index_after").last().alias("new_dwz_index"),
        )
        .join(sums, on="fide_id", how="left")
        .join(old, on="fide_id", how="left")
        .with_columns((pl.col("new_rating") - pl.coalesce("old_rating", "counted_as")).alias("change"))
        .sort("fide_id")
    )


def _published(sides: pl.DataFrame, games: pl.DataFrame, rated: pl.DataFrame) -> pl.DataFrame:
    """Return all sides, those of counted games with their reason and the figures of their event."""
    reasons = {
        event.COUNTS: COUNTS,
        event.FIRST: COUNTS,
        event.STORED: "counts_for_entry",
        event.LOST: "opponent_unrated",
    }
    of_event = rated.select("event_no", "fide_id", "place", "k_tenths", "development", "rating_after", "performance")
    used = games.join(of_event, on=["event_no", "fide_id"], how="left", maintain_order="left").select(
        "row",
        pl.col("own_rating").cast(pl.Int32),
        pl.col("opponent_rating").cast(pl.Int32).alias("used_rating"),
        pl.col("use").replace_strict(reasons, return_dtype=sides.schema["reason"]).alias("own_reason"),
        pl.col("place").alias("event_place"),
        pl.col("index").alias("dwz_index"),
        pl.col("expected").alias("expected_billionths"),
        "k_tenths",
        "development",
        "rating_after",
        "performance",
    )
    is_used = pl.col("own_reason").is_not_null()
    return sides.join(used, on="row", how="left", maintain_order="left").with_columns(
        pl.coalesce("own_reason", "reason").alias("reason"),
        pl.when(is_used).then("own_rating").otherwise("rating").alias("rating"),
        pl.when(is_used).then("used_rating").otherwise("opponent_rating").alias("opponent_rating"),
        pl.when(pl.col("expected_billionths").is_not_null())
        .then(pl.col("own_rating") - pl.col("used_rating"))
        .alias("difference_used"),
    )


def _index_after(before: pl.DataFrame, rated: pl.DataFrame) -> pl.DataFrame:
    """Return the index of every player with a rating: ``fide_id``, ``index``."""
    newest = rated.group_by("fide_id").agg(pl.col("index_after").last().cast(pl.Int32).alias("index"))
    return pl.concat([newest, before.join(newest, on="fide_id", how="anti").select("fide_id", "index")])


def _of_list(state: pl.DataFrame, index: pl.DataFrame) -> pl.DataFrame:
    """Return the system's column of the list for every listed player."""
    listed = state.select("time_control", "fide_id").join(index, on="fide_id", how="left", maintain_order="left")
    return SYSTEM_STATE.extended(LIST_COLUMNS).completed(listed.rename({"index": "dwz_index"}), blank_texts=True)


def _state(index: pl.DataFrame, stored: pl.DataFrame) -> pl.DataFrame:
    """Return the state of the list: the index of the rated, the stored games of the unrated."""
    rated = index.with_columns(pl.lit("").alias("event_id"), pl.lit(0).alias("round"))
    return pl.concat(STATE.table.completed(state) for state in (rated, stored.join(index, on="fide_id", how="anti")))


SYSTEM = RatingSystem(
    DwzRules,
    rate,
    needs_rated=True,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
    reads_references=True,
    rules_of_event_end=True,
)
"""The system as the program knows it."""
