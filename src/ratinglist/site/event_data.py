"""Make the data of a month's events: each event with its players, and each game once, in files of similar size.

The figures of both players of a game are in one row: the reader's browser makes a player's side of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.site.json_text import array, array_of_rows, member, number, text
from ratinglist.site.published_months import CONTROLS

_SIDES_OF_FILE = 4_000
"""Players' games in one file, about: some 50 kB, which a slow line transfers in a tenth of a second."""
_SIDE = ("score_halves", "rating", "difference_used", "expected_hundredths", "k", "change_hundredths", "reason")
_KEY = ("event_id", "round")


@dataclass(frozen=True, slots=True)
class EventData:
    """The data of a month's events.

    ``files``: the JSON text of each file, by its number. ``directory``: all events in a JSON array, ordered as they
    are in the files: code, name, federation, time control, first and last day, status, reason, players, games.
    """

    files: list[str]
    directory: str


def event_places(events: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return where each event of a month is: ``event_id``, ``file`` and ``place`` in it, from 0.

    In: ``EVENT`` and ``GAME``, of which only ``event_id`` is used. An event without games has a place too.
    """
    sizes = games.group_by("event_id").agg(pl.len().alias("sides"))
    ordered = (
        pl.concat([events.select("event_id"), games.select("event_id")])
        .unique()
        .join(sizes, on="event_id", how="left")
        .with_columns(pl.col("sides").fill_null(0).cast(pl.Int64))
        .sort("event_id")
    )
    first = pl.col("sides").cum_sum() - pl.col("sides")
    # An empty event adds a little, or a month of refused events would be one endless file.
    filled = (first + pl.int_range(pl.len()) * 8) // _SIDES_OF_FILE
    return ordered.select(
        "event_id", (filled.rank("dense") - 1).cast(pl.Int32).alias("file")
    ).with_columns(pl.int_range(pl.len(), dtype=pl.Int32).over("file").alias("place"))


def events_of_players(places: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return the events in which each player has games: ``fide_id``, ``file``, ``place``, sorted."""
    pairs = games.select("fide_id", "event_id").unique()
    return pairs.join(places, on="event_id").select("fide_id", "file", "place").sort("fide_id", "file", "place")


def event_data(events: pl.DataFrame, games: pl.DataFrame, names: pl.DataFrame) -> EventData:
    """Return the data files of a month's events.

    In: ``EVENT``, ``GAME``, and ``names``: ``fide_id``, ``name``, ``federation``, ``title``, once each player.
    """
    places = event_places(events, games)
    sides = games.with_columns(
        # An office may leave out the colour: then the lower FIDE ID comes first, and the page shows no colour.
        (pl.col("colour") == "w").fill_null(pl.col("fide_id") < pl.col("opponent_id")).alias("is_first")
    )
    players = _players(sides, names)
    objects = (
        places.join(events, on="event_id", how="left", maintain_order="left")
        .join(_objects_of(players, "p"), on="event_id", how="left", maintain_order="left")
        .join(_games(sides, players), on="event_id", how="left", maintain_order="left")
        .join(
            sides.group_by("event_id").agg(pl.col("rule_set").drop_nulls().min().alias("rule_set")),
            on="event_id",
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col("time_control").replace_strict(CONTROLS, default=None, return_dtype=pl.Int64))
    )
    json = pl.concat_str(
        pl.lit("{"),
        pl.concat_str(
            member("id", text("event_id")),
            member("n", text("name")),
            member("f", text("federation")),
            member("c", number("time_control")),
            member("y", text("event_type")),
            member("s", text("start_date")),
            member("e", text("end_date")),
            member("st", text("status")),
            member("re", text("reason")),
            member("rs", text("rule_set")),
            member("p", pl.col("p").fill_null("[]")),
            pl.col("g").fill_null('"g":null'),
            separator=",",
        ),
        pl.lit("}"),
    )
    files = objects.group_by("file", maintain_order=True).agg(array_of_rows(json).alias("json")).sort("file")
    entry = array(
        *(text(name) for name in ("event_id", "name", "federation")),
        number("time_control"),
        *(text(name) for name in ("start_date", "end_date", "status", "reason")),
        *(number(name) for name in ("players", "games", "file", "place")),
    )
    directory = objects.select(array_of_rows(entry)).item()
    return EventData(files["json"].to_list(), directory if objects.height else "[]")


def _players(sides: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return the players of each event by FIDE ID: ``event_id``, ``fide_id``, ``seat`` from 0, ``json``."""
    seated = (
        pl.concat([sides.select("event_id", "fide_id"), sides.select("event_id", pl.col("opponent_id").alias("fide_id"))])
        .unique()
        .sort("event_id", "fide_id")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int32).over("event_id").alias("seat"))
        .join(names, on="fide_id", how="left", maintain_order="left")
    )
    return seated.select(
        "event_id",
        "fide_id",
        "seat",
        array(number("fide_id"), text("name"), text("federation"), text("title")).alias("json"),
    )


def _objects_of(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.group_by("event_id", maintain_order=True).agg(array_of_rows(pl.col("json")).alias(name))


def _games(sides: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id`` and ``g``: the columns of its games, each a JSON array under its own name.

    Columns compress far better than rows. ``r`` round, ``d`` date, ``w`` and ``b`` the seats of White and Black; with
    ``w`` and ``b`` in front, each player's score ``s``, rating ``r``, difference used ``d``, expected score ``e``,
    K ``k``, change ``c`` and reason ``q``.
    """
    first = sides.filter("is_first").select(*_KEY, "date", "fide_id", "opponent_id", *_SIDE)
    second = sides.filter(~pl.col("is_first")).select(
        *_KEY, "date", pl.col("opponent_id").alias("fide_id"), pl.col("fide_id").alias("opponent_id"), *_SIDE
    )
    both = first.join(
        second, on=[*_KEY, "fide_id", "opponent_id"], how="full", coalesce=True, suffix="_of_black"
    ).with_columns(pl.coalesce("date", "date_of_black").alias("date"))
    seats = players.select("event_id", "fide_id", "seat")
    games = (
        both.join(seats.rename({"seat": "white"}), on=["event_id", "fide_id"], how="left")
        .join(
            seats.rename({"seat": "black", "fide_id": "opponent_id"}), on=["event_id", "opponent_id"], how="left"
        )
        .sort("event_id", "round", "white", "black")
    )
    columns = {"r": number("round"), "d": text("date"), "w": number("white"), "b": number("black")}
    for letter, suffix in (("w", ""), ("b", "_of_black")):
        for short, column in zip("srdekc", _SIDE[:-1], strict=True):
            columns[letter + short] = number(column + suffix)
        columns[letter + "q"] = text(f"reason{suffix}")
    return games.group_by("event_id", maintain_order=True).agg(
        pl.concat_str(
            pl.lit('"g":{'),
            pl.concat_str([member(name, array_of_rows(part)) for name, part in columns.items()], separator=","),
            pl.lit("}"),
        ).alias("g")
    )
