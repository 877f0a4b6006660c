"""Published lists as frames of Polars, for notebooks and scripts.

::

    from ratinglist.published import open_published

    published = open_published("ratinglist-home/published")
    published.months                       # ["2025-09", "2025-10", ...]
    published.table("lists")               # of every month, the columns list_month and revision first
    published.table("games", "2025-11")
    published.columns("games")             # what each column is, its type and its unit

It reads a published folder, or the copy of one at an address. It needs no home, writes nothing, and keeps nothing: what
was read from an address is read again the next time. Every file is compared with the digest that the manifest of its
revision states; whether the manifest is the office's own is what ``ratinglist verify`` answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import polars as pl

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.home.history import LATEST
from ratinglist.period import REVISION_NAME, Period
from ratinglist.publication import index, manifest, revisions
from ratinglist.tables import LISTS, PUBLISHED, published_table, unit_of

__all__ = ["TABLES", "Published", "open_published"]

TABLES = ("lists", *(name for name in PUBLISHED if name not in LISTS))
"""The names of the tables, as in ``ratinglist sql``; ``lists`` is those of all time controls.

``diff`` has rows where the current revision of a month corrected an earlier one."""

Read = Callable[[str], bytes]
"""Returns the bytes of a file by its path below the published folder; raises ``FileNotFoundError`` without it."""


class Published:
    """The current lists of some months.

    ``place``: the folder or address. ``months``: ``YYYY-MM``, oldest first.
    """

    def __init__(self, place: str, months: Sequence[str], read: Read) -> None:
        self.place = place
        self.months = list(months)
        self._read = read

    def table(self, name: str, *months: str) -> pl.DataFrame:
        """Return a table of some months, or of every month, oldest first, in the order in which it was published.

        ``name``: one of :data:`TABLES`. ``list_month`` and ``revision`` stand before the columns that were published;
        a column that the office leaves out is null. Scores are in half points, expected scores and changes in
        hundredths of a point. Raises :class:`CommandLineError` for a name or month that is not there,
        :class:`AlteredError` where a file is not the one that its manifest states.
        """
        stems = self._stems(name)
        if unknown := [month for month in months if month not in self.months]:
            raise CommandLineError(f"{unknown[0]} has no current list here. Months: {', '.join(self.months)}.")
        frames = [frame for month in months or self.months for frame in self._frames(month, stems)]
        # A system may add columns of its own to some months.
        none = {"list_month": pl.String(), "revision": pl.Int32(), **PUBLISHED[stems[0]].schema}
        return pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema=none)

    def columns(self, name: str) -> pl.DataFrame:
        """Return the columns of a table: ``column``, ``type``, ``unit``, ``may_be_empty``, ``meaning``.

        They are those of every system; what a system adds of its own is in the ``datapackage.json`` of the revision.
        """
        declared = PUBLISHED[self._stems(name)[0]].columns.items()
        rows = [(name, str(one.dtype), unit_of(name), one.null, one.description) for name, one in declared]
        return pl.DataFrame(rows, schema=["column", "type", "unit", "may_be_empty", "meaning"], orient="row")

    def _stems(self, name: str) -> Sequence[str]:
        if name not in TABLES:
            raise CommandLineError(f"'{name}' is not a published table. Tables: {', '.join(TABLES)}.")
        return LISTS if name == "lists" else (name,)

    def _frames(self, month: str, stems: Sequence[str]) -> list[pl.DataFrame]:
        revision = self._bytes(f"{month}/{LATEST}").decode("utf-8", errors="replace").strip()
        folder = f"{month}/{revision}"
        if not REVISION_NAME.fullmatch(revision):
            raise AlteredError(f"{self.place}/{month}/{LATEST} does not name a revision.")
        try:
            stated = manifest.read(self._bytes(f"{folder}/{manifest.MANIFEST}"))
        except manifest.NotAManifestError as problem:
            raise AlteredError(f"{self.place}/{folder}/{manifest.MANIFEST}: {problem}.") from None
        if f"{stated.month}/r{stated.revision}" != folder:
            is_of = f"{stated.month}/r{stated.revision}"
            raise AlteredError(f"{self.place}/{folder}/{manifest.MANIFEST} is the manifest of {is_of}.")
        place = [pl.lit(month).alias("list_month"), pl.lit(stated.revision, pl.Int32).alias("revision")]
        found = []
        for stem in stems:
            name = f"{stem}.parquet"
            if name in stated.files:
                rows = pl.read_parquet(BytesIO(self._proved(f"{folder}/{name}", stated.files[name]["sha256"])))
                whole = published_table(stem, rows.schema).completed(rows)
                found.append(whole.select(*place, pl.exclude("list_month")))
        return found

    def _proved(self, path: str, digest: str) -> bytes:
        data = self._bytes(path)
        if sha256(data).hexdigest() != digest:
            raise AlteredError(
                f"{self.place}/{path} is not the file that its manifest states: it was changed, or an upload is not "
                "complete. Nothing of it was read."
            )
        return data

    def _bytes(self, path: str) -> bytes:
        try:
            return self._read(path)
        except FileNotFoundError:
            raise AlteredError(f"{self.place}/{path} is missing: was all of the folder copied?") from None


def open_published(place: str | Path, *, months: Sequence[str] = ()) -> Published:
    """Return what is published in a folder, or at an address that begins with ``http``.

    ``months``: the months to read (``YYYY-MM``); without them, every month with a current list. At an address these are
    known from ``index.json``, which an office has that signs its lists; for another name them. Raises
    :class:`CommandLineError` for a month that is none, or where they have to be named, :class:`NothingReadError` where
    there is nothing to read.
    """
    months = sorted({str(Period.parse(month)) for month in months})
    address = str(place).rstrip("/")
    if address.startswith(("http://", "https://")):
        read = _of_address(address)
        return Published(address, months or _stated_months(address, read), read)
    folder = Path(place)
    there = [str(month) for month in revisions.every_latest(folder)]
    if not there:
        raise NothingReadError(f"{folder} has no published list: name the folder published of a home, or a copy of it.")
    return Published(str(folder), months or there, _of_folder(folder))


def _of_folder(folder: Path) -> Read:
    return lambda path: (folder / path).read_bytes()


_SECONDS = 60
"""So long an address may take to answer."""


def _of_address(address: str) -> Read:
    def read(path: str) -> bytes:
        try:
            with urlopen(f"{address}/{path}", timeout=_SECONDS) as answer:  # noqa: S310 - the address begins with http
                content: bytes = answer.read()
                return content
        except HTTPError as problem:
            problem.close()
            if problem.code == HTTPStatus.NOT_FOUND:
                raise FileNotFoundError(f"{address}/{path}") from None
            raise NothingReadError(f"{address}/{path} could not be read: the server answers {problem.code}.") from None
        except (OSError, HTTPException, ValueError) as problem:
            raise NothingReadError(f"{address}/{path} could not be read: {problem}.") from None

    return read


def _stated_months(address: str, read: Read) -> list[str]:
    """Return the months with a current list by the index of an office that signs."""
    try:
        stated = index.read(read(index.INDEX)).published
    except FileNotFoundError:
        raise CommandLineError(
            f"{address} has no {index.INDEX}, because the office does not sign its lists. Name the months: "
            'open_published(address, months=["2025-11"]).'
        ) from None
    except manifest.NotAManifestError as problem:
        raise AlteredError(f"{address}/{index.INDEX}: {problem}.") from None
    return sorted(name.partition("/")[0] for name, value in stated.items() if name.endswith(f"/{LATEST}") and value)
