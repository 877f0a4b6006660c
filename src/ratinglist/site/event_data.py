"""Make the data of a month's events: each event with its players, and each game once, in files of similar size.

The figures of both players of a game are in one row: the reader's browser makes a player's side of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from ratinglist.rating.change import rounded
from ratinglist.rating.entry import mean_and_difference, share_hundredths
from ratinglist.site.data_file import CONTROLS, array, array_of_rows, member, number, text

_SIDES_OF_FILE = 4_000
"""Players' games in one file, about: some 50 kB, which a slow line transfers in a tenth of a second."""
_SIDE = (
    *("score_halves", "rating", "opponent_rating", "difference", "difference_used", "expected_hundredths", "k"),
    *("change_hundredths", "reason"),
)
_KEY = ("event_id", "round")


@dataclass(frozen=True, slots=True)
class EventRules:
    """What the results of an event need of the regulations.

    ``rounded_per_event``: the time controls whose lists round event by event. ``performance``: rating differences by
    share of the points in hundredths (8.1.1).
    """

    rounded_per_event: Sequence[str] = ()
    performance: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.Int32))


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of events, byes and forfeits included; an event may be missing.

    ``places``: ``event_id``, ``fide_id``, ``place``; players without a game have one too. ``unplayed``: ``event_id``,
    ``fide_id``, ``round`` and ``score_halves`` of the results without a game.
    """

    places: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema={"event_id": pl.String, "fide_id": pl.Int64, "place": pl.Int32})
    )
    unplayed: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(
            schema={"event_id": pl.String, "fide_id": pl.Int64, "round": pl.Int32, "score_halves": pl.Int32}
        )
    )


def _performance(table: pl.Series) -> pl.Expr:
    """Return Ra + dp of the games against rated opponents, ``against``; null without any (8.1.1)."""
    games = pl.col("against")
    if table.is_empty():
        return pl.lit(None, pl.Int64)
    known = pl.max_horizontal(games, 1)
    dp = pl.lit(table.cast(pl.Int64)).gather(share_hundredths(pl.col("halves_against"), known))
    return pl.when(games > 0).then(mean_and_difference(pl.col("rating_sum"), dp, known))


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
    return ordered.select("event_id", (filled.rank("dense") - 1).cast(pl.Int32).alias("file")).with_columns(
        pl.int_range(pl.len(), dtype=pl.Int32).over("file").alias("place")
    )


def events_of_players(places: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return the events in which each player has games: ``fide_id``, ``file``, ``place``, sorted."""
    pairs = games.select("fide_id", "event_id").unique()
    return pairs.join(places, on="event_id").select("fide_id", "file", "place").sort("fide_id", "file", "place")


