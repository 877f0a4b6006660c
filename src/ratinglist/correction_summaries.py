"""Summaries of corrections and re-ratings, for people (``text``) and for programs (``as_dict``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.summaries import Summary
from ratinglist.text import counted


@dataclass(frozen=True, slots=True)
class AppliedCorrection:
    """A correction that was applied.

    ``description``: what it did, in one sentence. ``first_month``: the first list it can move; empty where no such
    list was calculated yet. ``otherwise``: what a file or reports have in the place of the corrected data.
    """

    number: int
    action: str
    description: str
    first_month: str
    otherwise: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what it did, and what was received that contradicts it."""
        contradicts = [f"note: this contradicts what was received: {'; '.join(self.otherwise)}"]
        return [self.description, *(contradicts if self.otherwise else [])]


@dataclass(frozen=True, slots=True)
class CorrectSummary(Summary):
    """The corrections of a file, applied.

    ``made``: the applied corrections, in order. ``first_month``: the first list they can move; empty where none was
    calculated. ``already``: the file was applied before, as the last one, and nothing was changed.
    """

    file: str
    made: list[AppliedCorrection]
    first_month: str
    already: bool = False

    @classmethod
    def of(cls, file: str, applied: Sequence[AppliedCorrection]) -> CorrectSummary:
        """Return the summary of the applied corrections, in order."""
        months = [correction.first_month for correction in applied if correction.first_month]
        return cls(file, list(applied), min(months, default=""))

    def text(self) -> str:
        """Return the summary: a line per correction, and the next command."""
        lines = [f"{self.file}: {counted(len(self.made), 'correction')} applied"]
        if self.already:
            lines = [f"{self.file}: applied before; nothing was changed"]
        lines += ["\n     ".join([f"  {one.number}. {one.description}", *one.lines()[1:]]) for one in self.made]
        if self.first_month:
            lines.append(
                "No list was calculated again yet. To see which ratings would change: "
                f"ratinglist rerate --from {self.first_month} --preview"
            )
        elif not self.already:
            lines.append("No calculated list is changed by this.")
        return "\n".join(lines)


_PLAYERS_SHOWN = 20
_BIRTH_DATE = re.compile(r"^(\s*birth_date\s*=\s*\d{4}-)\d{2}-\d{2}", re.MULTILINE)
"""The year, and the rest of a date of birth, which is shown nowhere."""


@dataclass(frozen=True, slots=True)
class CorrectionPreview(Summary):
    """What corrections would move, once the lists are calculated again.

    ``toml``: the corrections as a file has them, but for the days of dates of birth. ``corrections``: what each does,
    one sentence each. ``first_month``: the first list that can move; empty where none was calculated. ``players``: each
    player of a list whose rating would be another, oldest list first. ``ways``: the commands that let the corrections
    count, and what each would change.
    """

    toml: str
    corrections: list[str]
    first_month: str
    months: list[RevisedMonth]
    players: list[dict[str, object]]
    ways: list[dict[str, str]]

    @classmethod
    def of(
        cls,
        toml: str,
        applied: CorrectSummary,
        rerated: RerateSummary | None,
        players: list[dict[str, object]],
        *,
        may_wait: bool,
    ) -> CorrectionPreview:
        """Return the preview of corrections that were applied for a trial.

        ``rerated`` is None where no list moves. ``may_wait``: later lists start from corrected ratings, so that the
        corrections may count on the next list alone.
        """
        sentences = [line for one in applied.made for line in one.lines()]
        months = rerated.months if rerated is not None else []
        ways = _ways(applied.first_month, months, players, may_wait=may_wait)
        return cls(_BIRTH_DATE.sub(r"\1..-..", toml), sentences, applied.first_month, months, players, ways)

    def text(self) -> str:
        """Return the preview: the corrections file, what it does, the lists and the first players that it moves."""
        lines = [*(f"  {line}" for line in self.toml.splitlines()), *self.corrections]
        if not self.first_month:
            return "\n".join([*lines, "No calculated list would change: none is calculated again."])
        lines += [
            f"Once the lists from {self.first_month} on are calculated again:",
            *(one.text() for one in self.months),
        ]
        for one in self.players[:_PLAYERS_SHOWN]:
            before, after = (one[name] if one[name] is not None else "unrated" for name in ("old_rating", "rating"))
            lines.append(f"  {one['month']} {one['time_control']}  {one['fide_id']} {one['name']}: {before} -> {after}")
        if len(self.players) > _PLAYERS_SHOWN:
            lines.append(f"  and {len(self.players) - _PLAYERS_SHOWN:,} more")
        if self.ways:
            lines += [
                "To let it count, once it is corrected:",
                *(f"  {one['command']}\n    {one['changes']}" for one in self.ways),
            ]
        return "\n".join(lines)


