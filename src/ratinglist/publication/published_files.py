"""Verify what is published: one comparison of ``{path: sha256}``, for the office, a reader and a copy.

Of a home the log states what each file must be, of a copy the index and the manifests of the revisions
(:func:`verify`). No file content raises an error there: whatever is wrong becomes a sentence. Every regular file is
read in bounded parts, and a link is never followed, because a publication may come from anybody. A command that is
about to use some files of a revision compares those alone (:func:`verified_files`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from ratinglist.errors import AlteredError, BeingPublishedError, CheckError, NothingReadError, first_line
from ratinglist.files.durable_files import MISSING, OF_A_DESKTOP, problem_of_file, read_regular_file, sha256_of
from ratinglist.files.parquet_files import RowLimit, bounded
from ratinglist.home.history import LATEST, History
from ratinglist.home.log import Log
from ratinglist.limits import PUBLISHED_INDEX_BYTES, REVISION_MANIFEST_BYTES, TooLargeError
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication import manifest
from ratinglist.publication.manifest import (
    INDEX,
    MANIFEST,
    PUBLISHING,
    SIGNATURE,
    Index,
    Manifest,
    NotAManifestError,
    NotSignedError,
    signed_by,
)
from ratinglist.publication.revisions import EVENTS, NUMBERS, ROLLBACKS, latest
from ratinglist.settings import PUBLISHED, Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.tables import LISTS
from ratinglist.text import first_lines

DO_NOT_AGREE = "the log and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the log or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
FOREIGN = "was not published: no command wrote it"


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


def differences(folder: Path, stated: Mapping[str, str]) -> list[Difference]:
    """Return everything that is not as stated, by path.

    ``stated``: the sha256 of each file.

    A folder that is missing, that is a link, or of which nothing is stated, is one difference. No link is followed, and
    nothing but a regular file is opened. What a file manager leaves in every folder is nothing. Raises :class:`OSError`
    for what cannot be read: it need not be altered.
    """
    folders = {name[:at] for name in stated for at in range(len(name)) if name[at] == "/"}

    def below(prefix: str) -> Iterator[Difference]:
        there: set[str] = set()
        try:
            for entry in os.scandir(folder / prefix):
                name = f"{prefix}{entry.name}"
                if entry.name.casefold() in OF_A_DESKTOP and entry.is_file(follow_symlinks=False):
                    continue
                there.add(name)
                if name in folders:
                    if entry.is_symlink() or not entry.is_dir():
                        yield Difference(folder, name, "is a link or a file, and was published as a folder")
                    else:
                        yield from below(f"{name}/")
        except FileNotFoundError:
            pass  # Then everything that is stated of it is missing.
        every = (*stated, *folders)
        expected = {name for name in every if name.startswith(prefix) and "/" not in name[len(prefix) :]}
        for name in sorted(expected | there):
            if name not in there:
                yield Difference(folder, name, MISSING)
            elif name not in expected:
                yield Difference(folder, name, FOREIGN, is_foreign=True)
            elif name in stated and (wrong := problem_of_file(folder / name, stated[name])):
                yield Difference(folder, name, wrong)

    return sorted(below(""), key=attrgetter("name"))


def refuse_to_change(history: History, settings: Settings, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the log and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), history.current.get(str(taken_back)))
    every = disagreements(history, settings.published)
    refuse("Nothing was changed", [difference for difference in every if difference.revision != spared])


def refuse(consequence: str, wrong: Sequence[Difference]) -> None:
    """Raise :class:`CheckError` where the log and the published files differ; ``consequence``: for the command."""
    if wrong:
        lines = first_lines([difference.text() for difference in wrong])
        raise CheckError("\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *WAYS_OUT]))


def refuse_to_show(wrong: Sequence[Difference], months: Collection[Period] | None = None) -> None:
    """Raise :class:`CheckError` where there is a difference in what a command is to show.

    ``months``: those that the command reads; None for all, with the files of no month.
    """
    shown = None if months is None else set(map(str, months))
    refuse(
        "Nothing was shown", [difference for difference in wrong if shown is None or difference.revision[0] in shown]
    )


def disagreements(history: History, published: Path) -> list[Difference]:
    """Return where the log and the published files do not agree, by path; every file is hashed."""
    if not published.is_dir() and not history.placed:
        return []
    return differences(published, history.placed)


def calculations(log: Log) -> Iterator[Difference]:
    """Yield where the log and the calculations that are kept do not agree."""
    for calculation in log.history.kept_calculations():
        folder = CalculationFolder.of(log.home / "calculations", calculation)
        yield from differences(folder.path, {name: str(entry["sha256"]) for name, entry in folder.written.items()})


def verified_files(folder: Path, names: Iterable[str]) -> tuple[Manifest, list[Path]]:
    """Return the manifest of a published revision, and the paths of the files ``names`` that it names.

    Only the manifest, its signature where there is one, and those files are read. Raises :class:`AlteredError`, naming
    the file, where one of them is missing or altered.
    """
    content = read_manifest(folder)
    paths = [folder / name for name in names if name in content.files]
    for path in paths:
        if wrong := problem_of_file(path, content.files[path.name]["sha256"]):
            raise altered(path, f"it {wrong}", folder)
    return content, paths


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a revision.

    Raises :class:`AlteredError` where it is missing or altered, belongs to another folder, or does not match its
    signature.
    """
    path, signature = folder / MANIFEST, folder / SIGNATURE
    data = read_regular_file(path, REVISION_MANIFEST_BYTES)
    if data is None:
        raise altered(path, "it is missing, too large, or no file")
    try:
        content = manifest.read(data)
        if signature.is_file():
            signed_by(data, signature.read_bytes())
    except (NotAManifestError, NotSignedError) as error:
        raise altered(signature if isinstance(error, NotSignedError) else path, first_line(error)) from None
    if (content.month, f"r{content.revision}") != (folder.parent.name, folder.name):
        raise altered(path, f"it is that of r{content.revision} of {content.month}")
    return content


