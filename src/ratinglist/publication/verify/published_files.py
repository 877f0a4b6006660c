"""Verify what is published, and the calculations, against the log: every file has the sha256 that the log states."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from ratinglist.errors import AlteredError, CheckError
from ratinglist.files.durable_files import read_beginning, sha256_of
from ratinglist.home.history import History
from ratinglist.home.log import Log
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder

DO_NOT_AGREE = "the log and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the log or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
NOTHING = (".DS_Store", "Thumbs.db", "desktop.ini")
"""The files that file managers leave in every folder."""
IS_NO_FILE = "is a link, a folder or a device, and was published as a file"
MISSING = "is missing"
FOREIGN = "was not published: no command wrote it"
ALTERED = "was altered: its digest is not the one recorded"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a folder is not as stated.

    ``name``: the path below the ``folder``; ``description``: what is wrong with it, following its name. ``is_foreign``:
    nothing is stated of it, so no command wrote it, and none deletes it.
    """

    folder: Path
    name: str
    description: str
    is_foreign: bool = False

    @property
    def path(self) -> Path:
        """The file or folder."""
        return self.folder / self.name

    @property
    def revision(self) -> tuple[str, int]:
        """The month that it concerns, below ``published``, empty for none; and the revision, 0 for the month alone."""
        month, _, rest = self.name.partition("/")
        revision = rest.partition("/")[0]
        number = int(revision[1:]) if REVISION_NAME.fullmatch(revision) else 0
        return (month, number) if MONTH_NAME.fullmatch(month) else ("", 0)

    def text(self) -> str:
        """Return the difference as one line."""
        return f"{self.path}: {self.description}" + (". Move it out of the way" if self.is_foreign else "")


def differences(folder: Path, stated: Mapping[str, str], sizes: Mapping[str, int] | None = None) -> list[Difference]:
    """Return everything that is not as stated, by path.

    ``stated``: the sha256 of each file. ``sizes``: the bytes of files of which they are stated too: such a file is
    hashed only if it has that size.

    A folder that is missing, that is a link, or of which nothing is stated, is one difference. No link is followed, and
    nothing but a regular file is opened. What a file manager leaves in every folder is nothing. Raises :class:`OSError`
    for what cannot be read: it need not be altered.
    """
    folders = {name[:at] for name in stated for at in range(len(name)) if name[at] == "/"}
    walk = _Walk(folder, stated, folders, sizes or {})
    return sorted(walk.below(""), key=attrgetter("name"))


def problem_of_file(path: Path, sha256: str, size: int | None = None) -> str:
    """Return what is wrong with one file, by its sha256 and its bytes where they are stated; empty where nothing is."""
    try:
        status = path.lstat()
        # Opening a pipe would not end.
        if not stat.S_ISREG(status.st_mode):
            return IS_NO_FILE
        if size is not None and status.st_size != size:
            return f"has {status.st_size:,} bytes, and was published with {size:,}"
        return "" if sha256_of(path) == sha256 else ALTERED
    except FileNotFoundError:
        return MISSING


@dataclass(frozen=True, slots=True)
class _Walk:
    root: Path
    stated: Mapping[str, str]
    folders: set[str]
    sizes: Mapping[str, int]

    def below(self, prefix: str) -> Iterator[Difference]:
        there: set[str] = set()
        try:
            for entry in os.scandir(self.root / prefix):
                name = f"{prefix}{entry.name}"
                if entry.name in NOTHING and entry.is_file(follow_symlinks=False):
                    continue
                there.add(name)
                if name in self.folders:
                    if entry.is_symlink() or not entry.is_dir():
                        yield Difference(self.root, name, "is a link or a file, and was published as a folder")
                    else:
                        yield from self.below(f"{name}/")
        except FileNotFoundError:
            pass  # Then everything that is stated of it is missing.
        every = (*self.stated, *self.folders)
        expected = {name for name in every if name.startswith(prefix) and "/" not in name[len(prefix) :]}
        for name in sorted(expected | there):
            if name not in there:
                yield Difference(self.root, name, MISSING)
            elif name not in expected:
                yield Difference(self.root, name, FOREIGN, is_foreign=True)
            elif name in self.stated and (
                wrong := problem_of_file(self.root / name, self.stated[name], self.sizes.get(name))
            ):
                yield Difference(self.root, name, wrong)


