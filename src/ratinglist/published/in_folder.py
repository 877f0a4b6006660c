"""The revisions of a published folder: those that are current, those before them, and the decisions of people.

For what shows whole folders, such as the site. A file is compared with the digest that its manifest states before it is
named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.period import MONTH_NAME, Period
from ratinglist.publication import published_files, revisions
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.tables import DIFF, LISTS, PUBLISHED

__all__ = ["Revision", "Withdrawn", "current_revisions", "withdrawn_months"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A published revision.

    ``facts``: what its manifest states besides the files; ``files``: the entries of the files by name; ``digest``: of
    the manifest.
    """

    period: Period
    number: int
    folder: Path
    facts: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]
    digest: str

    @property
    def month(self) -> str:
        """The month, ``YYYY-MM``."""
        return str(self.period)

    @property
    def controls(self) -> list[str]:
        """The time controls that have a list."""
        return [name for name in LISTS if f"{name}.parquet" in self.files]

    def tables(self) -> dict[str, Path]:
        """Return the paths of its tables by stem. Raises :class:`AlteredError` where one is not as published."""
        return self._proved([stem for stem in PUBLISHED if stem != DIFF.name])

    def diff(self) -> Path | None:
        """Return the path of what it changed against the revision before it; None for a first revision."""
        return self._proved([DIFF.name]).get(DIFF.name)

    def lists(self) -> dict[str, Path]:
        """Return the paths of its lists by time control."""
        return self._proved(LISTS)

    def every_file(self) -> list[Path]:
        """Return the paths of all its files, the manifest and its signature among them."""
        paths = published_files.verified_files(self.folder, self.files)[1]
        own = [self.folder / MANIFEST, self.folder / SIGNATURE]
        return sorted([*paths, *(path for path in own if path.is_file())])

    def text_of_diff(self) -> str:
        """Return what an officer reads of the differences and the corrections behind them; empty without any."""
        paths = published_files.verified_files(self.folder, ["DIFF.md"])[1]
        return "".join(path.read_text(encoding="utf-8") for path in paths)

    def rollbacks(self) -> pl.DataFrame:
        """Return the times that the current revision of the month was changed by hand (``ROLLED_BACK``), in order."""
        published_files.verify_file_of_index(self.folder.parent / revisions.ROLLBACKS)
        return revisions.read_rollbacks(self.folder.parent).sort("rollback_no")

    def were_current(self) -> list[Revision]:
        """Return all revisions of the month that are or were current, in order."""
        last = max([self.number, *self.rollbacks()["from_revision"]])
        return [_revision(self.period, self.folder.with_name(f"r{number}")) for number in range(1, last + 1)]

    def _proved(self, stems: Iterable[str]) -> dict[str, Path]:
        names = [f"{stem}.parquet" for stem in stems]
        return {path.stem: path for path in published_files.verified_files(self.folder, names)[1]}


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A month whose list was taken back, so that it has none: when (``YYYY-MM-DD``), why, and which was current."""

    month: str
    day: str
    reason: str
    revision: int


def current_revisions(folder: Path) -> list[Revision]:
    """Return the current revision of every month of a published folder, oldest first.

    Raises :class:`AlteredError` where a manifest is not as published, :class:`NothingReadError` where it is not known
    which revision is current.
    """
    return [_revision(period, path) for period, path in revisions.every_latest(folder).items()]


def withdrawn_months(folder: Path) -> list[Withdrawn]:
    """Return the months whose list was taken back, oldest first."""
    withdrawn = []
    for path in sorted(folder.glob("*")):
        if MONTH_NAME.fullmatch(path.name) and not revisions.latest(folder, Period.parse(path.name)):
            published_files.verify_file_of_index(path / revisions.ROLLBACKS)
            if step := revisions.withdrawal(path):
                withdrawn.append(Withdrawn(path.name, step.since, step.reason, step.revision))
    return withdrawn


def _revision(period: Period, folder: Path) -> Revision:
    manifest = published_files.read_manifest(folder)
    return Revision(period, manifest.revision, folder, manifest.facts, manifest.files, manifest.digest)
