"""Published lists, for notebooks, for scripts and for the site.

::

    from ratinglist.published import open_published

    published = open_published("ratinglist-home/published")
    published.months                       # ["2025-09", "2025-10", ...]
    published.table("lists")               # of every month, the columns list_month and revision first
    published.table("games", "2025-11")
    published.columns("games")             # what each column is, its type and its unit

It reads a published folder or a copy of one, needs no home, and writes nothing. Every file is compared with the digest
that the manifest of its revision states; whether the manifest is the office's own is what ``ratinglist verify``
answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import MONTH_NAME, Period
from ratinglist.publication import published_files, revisions
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.revisions import RolledBackRevision
from ratinglist.tables import DIFF, LISTS, PUBLISHED, Table, published_table, unit_of

__all__ = [
    "TABLES",
    "Published",
    "Revision",
    "RolledBackRevision",
    "current_revisions",
    "open_published",
    "withdrawn_months",
]

TABLES = ("lists", *(name for name in PUBLISHED if name not in LISTS))
"""The names of the tables, as in ``ratinglist sql``; ``lists`` is those of all time controls.

``diff`` has rows where the current revision of a month corrected an earlier one."""


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

    def frames(self, name: str) -> Iterator[pl.DataFrame]:
        """Yield the frame of a table (:data:`TABLES`), of each time control for ``lists``; nothing where it has none.

        ``list_month`` and ``revision`` stand in front.
        """
        place = [pl.lit(self.month).alias("list_month"), pl.lit(self.number, pl.Int32).alias("revision")]
        for stem, path in self._proved(LISTS if name == "lists" else [name]).items():
            frame = pl.read_parquet(path, glob=False)
            yield published_table(stem, frame.schema).completed(frame).select(*place, pl.exclude("list_month"))

    def _proved(self, stems: Iterable[str]) -> dict[str, Path]:
        names = [f"{stem}.parquet" for stem in stems]
        return {path.stem: path for path in published_files.verified_files(self.folder, names)[1]}


def current_revisions(folder: Path) -> list[Revision]:
    """Return the current revision of every month of a published folder, oldest first.

    Raises :class:`AlteredError` where a manifest is not as published, :class:`NothingReadError` where it is not known
    which revision is current.
    """
    return [_revision(period, path) for period, path in revisions.every_latest(folder).items()]


def withdrawn_months(folder: Path) -> Iterator[RolledBackRevision]:
    """Yield the revisions that were taken back and left their month without a list, the oldest first."""
    for path in sorted(folder.glob("*")):
        if MONTH_NAME.fullmatch(path.name) and not revisions.latest(folder, Period.parse(path.name)):
            published_files.verify_file_of_index(path / revisions.ROLLBACKS)
            if step := revisions.withdrawal(path):
                yield step


def _revision(period: Period, folder: Path) -> Revision:
    manifest = published_files.read_manifest(folder)
    return Revision(period, manifest.revision, folder, manifest.facts, manifest.files, manifest.digest)


@dataclass(frozen=True, slots=True)
class Published:
    """The current lists of some months. ``revisions``: by month, oldest first."""

    revisions: Mapping[str, Revision]

    @property
    def months(self) -> list[str]:
        """The months, ``YYYY-MM``, oldest first."""
        return list(self.revisions)

    def table(self, name: str, *months: str) -> pl.DataFrame:
        """Return a table of some months, or of every month, oldest first, in the order in which it was published.

        ``name``: one of :data:`TABLES`. ``list_month`` and ``revision`` stand before the columns that were published;
        a column that the office leaves out is null. Scores are in half points, expected scores and changes in
        hundredths of a point. Raises :class:`CommandLineError` for a name or month that is not there,
        :class:`AlteredError` where a file is not the one that its manifest states.
        """
        declared = _declared(name)
        if unknown := [month for month in months if month not in self.revisions]:
            raise CommandLineError(f"{unknown[0]} has no current list here. Months: {', '.join(self.months)}.")
        frames = [frame for month in months or self.months for frame in self.revisions[month].frames(name)]
        # A system may add columns of its own to some months.
        none = {"list_month": pl.String(), "revision": pl.Int32(), **declared.schema}
        return pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema=none)

    def columns(self, name: str) -> pl.DataFrame:
        """Return the columns of a table: ``column``, ``type``, ``unit``, ``may_be_empty``, ``meaning``.

        They are those of every system; what a system adds of its own is in the ``datapackage.json`` of the revision.
        """
        columns = _declared(name).columns.items()
        described = [
            (name, str(column.dtype), unit_of(name), column.null, column.description) for name, column in columns
        ]
        return pl.DataFrame(described, schema=["column", "type", "unit", "may_be_empty", "meaning"], orient="row")


def open_published(folder: str | Path, *, months: Sequence[str] = ()) -> Published:
    """Return what is published in a folder: the current lists of ``months`` (``YYYY-MM``), by default of all.

    Raises :class:`CommandLineError` for a month that is none, or has no current list, :class:`NothingReadError` where
    nothing is published, :class:`AlteredError` where a manifest is not as published.
    """
    current = {revision.month: revision for revision in current_revisions(Path(folder))}
    if not current:
        raise NothingReadError(f"{folder} has no published list: name the folder published of a home, or a copy of it.")
    chosen = sorted({str(Period.parse(month)) for month in months}) or current
    if unknown := [month for month in chosen if month not in current]:
        raise CommandLineError(f"{unknown[0]} has no current list here. Months: {', '.join(current)}.")
    return Published({month: current[month] for month in chosen})


def _declared(name: str) -> Table:
    if name not in TABLES:
        raise CommandLineError(f"'{name}' is not a published table. Tables: {', '.join(TABLES)}.")
    return PUBLISHED[LISTS[0] if name == "lists" else name]
