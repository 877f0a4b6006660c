"""An official list before it is judged: columns of text, where they stand in the file, and what was found in it.

The readers of the single formats (:mod:`~ratinglist.lists.fide_txt_reader`, :mod:`~ratinglist.lists.fide_xml_reader`,
:mod:`~ratinglist.lists.csv_list`) all give an :class:`OfficialSource`; what its values mean is decided once, in
:mod:`~ratinglist.lists.list_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.limits import LIST_PROBLEMS, SHOWN_LENGTH
from ratinglist.period import Period
from ratinglist.safe_text import on_one_line, shortened

TIME_CONTROLS = ("standard", "rapid", "blitz")
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SHOWN = 10
"""How many problems a refusal lists; the others are counted."""


class OfficialListError(NothingReadError):
    """An official list, or a file of players, is refused whole: half a starting point is worse than none."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something odd that does not refuse a list: how often it was met, and the first place."""

    kind: str
    says: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class OfficialSource:
    """One opened list.

    ``batches`` gives frames with ``line`` (Int64, from 1) and text columns, stripped, blank as ``""``: those of a
    player (``fide_id``, ``name``, ``federation``, ``sex``, ``title``, ``women_title``, ``other_titles``,
    ``birth_date``, ``birth_year``, ``flag``), and either ``rating``, ``games``, ``k`` or, in a ``combined`` list,
    these three for each time control (``rapid_k``). A column the list does not have is missing. ``places`` names each
    column as it stands in the file; ``month`` is what the file itself says, None where it is silent.
    ``has_time_control``: there is a column ``time_control``, so that a player may have several rows.
    """

    combined: bool
    has_time_control: bool
    month: Period | None
    places: Mapping[str, str]
    batches: Iterator[pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Problem:
    """One value that refuses the list."""

    line: int
    place: str
    value: str
    says: str
    remedy: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.place) if part)
        return f"{where}: '{self.value}' {self.says}; {self.remedy}"


class Inspection:
    """Problems and notes of one file, collected while its batches pass."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems = 0
        self._shown: list[Problem] = []
        self._notes: dict[str, Note] = {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes so far, by kind."""
        return tuple(self._notes[kind] for kind in sorted(self._notes))

    def refuse(self, rows: pl.DataFrame, place: str, says: str, remedy: str) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a problem: ``'value' says; remedy``."""
        self.problems += rows.height
        first = rows.sort("line").head(SHOWN).select("line", pl.col("value").cast(pl.String).fill_null(""))
        self._shown += [
            Problem(line, place, shortened(value, SHOWN_LENGTH), says, remedy) for line, value in first.iter_rows()
        ]
        self._shown = sorted(self._shown, key=lambda problem: (problem.line, problem.place))[:SHOWN]

    def note(self, rows: pl.DataFrame, kind: str, says: str) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a note of ``kind``."""
        if rows.is_empty():
            return
        if kind in self._notes:
            self._notes[kind] = replace(self._notes[kind], count=self._notes[kind].count + rows.height)
            return
        line, value = rows.sort("line").select("line", "value").row(0)
        self._notes[kind] = Note(kind, says, rows.height, f"line {line}: '{shortened(str(value), SHOWN_LENGTH)}'")

    def stop(self) -> None:
        """Raise :class:`OfficialListError` with the first problems, if there are any."""
        if not self.problems:
            return
        more = self.problems - len(self._shown)
        least = "at least " if self.problems > LIST_PROBLEMS else ""
        raise OfficialListError(
            "\n  ".join(
                [
                    f"{on_one_line(self.file)}: refused, nothing of it was read. {least}{_counted(self.problems)}:",
                    *map(str, self._shown),
                    *([f"and {more} more"] if more else []),
                ]
            )
        )

    def refused(self, what: str, remedy: str) -> OfficialListError:
        """The error for something wrong with the file as a whole."""
        return OfficialListError(f"{on_one_line(self.file)}: {what}; {remedy}.")

    def stop_if_hopeless(self) -> None:
        """:meth:`stop` where there are so many problems that reading on tells nobody anything."""
        if self.problems > LIST_PROBLEMS:
            self.stop()


def list_month(month: str, year: str) -> Period:
    """The period of a month token such as ``OCT26``, given as ``"OCT"`` and ``"26"``; from 70 on a year is 19xx."""
    century = 1900 if int(year) >= 70 else 2000
    return Period.parse(f"{century + int(year)}-{MONTH_NAMES.index(month.lower()) + 1:02d}")


def _counted(problems: int) -> str:
    return "1 problem" if problems == 1 else f"{problems} problems"
