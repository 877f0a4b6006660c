"""The files of a revision, written aside while others go on: into the store, and through the checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ratinglist.durable_files import sha256_of, synced
from ratinglist.field_policy import FieldPolicy
from ratinglist.publication.manifest import FileEntry
from ratinglist.publication.month_tables import Made, Rows, slices_of
from ratinglist.publication.policy import Births
from ratinglist.publication.privacy_scan import of_table
from ratinglist.schemas import LISTS
from ratinglist.store.table_files import ROW_GROUP, CsvText, ParquetFile

Tables = Mapping[str, Rows]


class Writing:
    """Tables on their way to the disk, in threads of their own, and then looked at as they stand there.

    ``aside``: the folder they are written to, which is there already; ``make`` gives the tables as
    :func:`~ratinglist.publication.month_tables.checked` leaves them; ``policy`` says which columns they carry,
    ``births`` which dates they must not tell: it is asked in those threads. What goes wrong is
    raised to who asks for the outcome.
    """

    def __init__(self, aside: Path, make: Callable[[], Made], policy: FieldPolicy, births: Births) -> None:
        self.aside = aside
        two = ThreadPoolExecutor(max_workers=2)
        self._made: Future[Made] = two.submit(make)
        self._files = two.submit(lambda: _written(aside, self._made.result().tables, policy, births))
        two.shutdown(wait=False)

    def made(self) -> Made:
        """The tables, as soon as they are made."""
        return self._made.result()

    def files(self, texts: Mapping[str, str]) -> dict[str, FileEntry]:
        """What the manifest says of every file, in the order of the names, ``texts`` (by name) written too."""
        files = {name: entry for one in self._files.result() for name, entry in one.entries.items()}
        for name, text in texts.items():
            path = self.aside / name
            path.write_text(text, encoding="utf-8", newline="\n")
            finish(path)
            files[name] = {"sha256": sha256_of(path), "bytes": _size(path), "rows": text.count("\n")}
        return dict(sorted(files.items()))

    def offences(self) -> list[str]:
        """What the tables carry on the disk that they must not (:mod:`~ratinglist.publication.privacy_scan`)."""
        return sorted(one for written in self._files.result() for one in written.offences)

    def wait(self) -> None:
        """Until nothing is written any more, whatever came of it."""
        wait([self._files])


def finish(path: Path) -> None:
    """The file is on the disk, and nobody writes it again."""
    path.chmod(0o444)
    synced(path)


@dataclass(frozen=True, slots=True)
class _Written:
    """The files of one table: what the manifest says of each, and what they carry that they must not."""

    entries: dict[str, FileEntry]
    offences: list[str]


def _written(aside: Path, tables: Tables, policy: FieldPolicy, births: Births) -> list[_Written]:
    """Write, sync and look at every table."""
    # Two at a time, the longest first: what is left for the end is short.
    stems = sorted(tables, key=lambda stem: -tables[stem].height)
    with ThreadPoolExecutor(max_workers=2) as two, ThreadPoolExecutor(max_workers=2) as texts:
        return list(two.map(lambda stem: _write(aside, stem, tables[stem], policy, births, texts), stems))


def _write(aside: Path, stem: str, rows: Rows, policy: FieldPolicy, births: Births, texts: Executor) -> _Written:
    """Write and sync a table as Parquet, and as CSV where it is a list, and look at what stands there.

    A Parquet file is written by one thread. Another makes the CSV of the same rows, or the digest of what would be it.
    """
    parquet, csv, table = aside / f"{stem}.parquet", aside / f"{stem}.csv", policy.table(stem)
    with ExitStack() as stack:
        file = stack.enter_context(ParquetFile(parquet, table))
        to = stack.enter_context(csv.open("wb")) if stem in LISTS else None
        text = CsvText(list(table.columns), to)
        told: Future[None] | None = None
        for some in slices_of(rows, ROW_GROUP):
            carried = table.conform_encoded(some)
            if told is not None:
                told.result()
            told = texts.submit(text.write, carried)
            file.write(carried)
        if told is not None:
            told.result()
    entries = {parquet.name: _finished(parquet, rows.height, logical_sha256=text.sha256)}
    if stem in LISTS:
        entries[csv.name] = _finished(csv, rows.height, sha256=text.sha256)
    return _Written(entries, [one for name in entries for one in of_table(aside / name, stem, policy, births)])


def _finished(path: Path, rows: int, sha256: str = "", logical_sha256: str = "") -> FileEntry:
    """Finish a file; what the manifest says of it, its ``sha256`` being reckoned where it is not known."""
    finish(path)
    entry: dict[str, str | int] = {"sha256": sha256 or sha256_of(path), "bytes": _size(path), "rows": rows}
    return {**entry, "logical_sha256": logical_sha256} if logical_sha256 else entry


def _size(path: Path) -> int:
    return path.stat().st_size
