"""The players of every event, with the ratings and the state for K that they begin it with, and the games they played.

One row is a player in an event, identified by ``event_id`` and ``fide_id``; one game by ``event_id``, ``round``,
``white_id`` and ``black_id``.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.model import MonthInputs, newest_lists

_STATE = ("games_played", "reached_2400", "reached_2300")
PLAYER_OF_EVENT = ["event_id", "fide_id"]
"""What identifies a player in an event."""


def participants(reports: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
    """Return every player of the ``reports`` (:func:`~ratinglist.rating.report_versions.newest_versions`).

    Out: a row per player and event, sorted: ``event_id``, ``fide_id``, ``time_control``, ``start_date``; ``sex``,
    ``birth_date`` and ``birth_year`` as registered (``sex`` is null: not registered); ``at_start``, the rating in force
    when the event began (null: unrated); ``stands_in``: it is the standard rating, because the player has none of the
    event's time control (RB 7.2.1); and from the newest list ``current`` (its rating), ``games_played``,
    ``reached_2400``, ``reached_2300`` and ``list_before`` (its first day).
    """
    of_event = ("time_control", "start_date", "base_month", "standard_month")
    listed = with_event(inputs.report_players.select("report_id", "fide_id"), reports, *of_event).unique(
        PLAYER_OF_EVENT
    )
    playing = listed.select("fide_id").unique()
    persons = inputs.players.select("fide_id", "sex", "birth_date", "birth_year")
    # A join builds a hash table of its right side: of a list of two millions, only who plays needs to be in it.
    lists = inputs.lists.select("time_control", "month", "fide_id", "rating", *_STATE)
    lists = lists.join(playing, on="fide_id", how="semi")
    in_force = lists.select("time_control", "month", "fide_id", pl.col("rating").alias("own_rating"))
    standard = in_force.filter(pl.col("time_control") == "standard").drop("time_control")
    newest = lists.join(newest_lists(inputs), on=["time_control", "month"]).drop("month")
    standard = standard.rename({"month": "standard_month", "own_rating": "standard_rating"})
    return (
        listed.lazy()
        .join(persons.join(playing, on="fide_id", how="semi").lazy(), on="fide_id", how="left")
        .join(in_force.rename({"month": "base_month"}).lazy(), on=["time_control", "base_month", "fide_id"], how="left")
        .join(standard.lazy(), on=["standard_month", "fide_id"], how="left")
        .join(newest.rename({"rating": "current"}).lazy(), on=["time_control", "fide_id"], how="left")
        .with_columns(
            pl.coalesce("own_rating", "standard_rating").alias("at_start"),
            (pl.col("own_rating").is_null() & pl.col("standard_rating").is_not_null()).alias("stands_in"),
        )
        .drop("base_month", "standard_month", "own_rating", "standard_rating")
        .sort(PLAYER_OF_EVENT)
        .collect()
    )


def with_event(rows: pl.DataFrame, reports: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the ``rows`` of the ``reports``, with the ``event_id`` and ``columns`` of these."""
    # The store gives report_id as an Enum: millions of rows then have a number in the place of 64 letters.
    report_id = pl.col("report_id").cast(rows.schema["report_id"], strict=False)
    return rows.join(reports.select(report_id, "event_id", *columns), on="report_id").drop("report_id")


def ratings_used(players: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return the players of the rated ``events`` with the ratings that count there (readings, 8.2.4; RB 7.2.1).

    A player who is rated now counts with the rating at the start, or with the current one where there was none then;
    opponents see only the rating at the start. A player who is not rated now is unrated in the player's own games.
    Where the standard rating stands in, the player counts as rated.

    In: :func:`participants`. Out: also ``old_rating`` (which a change is added to) and ``rating`` (null: unrated).
    """
    old_rating = pl.coalesce("current", pl.when("stands_in").then("at_start"))
    is_rated_now = pl.col("old_rating").is_not_null()
    return (
        players.join(events.filter(pl.col("status") == "rated").select("event_id"), on="event_id", how="semi")
        .with_columns(old_rating.alias("old_rating"))
        .with_columns(pl.when(is_rated_now).then(pl.coalesce("at_start", "old_rating")).alias("rating"))
    )


def facts_of_events(reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return what the verdict on an event needs of its players and games: a row for each event with players.

    In: ``reports`` with ``too_short_from``, :func:`participants`, and their games. Out: ``event_id``,
    ``listed_players``, ``unknown_players`` (not registered), ``rated_players`` (at the start), ``highest_rating``,
    ``highest_woman`` (the highest rating of a woman) and ``highest_playing`` (of a player with a game, where the
    thinking time is too short for some rating), null where there is none; ``most_rounds`` (on one day; null without
    round dates).
    """
    most_rounds = (
        games.filter(pl.col("date").is_not_null())
        .group_by("event_id", "date")
        .agg(pl.col("round").n_unique().cast(pl.Int32).alias("rounds"))
        .group_by("event_id")
        .agg(pl.col("rounds").max().alias("most_rounds"))
    )
    at_start, sex = pl.col("at_start"), pl.col("sex")
    short = games.join(reports.drop_nulls("too_short_from").select("event_id"), on="event_id", how="semi")
    with_games = pl.concat(short.select("event_id", fide_id=f"{colour}_id") for colour in ("white", "black"))
    highest_playing = (
        players.join(with_games, on=PLAYER_OF_EVENT, how="semi")
        .group_by("event_id")
        .agg(at_start.max().alias("highest_playing"))
    )
    return (
        players.group_by("event_id")
        .agg(
            pl.len().cast(pl.Int32).alias("listed_players"),
            sex.is_null().sum().cast(pl.Int32).alias("unknown_players"),
            at_start.count().cast(pl.Int32).alias("rated_players"),
            at_start.max().alias("highest_rating"),
            at_start.filter(sex == "F").max().alias("highest_woman"),
        )
        .join(highest_playing, on="event_id", how="left")
        .join(most_rounds, on="event_id", how="left")
    )
