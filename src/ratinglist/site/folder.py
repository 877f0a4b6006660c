"""Write a site into a folder next to its place, and put it in place at once.

``site.json`` in the folder states what the site was made of; a folder without it is not touched. Files of an earlier
site that are made of the same are linked, not written again.

The data of two million players in 26 months do not fit into memory at once. They are collected month after month in
temporary files, and read by slices: a slice has the players whose FIDE IDs have one remainder, so all rows of a player
are in one slice.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ratinglist.concurrency import map_ordered
from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, link, locked_folder, remove_folder, sha256_of
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.site import data_file
from ratinglist.site.published_months import PublishedMonth

FACTS = "site.json"
PLAYERS_OF_SLICE = 250_000


class SiteFolder:
    """A site that is being written. ``facts`` of the earlier site in the place; empty where there is none."""

    def __init__(self, place: Path) -> None:
        """Begin a site for ``place``.

        Raises :class:`CommandLineError` where the folder there is not a site,
        :class:`~ratinglist.errors.StoreInUseError` while another command makes the same site.
        """
        self.place = place.resolve()
        self.draft = self.place.with_name(f"{TEMPORARY_PREFIX}{self.place.name}")
        self._replaced = self.place.with_name(f"{TEMPORARY_PREFIX}{self.place.name}-replaced")
        if not self.place.parent.is_dir():
            raise CommandLineError(f"{self.place.parent} is not a folder: make it, or name another one with --out.")
        if place.is_symlink() or (self.place.exists() and not self.place.is_dir()):
            raise CommandLineError(f"{place} is not a folder, or a link to one: name another one with --out.")
        self.draft.mkdir(exist_ok=True)
        self._lock = _held(self.draft, place)
        try:
            self.facts = self._begun()
        except BaseException:
            self.discard()
            raise
        self.files = 0
        self.bytes = 0

    def _begun(self) -> dict[str, Any]:
        """Empty the folder of the draft, and return what the earlier site was made of."""
        if not self.place.exists() and _facts(self._replaced):
            # A run was killed between the two renames.
            self._replaced.rename(self.place)
        facts = _facts(self.place)
        if not facts and self.place.exists() and any(self.place.iterdir()):
            raise CommandLineError(
                f"{self.place} has files, and is not a site that ratinglist made (it has no {FACTS}): nothing was "
                "changed. Name an empty or a new folder with --out."
            )
        for unfinished in (*self.draft.iterdir(), self._replaced):
            remove_folder(unfinished) if unfinished.is_dir() else unfinished.unlink(missing_ok=True)
        return facts

    def is_made_of(self, digest: str) -> bool:
        """Return whether the site in the place is made of what the digest says, and its files are all there."""
        if self.facts.get("made_of") != digest:
            return False
        for path in self.place.rglob("*"):
            if path.is_file():
                self.count(path)
        own = (self.place / FACTS).stat().st_size
        is_whole = [self.files - 1, self.bytes - own] == [self.facts["files"], self.facts["bytes"]]
        if not is_whole:
            self.files = self.bytes = 0
        return is_whole

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the site; ``name`` is its path in the folder."""
        path = self.draft / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.files += 1
        self.bytes += len(content)

    def write_text(self, name: str, text: str) -> None:
        """Write a text file of the site in UTF-8."""
        self.write(name, text.encode())

    def write_data(self, name: str, version: str, json_text: str) -> None:
        """Write the data file ``name``, such as ``h/5f``, of a version of the site or of a month."""
        self.write(data_file.address(name, version), data_file.encode(name, version, json_text))

    def write_all(self, folder: str, version: str, files: Iterable[tuple[object, str | bytes]]) -> None:
        """Write the data files of a folder, such as ``h``, two at once. In: the name and the content of each."""

        def encoded(file: tuple[object, str | bytes]) -> tuple[str, bytes]:
            name = f"{folder}/{file[0]}"
            return data_file.address(name, version), data_file.encode(name, version, file[1])

        for name, content in map_ordered(encoded, files):
            self.write(name, content)

    def keep(self, folder: str) -> bool:
        """Link all files of a folder of the earlier site; return False, and link nothing, where it has none."""
        earlier = self.place / folder
        if not earlier.is_dir():
            return False
        target = self.draft / folder
        target.mkdir(parents=True)
        for path in sorted(earlier.iterdir()):
            link(path, target / path.name)
            self.count(path)
        return True

    def copy(self, source: Path, name: str) -> None:
        """Copy a file, whose content is always that of its address, into the site; one that is there is linked."""
        target, earlier = self.draft / name, self.place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if earlier.is_file() and earlier.stat().st_size == source.stat().st_size:
            link(earlier, target)
        else:
            shutil.copyfile(source, target)
        self.count(target)

    def count(self, path: Path) -> None:
        """Count a file that was written into the site by other means."""
        self.files += 1
        self.bytes += path.stat().st_size

    def temporary(self, name: str) -> Path:
        """Return the path of a folder that is no part of the site; :meth:`remove_temporary` deletes it."""
        self._temporary = self.draft / f"{TEMPORARY_PREFIX}{name}"
        return self._temporary

    def remove_temporary(self) -> None:
        """Delete the folder of :meth:`temporary`."""
        remove_folder(self._temporary)

    def put_in_place(self, facts: Mapping[str, Any]) -> None:
        """Write ``facts`` with the number and bytes of the files, and put the site in the place of the earlier one."""
        counted = {**facts, "files": self.files, "bytes": self.bytes}
        self.write_text(FACTS, json.dumps(counted, indent=2, sort_keys=True) + "\n")
        if not self.place.exists():
            self.draft.rename(self.place)
        else:
            self.place.rename(self._replaced)
            self.draft.rename(self.place)
            remove_folder(self._replaced)

    def discard(self) -> None:
        """Delete what was written and is not in place; the earlier site stays as it is."""
        shutil.rmtree(self.draft, ignore_errors=True)
        os.close(self._lock)