def event_data(
    events: pl.DataFrame, games: pl.DataFrame, names: pl.DataFrame, rules: EventRules, standings: Standings
) -> EventData:
    """Return the data files of a month's events.

    In: ``EVENT``, ``GAME``, and ``names``: ``fide_id``, ``name``, ``federation``, ``title``, once each player.
    ``standings``: those of some of the events.
    """
    places = event_places(events, games)
    sides = games.with_columns(
        # An office may leave out the colour: then the lower FIDE ID comes first, and the page shows no colour.
        (pl.col("colour") == "w").fill_null(pl.col("fide_id") < pl.col("opponent_id")).alias("is_first")
    )
    players = _players(sides, names, rules, standings)
    objects = (
        places.join(events, on="event_id", how="left", maintain_order="left")
        .join(_objects_of(players, "p"), on="event_id", how="left", maintain_order="left")
        .join(_games(sides, players), on="event_id", how="left", maintain_order="left")
        .join(_standings(standings, players), on="event_id", how="left", maintain_order="left")
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
        pl.col("o").fill_null(""),
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


def _standings(standings: Standings, players: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id`` and ``o``: the place of each seat; seat, round and half points of what was not played."""
    seats = players.select("event_id", "fide_id", "seat")
    places = seats.join(standings.places, on=["event_id", "fide_id"], maintain_order="left")
    unplayed = standings.unplayed.join(seats, on=["event_id", "fide_id"]).sort("event_id", "seat", "round")
    rows = _objects_of(
        unplayed.select("event_id", json=array(*(number(name) for name in ("seat", "round", "score_halves")))), "u"
    )
    return (
        _objects_of(places.select("event_id", json=number("place")), "o")
        .join(rows, on="event_id", how="left", maintain_order="left")
        .select(
            "event_id",
            pl.concat_str(pl.lit(","), member("o", pl.col("o")), pl.lit(","), member("u", pl.col("u").fill_null("[]"))),
        )
        .rename({"literal": "o"})
    )


def _players(sides: pl.DataFrame, names: pl.DataFrame, rules: EventRules, standings: Standings) -> pl.DataFrame:
    """Return the players of each event by FIDE ID: ``event_id``, ``fide_id``, ``seat`` from 0, ``rating``, ``json``.

    ``rating`` is the one of the player's first games; it is hardly ever another in a later round. The JSON has FIDE ID,
    name, federation, title, rating, and the results of the player's games: half points, performance, rated games, the
    sum of their changes, and this rounded where the list rounds event by event. Players with a place and no game are
    among them.
    """
    exact, has_rating = pl.col("change_hundredths"), pl.col("opponent_rating").is_not_null()
    per_event = pl.col("time_control").first().is_in(rules.rounded_per_event)
    sums = (
        sides.group_by("event_id", "fide_id")
        .agg(
            pl.col("rating").sort_by("round").first(),
            pl.col("score_halves").cast(pl.Int64).sum(),
            has_rating.sum().cast(pl.Int64).alias("against"),
            pl.col("score_halves").filter(has_rating).cast(pl.Int64).sum().alias("halves_against"),
            pl.col("opponent_rating").cast(pl.Int64).sum().alias("rating_sum"),
            exact.count().alias("rated"),
            pl.when(exact.count() > 0).then(exact.sum()).alias("exact"),
            pl.when(per_event & (exact.count() > 0)).then(rounded(exact.sum())).alias("change"),
        )
        .with_columns(_performance(rules.performance).alias("performance"))
    )
    ids = [sides.select("event_id", "fide_id"), sides.select("event_id", pl.col("opponent_id").alias("fide_id"))]
    seated = (
        pl.concat([*ids, standings.places.select("event_id", "fide_id")])
        .unique()
        .sort("event_id", "fide_id")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int32).over("event_id").alias("seat"))
        .join(names, on="fide_id", how="left", maintain_order="left")
        .join(sums, on=["event_id", "fide_id"], how="left", maintain_order="left")
        .with_columns(pl.col("score_halves", "rated").fill_null(0))
    )
    results = ("rating", "score_halves", "performance", "rated", "exact")
    rounded_change = pl.concat_str(pl.lit(","), number("change"))
    json = pl.concat_str(
        pl.lit("["),
        pl.concat_str(number("fide_id"), text("name"), text("federation"), text("title"), separator=","),
        pl.lit(","),
        pl.concat_str(*map(number, results), separator=","),
        pl.when(pl.col("change").is_not_null()).then(rounded_change).otherwise(pl.lit("")),
        pl.lit("]"),
    )
    return seated.select("event_id", "fide_id", "seat", "rating", json.alias("json"))


def _objects_of(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.group_by("event_id", maintain_order=True).agg(array_of_rows(pl.col("json")).alias(name))


def _games(sides: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id`` and ``g``: the columns of its games, each a JSON array under its own name.

    Columns compress far better than rows. ``r`` round, ``d`` date, ``w`` and ``b`` the seats of White and Black; with
    ``w`` and ``b`` in front, each player's score ``s``, rating ``r``, the opponent's rating ``o``, difference ``f``,
    difference used ``d``, expected score ``e``, K ``k``, change ``c`` and reason ``q``. A column is left
    out of an event where all of it is what :data:`COMPUTED` makes of the others.
    """
    columns = {"r": number("round"), "d": text("date"), "w": number("white"), "b": number("black")}
    always = [member(name, array_of_rows(part)) for name, part in columns.items()]
    optional = []
    for letter, suffix in (("w", ""), ("b", "_of_black")):
        for short, column in zip("srofdekcq", _SIDE, strict=True):
            value = pl.col(f"{column}{suffix}")
            written = pl.concat_str(
                pl.lit(","), member(letter + short, array_of_rows(text(value) if short == "q" else number(value)))
            )
            computed = _as_expression(COMPUTED.get(letter + short))
            optional.append(
                written
                if computed is None
                else pl.when(~value.eq_missing(computed).all()).then(written).otherwise(pl.lit(""))
            )
    return (
        _paired(sides, players)
        .group_by("event_id", maintain_order=True)
        .agg(
            pl.concat_str(
                pl.lit('"g":{'), pl.concat_str(always, separator=","), pl.concat_str(optional), pl.lit("}")
            ).alias("g")
        )
    )


Computed = int | str | tuple[str, "Computed", "Computed"] | None
"""A number, the name of a column, or an operation on two of them."""

COMPUTED: dict[str, Computed] = {
    "wr": "wp",
    "br": "bp",
    "bs": ("-", 2, "ws"),
    "wo": "br",
    "bo": "wr",
    "wf": ("-", "wr", "wo"),
    "bf": ("-", "br", "bo"),
    "wd": "wf",
    "bd": "bf",
    "be": ("-", 100, "we"),
    **{f"{side}c": ("*", f"{side}k", ("-", ("*", 50, f"{side}s"), f"{side}e")) for side in ("w", "b")},
    "wq": "",
    "bq": "",
}
"""What a column of an event's games nearly always is, by its name in the data: it is written where it is not.

``wp`` and ``bp``: the ratings of the players. The browser reads these from the data too, and knows no formula.
"""


def _as_expression(computed: Computed) -> pl.Expr | None:
    """Return what :data:`COMPUTED` has of a column; None for a column that is always written."""
    if computed is None or isinstance(computed, int):
        return None if computed is None else pl.lit(computed)
    if isinstance(computed, str):
        return pl.col(_COLUMNS[computed]) if computed else pl.lit("")
    left, right = (_as_expression(one) for one in computed[1:])
    if left is None or right is None:
        return None
    return left - right if computed[0] == "-" else left * right


_COLUMNS = {
    "wp": "rating_white",
    "bp": "rating_black",
    **{
        f"{letter}{short}": f"{column}{suffix}"
        for letter, suffix in (("w", ""), ("b", "_of_black"))
        for short, column in zip("srofdekcq", _SIDE, strict=True)
    },
}
"""The columns of :func:`_paired` by their names in the data."""


def _paired(sides: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each game, with the figures of both players; those of Black end in ``_of_black``."""
    first = sides.filter("is_first").select(*_KEY, "date", "fide_id", "opponent_id", *_SIDE)
    second = sides.filter(~pl.col("is_first")).select(
        *_KEY, "date", pl.col("opponent_id").alias("fide_id"), pl.col("fide_id").alias("opponent_id"), *_SIDE
    )
    both = first.join(
        second, on=[*_KEY, "fide_id", "opponent_id"], how="full", coalesce=True, suffix="_of_black"
    ).with_columns(pl.coalesce("date", "date_of_black").alias("date"))
    white = players.select("event_id", "fide_id", white="seat", rating_white="rating")
    black = players.select("event_id", opponent_id="fide_id", black="seat", rating_black="rating")
    return (
        both.join(white, on=["event_id", "fide_id"], how="left")
        .join(black, on=["event_id", "opponent_id"], how="left")
        .sort("event_id", "round", "white", "black")
    )
