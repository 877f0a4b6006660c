"""An opened list whose values are still text: what the readers of all formats return.

The meaning of the values is decided in one place for all formats: :mod:`~ratinglist.lists.official_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.lists.inspection import Inspection
from ratinglist.period import Period

MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class RawList:
    """One opened list.

    ``batches`` yields frames with ``line`` (Int64, from 1) and text columns, stripped, blank as ``""``: those of a
    player (``fide_id``, ``name``, ``federation``, ``sex``, ``title``, ``women_title``, ``other_titles``,
    ``birth_date``, ``birth_year``, ``flag``), and either ``rating``, ``games``, ``k`` or, in a ``combined`` list,
    these three for each time control (``rapid_k``). A column that the list does not have is missing.

    ``places`` maps each column to its name in the file, for messages. ``month`` is the month that the file itself
    states, None if it states none. ``has_time_control``: there is a column ``time_control``, so a player may have
    several rows. ``partial``: a blank cell means that the file does not state the value, not that there is none.
    """

    combined: bool
    has_time_control: bool
    month: Period | None
    places: Mapping[str, str]
    batches: Iterator[pl.DataFrame]
    partial: bool = False


def of_different(values: pl.Series, change: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return ``values`` as ``change`` makes them, which is called with each different value once.

    A column of millions has few different values, and seldom one that changes: then it is returned as it is.
    """
    different = values.unique()
    changed = change(different)
    return values if changed.equals(different) else values.replace_strict(different, changed)


def list_month(month: str, year: str) -> Period:
    """Return the period of a month such as ``OCT26``, given as ``"OCT"`` and ``"26"``; from 70 on a year is 19xx."""
    century = 1900 if int(year) >= 70 else 2000
    return Period.parse(f"{century + int(year)}-{MONTH_NAMES.index(month.lower()) + 1:02d}")


def leading_text(head: bytes) -> str:
    """Decode the first bytes of a file as Latin-1, without a UTF-8 byte order mark and leading blanks."""
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1").lstrip()


def first_line(head: bytes) -> str:
    """Return the first line of :func:`leading_text`."""
    return re.split(r"[\r\n]", leading_text(head), maxsplit=1)[0]


def refuse(
    raw: pl.DataFrame,
    bad: pl.Series,
    name: str,
    source: RawList,
    inspection: Inspection,
    rule: str,
    remedy: str,
) -> None:
    """Refuse the values of the column ``name`` in the rows of ``raw`` that are ``bad``."""
    place = source.places.get(name, f"column {name}")
    inspection.refuse(raw.filter(bad).select("line", value=name), place, rule, remedy)
