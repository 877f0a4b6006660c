"""Write FIDE's text list of one time control as it was until 2012: title and federation side by side, no K.

National programs still write and read this layout, which its header line names ``TitlFed``. It has less room than
today's: one title (the women's where there is no other) in FIDE's small letters, no sex but the flag ``w``, no K, no
other titles. Where a column of today's layout is left out, nothing is put elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.lists.fide_txt import writer
from ratinglist.lists.line_batches import write_lines
from ratinglist.lists.official_rows import TITLES
from ratinglist.lists.raw_list import MONTH_NAMES
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.lists.transliteration import to_ascii
from ratinglist.period import Period
from ratinglist.schemas import FideColumn

COLUMNS = ("fide_id", "name", "title", "women_title", "federation", "rating", "games", "birth_year", "flag")
"""Every column of the lists that a line may carry; ``title`` and ``women_title`` share one place."""
_SMALL = {title: letters for letters, title in TITLES.items()}
_ALIGNED_RIGHT = {"fide_id": 8, "games": 3}
"""The last character of the columns whose numbers end at one place, as FIDE wrote them."""


def layout(period: Period) -> writer.Layout:
    """Return the columns of the list of ``period``, whose month is the heading of the rating."""
    day = period.first_day
    return {
        "fide_id": FideColumn("ID number", 10, ""),
        "name": FideColumn("Name", 34, ""),
        "title": FideColumn("Titl", 4, ""),
        "federation": FideColumn("Fed", 5, ""),
        "rating": FideColumn(f"{MONTH_NAMES[day.month - 1].title()}{day.year % 100:02d}", 6, ""),
        "games": FideColumn("Games", 5, ""),
        "birth_year": FideColumn("Born", 6, ""),
        "flag": FideColumn("Flag", 4, ""),
    }


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the players of one list in ASCII, by name, with values that fit their columns, and what was lost.

    Raises :class:`ExportError` if a number is too long for its column.
    """
    plain, letters = to_ascii(pl.concat(published.selected.values()))
    title = pl.when(pl.col("title") == "").then("women_title").otherwise("title")
    players = plain.with_columns(title.replace(_SMALL).alias("title")).sort("name", "fide_id")
    rows, cut = writer.fit(players, layout(request.period))
    return PreparedExport(rows, {**letters, "texts_cut": cut})


def write(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write the header line and a line for each player."""
    columns = layout(request.period)
    with path.open("wb") as stream:
        stream.write(f"{writer.header(columns)}{writer.LINE_END}".encode())
        line = pl.concat_str(_padded(name, column.width) for name, column in columns.items())
        write_lines(stream, prepared.rows, line, writer.LINE_END)


def _padded(name: str, width: int) -> pl.Expr:
    text = pl.col(name).cast(pl.String).fill_null("")
    if name == "birth_year":
        text = text.replace("0", "")
    return text.str.pad_start(_ALIGNED_RIGHT.get(name, 0)).str.pad_end(width)