def movement_text(rose: int, fell: int, farthest: int) -> str:
    """Return how many ratings rose and fell, and how far: ``2 rose, 1 fell, by at most 7``."""
    if not rose and not fell:
        return "with the same ratings"
    moved = [f"{count:,} {what}" for count, what in ((rose, "rose"), (fell, "fell")) if count]
    return f"{', '.join(moved)}, by at most {farthest}"


def _ways(
    first: str, months: Sequence[RevisedMonth], players: Sequence[Mapping[str, object]], *, may_wait: bool
) -> list[dict[str, str]]:
    """Return the commands that let corrections count, and what each changes; none where no published list differs."""
    differing = [one.month for one in months if one.differs]
    if not differing:
        return []
    lists = counted(len(differing), "published list")
    last = max(one.month for one in months)
    moved = len({one["fide_id"] for one in players if one["month"] == last})
    starts = f"starts from another rating for {counted(moved, 'player')}" if moved else "has the corrected data"
    ways = [
        {
            "command": f"ratinglist rerate --from {first} --land revisions",
            "changes": f"{lists} ({', '.join(differing)}) would get a new revision with its diff; the next list starts "
            "from them",
        },
        {
            "command": f"ratinglist rerate --from {first} --land next_list",
            "changes": f"no published list would change; the list after {last} {starts}, as an appeal that counts on "
            "the next list",
        },
    ]
    return ways if may_wait else ways[:1]


@dataclass(frozen=True, slots=True)
class RevisedMonth:
    """What a re-rating changed on one list.

    ``before``: the revision compared with, empty where the month was never published. ``revision``: the new one, empty
    where none was made. ``moved``: the number of players with any difference. ``farthest``: the largest difference of a
    rating, in points. ``asks``: the questions it raises that have no answer. ``differs``: some published table does,
    which need not be a list.
    """

    month: str
    before: str = ""
    revision: str = ""
    moved: int = 0
    rose: int = 0
    fell: int = 0
    farthest: int = 0
    asks: tuple[str, ...] = ()
    differs: bool = False

    @property
    def is_new(self) -> bool:
        """Return whether a revision was made."""
        return bool(self.revision)

    @classmethod
    def of(cls, period: Period, before: str, rows: pl.DataFrame) -> RevisedMonth:
        """Return a month summarised from its ``DIFF`` rows."""
        return cls(
            str(period),
            before,
            moved=rows["fide_id"].n_unique(),
            rose=int((rows["difference"] > 0).sum()),
            fell=int((rows["difference"] < 0).sum()),
            farthest=int(rows.select(pl.col("difference").abs().max().fill_null(0)).item()),
            differs=True,
        )

    def text(self) -> str:
        """Return the month as one line."""
        if not self.before:
            return f"{self.month}  calculated again; it was never published"
        if not self.differs:
            return f"{self.month}  {self.before} stays current: nothing changed"
        became = f" -> {self.revision}" if self.revision else ""
        if not self.moved:
            others = "no player of a list differs; other tables do, such as results that wait"
            return f"{self.month}  {self.before}{became}: {others}"
        differ = "player differs" if self.moved == 1 else "players differ"
        return (
            f"{self.month}  {self.before}{became}: {self.moved:,} {differ}, "
            + movement_text(self.rose, self.fell, self.farthest)
            + (f"; raises {', '.join(self.asks)}" if self.asks else "")
        )


@dataclass(frozen=True, slots=True)
class RerateSummary(Summary):
    """What a re-rating changed, list by list, or would change (``preview``). ``notes``: what remains to be done."""

    start: str
    preview: bool
    months: list[RevisedMonth]
    notes: list[str]

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        facts = Summary.as_dict(self)
        return {"from": facts.pop("start"), **facts}

    def text(self) -> str:
        """Return the summary: a line per list, then the notes."""
        head = f"{counted(len(self.months), 'list')} from {self.start} on calculated again"
        return "\n".join(
            [
                head + (", nothing was kept or published (--preview):" if self.preview else ":"),
                *(one.text() for one in self.months),
                *(f"note: {note}" for note in self.notes),
            ]
        )
