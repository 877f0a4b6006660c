"""Write FIDE's list as fixed-width text and as XML: combined, without arena titles, and of one time control.

Text: the header line and the player lines follow from the columns as :mod:`~ratinglist.tables` declares them.
Every column but the other titles ends with a blank. A text longer than its column is cut and counted, because it would
shift all figures after it, as FIDE's own lists sometimes do. A number is never cut.

An absent rating, number of games or K is ``0``, as in FIDE's lists since 2024: readers that convert these columns to
numbers stop at a blank. Before 2024 FIDE left them blank.

XML: the elements are in FIDE's order, because some readers count them. There is no declaration and no byte order mark.
Names are in ASCII unless the request is for the original ones, which are UTF-8 then: a SAX parser reports a text with
other letters in several pieces, and readers in use keep only the last piece.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.errors import ExportError
from ratinglist.lists.selection import (
    ExportRequest,
    Prepared,
    PublishedLists,
    fide_columns,
    one_row_per_player,
    with_both_titles,
)
from ratinglist.names.folding import to_ascii
from ratinglist.tables import FIGURES, PLAYER_TEXTS, FideColumn

LINE_END = "\r\n"
_WRITTEN_ROWS = 131_072
"""Rows formatted at once, so that memory does not grow with the list."""
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
"""What XML writes for a character; a bare CR would be read as LF."""

_FILLED = "other_titles"
"""The column that a text may fill up to its last character, as in FIDE's lists."""


def layout(request: ExportRequest) -> dict[str, FideColumn]:
    """Return the columns of the requested list: combined, or of one time control, headed by its month."""
    return fide_columns(one_list=request.period if request.time_control else None, legacy=request.legacy)


def header(columns: dict[str, FideColumn]) -> str:
    """Return the header line without its line end."""
    return "".join(column.heading.ljust(column.width) for column in columns.values()).rstrip()


def text_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the players in ASCII, by name, with values that fit their columns, and the counts of what was lost.

    Raises :class:`ExportError` if a number is too long for its column.
    """
    players, letters = xml_rows(published, request)
    rows, cut = fit(players, layout(request))
    return rows, {**letters, "texts_cut": cut}


def write_text(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write the header line and a line for each player."""
    columns = layout(request)
    _write(path, header(columns), rows, line(columns))


def line(columns: dict[str, FideColumn]) -> pl.Expr:
    """Return the line of a player without its end, over rows of :func:`fit`. A number that is null is 0."""
    return pl.concat_str(_padded(name, column.width) for name, column in columns.items())


def fit(players: pl.DataFrame, columns: dict[str, FideColumn]) -> tuple[pl.DataFrame, int]:
    """Return ``players`` with values that fit their columns, and the number of cut texts.

    ``players``: what ``columns`` name, text in ASCII. Other titles are cut at a comma, so that no title is cut in half;
    an unknown year of birth becomes 0. Raises :class:`ExportError` if a number is too long for its column.
    """
    cut = 0
    for name, column in columns.items():
        most = column.width - (name != _FILLED)
        if players.schema[name] != pl.String:
            too_long = players[name] >= 10**most
            if too_long.any():
                raise _too_long(players.filter(too_long), name, column)
            continue
        too_long = players[name].str.len_bytes() > most
        cut += int(too_long.sum())
        short = pl.col(name).str.head(most)
        if name == _FILLED:
            short = pl.col(name).str.extract(rf"^(.{{0,{most}}})(?:,|$)").fill_null("")
        players = players.with_columns(pl.when(too_long).then(short).otherwise(name).alias(name))
    return players.with_columns(pl.col("birth_year").fill_null(0)), cut


def _padded(name: str, width: int) -> pl.Expr:
    """Return the text of a column, as wide as the column. A year has four digits, an unknown one too."""
    text = pl.col(name).cast(pl.String).fill_null("0")
    return (text.str.zfill(4) if name == "birth_year" else text).str.pad_end(width)


def _too_long(players: pl.DataFrame, name: str, column: FideColumn) -> ExportError:
    first = players.sort("fide_id").row(0, named=True)
    return ExportError(
        f"Nothing was exported: {name} of player {first['fide_id']} ({first['name']}) is "
        f"{first[name]}, and the column {column.heading} of FIDE's text has room for {column.width - 1} "
        "characters. Correct the value and publish again, or export as csv."
    )


def xml_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the players by name, and the counts of changed letters; with the original names there are none."""
    # The arena titles are not known.
    players = with_both_titles(one_row_per_player(published, request)).with_columns(foa_title=pl.lit(""))
    rows, letters = (players, {}) if request.original_names else to_ascii(players)
    return rows.sort("name", "fide_id"), letters


def write_xml(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write ``<playerslist>`` with a ``<player>`` for each player, a line for each element.

    No player is registered with a control character, which XML cannot hold. An absent rating, number of games or K is
    0, as in FIDE's lists; an unknown year of birth is empty.
    """
    parts = [pl.lit("<player>")]
    for name, column in layout(request).items():
        parts.append(pl.format(f"{LINE_END}<{column.element}>{{}}</{column.element}>", _xml_text(name)))
    player = pl.concat_str([*parts, pl.lit(f"{LINE_END}</player>")])
    _write(path, "<playerslist>", rows, player, "</playerslist>")


def _xml_text(column: str) -> pl.Expr:
    if column in (*PLAYER_TEXTS, "foa_title"):
        return pl.col(column).str.replace_many(list(_ESCAPED), list(_ESCAPED.values()))
    return pl.col(column).cast(pl.String).fill_null("0" if column.endswith(FIGURES) else "")


def _write(path: Path, first: str, rows: pl.DataFrame, line: pl.Expr, last: str = "") -> None:
    """Write the line ``first``, the text ``line`` of each of ``rows``, unquoted, and the line ``last``, if any."""
    with path.open("wb") as stream:
        stream.write(f"{first}{LINE_END}".encode())
        for part in rows.iter_slices(_WRITTEN_ROWS):
            part.select(line).write_csv(stream, include_header=False, quote_style="never", line_terminator=LINE_END)
        stream.write(f"{last}{LINE_END}".encode() if last else b"")
