"""Deliveries as tables: a table of events and one of games in one folder make reports, one for each event.

A row of games has the results of both players, as the two lines of a TRF report have them, and is judged by the same
rules (:mod:`~ratinglist.reports.games`). A row with one player is a bye, an absence or a forfeit without opponent. A
cell that cannot be understood refuses its event, as a cell of a manifest refuses its report.

An event is identified by its canonical rows: the values of its rows, sorted, so that the same event delivered again,
among other events or in the other format, has the same digest. They are kept as the original of the event.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule, refused_files
from ratinglist.limits import PLAYERS, ROUNDS, SHOWN_LENGTH, TABLE_EVENTS, TABLE_VALUE_LENGTH
from ratinglist.reports import games
from ratinglist.reports.encoding import leave_out
from ratinglist.reports.games import GAME, Batch, Parsed
from ratinglist.reports.manifest import (
    ALLOWED,
    FORM_OF_DAY,
    NAME,
    day,
    is_code,
    values,
)
from ratinglist.reports.table_cells import MISPLACED, TableCells, UnreadableTableError, read_cells
from ratinglist.result_codes import CODES, COLOURS, PLAYED, POINT_HALVES
from ratinglist.tables import DELIVERED, FILE_FINDING, HEADER, PLAYER_LINE
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN, shortened

FORMAT: Final = "table"
"""The ``report_format`` of an event that was delivered in tables."""
SIDES: Final = ("white", "black")
_EVENT_FACTS: Final = tuple(name for name in ALLOWED if name != "event_id")
EVENT_CELLS: Final = {
    "name": NAME,
    **{name: ALLOWED[name] for name in _EVENT_FACTS},
}
"""What the cells of a table of events may hold, by column but ``event_id``."""
GAME_CELLS: Final = {
    "round": f"a whole number from 1 to {ROUNDS}",
    "date": f"{FORM_OF_DAY}, or blank",
    "white_id": "digits of a FIDE ID, or blank for a bye of Black",
    "black_id": "digits of a FIDE ID, or blank for a bye of White",
    "white_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
    "black_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
}
"""What the cells of a table of games may hold, by column but ``event_id``."""
_CANONICAL: Final = tuple(GAME_CELLS)
_CANONICAL_HEADER: Final = "\t".join(_CANONICAL)
_NUMBER: Final = rf"^([0-9]{{1,{TABLE_VALUE_LENGTH}}})(?:\.0)?$"
_MOST_ID: Final = 10**11 - 1
"""The greatest number that the eleven columns of a FIDE ID hold."""


def read_tables(
    tables: Mapping[str, bytes], events_name: str, games_name: str, received_on: date, today: date
) -> Batch:
    """Read two ``tables`` from their bytes, by name.

    The text of an event is its canonical rows; ``line`` and ``column`` of a finding are those of the table of games.
    ``received_on``: the day of arrival where the table gives none; one that gives a day after ``today`` refuses the
    event. Raises :class:`UnreadableTableError` where a table cannot be used.
    """
    event_cells = read_cells(events_name, tables[events_name], ("event_id", "name"), _EVENT_FACTS)
    required = ("event_id", *(name for name in GAME_CELLS if name != "date"))
    game_cells = read_cells(games_name, tables[games_name], required, ("date",))
    coded, broken = (game_cells.rows.with_columns(_code()), game_cells.broken.with_columns(_code("key")))
    events, event_findings = _events(event_cells, pl.concat([coded["code"], broken["code"]]))
    if len(events) > TABLE_EVENTS:
        raise UnreadableTableError(f"{games_name} has more than {TABLE_EVENTS} events. Deliver them in several parts.")
    numbers = events.select("code", "file_no")
    rows = coded.join(numbers, on="code", how="left", maintain_order="left").with_columns(*_game_values())
    broken = broken.join(numbers, on="code", how="left")
    is_sound = ~pl.any_horizontal(f"is_wrong_{name}" for name in GAME_CELLS)
    sound = rows.filter(is_sound).select(
        "file_no", "row", *(pl.col(f"{name}_value").alias(name) for name in GAME_CELLS)
    )
    alone, both = _cells(sound, game_cells.numbers)
    played, others, disagreements = games.judge(both)
    delivered = _delivered(events, rows, games_name, received_on)
    named = pl.concat([rows["file_no"], broken["file_no"]]).implode()
    findings = limit_per_rule(
        pl.concat(
            [
                event_findings,
                finding(
                    "event_without_games", events.filter(~pl.col("file_no").is_in(named)), value=_shown(pl.col("code"))
                ),
                finding(
                    "received_in_the_future",
                    delivered.filter(pl.col("received_on") > today),
                    value=pl.col("received_on"),
                ),
                finding(
                    "game_row",
                    broken,
                    line=pl.col("row"),
                    value=pl.col("cells").cast(pl.String).fill_null(MISPLACED),
                    detail=pl.lit(game_cells.width),
                ),
                *(
                    finding(
                        "game_value",
                        rows.filter(f"is_wrong_{name}"),
                        line=pl.col("row"),
                        column=game_cells.numbers.get(name),
                        value=_shown(pl.col(name)),
                        detail=pl.lit(f"{name} (allowed: {allowed})"),
                    )
                    for name, allowed in GAME_CELLS.items()
                ),
                *_game_findings(sound, game_cells.numbers),
                disagreements,
            ]
        )
    )
    accepted = ~pl.col("file_no").is_in(refused_files(findings).implode())
    sound, played, others, alone = (rows.filter(accepted) for rows in (sound, played, others, alone))
    return Batch(
        delivered,
        {sha256: text.encode() for sha256, text in delivered.select("sha256", "text").iter_rows()},
        FILE_FINDING.empty(),
        parsed=_parsed(events, sound, played, others, alone, findings),
        tables=tables,
        problems=_problems(event_cells),
        notes=(*event_cells.notes, *game_cells.notes),
    )


def cells_of_rows(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the results in canonical rows (``file_no``, ``text``) as round cells.

    Out: ``file_no``, ``start_number``, ``round``, ``opponent_number`` and ``code``.
    """
    cell = pl.col("text").str.split("\t")
    rows = (
        texts.select("file_no", pl.col("text").str.strip_chars_end("\n").str.split("\n").list.slice(1))
        .explode("text")
        .drop_nulls("text")
        .select("file_no", *(cell.list.get(number).alias(name) for number, name in enumerate(_CANONICAL)))
        .with_columns(
            pl.lit(None, pl.Int32).alias("row"),
            pl.col("round").cast(pl.Int32),
            *(pl.col(f"{side}_id").cast(pl.Int64, strict=False) for side in SIDES),
        )
    )
    sides = _sides(rows)
    numbers = _players(sides).select("file_no", "fide_id", "start_number")
    opponents = numbers.rename({"fide_id": "opponent_id", "start_number": "opponent_number"})
    return (
        sides.join(numbers, on=["file_no", "fide_id"])
        .join(opponents, on=["file_no", "opponent_id"], how="left")
        .select("file_no", "start_number", "round", "opponent_number", pl.col("result").alias("code"))
    )


