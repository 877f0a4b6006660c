"""Write a site into a folder next to its place, and put it in place at once.

``site.json`` in the folder states what it is; a folder without it is not touched.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import write_atomically
from ratinglist.files.durable_files import TEMPORARY_PREFIX, locked_folder, remove

FACTS = "site.json"
_COMPRESSION = 5
_LONG_TEXT = 10_000_000
"""From so many bytes on a table as text, such as that of a list of 100,000 players, is in a zip for readers."""


class SiteFolder:
    """A site that is being written. ``files``, ``bytes``: how many there are so far."""

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
        self._lock = locked_folder(
            self.draft,
            f"Another command is making the site {place}. Wait until it has finished, then run the command again.",
        )
        self.files = self.bytes = 0
        try:
            self._begin()
        except BaseException:
            self.discard()
            raise

    def _begin(self) -> None:
        """Empty the folder of the draft."""
        if not self.place.exists() and (self._replaced / FACTS).is_file():
            # A run was killed between the two renames.
            self._replaced.rename(self.place)
        if self.place.exists() and any(self.place.iterdir()) and not (self.place / FACTS).is_file():
            raise CommandLineError(
                f"{self.place} has files, and is not a site that ratinglist made (it has no {FACTS}): nothing was "
                "changed. Name an empty or a new folder with --out."
            )
        for unfinished in (*self.draft.iterdir(), self._replaced):
            remove(unfinished)

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the site, a text in UTF-8; ``name`` is its path in the folder."""
        path = self.draft / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.count(path)

    def write_slice(self, name: str, version: str, content: Mapping[str, Any]) -> None:
        """Write a slice of data, such as ``h/5f``, that states its version: gzipped JSON, a table as its columns."""
        columns = {key: _columns(value) if isinstance(value, pl.DataFrame) else value for key, value in content.items()}
        text = json.dumps({"version": version, **columns}, ensure_ascii=False, separators=(",", ":"))
        # Without the time, so that the same slice has the same bytes.
        packed = gzip.compress(text.encode(), _COMPRESSION, mtime=0)
        self.write(f"data/{version}/{name}.json.gz", packed)

    def copy(self, source: Path, name: str) -> Path:
        """Copy a file into the site; a long table as text goes into a zip. Return its path there."""
        is_long = source.suffix == ".csv" and source.stat().st_size > _LONG_TEXT
        target = self.draft / (f"{name}.zip" if is_long else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, partial(shutil.copyfile, source), source.name if is_long else None)
        self.count(target)
        return target

    def count(self, path: Path) -> None:
        """Count a file that was written into the site."""
        self.files += 1
        self.bytes += path.stat().st_size

    def put_in_place(self, facts: Mapping[str, Any]) -> None:
        """Write what the site is, and put it in the place of the earlier one."""
        self.write(FACTS, json.dumps(facts, indent=2, sort_keys=True) + "\n")
        if self.place.exists():
            self.place.rename(self._replaced)
        self.draft.rename(self.place)
        remove(self._replaced)

    def discard(self) -> None:
        """Delete what was written and is not in place; the earlier site stays as it is."""
        shutil.rmtree(self.draft, ignore_errors=True)
        os.close(self._lock)


def _columns(rows: pl.DataFrame) -> dict[str, list[Any]]:
    """Return the columns of a table that have any value."""
    return {name: rows[name].to_list() for name in rows.columns if rows[name].null_count() < rows.height}