def altered(path: Path, reason: str, folder: Path | None = None) -> AlteredError:
    """Return the error of a file; ``folder``: of its revision, by default the one that the file is in."""
    return AlteredError(
        f"{path} is not what was published: {reason}. It was not used. See what else was altered with: "
        f"ratinglist verify {folder or path.parent}  Then put back a copy of that revision."
    )


class WholeRevision(NamedTuple):
    """A revision that is whole: the digest of its manifest, the key that signed it (empty for none), and what it is."""

    digest: str
    signed_by: str
    month: str
    revision: str


@dataclass(slots=True)
class Verified:
    """The verification of one folder, and its result.

    ``published``: the folder of all that is published, or what was verified outside one. ``folder``: what is verified;
    ``name``: the path of a revision below ``published``, empty where all is. ``key``: see
    :func:`~ratinglist.publication.published_files.verify`. ``index``: that of the folder; None where there is none that
    is valid. ``revisions``: those that are whole, by folder. ``notes``: what a reader must know though nothing is
    wrong. ``stated``: the sha256 of each file, by its path below ``folder``. ``manifests``: of each revision, by its
    folder, with the key that signed it. ``unread``: the revisions without one.
    """

    published: Path
    folder: Path
    name: str
    key: str | None
    revisions: dict[str, WholeRevision] = field(default_factory=dict)
    wrong: list[Difference] = field(default_factory=list)
    index: Index | None = None
    notes: list[str] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    manifests: dict[Path, tuple[Manifest, str]] = field(default_factory=dict)
    unread: set[Path] = field(default_factory=set)

    def add(self, path: Path, description: str) -> None:
        """Add what is wrong with a file or folder, where nothing is known to be wrong with it, or one above it."""
        if not {path, *path.parents} & {difference.path for difference in self.wrong}:
            self.wrong.append(Difference(path.parent, path.name, description))

    def is_wrong(self, folder: Path) -> bool:
        """Return whether something is wrong with a folder, in it or above it."""
        return any(
            folder in (difference.path, *difference.path.parents) or difference.path in folder.parents
            for difference in self.wrong
        )

    def as_dict(self) -> dict[str, object]:
        """Return the result as JSON-able values."""
        path, stated = str(self.published / INDEX), ("office", "counter", "day", "digest", "signed_by")
        return {
            "whole": not self.wrong,
            "revisions": [{"path": path, **revision._asdict()} for path, revision in self.revisions.items()],
            "index": {"path": path, **{name: getattr(self.index, name) for name in stated}} if self.index else None,
            "notes": self.notes,
            "wrong": [{"file": str(difference.path), "says": difference.description} for difference in self.wrong],
        }

    def text(self) -> str:
        """Return a line for each revision that is whole, one for the index, and the notes."""
        lines = [
            f"{path}: {revision.revision} of {revision.month}, whole, digest {revision.digest}, "
            f"{_signed_text(revision.signed_by)}"
            for path, revision in self.revisions.items()
        ]
        if index := self.index:
            signed = _signed_text(index.signed_by)
            stated = f"{index.office or 'no office named'}, counter {index.counter} of {index.day}"
            lines.append(f"{self.published / INDEX}: {stated}, digest {index.digest}, {signed}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def complaint(self) -> str:
        """Return the message on what is wrong: the first files, and the remedy."""
        return "\n".join(
            [
                "this is not what was published:",
                *first_lines([f"{difference.path}: {difference.description}" for difference in self.wrong]),
                "Do not use it: put back a copy of that revision, or ask the office for one.",
            ]
        )

    def verify(self) -> None:
        """Verify everything."""
        self._check_index()
        for name, folder in ({self.name: self.folder} if self.name else self._state_months()).items():
            self._state_revision(name, folder)
        for difference in differences(self.folder, self.stated):
            if not self.unread & {difference.path, *difference.path.parents}:
                self.add(difference.path, difference.description)
        for folder, (content, signer) in self.manifests.items():
            if not self.is_wrong(folder):
                whole = WholeRevision(content.digest, signer, content.month, f"r{content.revision}")
                self.revisions[str(folder)] = whole
                for problem in wrong_old_ratings(folder, content):
                    self.add(folder / "changes.parquet", problem)

    def _check_index(self) -> None:
        index, problem = _read_index(self.published, self.key)
        path, self.index = self.published / INDEX, index
        unknown = "whether a list was removed, latest set back, or a file that no manifest names altered"
        if index is None and not problem and not self.name:
            # A key that signs revisions signs an index too.
            if self.key is not None:
                problem = f"is missing: without it, it is not known {unknown}. Get it with all that is published"
            else:
                self.notes.append(
                    f"{path}: there is none: it is not known {unknown}. It is made once the office signs its lists "
                    "(signing_key in office.toml)"
                )
        if problem:
            self.add(path, problem)

    def _state_months(self) -> dict[str, Path]:
        """State the files that no manifest names, and find the revisions that are missing; return those there."""
        index, folder = self.index, self.folder
        revisions = {
            f"{month.name}/{path.name}": path
            for month in _months(folder)
            for path in sorted(() if month.is_symlink() else month.glob("*"))
            if REVISION_NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
        }
        if os.path.lexists(folder / INDEX):
            self.stated[INDEX] = _own_sha256(folder / INDEX)
        for name, value in (index.published if index else self._as_there(revisions)).items():
            month, _, rest = name.rpartition("/")
            if not os.path.lexists(folder / month):
                self.add(folder / month, "is missing: by the index it was published")
            elif REVISION_NAME.fullmatch(rest):
                if name not in revisions:
                    self.add(folder / name, "is missing, and was published")
            elif rest == LATEST and not value:
                text = f"the list of {month} was withdrawn; {ROLLBACKS} of that month has the reason"
                self.notes.append(text)
            else:
                self.stated[name] = hashlib.sha256(f"{value}\n".encode()).hexdigest() if rest == LATEST else value
        return revisions

    def _as_there(self, revisions: dict[str, Path]) -> dict[str, str]:
        """Return what an index would state, without one: each file that may be there, as it is."""
        names, published = [EVENTS], dict[str, str]()
        for month in (path.name for path in _months(self.folder)):
            numbers = [int(name.rpartition("/r")[2]) for name in revisions if name.startswith(f"{month}/")]
            published |= {f"{month}/r{number}": "" for number in range(1, max(numbers, default=0) + 1)}
            names += [f"{month}/{name}" for name in (NUMBERS, ROLLBACKS)]
            try:
                current = latest(self.folder, Period.parse(month))
                published[f"{month}/{LATEST}"] = current.name if current else ""
            except (NothingReadError, AlteredError):
                self.add(self.folder / month / LATEST, "does not name a revision of this month")
        paths = {name: self.folder / name for name in names}
        return published | {name: _own_sha256(path) for name, path in paths.items() if os.path.lexists(path)}

    def _state_revision(self, name: str, folder: Path) -> None:
        """State the files of a revision by its manifest, and check which one it is and who signed it."""
        written = read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES)
        data = written or b""
        try:
            content = manifest.read(data)
        except NotAManifestError as error:
            self.unread.add(folder)
            unread = "is missing, too large, a link, or cannot be read: nothing here can be verified"
            self.add(folder / MANIFEST, unread if written is None else f"is not as it was written: {error}")
            return
        prefix = "" if self.name else f"{name}/"
        self.stated |= {f"{prefix}{file}": entry["sha256"] for file, entry in content.files.items()}
        self.stated[f"{prefix}{MANIFEST}"] = hashlib.sha256(data).hexdigest()
        if os.path.lexists(folder / SIGNATURE):
            self.stated[f"{prefix}{SIGNATURE}"] = _own_sha256(folder / SIGNATURE)
        published_as = f"/{content.month}/r{content.revision}"
        if REVISION_NAME.fullmatch(name.rpartition("/")[2]) and not published_as.endswith(f"/{name}"):
            text = f"is revision r{content.revision} of {content.month} by its manifest: it was moved or renamed"
            self.add(folder, text)
        index, digest = self.index, content.digest
        by_index = index.published.get(name) if index else digest
        if by_index != digest:
            stated = f"has the digest {digest}, and by the index {by_index}"
            self.add(folder, stated if by_index else "is not in the index: it was not published")
        expected = index.signers.get(name, "") if index and by_index == digest else self.key
        self.manifests[folder] = content, self._signer(folder, data, expected)

    def _signer(self, folder: Path, data: bytes, expected: str | None) -> str:
        """Return the fingerprint of the key that signed a revision, empty for none; ``expected``: None for any."""
        path, signer = folder / SIGNATURE, ""
        if os.path.lexists(path):
            try:
                signer = signed_by(data, read_regular_file(path, 1024) or b"")
            except NotSignedError as error:
                self.add(path, f"proves nothing: {error}")
                return ""
        if expected not in (None, signer):
            due = f"it has to be signed by key {expected}" if expected else "it is not signed"
            by = "by the index" if self.index else "by the key given"
            self.add(path, f"{f'is of another key, {signer}' if signer else 'is missing'}: {by} {due}")
        return signer