def is_canonical(text: pl.Expr) -> pl.Expr:
    """Return whether a text is the canonical rows of an event, and no report."""
    return text.str.starts_with(_CANONICAL_HEADER)


def _code(column: str = "event_id") -> pl.Expr:
    """Return the ``code``: the registration code with single blanks, as a manifest's is read."""
    return pl.col(column).str.replace_all(r"\s+", " ").alias("code")


def _shown(text: pl.Expr) -> pl.Expr:
    """Return a cell as it may be printed: shortened, with U+FFFD for what no reader sees."""
    end = pl.when(text.str.len_chars() > SHOWN_LENGTH).then(pl.lit("...")).otherwise(pl.lit(""))
    plain = text.str.slice(0, SHOWN_LENGTH).str.replace_all(f"{FORBIDDEN_IN_NAME}|{UNSEEN}", "\ufffd")
    return pl.concat_str(plain, end)


def _events(table: TableCells, codes_of_games: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the events and the findings of their rows.

    Out: ``file_no`` (from 1, in the order of ``code``), ``code``, ``row`` (null for an event that only the games name),
    ``name``, ``event_id`` and the other columns of a manifest, null where a cell is blank or cannot be understood. An
    event without a row of its own has its code as name.
    """
    rows = table.rows.with_columns(_code()).filter(is_code("code"))
    first = rows.unique("code", keep="first", maintain_order=True)
    broken = table.broken.with_columns(_code("key"))
    every = pl.concat([first["code"], broken["code"], codes_of_games]).unique().sort().to_frame("code")
    events = every.with_row_index("file_no", 1).with_columns(pl.col("file_no").cast(pl.Int32))
    events = events.join(first, on="code", how="left", maintain_order="left").with_columns(
        pl.col(pl.String).fill_null("")
    )
    repeated = rows.join(events.select("code", "file_no", first_row="row"), on="code").filter(
        pl.col("row") != pl.col("first_row")
    )
    named, notes = leave_out(events.with_columns(line=pl.col("row")), "name", 1)
    name = pl.when(pl.col("row").is_null()).then(_shown(pl.col("code"))).otherwise("name")
    columns = [name.str.replace_all(r"\s+", " ").alias("name"), pl.col("code").alias("event_id")]
    valued = named.drop("line").with_columns(columns).with_columns(*values())
    has_row = pl.col("row").is_not_null()
    place = pl.format(f"{table.name}, row {{}}", "row")
    cells = pl.col("cells").cast(pl.String).fill_null(MISPLACED)
    findings = [
        # Their place is a row of the table of events, and the report is named after that of the games.
        notes.with_columns(pl.lit(None, pl.Int32).alias("line"), pl.lit(None, pl.Int32).alias("column")),
        finding(
            "event_row_missing",
            events.filter(~has_row).join(broken, on="code", how="anti"),
            value=_shown(pl.col("code")),
            detail=pl.lit(table.name),
        ),
        finding(
            "event_row_twice",
            repeated,
            value=pl.col("code"),
            detail=pl.format(f"{table.name}, rows {{}} and {{}}", "first_row", "row"),
        ),
        *(
            finding(
                "event_value",
                valued.filter((pl.col(column) != "") & pl.col(f"{column}_value").is_null() & has_row),
                value=_shown(pl.col(column)),
                detail=pl.concat_str(place, pl.lit(f", column {column} (allowed: {allowed})")),
            )
            for column, allowed in EVENT_CELLS.items()
        ),
        *(
            finding("event_date_missing", valued.filter((pl.col(day) == "") & has_row), value=pl.lit(day), detail=place)
            for day in ("start_date", "end_date")
        ),
        finding("event_name_missing", valued.filter(pl.col("name") == "")),
        finding(
            "event_row",
            broken.join(events.select("code", "file_no"), on="code"),
            value=cells,
            detail=pl.concat_str(place, pl.lit(f"; its header has {table.width}")),
        ),
    ]
    facts = valued.select(
        *("file_no", "code", "row"),
        *(pl.col(f"{column}_value").alias(column) for column in ("name", "event_id", *_EVENT_FACTS)),
    )
    return facts, pl.concat(findings)


def _game_values() -> list[pl.Expr]:
    """Return the value of every cell of a row, null where it is blank or wrong, and whether it is wrong."""

    def number(column: str, most: int) -> pl.Expr:
        # A whole number in a column with missing values is written as a fraction by many programs.
        value = pl.col(column).str.extract(_NUMBER).cast(pl.Int64, strict=False)
        return pl.when(value.is_between(1, most)).then(value)

    results = {f"{side}_result": pl.col(f"{side}_result").str.to_uppercase() for side in SIDES}
    values = {
        "round": number("round", ROUNDS).cast(pl.Int32),
        "date": day("date"),
        **{f"{side}_id": number(f"{side}_id", _MOST_ID) for side in SIDES},
        **{name: pl.when(code.is_in(list(POINT_HALVES))).then(code) for name, code in results.items()},
    }
    # A cell of 0 says that there is no player.
    blank = {"white_id": ["", "0", "0000", "0.0"], "black_id": ["", "0", "0000", "0.0"], "round": []}
    return [
        *(value.alias(f"{column}_value") for column, value in values.items()),
        *(
            (value.is_null() & ~pl.col(column).is_in(blank.get(column, [""]))).alias(f"is_wrong_{column}")
            for column, value in values.items()
        ),
    ]


def _cells(sound: pl.DataFrame, column: Mapping[str, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the cells of the rows with one player, and the rows with two as pairs of cells (:func:`games.judge`)."""
    two = sound.filter(pl.col("white_id") != pl.col("black_id"))
    both = two.select(
        *("file_no", "round", "date"),
        *(pl.col("row").alias(name) for name in ("line", "line_b")),
        # The place of a cell is that of its opponent, seven columns before the result.
        *(
            pl.lit(column[f"{side}_result"] - 7, pl.Int32).alias(name)
            for side, name in zip(SIDES, ("column", "column_b"), strict=True)
        ),
        *(pl.col("white_id").alias("start_number"), pl.col("black_id").alias("start_number_b")),
        *(pl.lit(one, pl.Enum(COLOURS)).alias(name) for one, name in (("w", "colour"), ("b", "colour_b"))),
        *(
            pl.col(f"{side}_result").fill_null("").cast(pl.Enum(CODES)).alias(name)
            for side, name in zip(SIDES, ("code", "code_b"), strict=True)
        ),
    )
    alone = [
        sound.filter(pl.col(f"{other}_id").is_null()).select(
            "file_no", pl.col(f"{own}_result").fill_null("").alias("code")
        )
        for own, other in (SIDES, SIDES[::-1])
    ]
    return pl.concat(alone), both


def _sides(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``row``, ``round``, ``fide_id``, ``opponent_id`` and ``result``, a row for each player."""
    return pl.concat(
        rows.select(
            *("file_no", "row", "round"),
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.col(f"{own}_result").fill_null("").alias("result"),
        ).drop_nulls("fide_id")
        for own, other in (SIDES, SIDES[::-1])
    )


def _players(sides: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``fide_id``, ``line``, ``points_tenths`` and ``start_number``: by FIDE ID, from 1."""
    halves = pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32)
    return (
        sides.group_by("file_no", "fide_id")
        .agg(pl.col("row").min().alias("line"), (halves.sum() * 5).alias("points_tenths"))
        .sort("file_no", "fide_id")
        .with_columns((pl.int_range(pl.len(), dtype=pl.Int32).over("file_no") + 1).alias("start_number"))
    )


def _parsed(
    events: pl.DataFrame,
    rows: pl.DataFrame,
    played: pl.DataFrame,
    others: pl.DataFrame,
    alone: pl.DataFrame,
    findings: pl.DataFrame,
) -> Parsed:
    """Return what the accepted events say: their ``rows``, the pairs in them, played and other, and single cells."""
    players = PLAYER_LINE.completed(_players(_sides(rows)), blank_texts=True)
    counts = games.counts(players, played, others, alone, alone.clear())
    days = rows.group_by("file_no").agg(
        pl.col("round").max().alias("rounds"),
        pl.col("date").min().alias("first_round_date"),
        pl.col("date").max().alias("last_round_date"),
    )
    header = events.select("file_no", "name", pl.lit(FORMAT).alias("report_format")).join(
        days, on="file_no", how="left", maintain_order="left"
    )
    ids = {"white_number": "white_id", "black_number": "black_id"}
    return Parsed(HEADER.completed(header), players, played.rename(ids).select(GAME), counts, findings)


def _delivered(events: pl.DataFrame, rows: pl.DataFrame, games_name: str, received_on: date) -> pl.DataFrame:
    """Return the events as :data:`~ratinglist.tables.DELIVERED`, with their canonical rows as text."""
    plain = [
        pl.coalesce(pl.col(f"{name}_value").cast(pl.String), pl.col(name).str.replace_all(FORBIDDEN_IN_NAME, "\ufffd"))
        for name in _CANONICAL
    ]
    lines = rows.select("file_no", pl.concat_str(plain, separator="\t").alias("line")).group_by("file_no")
    text = pl.format(f"{_CANONICAL_HEADER}\n{{}}", pl.col("line").fill_null("")).alias("text")
    name = pl.when(pl.col("code") == "").then(pl.lit("(no event_id)")).otherwise(_shown(pl.col("code")))
    delivered = (
        events.join(lines.agg(pl.format("{}\n", pl.col("line").sort().str.join("\n"))), on="file_no", how="left")
        .sort("file_no")
        .with_columns(
            text,
            pl.format(f"{games_name.replace('{', '{{').replace('}', '}}')}/{{}}", name).alias("file_name"),
            pl.col("received_on").fill_null(received_on),
            pl.col("name").alias("event_name"),
            pl.lit(None).alias("player_ids"),
        )
    )
    digests = [hashlib.sha256(one.encode()).hexdigest() for one in delivered["text"]]
    return DELIVERED.conform(delivered.with_columns(pl.Series("sha256", digests, dtype=pl.String)))


def _game_findings(rows: pl.DataFrame, column: Mapping[str, int]) -> list[pl.DataFrame]:
    """Return what is wrong or odd with the rows whose cells can be understood, but for their two results."""
    white, black, row = pl.col("white_id"), pl.col("black_id"), pl.col("row")
    single = rows.filter(white.is_null() != black.is_null())
    sides = [
        rows.select("file_no", "row", "round", "white_id", "black_id")
        .with_columns(pl.col(f"{side}_id").alias("fide_id"), pl.lit(column[f"{side}_id"]).alias("column"))
        .drop_nulls("fide_id")
        for side in SIDES
    ]
    # A player against themselves is another finding.
    places = pl.concat([sides[0], sides[1].filter(white.ne_missing(black))])
    first = places.group_by("file_no", "round", "fide_id").agg(row.min().alias("first_row"), pl.len())
    again = places.join(first.filter(pl.col("len") > 1), on=["file_no", "round", "fide_id"])
    played = rows.filter(pl.col("white_result").is_in(PLAYED) & pl.col("black_result").is_in(PLAYED))
    players = places.group_by("file_no").agg(pl.col("fide_id").n_unique().alias("players"))
    return [
        finding(
            "game_without_players",
            rows.filter(white.is_null() & black.is_null()),
            line=row,
            column=column["white_id"],
        ),
        finding(
            "opponent_self",
            rows.filter(white == black),
            line=row,
            column=column["black_id"],
            value=black,
            detail=pl.col("round"),
        ),
        *(
            finding(
                "opponent_missing",
                single.filter(pl.col(f"{side}_result").is_in(PLAYED)),
                line=row,
                column=column[f"{side}_result"],
                value=pl.col(f"{side}_result"),
                detail=pl.col("round"),
            )
            for side in SIDES
        ),
        finding(
            "game_second_in_round",
            again.filter(row > pl.col("first_row")),
            line=row,
            column=pl.col("column"),
            value=pl.col("fide_id"),
            detail=pl.format("round {}: the first is in row {}", "round", "first_row"),
        ),
        games.pairs_repeated(
            played.select(
                *("file_no", "round", pl.col("row").alias("line")),
                pl.min_horizontal(white, black).alias("low"),
                pl.max_horizontal(white, black).alias("high"),
            )
        ),
        finding(
            "too_many_players",
            players.filter(pl.col("players") > PLAYERS),
            value=pl.col("players"),
            detail=pl.lit(PLAYERS),
        ),
    ]


def _problems(table: TableCells) -> tuple[str, ...]:
    """Return a sentence for the rows that name no event, if there are any."""
    rows = table.rows.with_columns(_code()).filter(~is_code("code"))
    return tuple(
        f"{table.name}, row {row}, column event_id: '{shortened(text, SHOWN_LENGTH)}' is no registration code "
        f"(allowed: {ALLOWED['event_id']}). Rows that name no event: {len(rows)}. Correct them, and deliver the tables "
        "again."
        for row, text in rows.head(1).select("row", "code").iter_rows()
    )