def _held(draft: Path, place: Path) -> int:
    """Lock the folder of a draft for as long as the handle is open.

    Raises :class:`~ratinglist.errors.StoreInUseError`, naming ``place``, where another command has it.
    """
    in_use = f"Another command is making the site {place}. Wait until it has finished, then run the command again."
    return locked_folder(draft, in_use)


def _facts(folder: Path) -> dict[str, Any]:
    """Return what an earlier site was made of; empty where the folder is no site."""
    try:
        content = json.loads((folder / FACTS).read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


class Download(NamedTuple):
    """A file that readers may download: its name, its address in the site, its size and its digest."""

    name: str
    address: str
    bytes: int
    sha256: str


def put_downloads(
    folder: SiteFolder, month: PublishedMonth, export_into: Callable[[Path], list[Path]]
) -> list[Download]:
    """Copy the files of a revision into the site, and export its lists next to them.

    ``export_into``: writes files into a folder, and returns them.
    """
    place = f"files/{month.name}-{month.folder.name}"
    target = folder.draft / place
    target.mkdir(parents=True)
    signature = [SIGNATURE] if (month.folder / SIGNATURE).is_file() else []
    names = sorted([*month.manifest.files, MANIFEST, *signature])
    for name in names:
        folder.copy(month.folder / name, f"{place}/{name}")
    exported = export_into(target)
    for path in exported:
        folder.count(path)
    paths = {**{name: target / name for name in names}, **{path.name: path for path in exported}}
    return [Download(name, f"{place}/{name}", path.stat().st_size, sha256_of(path)) for name, path in paths.items()]


def parts_for(players: int, of_part: int) -> int:
    """Return the number of parts for about so many players: a power of two, so that it seldom changes."""
    parts = 1
    while parts * of_part < players:
        parts *= 2
    return parts


class CollectedRows:
    """Rows of several kinds, each with ``fide_id``; those of a kind have one schema."""

    def __init__(self, folder: Path, slices: int) -> None:
        """Begin without rows. ``folder`` is made; the caller deletes it."""
        self.slices = slices
        self._folder = folder
        self._files: dict[tuple[str, int], list[Path]] = {}
        folder.mkdir()

    def add(self, kind: str, rows: pl.DataFrame) -> None:
        """Add rows of a kind; their order is kept."""
        if rows.is_empty():
            return
        parts = rows.with_columns((pl.col("fide_id") % self.slices).alias("slice")).partition_by(
            "slice", include_key=False, as_dict=True
        )
        for (number,), part in parts.items():
            files = self._files.setdefault((kind, number), [])
            path = self._folder / f"{kind}-{number}-{len(files)}.parquet"
            part.write_parquet(path, compression="lz4", statistics=False)
            files.append(path)

    def of_slice(self, number: int) -> dict[str, pl.DataFrame]:
        """Return the rows of a slice by kind, in the order they were added; a kind without rows is not there."""
        return {kind: _read_rows(files) for (kind, one), files in self._files.items() if one == number}


def _read_rows(files: list[Path]) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(path, glob=False) for path in files)