def _signed_text(signer: str) -> str:
    return f"signed by key {signer}" if signer else "not signed"


def verify(path: Path, key: str | None = None) -> Verified:
    """Verify the folder of a revision, or all that is published; of a home all that it has published.

    ``key``: the fingerprint of the key that must have signed the index and every revision that the index does not state
    to be older. Raises :class:`NothingReadError` where ``path`` is none of these, :class:`BeingPublishedError` while
    files are placed there.
    """
    path = path.parent if path.name == MANIFEST else path
    if (path / PUBLISHED).is_dir() and not (path / INDEX).exists() and not any(_months(path)):
        return verify(path / PUBLISHED, key)
    published, name = _location(path)
    before = _seen_first(published)
    verified = Verified(published, path, name, key)
    verified.verify()
    if _seen_first(published) != before:
        raise _being_published(published)
    return verified


def altered_files(folder: Path, digest: str) -> list[str]:
    """Return a line for each file of a revision, or of a preview, that its manifest does not match.

    ``digest``: the digest that the manifest must have.
    """
    if not folder.is_dir():
        return [f"  {folder}: is missing"]
    verified = verify(folder)
    lines = [f"{difference.path}: {difference.description}" for difference in verified.wrong]
    others = [(path, revision.digest) for path, revision in verified.revisions.items() if revision.digest != digest]
    lines += [f"{path}: has the digest {other}, and was made with {digest}" for path, other in others]
    return first_lines(lines)


