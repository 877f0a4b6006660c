"""Verify published files against the index and the manifests of their revisions, without a store.

No file content raises an error: whatever is wrong becomes a sentence. Every regular file is read in bounded parts, and
a link is never followed, because a publication may come from anybody.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container
from itertools import count
from pathlib import Path

from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, read_regular_file, sha256_of
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import MONTH_NAME, REVISION_NAME
from ratinglist.publication import rollback_log
from ratinglist.publication.index import INDEX
from ratinglist.publication.manifest import MANIFEST
from ratinglist.publication.revisions import number_of
from ratinglist.publication.verify import against_index
from ratinglist.publication.verify.against_index import IndexCheck
from ratinglist.publication.verify.against_manifest import altered, verify_revision
from ratinglist.publication.verify.summary import VerifySummary

_BOTH_NUMBERS = "both_numbers.parquet"
_FILES_OF_MONTH = {"latest", _BOTH_NUMBERS, "rollbacks.csv"}
"""The files that the folder of a month may have besides its revisions."""
_EVENTS = "events.parquet"
_FILES = {_EVENTS, INDEX}
"""The files that ``published/`` may have besides the months."""
_NO_LINE_END = "without an end of line: it was altered or cut off"
_ATTEMPTS = 5
"""How often a folder is read where the office publishes while it is read."""


def verify(path: Path, key: str | None = None, seen: int = 0, office: str | None = None) -> VerifySummary:
    """Verify the folder of a revision, of a month, or all that is published.

    ``key``: the fingerprint of the key that must have signed the index and every revision that the index does not state
    to be older. ``seen``: the counter of an index that the reader knows; an older one is wrong. ``office``: the name
    that the index must state: another office may sign with the same key. Raises
    :class:`NothingReadError` where ``path`` is none of these.
    """
    path = path.parent if path.name == MANIFEST else path
    kind = _kind_of(path)
    if kind == _HOME:
        return verify(path / "published", key, seen, office)
    above, scope = _place_in_index(path, kind)
    for _ in range(_ATTEMPTS):
        index, found = against_index.read(above, key), VerifySummary()
        _VERIFIERS[kind](path, index, found)
        if against_index.read(above, key) == index:
            break
    index.check(scope, seen, found, is_whole_revision=kind == _REVISION)
    index.check_office(office, found)
    return found


def altered_files(folder: Path, digest: str) -> list[str]:
    """Return a line for each file of a revision, or of a preview, that its manifest does not match.

    ``digest``: the digest that the manifest must have.
    """
    if not folder.is_dir():
        return [f"  {folder}: is missing"]
    found = verify(folder)
    lines = [f"{one.file}: {one.description}" for one in found.wrong]
    lines += [
        f"{path}: has the digest {now}, and was made with {digest}"
        for path, (now, _) in found.revisions.items()
        if now != digest
    ]
    return first_lines(lines)


def verify_file_of_index(path: Path) -> None:
    """Raise :class:`AlteredError` where a file that no manifest names is not the one that the index states.

    ``path``: a file of a month's folder, such as ``both_numbers.parquet``. Nothing is raised where it is not there, or
    where no valid index names it, as in an office that does not sign.
    """
    published = path.parents[1]
    name = path.relative_to(published).as_posix()
    stated = {one.get(name) for one in against_index.read(published, None).stated} - {None}
    if path.is_file() and stated and sha256_of(path) not in stated:
        raise altered(path, f"its digest is not the one in {published / INDEX}")


_REVISION, _MONTH, _ALL, _HOME = "revision", "month", "all", "home"


def _place_in_index(path: Path, kind: str) -> tuple[Path, str]:
    """Return the published folder that ``path`` is in, and the beginning of its names in the index of that folder.

    A copy of a revision or month under another name is in no published folder: no index is read for it.
    """
    if kind == _ALL:
        return path, ""
    resolved = path.resolve()
    month = resolved.parent if kind == _REVISION else resolved
    if not MONTH_NAME.fullmatch(month.name) or (kind == _REVISION and not REVISION_NAME.fullmatch(resolved.name)):
        return path, resolved.name
    # The path as it was given, where that is possible: problems are reported by it.
    given = path if path.name == resolved.name and len(path.parents) > 1 else resolved
    return (
        (given.parent.parent, f"{month.name}/{resolved.name}")
        if kind == _REVISION
        else (given.parent, f"{month.name}/")
    )


def _kind_of(path: Path) -> str:
    """Return what a folder is; raise :class:`NothingReadError` where it is nothing that was published."""
    if not path.is_dir():
        what = (
            "this is a file, and only a whole revision can be verified" if path.exists() else "there is no such folder"
        )
        raise NothingReadError(f"{path}: {what}. Name the folder of a revision, a month, or all that is published.")
    name = path.resolve().name
    if any(_is_preview(month) for month in (path, *sorted(path.iterdir()))):
        raise NothingReadError(
            f"{path}: these are previews, which are not published. Name a revision (published/2025-11/r1), a month, or "
            "all that is published."
        )
    if (path / MANIFEST).exists() or REVISION_NAME.fullmatch(name):
        return _REVISION
    if (path / "latest").exists() or MONTH_NAME.fullmatch(name):
        return _MONTH
    if _months(path) or (path / INDEX).exists():
        return _ALL
    if (path / "published").is_dir():
        return _HOME
    raise NothingReadError(
        f"{path}: nothing is published here. Name a revision (published/2025-11/r1), a month, or all that is published."
    )


def _months(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if MONTH_NAME.fullmatch(one.name))


def _is_preview(month: Path) -> bool:
    """Return whether a folder has the preview of a month: its report, and no revision that is current."""
    return (
        bool(MONTH_NAME.fullmatch(month.name)) and (month / "REPORT.md").is_file() and not (month / "latest").exists()
    )


def _verify_all(folder: Path, index: IndexCheck, found: VerifySummary) -> None:
    """Verify that there are only whole months and the table of events, and all months a list depends on."""
    for path in _months(folder):
        _verify_month(path, index, found)
    for one in sorted(folder.iterdir()):
        if not (MONTH_NAME.fullmatch(one.name) or one.name in _FILES or _is_being_written(one, _FILES)):
            found.add(
                folder / ascii(one.name)[1:-1], "was not published: it is neither a month nor a file that belongs here"
            )
    events = folder / _EVENTS
    if events.is_symlink() or (events.exists() and not events.is_file()):
        found.add(events, "is not a regular file")
    elif events.exists():
        _add_file(_EVENTS, events, found)
    for month, by in sorted(found.required_months.items()):
        if not os.path.lexists(folder / month):
            found.add(folder / month, f"is missing: {by} was calculated on the list of that month")


def _is_being_written(path: Path, names: Container[str]) -> bool:
    """Return whether ``path`` is what a publication that runs now writes: one of ``names``, or a whole revision.

    Such a file or folder has a name that no reader opens, and nothing of another name may begin like it.
    """
    name = path.name.removeprefix(TEMPORARY_PREFIX)
    if path.is_symlink() or name == path.name:
        return False
    if not path.exists():
        # It was renamed since it was found: it is complete now, and found under its own name the next time.
        return True
    return path.is_file() if name in names else name.isascii() and name.isdigit() and path.is_dir()


def _add_file(name: str, path: Path, found: VerifySummary, problem: str = "") -> None:
    """Add what is wrong with a file that no manifest names, and its digest, which the index must have."""
    if problem:
        found.add(path, problem)
        found.published[name] = None
        return
    try:
        found.published[name] = sha256_of(path)
    except OSError as error:
        found.add(path, f"cannot be read: {error.strerror}")


def _verify_month(folder: Path, index: IndexCheck, found: VerifySummary) -> None:
    """Verify a month: every revision is whole, no number is missing between, and ``latest`` names one of them."""
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder, but a link or a file")
        return
    numbers, month = [], folder.resolve().name
    for path in sorted(folder.iterdir()):
        if REVISION_NAME.fullmatch(path.name):
            numbers.append(number_of(path))
            verify_revision(path, index, found)
        elif _is_being_written(path, _FILES_OF_MONTH):
            continue
        elif path.name not in _FILES_OF_MONTH:
            found.add(folder / ascii(path.name)[1:-1], "was not published: nothing of that name belongs here")
        elif path.is_symlink() or not path.is_file():
            found.add(path, "is not a regular file")
        elif path.name == _BOTH_NUMBERS:
            _add_file(f"{month}/{path.name}", path, found)
        elif path.name == rollback_log.NAME:
            _add_file(f"{month}/{path.name}", path, found, _problem_of_rollbacks(folder))
    first_free = next(number for number in count(1) if number not in numbers)
    if first_free <= len(numbers):
        found.add(folder / f"r{first_free}", "is missing, and there are later revisions")
    _verify_pointer(folder, numbers, index, found)


def _verify_pointer(folder: Path, numbers: Container[int], index: IndexCheck, found: VerifySummary) -> None:
    """Verify that ``latest`` names a revision; it is absent where the month was withdrawn.

    By the index, which is signed, no list is current then; without an index ``rollbacks.csv`` has the withdrawal.
    """
    pointer = folder / "latest"
    name = f"{folder.resolve().name}/latest"
    if not os.path.lexists(pointer) and (index.is_withdrawn(name) or _is_withdrawn(folder)):
        found.notes.append(f"{folder}: the list of this month was withdrawn; {rollback_log.NAME} has the reason")
        return
    named = read_regular_file(pointer, 64)
    number = re.fullmatch(rb"r([1-9][0-9]{0,8})\n", named or b"")
    if named is None:
        found.add(pointer, "is missing, or cannot be read: no revision is current")
    elif number is None or int(number[1]) not in numbers:
        text = ascii(named.decode("utf-8", errors="replace").rstrip("\n"))[1:-1]
        is_cut = re.fullmatch(rb"r[1-9][0-9]{0,8}", named) and int(named[1:]) in numbers
        found.add(pointer, f"names '{text}', " + (_NO_LINE_END if is_cut else "which is no revision of this month"))
    else:
        found.published[name] = f"r{int(number[1])}"


def _problem_of_rollbacks(month: Path) -> str:
    try:
        rollback_log.read(month)
    except NothingReadError:
        return "is not the file of rollbacks"
    return ""


def _is_withdrawn(month: Path) -> bool:
    try:
        return rollback_log.withdrawal(month) is not None
    except NothingReadError:
        return False


_VERIFIERS = {_REVISION: verify_revision, _MONTH: _verify_month, _ALL: _verify_all}
