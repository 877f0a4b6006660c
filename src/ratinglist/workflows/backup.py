"""Copy a home into a folder, or what changed since the copy before; and copy it back into an empty home.

Only the known parts of a home are copied, either way (:data:`PARTS`). While
``HOME/.tmp-restore`` is there, no command opens the home; after a killed restore the next one begins again.

::

    DIR/files/<sha256>    the files; one that is in the home twice is here once
    DIR/backup.json       the path in the home and the digest of each: written last, by one rename

A folder without ``backup.json`` holds no complete backup. While a new backup is made, ``backup.json`` and its files are
those of the one before, which stays whole until the new one is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import ratinglist
from ratinglist import office
from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import (
    DIGEST,
    LOCK_FILE,
    PRIVATE,
    TEMPORARY_PREFIX,
    close,
    close_to_others,
    digest_of,
    finish,
    fits,
    is_whole,
    keep_file,
    link,
    make_private_folder,
    named_in_errors,
    read_regular_file,
    remove,
    replace_file,
    synced,
    withheld,
)
from ratinglist.home import originals
from ratinglist.home.location import RESTORING, held_to_write
from ratinglist.home.log import Log, path_of
from ratinglist.publication import settle
from ratinglist.publication.manifest import INDEX, NotSignedError
from ratinglist.settings import LOG, PUBLISHED, STORE, Settings
from ratinglist.summaries import Facts
from ratinglist.text import first_lines

LIST = "backup.json"
FILES = "files"
_LIST_BYTES = 2**28
TRACE = "last-backup.json"
"""The trace that a backup leaves in its home."""
_TRACE_BYTES = 2**24
_TRACE_SHAPE = {"folder": str, "made_on": str, "published": [str]}
PARTS = (LOG, originals.FOLDER, originals.REPORTS, "calculations", PUBLISHED, "rules", office.NAME)
"""The names in a home of what a backup has; everything else in it is made again, or is of no command."""
_PATH = re.compile(rf"({'|'.join(map(re.escape, PARTS))})(/(?!\.\.?(/|\Z))[^/\\\0:]+)*")
"""The path in the home of a file that a backup may have."""
_OF_A_BACKUP = re.compile(rf"{FILES}|{FILES}/{DIGEST.pattern}|(.*/)?{re.escape(TEMPORARY_PREFIX)}.*")
"""The path in its folder of what a backup writes before it is complete."""
_SHAPE = {"made_on": str, "version": str, "files": (_PATH, DIGEST)}


def _read(folder: Path) -> dict[str, Any] | None:
    """Return the list of the backup in a folder; None where there is no complete one.

    Out: the day ``made_on``; ``version`` of the program; ``files``: the digest of each by its path in the home. Raises
    :class:`HomeError` where its list was altered, or names a file that is no part of a home.
    """
    path = folder / LIST
    if not os.path.lexists(path):
        return None
    try:
        # Nothing is no JSON, so what is no regular file is refused like an altered one.
        content: dict[str, Any] = json.loads((read_regular_file(path, _LIST_BYTES) or b"").decode("utf-8"))
        is_valid = content.pop("digest") == digest_of(content) and fits(content, _SHAPE)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise HomeError(
            f"{path} was altered. Nothing was changed. Use another backup, or remove the file and make the backup "
            "again."
        )
    return content


def _as_json(content: Mapping[str, object]) -> bytes:
    return f"{json.dumps(content, ensure_ascii=False, indent=1)}\n".encode()


def read_trace(home: Path) -> dict[str, Any] | None:
    """Return ``folder`` and ``made_on`` of the last complete backup, and the revisions ``published`` in it.

    None where there is no trace, or none that can be read. It is written into the home when the backup is complete, and
    it is in no backup. A home that was restored, or copied by other means than ``ratinglist backup``, has none or that
    of another day: it says what is known, never that a folder is still there.
    """
    try:
        trace = json.loads(read_regular_file(home / TRACE, _TRACE_BYTES) or b"null")
    except (ValueError, RecursionError):
        return None
    return trace if fits(trace, _TRACE_SHAPE) else None


_MADE_AGAIN = (*PRIVATE, LOCK_FILE)
"""What else a home has: made again, replaced, or true of this home alone, as its schedule is."""
_READ_ONLY = ("calculations/", "published/")


def backup(settings: Settings, folder: Path) -> Facts:
    """Copy the home into ``folder``, or only what changed since the backup that is there.

    The home is checked first, and held while it is copied. Raises :class:`HomeError` where it is not whole, or where
    the folder holds a backup of another home or of later changes; then the backup before stays as it was.
    :class:`StoreInUseError` while another command writes, :class:`NothingReadError` where the folder cannot hold a
    backup of this home.

    Out: ``home``, ``folder``; ``files`` and ``size`` in bytes, of the home; ``copied``: how many files were not in the
    folder yet, or were altered there; ``published``: the revisions; ``left_out``: the files of the home that are not
    copied.
    """
    home = settings.home
    _prepare(folder, home)
    before = _read(folder)
    with named_in_errors(home), held_to_write(home):
        log = Log.open(home)
        settle.carry_out(log, settings)
        settings.progress("checking the home", 0, 1)
        _check_whole(settings, "Not backed up, because the home is not whole")
        if before is not None:
            entries = {file for file in before["files"].items() if file[0].startswith(f"{LOG}/")}
            if entries - _entries(log):
                raise HomeError(
                    f"{folder} holds the backup of another home, or of later changes of this one, made on "
                    f"{before['made_on']}. Nothing was changed. Name another folder."
                )
        paths, left_out = _files(home)
        files, size, written = {}, 0, list[str]()
        for done, path in enumerate(paths):
            settings.progress("copying", done, len(paths))
            files[path.relative_to(home).as_posix()] = keep_file(folder / FILES, path, written)
            size += path.stat().st_size
        published = sorted(f"{month}/r{number}" for month, number in log.history.revisions())
    content = {"made_on": str(settings.today), "version": ratinglist.__version__, "files": files}
    # Its files are complete: from here on this list is the one that counts.
    replace_file(folder / LIST, _as_json({**content, "digest": digest_of(content)}))
    _remove_unused(folder, files)
    trace = {"folder": str(folder.absolute()), "made_on": str(settings.today), "published": published}
    try:
        replace_file(home / TRACE, _as_json(trace))
        close(home / TRACE, withheld(home))
    except OSError as error:
        settings.warn(f"the backup is whole, and status will not name it: {error.filename}: {error.strerror}.")
    facts = {
        "home": str(home),
        "folder": str(folder),
        "files": len(files),
        "size": size,
        "copied": len(written),
        "published": published,
        "left_out": left_out,
    }
    return Facts("The home was backed up.", facts)


def _entries(log: Log) -> set[tuple[str, str]]:
    """Return path and sha256 of the files of a log, as a backup names them."""
    return {
        (f"{LOG}/{path_of(log.home, entry.number).name}", sha256(entry.encode()).hexdigest()) for entry in log.entries
    }


def _prepare(folder: Path, home: Path) -> None:
    """Make the folder of a backup, readable by its owner alone.

    Raises :class:`NothingReadError` where it is in the home or the home in it, and where it holds what no interrupted
    first backup leaves, and no backup.
    """
    inner, outer = folder.resolve(), home.resolve()
    if inner.is_relative_to(outer) or outer.is_relative_to(inner):
        raise NothingReadError(f"{folder}: a backup must not be in its home, nor the home in it. Name another folder.")
    there = {path.relative_to(folder).as_posix() for path in (*folder.glob("*"), *folder.glob(f"{FILES}/*"))}
    others = {name for name in there if not _OF_A_BACKUP.fullmatch(name)}
    if others and LIST not in there:
        raise NothingReadError(
            f"{folder} holds {min(others)}, which is no part of a backup. Name an empty folder, or one that holds a "
            "backup."
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / FILES).mkdir(exist_ok=True, mode=0o700)


def _files(home: Path) -> tuple[list[Path], list[str]]:
    """Return the files of a home that are copied, and the names of those that are not and that no command makes."""
    every = sorted(path for part in PARTS for path in (home / part, *(home / part).rglob("*")))
    files = [path for path in every if path.is_file() and not path.is_symlink() and not _is_passing(path, home)]
    others = {path.name for path in home.iterdir()} - {*PARTS, *_MADE_AGAIN} | {
        path.name for path in every if path.is_symlink()
    }
    left_out = [name for name in sorted(others) if not name.startswith(TEMPORARY_PREFIX)]
    return files, [f"{name} (no part of a backup: keep a copy of it in another place)" for name in left_out]


def _is_passing(path: Path, home: Path) -> bool:
    """Return whether a file is one that is still being written, or the lock of a folder."""
    return any(name.startswith(TEMPORARY_PREFIX) or name == LOCK_FILE for name in path.relative_to(home).parts)


def _check_whole(settings: Settings, refusal: str) -> None:
    """Raise :class:`HomeError` where a home is not whole; its store is made again from the rest."""
    # Here, because `status` reads the trace of a backup, and does not wait for what checks a home.
    from ratinglist.workflows.doctor import check_home

    if wrong := [problem for problem in check_home(settings).problems if problem.part != "store"]:
        lines = "\n".join(f"  {difference.file}: {difference.description}" for difference in wrong)
        raise HomeError(f"{refusal}:\n{lines}")


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    """Raise :class:`HomeError`, naming each, where a file of a backup is missing or was altered."""
    whole = {sha256: is_whole(folder / FILES / sha256) for sha256 in set(files.values())}
    wrong = [f"{folder / FILES / sha256}: {name}" for name, sha256 in sorted(files.items()) if not whole[sha256]]
    if wrong:
        what = f"{folder}: this backup is damaged. Missing or altered are:"
        raise HomeError("\n".join([what, *first_lines(wrong), "Nothing was changed. Use another backup."]))


def _remove_unused(folder: Path, files: Mapping[str, str]) -> None:
    """Delete the files that are not those of this backup, but of one before."""
    used = set(files.values())
    for path in (folder / FILES).iterdir():
        if path.name not in used and DIGEST.fullmatch(path.name) and path.is_file():
            path.unlink()


def restore(settings: Settings, folder: Path) -> Facts:
    """Copy the backup in ``folder`` into the home, which must be empty or missing.

    Raises :class:`NothingReadError` where there is no complete backup, :class:`HomeError` where it is damaged, is not
    the whole of a home or has a signature that proves nothing, and where the home is not empty; then nothing is
    changed.

    Out: ``home``, ``folder``, ``made_on``, the number of ``files``, the revisions ``published``; ``signed_by``: the key
    that signed what is published, empty where nothing is signed.
    """
    # Here, because `status` reads the trace of a backup, and makes nothing again.
    from ratinglist.workflows.replay import put_store_in_place

    home = settings.home
    backup = _read(folder) if folder.is_dir() else None
    if backup is None:
        what = "holds no complete backup" if folder.is_dir() else "is no folder"
        raise NothingReadError(f"{folder} {what}: name the folder that ratinglist backup wrote.")
    settings.progress("verifying the backup", 0, 1)
    _check_files(folder, backup["files"])
    home.mkdir(parents=True, exist_ok=True)
    with held_to_write(home):
        marker = home / RESTORING
        if not marker.is_dir() and any(home.iterdir()):
            raise HomeError(
                f"{home} is not empty. Nothing was changed. Name a new home with --home; or first move this one out of "
                "the way: what it has done since the backup is in it alone."
            )
        make_private_folder(marker)
        synced(home)
        _clear(home)
        try:
            _copy_back(settings, folder, backup["files"])
            _check_whole(settings, f"{folder}: this backup is not the whole of a home. Nothing was changed")
            log = Log.open(home)
            signer = _signer(log, settings, folder)
            close_to_others(home)
            for path in (*home.rglob("*"), home):
                synced(path)
            put_store_in_place(log, settings)
        except BaseException:
            with suppress(OSError):
                _clear(home)
                remove(marker)
            raise
        remove(marker)
        synced(home)
    published = sorted(f"{month}/r{number}" for month, number in log.history.revisions())
    facts = {
        "home": str(home),
        "folder": str(folder),
        "made_on": backup["made_on"],
        "files": len(backup["files"]),
        "published": published,
        "signed_by": signer,
    }
    return Facts("The home of the backup is in its place.", facts)


def _clear(home: Path) -> None:
    """Delete what an interrupted restore has made: the home was empty when it began."""
    for path in home.iterdir():
        is_ours = path.name in (*PARTS, STORE) or path.name.startswith(TEMPORARY_PREFIX)
        if is_ours and path.name != RESTORING:
            remove(path)


def _copy_back(settings: Settings, folder: Path, files: Mapping[str, str]) -> None:
    written: dict[str, Path] = {}
    for done, (name, digest) in enumerate(files.items()):
        settings.progress("restoring", done, len(files))
        path = settings.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith(_READ_ONLY) and digest in written:
            # A publication shares the files of its calculation.
            link(written[digest], path)
            continue
        shutil.copyfile(folder / FILES / digest, path)
        if name.startswith(_READ_ONLY):
            finish(path)
            written[digest] = path


def _signer(log: Log, settings: Settings, folder: Path) -> str:
    """Return the key that signed what is published in a restored home, which is whole; empty where nothing is signed.

    Whoever can write a backup can make another log, and leave the signatures out: then an office that signs is warned.
    Raises :class:`HomeError` where the signature is not that of the index.
    """
    index = settle.newest_index(log.history)
    try:
        signer = index.check_signature() if index else ""
    except NotSignedError as error:
        raise HomeError(f"{folder}: {INDEX} in this backup is not signed as it says: {error}.") from None
    if not signer and office.read(settings.home).publication.signing_key:
        settings.warn(
            f"{folder}: {office.NAME} names a signing key, and nothing in this backup is signed. If this office has "
            "signed its lists, somebody has taken the signatures out: do not use this backup."
        )
    return signer