def refuse_to_change(history: History, settings: Settings, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the log and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), history.current.get(str(taken_back)))
    every = disagreements(history, settings.published)
    refuse("Nothing was changed", [one for one in every if one.revision != spared])


def refuse(consequence: str, found: Sequence[Difference]) -> None:
    """Raise :class:`CheckError` where the log and the published files differ; ``consequence``: for the command."""
    if found:
        lines = first_lines([one.text() for one in found])
        raise CheckError("\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *WAYS_OUT]))


def refuse_to_show(found: Sequence[Difference], months: Collection[Period] | None = None) -> None:
    """Raise :class:`CheckError` where there is a difference in what a command is to show.

    ``months``: those that the command reads; None for all, with the files of no month.
    """
    shown = None if months is None else set(map(str, months))
    refuse("Nothing was shown", [one for one in found if shown is None or one.revision[0] in shown])


def disagreements(history: History, published: Path) -> list[Difference]:
    """Return where the log and the published files do not agree, by path; every file is hashed."""
    if not published.is_dir() and not history.placed:
        return []
    return differences(published, history.placed)


def calculations(log: Log) -> Iterator[Difference]:
    """Yield where the log and the calculations that are kept do not agree."""
    for one in log.history.kept_calculations():
        folder = CalculationFolder.of(log.home / "calculations", one)
        yield from differences(folder.path, {name: str(entry["sha256"]) for name, entry in folder.written.items()})


def verified_files(folder: Path, names: Iterable[str]) -> tuple[Manifest, list[Path]]:
    """Return the manifest of a published revision, and the paths of the files ``names`` that it names.

    Only the manifest, its signature where there is one, and those files are read. Raises :class:`AlteredError`, naming
    the file, where one of them is missing or altered.
    """
    found = read_manifest(folder)
    return found, [_verified(folder, name, found) for name in names if name in found.files]


def verified_tables(folder: Path, stems: Iterable[str]) -> Manifest:
    """Return the manifest of a published revision after the same comparison of some tables."""
    found = read_manifest(folder)
    for name in (f"{stem}.parquet" for stem in stems):
        if name in found.files:
            _verified(folder, name, found)
    return found


def _verified(folder: Path, name: str, found: Manifest) -> Path:
    """Return the path of a file of a revision; raise :class:`AlteredError` where it is not as the manifest states."""
    if wrong := problem_of_file(folder / name, found.files[name]["sha256"]):
        raise altered(folder / name, f"it {wrong}", folder)
    return folder / name


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a revision.

    Raises :class:`AlteredError` where it is missing or altered, belongs to another folder, or does not match its
    signature.
    """
    path, signature = folder / MANIFEST, folder / SIGNATURE
    try:
        data = read_beginning(path, REVISION_MANIFEST_BYTES)
        if data is None:
            raise altered(path, "it is a link, a folder or a device, and was published as a file")
        found = manifest.read(data)
        if signature.is_file():
            signed_by(data, signature.read_bytes())
    except FileNotFoundError:
        raise altered(path, "it is missing") from None
    except NotAManifestError as error:
        raise altered(path, str(error)) from None
    except NotSignedError as error:
        raise altered(signature, str(error)) from None
    if (found.month, f"r{found.revision}") != (folder.parent.name, folder.name):
        raise altered(path, f"it is that of r{found.revision} of {found.month}")
    return found


def altered(path: Path, reason: str, folder: Path | None = None) -> AlteredError:
    """Return the error of a file; ``folder``: of its revision, by default the one that the file is in."""
    return AlteredError(
        f"{path} is not what was published: {reason}. It was not used. See what else was altered with: "
        f"ratinglist verify {folder or path.parent}  Then put back a copy of that revision."
    )
