"""Make the data of a month's events: each event with its players, and each game once, in files of similar size.

The figures of both players of a game are in one row: the reader's browser makes a player's side of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from ratinglist.rating.change import rounded
from ratinglist.rating.entry import mean_and_difference, share_hundredths
from ratinglist.site.columns import PART, Packing, packed
from ratinglist.site.data_file import CONTROLS, array, array_of_rows, number, text

_SIDES_OF_FILE = 4_000
"""Players' games in one file, about: some 50 kB, which a slow line transfers in a tenth of a second."""
_SIDE = (
    *("score_halves", "rating", "opponent_rating", "difference", "difference_used", "expected_hundredths", "k"),
    "change_hundredths",
)
_SHORT = "srofdekc"
_KEY = ("event", "round")
_FILES_AT_ONCE = 200


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

    ``files``: yields the number and the content of each file. ``directory``: all events in a JSON array, ordered as
    they are in the files: code, name, federation, time control, first and last day, status, reason, players, games.
    """

    files: Iterator[tuple[int, bytes]]
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
    places = event_places(events, games).with_row_index("event")
    numbers = places.select("event_id", "event")
    rule_sets = games.group_by("event_id").agg(pl.col("rule_set").drop_nulls().min())
    described = (
        places.join(events, on="event_id", how="left", maintain_order="left")
        .join(rule_sets, on="event_id", how="left", maintain_order="left")
        .with_columns(pl.col("time_control").replace_strict(CONTROLS, default=None, return_dtype=pl.UInt8))
    )
    sides = games.join(numbers, on="event_id").select(
        *("event", "round", "date", "fide_id", "opponent_id", *_SIDE),
        pl.col("reason").cast(pl.Categorical),
        pl.col("time_control").is_in(rules.rounded_per_event).alias("is_rounded"),
        # An office may leave out the colour: then the lower FIDE ID comes first, and the page shows no colour.
        (pl.col("colour") == "w").fill_null(pl.col("fide_id") < pl.col("opponent_id")).alias("is_first"),
    )
    of_standings = Standings(
        *(rows.join(numbers, on="event_id").drop("event_id") for rows in (standings.places, standings.unplayed))
    )
    entry = array(
        *(text(name) for name in ("event_id", "name", "federation")),
        number("time_control"),
        *(text(name) for name in ("start_date", "end_date", "status", "reason")),
        *(number(name) for name in ("players", "games", "file", "place")),
    )
    directory = described.select(array_of_rows(entry)).item()
    files = _files(described, sides, names, rules.performance, of_standings)
    return EventData(files, directory if described.height else "[]")


def _files(
    events: pl.DataFrame, sides: pl.DataFrame, names: pl.DataFrame, performance: pl.Series, standings: Standings
) -> Iterator[tuple[int, bytes]]:
    """Yield the files, made so many at once, so that the memory does not grow with the events."""
    for (_,), part in events.group_by(pl.col("file") // _FILES_AT_ONCE, maintain_order=True):
        is_here = pl.col("event").is_between(part["event"].min(), part["event"].max())
        rows = (one.filter(is_here) for one in (sides, standings.places, standings.unplayed))
        yield from _files_of(part, names, performance, *rows)


def _files_of(
    events: pl.DataFrame,
    names: pl.DataFrame,
    performance: pl.Series,
    sides: pl.DataFrame,
    standing: pl.DataFrame,
    unplayed: pl.DataFrame,
) -> Iterator[tuple[int, bytes]]:
    players = _players(sides, names, performance, standing)
    place = events.select("event", pl.col("file").alias(PART), pl.col("place").alias("at"))

    def placed(rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows with the file and the place of their event in front of the other columns."""
        found = rows.join(place, on="event", how="left", maintain_order="left")
        return found.select(PART, "at", pl.exclude(PART, "at", "event"))

    seats = players.select("event", "fide_id", "seat")
    missed = unplayed.join(seats, on=["event", "fide_id"]).sort("event", "seat", "round")
    dates = pl.col("start_date", "end_date").cast(pl.String)
    what = ("event_id", "name", "federation", "time_control", "event_type")
    more = ("status", "reason", "rule_set")
    tables = {
        "e": (events.select(pl.col("file").alias(PART), *what, dates, *more), Packing()),
        "p": (placed(players.drop("seat")), Packing(["at", "fide_id"])),
        "g": (placed(_games(sides, players)), Packing(["at"], _COMPUTED)),
        "u": (placed(missed.select("event", "seat", "round", "score_halves")), Packing(["at"])),
    }
    return packed(tables)


