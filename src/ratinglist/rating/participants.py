"""The participants of every report, their ratings, and the games with players by number.

A month has millions of games and only thousands of reports. So the frames refer to each other by row number: a report
is its row among the selected reports (``report_row``), a player in a report is a row of the participants
(``participant_row``; ``white_row`` and ``black_row`` in a game). Text is gathered only where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.rating.model import by_lists_in_force
from ratinglist.tables import LIST_STATE

_FIDE_IDS = 2**37
"""Combines a report and a FIDE ID in one integer: a FIDE ID has at most 11 digits (C.04 Annex 2, columns 58-68)."""

_ROW = pl.UInt32()


def distinct_participants(lines: pl.DataFrame) -> pl.DataFrame:
    """Return ``report_row`` and ``fide_id`` of ``lines``, each pair once, sorted."""
    key = lines.select(_key("fide_id").alias("key")).sort("key")
    # Comparing sorted neighbours costs a third of what `unique` does.
    return key.filter(pl.col("key").ne_missing(pl.col("key").shift(1))).select(
        (pl.col("key") // _FIDE_IDS).cast(_ROW).alias("report_row"), (pl.col("key") % _FIDE_IDS).alias("fide_id")
    )


def join_ratings_at_start(participants: pl.DataFrame, reports: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Return the participants (:func:`distinct_participants`) with their ratings when the event started.

    In: ``reports``: the selected reports, with ``time_control`` and the lists in force at their start (``base_month``,
    ``standard_month``); their row number is the ``report_row``. ``lists``: ``LIST_STATE`` of the lists in force. Out:
    also ``at_start`` (null: unrated) and ``stands_in`` (true: the standard rating stands in).
    """
    in_force = gather_columns(
        participants.with_row_index("participant_row"),
        *("report_row", reports, "time_control", "base_month", "standard_month"),
    )
    rated = [
        part.join(_only_of(part, ratings), on="fide_id").select("participant_row", "at_start", "stands_in")
        for part, ratings in by_lists_in_force(in_force.drop_nulls("base_month"), lists)
    ]
    no_ratings = pl.DataFrame(schema={"participant_row": _ROW, "at_start": pl.Int32(), "stands_in": pl.Boolean()})
    return join_by_row_number(participants, pl.concat([no_ratings, *rated]), "participant_row")


