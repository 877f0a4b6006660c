"""What the files of a batch say, whatever their form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

GAME: Final = (
    *("file_no", "round", "date", "white_id", "black_id"),
    *("white_halves", "black_halves", "white_line", "black_line"),
)
"""The columns of a game: those of ``REPORT_GAME``, with ``file_no`` in place of ``report_id``."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A batch of reports. ``header``: :data:`~ratinglist.tables.HEADER`, one row for every file.
    ``players``: :data:`~ratinglist.tables.PLAYER_LINE`. ``games``: :data:`GAME`. ``counts``:
    :data:`~ratinglist.reports.games.COUNTS`, a row for every file with players. ``findings``:
    :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole.
    """  # noqa: D205 - five frames

    header: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    counts: pl.DataFrame
    findings: pl.DataFrame
