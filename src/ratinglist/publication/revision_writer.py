"""Write a month's list as an immutable revision: first as a draft, which no reader sees.

All files are written to ``HOME/drafts`` and synced to the disk, ``manifest.json`` last. The finished files are a
:class:`Draft`: it can be read, kept as a preview, or signed and moved to its place in ``published/`` by an
entry of the log (:mod:`ratinglist.publication.change`).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from ratinglist.concurrency import map_ordered
from ratinglist.errors import CheckError
from ratinglist.files.durable_files import finish, link, named_in_errors, remove_folder, sha256_of, synced
from ratinglist.period import Period
from ratinglist.publication import data_package, manifest, privacy_scan
from ratinglist.publication.change import draft_path, month_path
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.policy import PublishingPolicy
from ratinglist.publication.revisions import newest_complete, next_revision, number_of
from ratinglist.publication.signature import Signer
from ratinglist.rating.rules import FIDE_SYSTEM
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store import table_files
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import FileEntry, write_tables, write_text
from ratinglist.tables import PUBLISHED, Column, Table, with_declared

OF_DIFF = ("diff", "DIFF")
"""The diff of a revision to the one before, by file stem: a table, and a text."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The finished files of a revision that readers do not see yet, its manifest included.

    ``digest``: the digest of the manifest, which people approve and quote. ``rows``: the number of rows by file stem.
    ``is_new`` is false where the newest revision has exactly this content: then ``folder`` and ``revision`` are those
    of that revision.
    """

    period: Period
    revision: int
    folder: Path
    digest: str
    rows: dict[str, int]
    is_new: bool
    signer: Signer | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file of a calculation that is published unchanged: its path, and its entry in a manifest."""

    path: Path
    entry: FileEntry


@dataclass(frozen=True, slots=True)
class RevisionContent:
    """The files of a revision besides its manifest.

    ``tables``: the rows of the tables to be written, by file stem. ``finished``: files of a calculation that are linked
    and not written again, by name. ``texts``: further files for people, by name.
    """

    tables: Mapping[str, pl.DataFrame]
    finished: Mapping[str, FinishedFile] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def write_draft(
    published: Path,
    drafts: Path,
    period: Period,
    content: RevisionContent,
    facts: Mapping[str, object],
    policy: PublishingPolicy | None = None,
) -> Draft:
    """Write the revision that the list of ``period`` would become.

    ``published``: ``HOME/published``, of which the earlier revisions are read. ``drafts``: ``HOME/drafts``.
    ``content``: its tables and finished files together are all tables of
    :data:`~ratinglist.tables.PUBLISHED`; a list may be absent, and so is the diff of a first revision. ``facts``: what
    the manifest states besides the files, as JSON values without fractions; the caller sorts lists. ``policy``: the
    columns left out, which the manifest names under ``without``, and the signer; by default all
    columns, unsigned.

    A draft that a killed run has left is replaced.

    Raises :class:`CheckError`, with nothing published, where a key is not unique, a player of a list is not registered,
    a finished file was altered, or the files contain what must stay private; ``polars.exceptions`` errors where a frame
    does not have its table's columns.
    """
    policy = policy or PublishingPolicy()
    own = _own_columns(str(facts.get("family", "")))
    if reserved := manifest.OWN_FACTS & set(facts):
        raise CheckError(f"The manifest states {', '.join(sorted(reserved))} itself. Nothing was published.")
    if without := policy.fields.as_dict():
        facts = {**facts, "without": without}
    month, number = published / str(period), next_revision(published, period)
    temporary = _make_draft_folder(drafts, period, number)
    try:
        files = {
            **_link(temporary, content.finished),
            **write_tables(
                temporary,
                content.tables,
                {
                    stem: with_declared(policy.fields.table(stem, rows.schema), stem, own)
                    for stem, rows in content.tables.items()
                },
            ),
            **{name: write_text(temporary / name, text) for name, text in content.texts.items()},
        }
        descriptions = data_package.described(period, _columns_of(temporary, files, policy, own))
        files |= {name: write_text(temporary / name, text) for name, text in descriptions.items()}
        files = dict(sorted(files.items()))
        found = privacy_scan.offences(temporary, policy.fields, policy.birth_dates, content.texts, own)
        privacy_scan.refuse(found, f"the files of {period}")
        rows = {stem: int(entry["rows"]) for stem in sorted(PUBLISHED) if (entry := files.get(f"{stem}.parquet"))}
        newest = newest_complete(month)
        if newest is not None and _has_content(newest, files, facts):
            _remove(temporary)
            digest = manifest.read((newest / MANIFEST).read_bytes()).digest
            return Draft(period, number_of(newest), newest, digest, rows, is_new=False, signer=policy.signer)
        data = manifest.encode(period, number, facts, files)
        _write_last(temporary / MANIFEST, data)
    except CheckError:
        _remove(temporary)
        raise
    return Draft(period, number, temporary, manifest.read(data).digest, rows, is_new=True, signer=policy.signer)


