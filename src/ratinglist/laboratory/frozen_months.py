"""The inputs of a range of months, frozen in a folder: what the laboratory replays without the store.

::

    HOME/lab/<digest>/frozen/       written once; the digest of ``frozen.json`` names it
        frozen.json                 first and last month, family, official lists, sha256 of every file
        reports.parquet, ...        what :class:`~ratinglist.rating.model.MonthInputs` has of all these months
        players/2025-09.parquet     the players that are new or changed since the month before
        official/2025-09.parquet    the list of the office: time control, FIDE ID, rating

Births are among it, so the folder is private and stays in the home. :mod:`~ratinglist.laboratory.freezing` writes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.concurrency import map_ordered
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import digest_of, locked_folder, sha256_of
from ratinglist.period import Period
from ratinglist.rating.model import by_fide_id

FOLDER = "lab"
"""The folder of a home that has the frozen months and what was replayed from them."""
MANIFEST = "frozen.json"
_FROZEN = "frozen"
_DIGITS = 16


@dataclass(frozen=True)
class FrozenMonths:
    """Frozen months, by the folder ``HOME/lab/<digest>``; every table is read when it is needed."""

    folder: Path

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Return what ``frozen.json`` states.

        Raises :class:`AlteredError` where it is missing, cannot be read, or is not what the folder is named by.
        """
        path = self.path / MANIFEST
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            is_as_written = name_of(found) == self.digest
        except (FileNotFoundError, ValueError):
            is_as_written = False
        if not is_as_written:
            raise self._altered(path, "--from YYYY-MM --to YYYY-MM")
        return found

    @property
    def path(self) -> Path:
        """Return the folder of the frozen files."""
        return self.folder / _FROZEN

    @property
    def digest(self) -> str:
        """Return the name of the folder."""
        return self.folder.name

    @property
    def family(self) -> str:
        """Return the family of the office's lists."""
        return str(self.facts["family"])

    @property
    def months(self) -> list[Period]:
        """Return the months that are replayed, the first one first."""
        first, last = (Period.parse(self.facts[name]) for name in ("first", "last"))
        return [Period(index) for index in range(first.index, last.index + 1)]

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of all the months."""
        return pl.read_parquet(self._path(f"{name}.parquet"), glob=False)

    @cached_property
    def report_ids(self) -> pl.Series:
        """Return every report ID in the order of reception; a frozen table has its position as ``id_no``."""
        return pl.Series("report_id", self.facts["report_ids"], dtype=pl.String)

    def of_reports(self, name: str, report_ids: pl.Series) -> pl.DataFrame:
        """Return the rows of ``report_players`` or ``report_games`` of some reports; ``report_id`` is an Enum."""
        numbers = self.report_ids.to_frame().with_row_index("id_no")
        wanted = numbers.filter(pl.col("report_id").is_in(report_ids.implode()))["id_no"]
        scan = pl.scan_parquet(self._path(f"{name}.parquet"), glob=False)
        if wanted.is_empty():
            # Its range is no range, and every row group would be read.
            scan = scan.head(0)
        # The range first: it skips the row groups of other months.
        in_range = pl.col("id_no").is_between(wanted.min(), wanted.max())
        rows = scan.filter(in_range).filter(pl.col("id_no").is_in(wanted.implode())).collect()
        report_id = self.report_ids.cast(pl.Enum(self.report_ids)).gather(rows["id_no"])
        return rows.drop("id_no").insert_column(0, report_id.alias("report_id"))

    def players(
        self, period: Period, before: pl.DataFrame | None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return the players as the list of a month knows them (``PLAYER``); ``before``: those of the month before.

        ``columns``: ``fide_id`` and those that are needed, the same every month; default: all.
        """
        path = self._path(f"players/{period}.parquet")
        rows = by_fide_id(pl.read_parquet(path, glob=False, columns=None if columns is None else list(columns)))
        if before is None or str(period) in self.facts["complete_players"]:
            return rows
        if rows.is_empty():
            return before
        return by_fide_id(pl.concat([before.join(rows, on="fide_id", how="anti"), rows]))

    def last_players(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the players as the last list knows them; ``columns`` as in :meth:`players`."""
        found = self.players(self.months[0], None, columns)
        for month in self.months[1:]:
            found = self.players(month, found, columns)
        return found

    def official(self, period: Period, time_control: str) -> pl.DataFrame | None:
        """Return ``fide_id`` and ``rating`` of the office's own list; None where there is none."""
        path = self._path(f"official/{period}.parquet")
        if not path.is_file():
            return None
        rows = pl.read_parquet(path, glob=False).filter(pl.col("time_control") == time_control)
        return by_fide_id(rows.select("fide_id", "rating")) if rows.height else None

    def official_digest(self, period: Period, time_control: str) -> str | None:
        """Return the logical sha256 of the office's list as its manifest states it; None where it was imported."""
        found: str | None = self.facts["list_digests"].get(str(period), {}).get(time_control)
        return found

    def check(self) -> None:
        """Raise :class:`AlteredError` where a file is missing or was altered."""
        for path in altered_files(self.path, self.facts["files"]):
            raise self._altered(path, f"--from {self.months[0]} --to {self.months[-1]} --rules {self.family}")

    def _altered(self, path: Path, options: str) -> AlteredError:
        return AlteredError(
            f"{path} is missing or was altered since the months were frozen. Freeze the months again, which replaces "
            f"altered files: ratinglist lab freeze {options}. If that gives another digest, delete {self.folder}."
        )

    def _path(self, name: str) -> Path:
        return self.path / name


def frozen_months(home: Path, digest: str | None) -> FrozenMonths:
    """Return the frozen months whose digest begins with ``digest``; None: the only ones there are.

    Raises :class:`NothingReadError` where there are none, :class:`CommandLineError` where several could be meant, and
    :class:`AlteredError` where a file is not what was frozen.
    """
    there = sorted(path.parent for path in (home / FOLDER).glob(f"*/{_FROZEN}"))
    found = [path for path in there if digest is None or path.name.startswith(digest)]
    if not there:
        raise NothingReadError("No months are frozen. Freeze some: ratinglist lab freeze --from YYYY-MM --to YYYY-MM")
    if len(found) != 1:
        names = ", ".join(f"{path.name} ({_months_of(FrozenMonths(path))})" for path in there)
        raise CommandLineError(f"Say with --frozen which of the frozen months you mean: {names}.")
    frozen = FrozenMonths(found[0])
    frozen.check()
    return frozen


def name_of(facts: Mapping[str, Any]) -> str:
    """Return the name of the folder of frozen months: the beginning of the digest of what ``frozen.json`` states."""
    return digest_of(facts)[:_DIGITS]


def _months_of(frozen: FrozenMonths) -> str:
    try:
        return f"{frozen.months[0]} to {frozen.months[-1]}"
    except AlteredError:
        return "altered"


def parquet_files(folder: Path) -> list[str]:
    """Return the Parquet files below a folder by their paths in it, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet"))


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every Parquet file below a folder, by its path in it."""
    names = parquet_files(folder)
    return dict(zip(names, map_ordered(lambda name: sha256_of(folder / name), names), strict=True))


def altered_files(folder: Path, digests: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files of ``digests`` that are missing or have another digest, by name."""

    def is_as_stated(name: str) -> bool:
        return (folder / name).is_file() and sha256_of(folder / name) == digests[name]

    names = sorted(digests)
    for name, is_whole in zip(names, map_ordered(is_as_stated, names), strict=True):
        if not is_whole:
            yield folder / name


@contextmanager
def held_laboratory(home: Path, *, writes: bool) -> Iterator[None]:
    """Hold ``HOME/lab`` inside the block; where there is no such folder, nothing is held.

    A command that writes holds it alone; commands that only read may hold it together. Raises
    :class:`~ratinglist.errors.StoreInUseError` while another laboratory command holds it.
    """
    folder = home / FOLDER
    if not folder.is_dir():
        yield
        return
    in_use = (
        f"{folder} is in use: another laboratory command is running. Wait until it has finished, then run the command "
        "again."
    )
    handle = locked_folder(folder, in_use, shared=not writes)
    try:
        yield
    finally:
        os.close(handle)
