"""Who played in which report, once each, what he was rated, and the games by numbers instead of names.

A month has millions of games and only thousands of reports: a report goes by its row among those looked at
(``report_row``), a player of a report by his row among the participants, and text is fetched when it is told.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.rating.model import MonthInputs, by_lists_in_force
from ratinglist.schemas import LIST_STATE

_FIDE_IDS = 2**37
"""A report and a player in one whole number: a FIDE ID has at most 11 digits (C.04 Annex 2, columns 58-68)."""

_NUMBER = pl.UInt32()


def participants_of(reports: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
    """Every player of every report looked at, once, with the rating he had when the event started.

    In: ``reports``: the reports looked at, with ``time_control`` and the lists in force at their start
    (``base_month``, ``standard_month``); their row number is the ``report_row``. Out: ``report_row``, ``fide_id``,
    ``at_start`` (null: unrated) and ``stands_in`` (his standard rating stands in), sorted by the first two.
    """
    lines = _numbered(inputs.report_players.select("report_id", "fide_id"), reports)
    key = lines.select(_key("fide_id").alias("key")).sort("key")
    # Of sorted neighbours that are the same the first alone is kept: a third of what looking for them anywhere costs.
    everybody = key.filter(pl.col("key").ne_missing(pl.col("key").shift(1))).select(
        (pl.col("key") // _FIDE_IDS).cast(_NUMBER).alias("report_row"), (pl.col("key") % _FIDE_IDS).alias("fide_id")
    )
    in_force = gather_columns(
        everybody.with_row_index("no"), "report_row", reports, "time_control", "base_month", "standard_month"
    )
    rated = [
        part.join(_of(ratings, part), on="fide_id").select("no", "at_start", "stands_in")
        for part, ratings in by_lists_in_force(in_force.drop_nulls("base_month"), inputs.lists)
    ]
    nobody = pl.DataFrame(schema={"no": _NUMBER, "at_start": pl.Int32(), "stands_in": pl.Boolean()})
    return join_by_row_number(everybody, pl.concat([nobody, *rated]))


def _of(known: pl.DataFrame, playing: pl.DataFrame) -> pl.DataFrame:
    """Those of ``known`` who are ``playing``: of a long list few do, and a join first makes a table of all of it."""
    return known.filter(pl.col("fide_id").is_in(playing["fide_id"].implode()))


def games_of(reports: pl.DataFrame, participants: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
    """The games of the reports looked at, both players by their row among the ``participants``.

    Out: ``report_row``, ``round``, ``date``, ``white_row``, ``black_row``, ``white_halves``, ``black_halves``.
    """
    numbered = _numbered(inputs.report_games, reports).lazy()
    by_key = participants.lazy().select(_key("fide_id").alias("key")).with_row_index("no")
    return (
        numbered.with_columns(_key("white_id").alias("white"), _key("black_id").alias("black"))
        .join(by_key.rename({"key": "white", "no": "white_row"}), on="white")
        .join(by_key.rename({"key": "black", "no": "black_row"}), on="black")
        .select("report_row", "round", "date", "white_row", "black_row", "white_halves", "black_halves")
        .collect()
    )


def facts_of_players(participants: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Per report: players listed, unknown and rated at the start, the highest rating, the highest of a woman."""
    return (
        participants.lazy()
        .join(_of(players.select("fide_id", "sex"), participants).lazy(), on="fide_id", how="left")
        .group_by("report_row")
        .agg(
            pl.len().cast(pl.Int32).alias("listed_players"),
            pl.col("sex").is_null().sum().cast(pl.Int32).alias("unknown_players"),
            pl.col("at_start").count().cast(pl.Int32).alias("rated_players"),
            pl.col("at_start").max().alias("highest_rating"),
            pl.col("at_start").filter(pl.col("sex") == "F").max().alias("highest_woman"),
        )
        .collect()
    )