def _only_of(participants: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``players`` that are among the ``participants``.

    A join builds a hash table of its right side: of a long list, only the few players who play need to be in it.
    """
    return players.filter(pl.col("fide_id").is_in(participants["fide_id"].implode()))


def games_of(report_games: pl.DataFrame, participants: pl.DataFrame) -> pl.DataFrame:
    """Return the games of the selected reports, both players by their row among the ``participants``.

    In: ``report_games``: ``REPORT_GAME`` with ``report_row`` (:func:`with_report_row`).
    Out: ``report_row``, ``round``, ``date``, ``white_row``, ``black_row``, ``white_halves``, ``black_halves``.
    """
    rows = participants.lazy().select(_key("fide_id").alias("key")).with_row_index("row")
    return (
        report_games.lazy()
        .with_columns(_key("white_id").alias("white"), _key("black_id").alias("black"))
        .join(rows.rename({"key": "white", "row": "white_row"}), on="white")
        .join(rows.rename({"key": "black", "row": "black_row"}), on="black")
        .select("report_row", "round", "date", "white_row", "black_row", "white_halves", "black_halves")
        .collect()
    )


def persons_of(participants: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return what is registered of every participant, a row each: ``sex``, ``birth_date``, ``birth_year``.

    In: ``players``: these columns and ``fide_id``. A participant who is not registered has nulls.
    """
    registered = _only_of(participants, players.select("fide_id", *_OF_PERSON))
    found = participants.select("fide_id").join(registered, on="fide_id", how="left", maintain_order="left")
    return found.drop("fide_id")


_OF_PERSON = ("sex", "birth_date", "birth_year")


def facts_of_reports(participants: pl.DataFrame, persons: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return what the verdict on an event needs of its players and games: a row for each report with players.

    In: ``participants`` with ``at_start`` (:func:`join_ratings_at_start`), their :func:`persons_of`, and the games of
    :func:`games_of`. Out: ``report_row``, ``listed_players``, ``unknown_players`` (not registered), ``rated_players``
    (at the start), ``highest_rating`` and ``highest_woman`` (the highest rating of a woman), ``highest_playing`` (the
    highest rating of a player with a game), null where there is none; ``most_rounds`` (on one day; null without round
    dates).
    """
    has_games = pl.Series("has_games", [False]).new_from_index(0, participants.height)
    for side in ("white", "black"):
        has_games = has_games.scatter(games[f"{side}_row"], values=True)
    most_rounds = (
        games.lazy()
        .filter(pl.col("date").is_not_null())
        .select("report_row", "date", "round")
        .unique()
        .group_by("report_row", "date")
        .agg(pl.len().cast(pl.Int32).alias("rounds"))
        .group_by("report_row")
        .agg(pl.col("rounds").max().alias("most_rounds"))
        .collect()
    )
    at_start, sex = pl.col("at_start"), pl.col("sex")
    of_players = (
        participants.lazy()
        .with_columns(persons["sex"], has_games)
        .group_by("report_row")
        .agg(
            pl.len().cast(pl.Int32).alias("listed_players"),
            sex.is_null().sum().cast(pl.Int32).alias("unknown_players"),
            at_start.count().cast(pl.Int32).alias("rated_players"),
            at_start.max().alias("highest_rating"),
            at_start.filter(sex == "F").max().alias("highest_woman"),
            at_start.filter("has_games").max().alias("highest_playing"),
        )
        .collect()
    )
    return of_players.join(most_rounds, on="report_row", how="left")


def join_ratings(
    participants: pl.DataFrame,
    judged_events: pl.DataFrame,
    newest_lists: Mapping[str, pl.DataFrame],
    persons: pl.DataFrame,
) -> pl.DataFrame:
    """Join the ratings used, and the state for K, to every participant of a rated event (readings, 8.2.4; RB 7.2.1).

    A player who is rated now counts with the rating at the start, or with the current one where there was none then;
    opponents see only the rating at the start. A player who is not rated now is unrated in the player's own games.
    Where the event's rule set lets the standard rating in force at the start stand in for one a player never had, that
    player counts as rated. ``newest_lists`` has the newest list of each time control (``LIST_STATE``); ``persons``:
    :func:`persons_of`.

    Out: a row per participant, in the same order: ``fide_id``, ``event_row`` (the row among the ``judged_events``),
    ``seen`` (the rating at the start, which opponents see), ``rating`` (null: unrated), ``old_rating`` (which a change
    is added to), ``games_played``, ``reached_2400``, ``reached_2300``, ``birth_date``, ``birth_year`` and
    ``list_before`` (the first day of the newest list). All but ``fide_id`` are null where the event is not rated.
    """
    rated_events = judged_events.lazy().with_row_index("event_row").filter(pl.col("status") == "rated")
    in_rated_events = (
        participants.lazy()
        .with_row_index("participant_row")
        .join(rated_events.select("report_row", "event_row", "time_control"), on="report_row")
    )
    old_rating = pl.coalesce("current", pl.when("stands_in").then("at_start"))
    parts = [
        in_rated_events.filter(pl.col("time_control") == time_control)
        .join(
            _only_of(participants, newest.select("fide_id", *_STATE, current="rating")).lazy(), on="fide_id", how="left"
        )
        .with_columns(old_rating.alias("old_rating"))
        .select(
            "participant_row",
            "event_row",
            pl.col("at_start").alias("seen"),
            pl.when(pl.col("old_rating").is_not_null()).then(pl.coalesce("at_start", "old_rating")).alias("rating"),
            "old_rating",
            *_STATE,
            *(pl.lit(persons[name]).gather("participant_row").alias(name) for name in ("birth_date", "birth_year")),
            pl.lit(newest["month"].first(), dtype=pl.String).add("-01").str.to_date("%Y-%m-%d").alias("list_before"),
        )
        for time_control, newest in (newest_lists or {"": LIST_STATE.empty()}).items()
    ]
    return join_by_row_number(participants.select("fide_id"), pl.concat(parts).collect(), "participant_row")


_STATE = ("games_played", "reached_2400", "reached_2300")


def gather_columns(rows: pl.DataFrame, row_number: str, table: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return ``rows`` with the columns ``names`` of ``table``, from the row that the column ``row_number`` holds."""
    return rows.with_columns(table[name].gather(rows[row_number]).alias(name) for name in names)


def join_by_row_number(rows: pl.DataFrame, some: pl.DataFrame, row_number: str) -> pl.DataFrame:
    """Left join ``some`` to ``rows``: its column ``row_number`` holds their row numbers. Without a row there: null."""
    return rows.with_row_index(row_number).join(some, on=row_number, how="left", maintain_order="left").drop(row_number)


def with_report_row(rows: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Return the ``rows`` of the selected ``reports``, with their ``report_row``.

    ``report_id`` is encoded as an Enum where it is none yet. So only its categories are joined, and the rows of the
    reports are gathered for millions of rows.
    """
    ids, dtype = rows["report_id"], rows.schema["report_id"]
    if not isinstance(dtype, pl.Enum):
        dtype = pl.Enum(ids.unique().sort())
        ids = ids.cast(dtype)
    categories = pl.DataFrame({"report_id": dtype.categories})
    selected = reports.select("report_id").with_row_index("report_row")
    report_row = categories.join(selected, on="report_id", how="left", maintain_order="left")["report_row"]
    return rows.with_columns(report_row.gather(ids.to_physical())).filter(pl.col("report_row").is_not_null())


def _key(fide_id: str) -> pl.Expr:
    return pl.col("report_row").cast(pl.Int64) * _FIDE_IDS + pl.col(fide_id)