def _columns_of(
    folder: Path,
    files: Mapping[str, FileEntry],
    policy: PublishingPolicy,
    own: Mapping[str, Mapping[str, Column]],
) -> dict[str, Table]:
    """Return each table of a revision with the columns that it has, by file stem."""
    there = [stem for stem in PUBLISHED if f"{stem}.parquet" in files]
    columns = {stem: table_files.scan_table(folder, stem).collect_schema() for stem in there}
    return {stem: with_declared(policy.fields.table(stem, columns[stem]), stem, own) for stem in there}


def _own_columns(family: str) -> dict[str, Mapping[str, Column]]:
    """Return the columns that the system of a family adds to its tables, by file stem."""
    book = rule_book()
    name = book.of(family)[0].system if family in book.families else FIDE_SYSTEM
    return {} if name == FIDE_SYSTEM else SYSTEMS[name].own_columns


def _link(folder: Path, finished: Mapping[str, FinishedFile]) -> dict[str, FileEntry]:
    """Link finished files into ``folder`` and return their entries.

    Raises :class:`CheckError` where a file was altered since it was calculated.
    """
    for name, file in finished.items():
        link(file.path, folder / name)
    digests = map_ordered(lambda name: sha256_of(folder / name), finished)
    for digest, file in zip(digests, finished.values(), strict=True):
        if digest != file.entry["sha256"]:
            raise CheckError(
                f"Nothing was published: {file.path} is not what was calculated; it was altered since. Calculate the "
                "list again."
            )
    synced(folder)
    return {name: file.entry for name, file in finished.items()}


def sign(draft: Draft) -> None:
    """Sign a new draft where the office signs. Only what is about to be published is signed, and no preview."""
    if draft.is_new and draft.signer is not None:
        _write_last(draft.folder / SIGNATURE, draft.signer.sign((draft.folder / MANIFEST).read_bytes()))


def keep_as(draft: Draft, folder: Path) -> None:
    """Move a draft to ``folder``, which is under ``drafts/`` too; copy a published revision."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if draft.is_new:
        draft.folder.rename(folder)
        return
    shutil.copytree(draft.folder, folder)
    for path in (*folder.rglob("*"), folder):
        synced(path)


def content_digests(files: Mapping[str, FileEntry]) -> dict[str, object]:
    """Return the digest of every file's content by name, without the diff and the descriptions of the tables."""
    return {
        name: entry.get("logical_sha256", entry["sha256"])
        for name, entry in files.items()
        if Path(name).stem not in (*OF_DIFF, *data_package.STEMS)
    }


def files_in_manifest(revision: Path) -> dict[str, dict[str, str | int]]:
    """Return the entries of the files in the manifest of a revision; none where it cannot be read as a manifest."""
    try:
        return manifest.read((revision / MANIFEST).read_bytes()).files
    except (OSError, manifest.NotAManifestError):
        return {}


def _write_last(path: Path, data: bytes) -> None:
    """Write a file and sync it and its folder; all other files of the folder are on the disk already."""
    with named_in_errors(path):
        path.write_bytes(data)
    finish(path)
    synced(path.parent)


def _has_content(revision: Path, files: Mapping[str, FileEntry], facts: Mapping[str, object]) -> bool:
    """Return whether ``revision`` has exactly these files and facts, its diff apart, which is about the one before.

    The bytes of its files are read: its manifest alone is no proof.
    """
    in_manifest = files_in_manifest(revision)
    of_diff = {name: entry for name, entry in in_manifest.items() if Path(name).stem in OF_DIFF and name not in files}
    expected = {**files, **of_diff}
    return (
        {path.name for path in revision.iterdir()} - {SIGNATURE} == {*expected, MANIFEST}
        and (revision / MANIFEST).read_bytes()
        == manifest.encode(Period.parse(revision.parent.name), number_of(revision), facts, expected)
        and all(sha256_of(revision / name) == entry["sha256"] for name, entry in expected.items())
    )


def _make_draft_folder(drafts: Path, period: Period, number: int) -> Path:
    """Make the folder of a draft, empty: its path below ``drafts`` is the one it will have below the home."""
    folder = draft_path(drafts, month_path(period, f"r{number}"))
    if folder.exists():
        remove_folder(folder)
    folder.mkdir()
    return folder


def _remove(folder: Path) -> None:
    """Delete the folder of a draft, and the folders above it that are empty then, up to ``drafts/`` itself."""
    remove_folder(folder)
    for parent in list(folder.parents)[:3]:
        if any(parent.iterdir()):
            return
        parent.rmdir()
