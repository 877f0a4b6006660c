"""The files of a revision, written aside while others go on: into the store, and through the checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import polars as pl

from ratinglist.on_disk import sha256_of, synced
from ratinglist.publication.fields import FieldPolicy
from ratinglist.publication.files import logical_sha256, write_hashed_csv, write_parquet
from ratinglist.publication.manifest import FileEntry
from ratinglist.publication.tables import LISTS, Made

Tables = Mapping[str, pl.DataFrame]


class Writing:
    """Tables on their way to the disk, in threads of their own.

    ``aside``: the folder they are written to, which is there already; ``make`` gives the tables as
    :func:`~ratinglist.publication.tables.checked` leaves them; ``policy`` says which columns they carry. What goes
    wrong is raised to who asks for the outcome.
    """

    def __init__(self, aside: Path, make: Callable[[], Made], policy: FieldPolicy) -> None:
        self.aside = aside
        two = ThreadPoolExecutor(max_workers=2)
        self._made: Future[Made] = two.submit(make)
        self._files = two.submit(lambda: _written(aside, self._made.result().tables, policy))
        two.shutdown(wait=False)

    def made(self) -> Made:
        """The tables, as soon as they are made."""
        return self._made.result()

    def files(self, texts: Mapping[str, str]) -> dict[str, FileEntry]:
        """What the manifest says of every file, in the order of the names, ``texts`` (by name) written too."""
        files = dict(self._files.result())
        for name, text in texts.items():
            path = self.aside / name
            path.write_text(text, encoding="utf-8", newline="\n")
            finish(path)
            files[name] = {"sha256": sha256_of(path), "bytes": _size(path), "rows": text.count("\n")}
        return dict(sorted(files.items()))

    def wait(self) -> None:
        """Until nothing is written any more, whatever came of it."""
        wait([self._files])


def finish(path: Path) -> None:
    """The file is on the disk, and nobody writes it again."""
    path.chmod(0o444)
    synced(path)


def _written(aside: Path, tables: Tables, policy: FieldPolicy) -> dict[str, FileEntry]:
    """Write and sync every table; what the manifest says of each file."""
    carried = {stem: policy.table(stem).conform(frame) for stem, frame in tables.items()}

    def logical(stem: str) -> str:
        if stem not in LISTS:
            return logical_sha256(carried[stem])
        digest = write_hashed_csv(aside / f"{stem}.csv", carried[stem])
        finish(aside / f"{stem}.csv")
        return digest

    def parquet(stem: str) -> str:
        path = write_parquet(aside / f"{stem}.parquet", policy.table(stem), carried[stem])
        finish(path)
        return sha256_of(path)

    # Two at a time, the longest first: a Parquet file is written by one thread, and its CSV, or the digest of what
    # would be its CSV, by another.
    stems = sorted(carried, key=lambda stem: -carried[stem].height)
    with ThreadPoolExecutor(max_workers=2) as two:
        jobs = [(two.submit(parquet, stem), two.submit(logical, stem)) for stem in stems]
        digests = {stem: (one.result(), other.result()) for stem, (one, other) in zip(stems, jobs, strict=True)}
    files: dict[str, FileEntry] = {}
    for stem, (of_bytes, of_content) in digests.items():
        rows = carried[stem].height
        said: dict[str, str | int] = {"sha256": of_bytes, "bytes": _size(aside / f"{stem}.parquet"), "rows": rows}
        files[f"{stem}.parquet"] = {**said, "logical_sha256": of_content}
        if stem in LISTS:
            files[f"{stem}.csv"] = {"sha256": of_content, "bytes": _size(aside / f"{stem}.csv"), "rows": rows}
    return files


def _size(path: Path) -> int:
    return path.stat().st_size