def _players(sides: pl.DataFrame, names: pl.DataFrame, table: pl.Series, standing: pl.DataFrame) -> pl.DataFrame:
    """Return the players of each event by FIDE ID, with ``seat``, the place among them from 0.

    ``rating`` is the one of the player's first games; it is hardly ever another in a later round. ``performance``;
    ``change``, the sum of the changes where the list rounds event by event; and ``place`` in the standings. Points,
    rated games and the sum of their changes are in the games. Players with a place and no game are among them.
    """
    exact, has_rating = pl.col("change_hundredths"), pl.col("opponent_rating").is_not_null()
    sums = (
        sides.group_by("event", "fide_id")
        .agg(
            pl.col("rating").sort_by("round").first(),
            has_rating.sum().cast(pl.Int64).alias("against"),
            pl.col("score_halves").filter(has_rating).cast(pl.Int64).sum().alias("halves_against"),
            pl.col("opponent_rating").cast(pl.Int64).sum().alias("rating_sum"),
            pl.when(pl.col("is_rounded").first() & (exact.count() > 0)).then(rounded(exact.sum())).alias("change"),
        )
        .with_columns(_performance(table).alias("performance"))
    )
    ids = [sides.select("event", "fide_id"), sides.select("event", pl.col("opponent_id").alias("fide_id"))]
    return (
        pl.concat([*ids, standing.select("event", "fide_id")])
        .unique()
        .sort("event", "fide_id")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).over("event").alias("seat"))
        .join(names, on="fide_id", how="left", maintain_order="left")
        .join(sums, on=["event", "fide_id"], how="left", maintain_order="left")
        .join(standing, on=["event", "fide_id"], how="left", maintain_order="left")
        .select(
            "event", "fide_id", "seat", *("name", "federation", "title", "rating", "performance", "change", "place")
        )
    )


def _games(sides: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return the games, with the figures of both players, by event and round.

    ``r`` round, ``d`` date, ``w`` and ``b`` the seats of White and Black; with ``w`` and ``b`` in front, each player's
    reason ``q``, score ``s``, rating ``r``, the opponent's rating ``o``, difference ``f``, difference used ``d``,
    expected score ``e``, K ``k`` and change ``c``; ``_wp`` and ``_bp``: the ratings of the players. What
    :data:`COMPUTED` makes of the others is left out.
    """
    kept = ("event", "round", "date", "fide_id", "opponent_id", "reason", *_SIDE)
    first = sides.filter("is_first").select(kept)
    other = {"fide_id": "opponent_id", "opponent_id": "fide_id"}
    second = sides.filter(~pl.col("is_first")).select(kept).rename(other)
    both = first.join(second, on=[*_KEY, "fide_id", "opponent_id"], how="full", coalesce=True, suffix="_of_black")
    white = players.select("event", "fide_id", w="seat", _wp="rating")
    black = players.select("event", opponent_id="fide_id", b="seat", _bp="rating")
    columns = {
        f"{letter}{short}": f"{column}{suffix}"
        for letter, suffix in (("w", ""), ("b", "_of_black"))
        for short, column in zip(f"q{_SHORT}", ("reason", *_SIDE), strict=True)
    }
    return (
        both.join(white, on=["event", "fide_id"], how="left")
        .join(black, on=["event", "opponent_id"], how="left")
        .sort("event", "round", "w", "b")
        .with_columns(pl.col("reason", "reason_of_black").cast(pl.String))
        .select(
            "event",
            pl.col("round").alias("r"),
            pl.coalesce("date", "date_of_black").cast(pl.Int32).alias("d"),
            *("w", "b", "_wp", "_bp"),
            **{short: pl.col(column) for short, column in columns.items()},
        )
    )


Computed = int | str | tuple[str, "Computed", "Computed"]
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
}
"""What a column of an event's games nearly always is, by its name in the data: it is written where it is not.

``wp`` and ``bp``: the ratings of the players. The browser reads these from the data too, and knows no formula.
"""


def _as_expression(computed: Computed) -> pl.Expr:
    """Return what :data:`COMPUTED` has of a column."""
    if isinstance(computed, int):
        return pl.lit(computed)
    if isinstance(computed, str):
        return pl.col(f"_{computed}" if computed in ("wp", "bp") else computed)
    left, right = (_as_expression(one) for one in computed[1:])
    return left - right if computed[0] == "-" else left * right


_COMPUTED = {name: _as_expression(computed) for name, computed in COMPUTED.items()}