def facts_of_games(games: pl.DataFrame, participants: pl.DataFrame) -> pl.DataFrame:
    """Per report: the highest rating of those who played, and the most rounds on one day."""
    at_start = pl.lit(participants["at_start"])
    playing = (
        games.lazy()
        .select("report_row", pl.max_horizontal(at_start.gather(f"{side}_row") for side in ("white", "black")))
        .group_by("report_row")
        .agg(pl.exclude("report_row").max().name.map(lambda _: "highest_playing"))
    )
    busiest = (
        games.lazy()
        .filter(pl.col("date").is_not_null())
        .select("report_row", "date", "round")
        .unique()
        .group_by("report_row", "date")
        .agg(pl.len().cast(pl.Int32).alias("rounds"))
        .group_by("report_row")
        .agg(pl.col("rounds").max().alias("most_rounds"))
    )
    return playing.join(busiest, on="report_row", how="left").collect()


def join_ratings(
    participants: pl.DataFrame, known: pl.DataFrame, befores: Mapping[str, pl.DataFrame], players: pl.DataFrame
) -> pl.DataFrame:
    """Give every participant of a rated event the ratings that count (readings, 8.2.4; RB 7.2.1), and his state for K.

    A player who is rated now counts with his rating at the start, or with his current one if he had none then; his
    opponents see only the rating at the start. One who is not rated now is unrated for himself. Where the event's rule
    set says so, the standard rating in force at the start stands in for one a player never had: he counts as rated.
    ``befores`` is the newest list of each time control.

    Out: a row per participant: ``fide_id``, ``event_row``, ``seen`` (his rating at the start), ``rating`` (null:
    unrated), ``old_rating`` (what a change is added to), ``games_played``, ``reached_2400``, ``reached_2300``,
    ``birth_date``, ``birth_year`` and ``list_before`` (the first day of the newest list); null but for ``fide_id``
    where the event is not rated.
    """
    rated = known.lazy().with_row_index("event_row").filter(pl.col("status") == "rated")
    numbered = (
        participants.lazy()
        .with_row_index("no")
        .join(rated.select("report_row", "event_row", "time_control"), on="report_row")
    )
    born = _of(players.select("fide_id", "birth_date", "birth_year"), participants).lazy()
    old = pl.coalesce("current", pl.when("stands_in").then("at_start"))
    placed = [
        numbered.filter(pl.col("time_control") == time_control)
        .join(_of(before.select("fide_id", *_STATE, current="rating"), participants).lazy(), on="fide_id", how="left")
        .join(born, on="fide_id", how="left")
        .with_columns(old.alias("old_rating"))
        .select(
            "no",
            "event_row",
            pl.col("at_start").alias("seen"),
            pl.when(pl.col("old_rating").is_not_null()).then(pl.coalesce("at_start", "old_rating")).alias("rating"),
            "old_rating",
            *_STATE,
            "birth_date",
            "birth_year",
            pl.lit(before["month"].max(), dtype=pl.String).add("-01").str.to_date("%Y-%m-%d").alias("list_before"),
        )
        for time_control, before in (befores or {"": LIST_STATE.empty()}).items()
    ]
    return join_by_row_number(participants.select("fide_id"), pl.concat(placed).collect())


_STATE = ("games_played", "reached_2400", "reached_2300")


def gather_columns(rows: pl.DataFrame, number: str, table: pl.DataFrame, *names: str) -> pl.DataFrame:
    """``rows`` with columns of ``table`` beside them, of the row that the column ``number`` names."""
    return rows.with_columns(table[name].gather(rows[number]).alias(name) for name in names)


def join_by_row_number(rows: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with what is ``told`` of some of them, by the row number ``no``; null for the others."""
    return rows.with_row_index("no").join(told, on="no", how="left", maintain_order="left").drop("no")


def _numbered(rows: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Those of ``rows`` that are of the reports looked at, with their ``report_row``.

    An Enum of the ids says of every row which of them it has: so only the ids are looked up, not millions of rows.
    """
    ids, kind = rows["report_id"], rows.schema["report_id"]
    if not isinstance(kind, pl.Enum):
        kind = pl.Enum(ids.unique().sort())
        ids = ids.cast(kind)
    every = pl.DataFrame({"report_id": kind.categories})
    numbers = reports.select("report_id").with_row_index("report_row")
    number = every.join(numbers, on="report_id", how="left", maintain_order="left")["report_row"]
    return rows.with_columns(number.gather(ids.to_physical())).filter(pl.col("report_row").is_not_null())


def _key(fide_id: str) -> pl.Expr:
    return pl.col("report_row").cast(pl.Int64) * _FIDE_IDS + pl.col(fide_id)
