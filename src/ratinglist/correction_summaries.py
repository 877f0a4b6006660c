"""What a correction or a re-rating did, for people (``text``) and for programs (``as_dict``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import polars as pl

from ratinglist.period import Period


@dataclass(frozen=True, slots=True)
class AppliedCorrection:
    """A correction that was applied: its number, what it did in one sentence, and the first list it moves.

    ``first_month`` is empty where no list was calculated yet that it could move.
    """

    number: int
    action: str
    told: str
    first_month: str


@dataclass(frozen=True, slots=True)
class CorrectSummary:
    """What a corrections file did. ``first_month``: the first list it can move; empty where none was calculated."""

    file: str
    made: list[dict[str, object]]
    first_month: str

    @classmethod
    def of(cls, file: str, made: Sequence[AppliedCorrection]) -> CorrectSummary:
        """From the corrections made, in order."""
        months = [one.first_month for one in made if one.first_month]
        return cls(file, [asdict(one) for one in made], min(months, default=""))

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """The summary, a line per correction and what to do next."""
        counted = f"{len(self.made):,} correction" + ("" if len(self.made) == 1 else "s")
        lines = [f"{self.file}: {counted} made", *(f"  {one['number']}. {one['told']}" for one in self.made)]
        if self.first_month:
            lines.append(
                f"No list was calculated again yet. See what would move: ratinglist rerate --from {self.first_month} "
                "--preview"
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RevisedMonth:
    """What a re-rating did to one list.

    ``before``: the revision compared with, empty where the month was never published. ``revision``: the new one, empty
    where none was made. ``moved`` counts the players of whom anything differs, ``farthest`` is the largest difference.
    ``asks``: the questions it raises that nobody has answered.
    """

    month: str
    before: str
    revision: str
    moved: int = 0
    rose: int = 0
    fell: int = 0
    farthest: int = 0
    asks: tuple[str, ...] = ()

    @classmethod
    def not_published(cls, period: Period) -> RevisedMonth:
        """A month that nobody has seen: calculated again, and nothing to compare with."""
        return cls(str(period), "", "")

    @classmethod
    def unchanged(cls, period: Period, before: str) -> RevisedMonth:
        """A month of which every published table is the same."""
        return cls(str(period), before, "")

    @classmethod
    def of(cls, period: Period, before: str, revision: str, rows: pl.DataFrame) -> RevisedMonth:
        """From a month's ``DIFF``."""
        return cls(
            str(period),
            before,
            revision,
            moved=len(rows),
            rose=int((rows["difference"] > 0).sum()),
            fell=int((rows["difference"] < 0).sum()),
            farthest=int(rows.select(pl.col("difference").abs().max().fill_null(0)).item()),
        )

    def text(self) -> str:
        """The month as a line."""
        if not self.before:
            return f"{self.month}  calculated again; it was never published"
        if not self.moved and not self.revision:
            return f"{self.month}  {self.before} stands: nothing changed"
        became = f" -> {self.revision}" if self.revision else ""
        return (
            f"{self.month}  {self.before}{became}: {self.moved:,} players differ, {self.rose:,} rose, "
            f"{self.fell:,} fell, by at most {self.farthest}" + (f"; asks {', '.join(self.asks)}" if self.asks else "")
        )


@dataclass(frozen=True, slots=True)
class RerateSummary:
    """What a re-rating did, list by list, or would do (``preview``). ``notes``: what it leaves to be done."""

    start: str
    preview: bool
    months: list[dict[str, object]]
    lines: list[str]
    notes: list[str]

    @classmethod
    def of(
        cls, start: Period, months: Sequence[RevisedMonth], notes: Sequence[str] = (), *, preview: bool
    ) -> RerateSummary:
        """From the months, oldest first."""
        return cls(str(start), preview, [asdict(one) for one in months], [one.text() for one in months], list(notes))

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return {"from": self.start, "preview": self.preview, "months": self.months, "notes": self.notes}

    def text(self) -> str:
        """The summary, a line per list."""
        counted = f"{len(self.months):,} list" + ("" if len(self.months) == 1 else "s")
        head = f"{counted} from {self.start} on calculated again"
        return "\n".join(
            [
                head + (", and everything left as it was (--preview):" if self.preview else ":"),
                *self.lines,
                *(f"note: {note}" for note in self.notes),
            ]
        )