def verify_file_of_index(path: Path) -> None:
    """Raise :class:`AlteredError` where a file that no manifest names is not the one that the index states.

    ``path``: a file of a month's folder, such as ``both_numbers.parquet``. Nothing is raised where it is not there, or
    where no valid index names it, as in an office that does not sign.
    """
    published = path.parents[1]
    index, _ = _read_index(published, None)
    stated = index.published.get(path.relative_to(published).as_posix()) if index else None
    if path.is_file() and stated and sha256_of(path) != stated:
        raise altered(path, f"its digest is not the one in {published / INDEX}")


def _being_published(published: Path) -> BeingPublishedError:
    return BeingPublishedError(
        f"{published} is being published: what is there now is neither what was published before nor what will be. Try "
        "again. Where it stays so, the office was interrupted: its next command finishes it."
    )


def _seen_first(published: Path) -> dict[str, bytes | None]:
    """Return what changes with every publication: the index, and what is current. Raises BeingPublishedError."""
    if os.path.lexists(published / PUBLISHING):
        raise _being_published(published)
    pointers = {path.name: read_regular_file(path / LATEST, 64) for path in _months(published)}
    return {**pointers, INDEX: read_regular_file(published / INDEX, PUBLISHED_INDEX_BYTES)}


def _location(path: Path) -> tuple[Path, str]:
    """Return the published folder that ``path`` is in, and the path of a revision below that; empty for all of it.

    A copy of a revision under another name is in no published folder. Raises :class:`NothingReadError` where ``path``
    is nothing that was published.
    """
    resolved = path.resolve()
    if path.is_dir() and ((path / MANIFEST).exists() or REVISION_NAME.fullmatch(resolved.name)):
        month = resolved.parent.name
        if not (MONTH_NAME.fullmatch(month) and REVISION_NAME.fullmatch(resolved.name)):
            return path, resolved.name
        # The path as it was given, where that is possible: problems are reported by it.
        return path.parents[1] if len(path.parents) > 1 else resolved.parents[1], f"{month}/{resolved.name}"
    if any(_months(path)) or (path / INDEX).exists() or (path / PUBLISHING).exists():
        return path, ""
    raise NothingReadError(
        f"{path}: nothing is published here. Name a revision (published/2025-11/r1), or all that is published."
    )


