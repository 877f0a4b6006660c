"""What is wrong or odd in the file of an official list, collected while the file is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.limits import LIST_PROBLEMS, SHOWN_LENGTH
from ratinglist.safe_text import on_one_line, shortened

SHOWN = 10
"""How many problems a refusal lists; the others are counted."""
NAMED = 1_000
"""How many problems of a kind that is named one by one a refusal lists."""


class OfficialListError(NothingReadError):
    """An official list, or a file of players, is refused. It is refused whole: half a starting point is unusable."""


@dataclass(frozen=True, slots=True)
class Note:
    """An oddity that does not refuse a list: what it is, how many values have it, and the first of them.

    ``lines``: the numbers of the first lines that have it, at most :data:`SHOWN`.
    """

    kind: str
    description: str
    count: int
    example: str
    lines: tuple[int, ...] = ()

    def text(self) -> str:
        """Return the note as a sentence for the summary of an import."""
        others = [str(line) for line in self.lines[1:]]
        more = f", ... and {self.count - len(self.lines):,} more" if self.count > len(self.lines) else ""
        also = f"; also {'line' if len(others) == 1 else 'lines'} {', '.join(others)}{more}" if others else ""
        return f"{self.count:,} × {self.description} (first: {self.example}{also})"


@dataclass(frozen=True, slots=True)
class Problem:
    """One value that refuses the list."""

    line: int
    place: str
    value: str
    rule: str
    remedy: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.place) if part)
        return f"{where}: '{self.value}' {self.rule}; {self.remedy}"


class Inspection:
    """The problems and notes of one file. Readers add to it batch by batch; :meth:`stop` raises the problems."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems = 0
        self._shown: list[Problem] = []
        self._most = SHOWN
        self._notes: dict[str, Note] = {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes so far, sorted by kind."""
        return tuple(self._notes[kind] for kind in sorted(self._notes))

    def refuse(self, rows: pl.DataFrame, place: str, rule: str, remedy: str, *, every_one: bool = False) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a problem, shown as ``'value' rule; remedy``.

        ``every_one``: all of them are shown, up to :data:`NAMED`, and not the first ten of the file alone.
        """
        self.problems += rows.height
        if every_one:
            self._most = NAMED
        first = rows.sort("line").head(self._most).select("line", pl.col("value").cast(pl.String).fill_null(""))
        self._shown += [
            Problem(line, place, shortened(value, SHOWN_LENGTH), rule, remedy) for line, value in first.iter_rows()
        ]
        self._shown = sorted(self._shown, key=lambda problem: (problem.line, problem.place))[: self._most]

    def note(self, rows: pl.DataFrame, kind: str, description: str) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a note of ``kind``."""
        if rows.is_empty():
            return
        first = rows.sort("line").head(SHOWN)
        lines = tuple(first["line"])
        if kind in self._notes:
            known = self._notes[kind]
            self._notes[kind] = replace(known, count=known.count + rows.height, lines=(*known.lines, *lines)[:SHOWN])
            return
        example = f"line {lines[0]}: '{shortened(str(first['value'][0]), SHOWN_LENGTH)}'"
        self._notes[kind] = Note(kind, description, rows.height, example, lines)

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

    def stop_if_hopeless(self) -> None:
        """Call :meth:`stop` after so many problems that reading the rest of the file adds no information."""
        if self.problems > LIST_PROBLEMS:
            self.stop()

    def refused(self, what: str, remedy: str) -> OfficialListError:
        """Return the error for a problem of the file as a whole; the caller raises it."""
        return OfficialListError(f"{on_one_line(self.file)}: {what}; {remedy}.")


def _counted(problems: int) -> str:
    return "1 problem" if problems == 1 else f"{problems} problems"
