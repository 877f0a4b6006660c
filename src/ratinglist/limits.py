"""The limits on everything that is received, with the reason for each number.

A limit is well above the largest real input known, and low enough that a hostile input costs seconds and some hundred
megabytes, never the machine. Input over a limit is refused, with the limit named; nothing is cut off.
``make docs`` makes the page of limits from this module.
"""

from __future__ import annotations

from typing import Final

MIB: Final = 2**20
GIB: Final = 2**30

# ------------------------------------------------------------------------------------------------------- deliveries

DELIVERY_FILES: Final = 1_000_000
"""Files below the paths of one delivery. FIDE's 26 months of reports are 130,000; a disk named by mistake has more."""

FOLDER_DEPTH: Final = 32
"""Folders within folders in an archive. An office's inbox has three or four levels."""

PATH_LENGTH: Final = 1024
"""Characters of a report's path, as it is delivered or named in a manifest. Windows allows 260."""

MANIFEST_BYTES: Final = 8 * MIB
"""Bytes of a `manifest.csv`. Enough for 80,000 rows with every cell filled."""

MANIFEST_ROWS: Final = 100_000
"""Rows of a `manifest.csv`. FIDE's month has 5,000 reports."""

EVENT_ID_LENGTH: Final = 100
"""Characters of an event's registration code. FIDE's have six digits."""

# -------------------------------------------------------------------------------------------- deliveries as tables

TABLE_BYTES: Final = 256 * MIB
"""Bytes of a table of events or of games. A month of FIDE's world, 2.2 million games, is 130 MiB as CSV."""

TABLE_ROWS: Final = 3_000_000
"""Rows of a table of events or of games. FIDE's month has 2.2 million games."""

TABLE_EVENTS: Final = 100_000
"""Events of such a table. Each becomes a report that is kept; FIDE's month has 5,000."""

TABLE_CELL_BYTES: Final = 384 * MIB
"""Bytes of all cells of a table as text. The smallest Parquet file may repeat one text in every row; FIDE's month takes
250 MiB."""

TABLE_COLUMNS: Final = 64
"""Columns of such a table. Twelve are read; a database may export more."""

TABLE_NAME_LENGTH: Final = 500
"""Characters of the name of an event in such a table. The longest real ones have 150."""

TABLE_VALUE_LENGTH: Final = 40
"""Characters of any other cell of such a table: a FIDE ID, a result, a date. The longest real ones have 23."""

TABLE_PARQUET_BYTES_PER_ROW: Final = 1
"""Least bytes of a row of such a table as Parquet, beyond the first 100,000. A game takes 5."""

# --------------------------------------------------------------------------------------------------------- archives

ARCHIVE_BYTES: Final = 512 * MIB
"""Bytes of an archive of reports, unpacked, as its table of contents states. FIDE's month is 110 MiB."""

ARCHIVE_ENTRIES: Final = 20_000
"""Files in an archive of reports. FIDE's month has 5,000."""

ARCHIVE_RATIO: Final = 200
"""Unpacked over packed bytes of a file in an archive. A report padded with blanks stays below 50."""

# ---------------------------------------------------------------------------------------------------------- reports

REPORT_BYTES: Final = 8 * MIB
"""Bytes of a report. A league of 4,000 players over 15 rounds is 1 MiB."""

REPORT_LINES: Final = 50_000
"""Lines of a report. Five for each player of the largest possible report."""

LINE_LENGTH: Final = 10_000
"""Characters of a line of a report. The longest records, a team and its matches, have some 2,000."""

PLAYERS: Final = 9_999
"""Player lines of a report. A start number has four digits (C.04 Annex 2)."""

ROUNDS: Final = 200
"""Rounds of a report. Schedules of 30 double rounds are rare; a line with 200 rounds has 2,091 characters."""

# --------------------------------------------------------------------------------------------------- official lists

LIST_BYTES: Final = 4 * GIB
"""Bytes of an official list, unpacked. FIDE's XML of 1.9 million players is 0.5 GiB; it is read as a stream."""

LIST_LINE_BYTES: Final = MIB
"""Bytes of a line of a text or CSV list. FIDE's lines have 162."""


HEADER_LENGTH: Final = 10_000
"""Characters of the line that names the columns of a CSV list."""

LIST_COLUMNS: Final = 200
"""Columns of a CSV or Parquet list. Eighteen are read."""

LIST_TEXT_LENGTH: Final = 500
"""Characters of a name, a title or any other text of a list. FIDE's names have at most 60."""


XML_PLAYER_BYTES: Final = 20_000
"""Bytes of one player of an XML list. FIDE's have about 600."""

PARQUET_ROWS: Final = 20_000_000
"""Rows of a Parquet list. Two million players on three lists are six million."""

PARQUET_BYTES_PER_ROW: Final = 2
"""Least bytes of a row of a Parquet list, beyond the first 100,000. FIDE's take 20, a name alone more than 2."""

PARQUET_TEXT_BYTES: Final = 2_000
"""Bytes of a text of a Parquet list: 500 characters of four bytes."""


# ----------------------------------------------------------------------------------- publications of somebody else

REVISION_MANIFEST_BYTES: Final = 16 * MIB
"""Bytes of the `manifest.json` of a revision that is verified. FIDE's month names 5,000 reports in 0.4 MiB."""

PUBLISHED_INDEX_BYTES: Final = 16 * MIB
"""Bytes of the `index.json` of a published folder that is verified. Fifty years of months with four revisions each
are 0.6 MiB."""

# ------------------------------------------------------------------------------------- corrections, office, the rest

TOML_BYTES: Final = MIB
"""Bytes of a corrections file, of `office.toml` or of a rule set. Enough for 4,000 corrections."""

SQL_MEMORY_BYTES: Final = 4 * GIB
"""Bytes of memory that an analyst's query may take. A year of FIDE takes 1 GiB."""

SQL_RESULT_ROWS: Final = 5_000_000
"""Rows of the result of a query. Two million players on one list are the largest that is printed."""

SQL_RESULT_BYTES: Final = 512 * MIB
"""Bytes of the result of a query. A list of two million players has 0.2 GiB."""

SHOWN_LENGTH: Final = 80
"""Characters shown of a refused value. The message names the place of the whole value."""

LOG_ENTRY_BYTES: Final = 16 * MIB
"""Bytes of an entry of the log. A publication of ten years of months that were rated again is 0.4 MiB."""


class TooLargeError(Exception):
    """A file or an archive is over a limit. The message continues a sentence that begins with its name."""