def _months(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if MONTH_NAME.fullmatch(path.name)) if folder.is_dir() else []


def _read_index(published: Path, key: str | None) -> tuple[Index | None, str]:
    """Return the index of a published folder, or None; and what is wrong with it, empty where nothing is."""
    path = published / INDEX
    data = read_regular_file(path, PUBLISHED_INDEX_BYTES)
    if data is None:
        return None, "is a link, too large, or cannot be read" if os.path.lexists(path) else ""
    try:
        index = Index.read(data)
        signer = index.check_signature()
    except NotAManifestError as error:
        return None, f"is not as it was written: {error}"
    except NotSignedError as error:
        return None, f"its signature proves nothing: {error}"
    if key is not None and signer != key:
        return None, f"is signed by another key: {signer}" if signer else "is not signed"
    return index, ""


def _own_sha256(path: Path) -> str:
    """Return the sha256 of a file that nothing states; empty where it is no regular file, which is named then."""
    try:
        return sha256_of(path) if path.is_file() and not path.is_symlink() else ""
    except OSError:
        return ""


_ROWS = RowLimit(small=1_000_000, bytes_per_row=1, most=20_000_000)
_BATCH, _TEXT_BYTES = 500_000, 100


def wrong_old_ratings(revision: Path, content: Manifest) -> Iterator[str]:
    """Yield a sentence for each list of a whole revision that was not calculated from the revision it names.

    A player may have been listed under another FIDE ID, or have come by a standard rating, so only those on the list
    before are compared. Nothing is compared where that list is not here or is not whole, which is found by itself, and
    where the office leaves out one of the columns.
    """
    stated = content.facts.get("lists_before")
    for control, name in sorted(stated.items()) if isinstance(stated, dict) else ():
        month, _, number = str(name).partition("/")
        if control not in LISTS or not (MONTH_NAME.fullmatch(month) and REVISION_NAME.fullmatch(number)):
            yield f"was calculated from what cannot be a list: {name!a}"
            continue
        try:
            _, files = verified_files(revision.resolve().parents[1] / name, [f"{control}.parquet"])
            changes = _read(revision / "changes.parquet", ("time_control", "fide_id", "old_rating", "status"))
            listed = _read(files[0], ("fide_id", "rating")) if files else None
        except AlteredError:
            continue
        except (TooLargeError, ValueError, pa.ArrowException) as error:
            yield f"cannot be compared with {name}: {error}"
            continue
        if changes is None or listed is None:
            continue
        of_list = changes.filter(pl.col("time_control") == control, pl.col("status") != "entered")
        both = of_list.join(listed, on="fide_id").filter(pl.col("old_rating").ne_missing(pl.col("rating")))
        if len(both):
            fide_id, old, rating = both.sort("fide_id").select("fide_id", "old_rating", "rating").row(0)
            yield (
                f"was not calculated from {name}, which the manifest names as the list before: {len(both):,} {control} "
                f"ratings differ, first that of {fide_id}, {old} in place of {rating}"
            )


def _read(path: Path, columns: tuple[str, ...]) -> pl.DataFrame | None:
    """Return columns of a published table; None where it leaves one of them out, or has no row."""
    file = bounded(path, _ROWS)
    if not {*columns} <= {*file.schema.names}:
        return None
    batches = list(file.batches(columns, _BATCH, _TEXT_BYTES))
    return pl.DataFrame(pa.Table.from_batches(batches)) if batches else None
