"""The published revisions as the store knows them: what each one is, and which one of a month is current."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ratinglist.period import MONTH_NAME, Period
from ratinglist.store import table_parts
from ratinglist.store.database import Store

NOT_PLACED = 0
"""The number of a revision that has no folder: ``reproduce`` notes with it which calculation a list was published
from."""

_MANIFEST = "manifest.json"
REVISION_NAME = re.compile(r"r[1-9][0-9]{0,8}")
"""The name of the folder of a revision."""


@dataclass(frozen=True, slots=True)
class RevisionState:
    """What identifies the files of a revision without reading them all.

    ``digest``: of the manifest, as people quote it. ``manifest_sha256``: of the bytes of ``manifest.json``; empty where
    it could not be read. ``bytes``: of all files of the folder together.
    """

    digest: str = ""
    manifest_sha256: str = ""
    bytes: int = 0


def state_of(folder: Path, digest: str = "") -> RevisionState:
    """Return the state of the folder of a revision. Only ``manifest.json`` is read; an unreadable one gives no digest.

    ``digest``: that of the manifest, where it is known. Raises :class:`OSError` where the folder cannot be listed.
    """
    size = size_of(folder)
    try:
        data = (folder / _MANIFEST).read_bytes()
    except OSError:
        return RevisionState(bytes=size)
    return RevisionState(digest or str(_content(data).get("digest", "")), hashlib.sha256(data).hexdigest(), size)


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a revision together; links are not followed."""
    return sum((folder / name).lstat().st_size for name in table_parts.names_in(folder))


def insert(store: Store, period: Period, revision: int, published_on: date, state: RevisionState) -> None:
    """Insert a revision, and the current calculation of the month as the one it shows.

    A revision that is there already stays as it is.
    """
    store.execute(
        """
        insert or ignore into publication by name
        select $month as month, $revision as revision, $day as published_on,
            coalesce(max(calculation_no) filter (where month = $month), 0) as calculation_no,
            coalesce(max(calculation_no), 0) as calculations,
            (select coalesce(max(source_no), 0) from source_file) as last_source,
            $digest as digest, $manifest_sha256 as manifest_sha256, $bytes as bytes
        from calculation_made
        """,
        month=str(period),
        revision=revision,
        day=published_on,
        digest=state.digest,
        manifest_sha256=state.manifest_sha256,
        bytes=state.bytes,
    )
    store.show_calculations()


def insert_not_placed(store: Store, period: Period, published_on: date) -> None:
    """Insert that a month was published from its current calculation, without a folder: later lists may start from it.

    For the temporary home of ``reproduce`` alone.
    """
    insert(store, period, NOT_PLACED, published_on, RevisionState())


def known(store: Store) -> dict[tuple[str, int], RevisionState]:
    """Return the state that every published revision must have, by month and number."""
    rows = store.rows(
        "select month, revision, digest, manifest_sha256, bytes from publication where revision > $none order by all",
        none=NOT_PLACED,
    )
    return {(month, revision): RevisionState(*state) for month, revision, *state in rows}


def set_size(store: Store, period: Period, revision: int, size: int) -> None:
    """Store the bytes of all files of a revision, which a signature added later makes more."""
    store.execute(
        "update publication set bytes = $size where month = $month and revision = $no",
        size=size,
        month=str(period),
        no=revision,
    )


def current(store: Store) -> dict[str, int]:
    """Return the current revision of every month that has one."""
    return dict(store.rows("select month, revision from current_revision order by month"))


def make_current(store: Store, period: Period, revision: int) -> None:
    """Store that a revision is the current one of its month."""
    store.execute("insert or replace into current_revision values ($month, $no)", month=str(period), no=revision)


def clear_current(store: Store, period: Period) -> None:
    """Store that a month has no current revision."""
    store.execute("delete from current_revision where month = $month", month=str(period))


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The rollback that withdrew a month. ``withdrawn_on``: the day, ``YYYY-MM-DD``."""

    month: str
    revision: int
    withdrawn_on: str
    reason: str

    def text(self) -> str:
        """Return what happened and what can be done, as sentences."""
        return (
            f"The list of {self.month} (r{self.revision}) was withdrawn on {self.withdrawn_on}: {self.reason}. Correct "
            f"what was wrong, then: ratinglist rate {self.month}; ratinglist publish {self.month}. If it was right "
            f'after all: ratinglist rollback {self.month} --to r{self.revision} --because "..."'
        )


def withdrawal(store: Store, period: Period) -> Withdrawal | None:
    """Return the withdrawal of a month whose newest calculation has the figures that were withdrawn; else None."""
    rows = store.rows(
        """
        select month, revision, rolled_back_on::varchar, reason
        from withdrawn_month semi join calculation using (month) anti join standing_calculation using (month)
        where month = $month
        """,
        month=str(period),
    )
    return Withdrawal(*rows[0]) if rows else None


def take_sizes(store: Store, published: Path) -> None:
    """Store the bytes that the revisions under ``published`` have: a rebuild signs nothing, and they may be signed."""
    for (month, revision), state in known(store).items():
        folder = published / month / f"r{revision}"
        if folder.is_dir() and (size := size_of(folder)) != state.bytes:
            store.execute(
                "update publication set bytes = $size where month = $month and revision = $revision",
                size=size,
                month=month,
                revision=revision,
            )


def adopt(store: Store) -> None:
    """Store what is published in a home of an older version, which has no digests: the program's part of 0011.

    A revision without a row is inserted where its manifest names a calculation of this store: a killed run of that
    version had written it. Any other one stays unknown, and the next writing command reports it.
    """
    rows = store.rows("select month, revision from publication")
    for month, revision, folder in _folders(store.home / "published"):
        state = state_of(folder)
        if (month, revision) not in rows:
            number = _calculation_of(store, month, folder)
            if number is None:
                continue
            _insert_adopted(store, month, revision, number)
        store.execute(
            """
            update publication set digest = $digest, manifest_sha256 = $manifest_sha256, bytes = $bytes
            where month = $month and revision = $revision
            """,
            month=month,
            revision=revision,
            digest=state.digest,
            manifest_sha256=state.manifest_sha256,
            bytes=state.bytes,
        )
    for pointer in sorted((store.home / "published").glob("*/latest")):
        name = pointer.read_text(encoding="utf-8", errors="replace").strip()
        if MONTH_NAME.fullmatch(pointer.parent.name) and REVISION_NAME.fullmatch(name):
            make_current(store, Period.parse(pointer.parent.name), int(name[1:]))


def _folders(published: Path) -> Iterator[tuple[str, int, Path]]:
    """Yield month, number and folder of every revision, oldest first."""
    found = [
        (path.parent.name, int(path.name[1:]), path)
        for path in published.glob("*/r*")
        if MONTH_NAME.fullmatch(path.parent.name) and REVISION_NAME.fullmatch(path.name) and path.is_dir()
    ]
    yield from sorted(found)


def _calculation_of(store: Store, month: str, folder: Path) -> int | None:
    """Return the number of the calculation that a revision was published from, by its manifest; None if it is unknown.

    A manifest of the first versions names none: then it is the newest calculation of the month.
    """
    try:
        content = _content((folder / _MANIFEST).read_bytes())
    except OSError:
        return None
    provenance = content.get("provenance")
    named = provenance.get("calculation") if isinstance(provenance, dict) else None
    ((number,),) = store.rows(
        """
        select max(calculation_no) from calculation_made
        where month = $month and ($named is null or calculation_id = $named)
        """,
        month=month,
        named=named if isinstance(named, str) else None,
    )
    return None if number is None or not content else int(number)


def _insert_adopted(store: Store, month: str, revision: int, number: int) -> None:
    store.execute(
        """
        insert into publication by name
        select month, $revision as revision, calculation_no, made_on as published_on,
            (select max(calculation_no) from calculation_made) as calculations, last_source
        from calculation_made where month = $month and calculation_no = $number
        """,
        month=month,
        revision=revision,
        number=number,
    )


def _content(data: bytes) -> dict[str, Any]:
    """Return the content of a manifest; empty where the bytes are not a JSON object."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
