"""A month's list, from frames to an immutable revision that a reader sees whole or not at all.

Everything is written aside, synced to the disk and renamed to ``r<N>``; only then ``latest`` is moved to it, again by
one rename. A run killed anywhere leaves readers with the revision before or the revision after, and the next run of
the same month ends with the same bytes. Between writing and renaming the finished bytes are a :class:`Draft`: they can
be looked at, kept as a preview, released or dropped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.durable_files import TEMPORARY_PREFIX, finish, link, sha256_of, synced
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication import manifest, privacy_scan, rollback_log
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.policy import Imprint
from ratinglist.publication.revisions import newest_complete, next_revision, number_of, point_to
from ratinglist.publication.signature import Signer
from ratinglist.schemas import PUBLISHED
from ratinglist.store.month_tables import Rows, check_complete, checked
from ratinglist.store.table_files import FileEntry
from ratinglist.store.table_writer import write_tables, write_text

_OF_DIFF = ("diff.parquet", "DIFF.md")


@dataclass(frozen=True, slots=True)
class Draft:
    """The finished bytes of a revision that readers do not see yet, its manifest included.

    ``digest`` is the manifest's, which people approve and quote. ``rows`` counts the rows of every file stem. ``new``
    is false where the newest revision holds exactly this content: then ``folder`` and ``revision`` are that one's.
    """

    period: Period
    revision: int
    folder: Path
    digest: str
    rows: dict[str, int]
    new: bool
    signer: Signer | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file of a calculation that is published as it is: where it is, and what a manifest states of it."""

    path: Path
    entry: FileEntry


@dataclass(frozen=True, slots=True)
class Publication:
    """One published revision.

    ``new`` is false where readers already had exactly this content. ``rows`` counts the rows of every file stem.
    """

    period: Period
    revision: int
    folder: Path
    new: bool
    rows: dict[str, int]


def publish(
    folder: Path,
    period: Period,
    tables: Mapping[str, Rows],
    facts: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
    imprint: Imprint | None = None,
) -> Publication:
    """Publish the list of ``period`` under ``folder`` (``HOME/published``) and say which revision it became.

    In and raised: as of :func:`write_aside`. Content equal to the newest revision makes no new one.
    """
    return release(write_aside(folder, period, tables, facts, texts, imprint))


def write_aside(
    folder: Path,
    period: Period,
    tables: Mapping[str, Rows],
    facts: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
    imprint: Imprint | None = None,
    finished: Mapping[str, FinishedFile] | None = None,
) -> Draft:
    """Assemble the revision that the list of ``period`` would become, under ``folder`` (``HOME/published``) but aside.

    ``finished``: files of a calculation that are taken as they are, by name; each gets a second name and no second
    copy. ``tables``: rows to be written, by file stem. Together they hold every table of
    :data:`~ratinglist.schemas.PUBLISHED`; a list may be absent, and the diff of a first revision is. ``texts``: further
    files for people, by name. ``facts`` are what the manifest states besides: JSON values without fractions, sorted by
    the caller where they are lists. ``imprint`` says which columns the office leaves out, which the manifest then names
    under ``without``, and who signs. The draft goes to :func:`release`, :func:`drop` or :func:`keep_as`; the next draft
    of the month deletes one that went nowhere.

    Raises :class:`CheckError`, with nothing published, where a table is missing or unknown, a key is not unique, an
    obligatory value is empty, a row belongs to another list, a finished file is not what was written, the files carry
    what they must not, or they are those of a revision that was taken back
    (:mod:`ratinglist.publication.rollback_log`); ``polars.exceptions`` errors where a frame does not have its table's
    columns.
    """
    style = imprint or Imprint()
    ready = checked(period, tables)
    taken_over = finished or {}
    check_complete([*ready, *(Path(name).stem for name in taken_over)])
    if taken := manifest.OWN_FACTS & set(facts):
        raise CheckError(f"The manifest says {', '.join(sorted(taken))} itself. Nothing was published.")
    if without := style.fields.as_dict():
        facts = {**facts, "without": without}
    month = folder / str(period)
    aside = _new_aside(folder, period)
    try:
        files = {
            **_linked(aside, taken_over),
            **write_tables(aside, ready, {stem: style.fields.table(stem) for stem in ready}),
            **{name: write_text(aside / name, text) for name, text in (texts or {}).items()},
        }
        files = dict(sorted(files.items()))
        _check_privacy(aside, period, style, texts or {})
        _stop_what_was_taken_back(month, files)
        rows = {Path(name).stem: int(entry["rows"]) for name, entry in files.items() if Path(name).stem in PUBLISHED}
        newest = newest_complete(month)
        if newest is not None and _holds(newest, files, facts):
            shutil.rmtree(aside)
            digest = manifest.read((newest / MANIFEST).read_bytes()).digest
            return Draft(period, number_of(newest), newest, digest, rows, new=False, signer=style.signer)
        number = next_revision(folder, period)
        text = manifest.written(period, number, facts, files)
        _write_last(aside / MANIFEST, text)
    except CheckError:
        shutil.rmtree(aside)
        raise
    return Draft(period, number, aside, manifest.read(text).digest, rows, new=True, signer=style.signer)


def _check_privacy(aside: Path, period: Period, style: Imprint, texts: Mapping[str, str]) -> None:
    """Raise :class:`CheckError` where the files carry a column or a birth date that they must not."""
    if carried := privacy_scan.offences(aside, style.fields, style.births, texts):
        raise CheckError(
            "\n".join(
                [
                    f"Nothing was published: the list of {period} would tell what must not be told.",
                    *(f"  {one}" for one in carried),
                    "Correct the player's data (a correction, or import-players); a column is a defect of the "
                    "program: report it.",
                ]
            )
        )


def _linked(aside: Path, finished: Mapping[str, FinishedFile]) -> dict[str, FileEntry]:
    """Give finished files a second name in ``aside``; raise :class:`CheckError` where one was altered since."""
    for name, file in finished.items():
        link(file.path, aside / name)
        if sha256_of(aside / name) != file.entry["sha256"]:
            raise CheckError(
                f"Nothing was published: {file.path} is not what was calculated; it was altered since. Calculate the "
                "list again."
            )
    return {name: file.entry for name, file in finished.items()}


def release(draft: Draft) -> Publication:
    """Publish a draft, signed where the office signs: from here on it is what readers see, and immutable."""
    month, revision = draft.folder.parent, draft.folder
    if draft.new:
        if draft.signer is not None:
            _write_last(draft.folder / SIGNATURE, draft.signer.signed((draft.folder / MANIFEST).read_bytes()))
        revision = month / f"r{draft.revision}"
        draft.folder.rename(revision)
        synced(month)
    moved = point_to(revision)
    return Publication(draft.period, draft.revision, revision, draft.new or moved, draft.rows)


def drop(draft: Draft) -> None:
    """Throw a draft away; a revision that was published before stays."""
    if draft.new:
        shutil.rmtree(draft.folder)


def keep_as(draft: Draft, folder: Path) -> None:
    """Put a draft's bytes into ``folder``, which is on the same disk, for people to look at; what was there goes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        shutil.rmtree(folder)
    if draft.new:
        draft.folder.rename(folder)
    else:
        aside = folder.with_name(f"{TEMPORARY_PREFIX}{folder.name}")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(draft.folder, aside)
        for path in aside.iterdir():
            synced(path)
        synced(aside)
        aside.rename(folder)
    synced(folder.parent)


def _stop_what_was_taken_back(month: Path, files: Mapping[str, FileEntry]) -> None:
    """Raise :class:`CheckError` where these very files were published and rolled back."""
    now = _contents(files)
    for one in rollback_log.taken_back(month):
        if _contents(_said_files(month / f"r{one.revision}")) == now:
            raise CheckError(
                f"Nothing was published: this is exactly r{one.revision} of {month.name}, which was rolled back on "
                f"{one.since} ({one.reason}). Correct what was wrong and run rerate. If it was right after all: "
                f'ratinglist rollback {month.name} --to r{one.revision} --because "..."'
            )


def _contents(files: Mapping[str, FileEntry]) -> dict[str, object]:
    return {name: said.get("logical_sha256", said["sha256"]) for name, said in files.items() if name not in _OF_DIFF}


def _said_files(revision: Path) -> dict[str, dict[str, str | int]]:
    """What the manifest of a revision says of its files; nothing where it cannot be read as one."""
    try:
        return manifest.read((revision / MANIFEST).read_bytes()).files
    except (OSError, manifest.NotAManifestError):
        return {}


def _write_last(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    finish(path)
    synced(path.parent)


def _holds(revision: Path, files: Mapping[str, FileEntry], facts: Mapping[str, object]) -> bool:
    """Whether ``revision`` holds exactly these files, its diff apart, which tells of the revision before it.

    Its bytes are read; its manifest alone is not believed.
    """
    said = _said_files(revision)
    of_diff = {name: file for name, file in said.items() if name in _OF_DIFF and name not in files}
    whole = {**files, **of_diff}
    return (
        {path.name for path in revision.iterdir()} - {SIGNATURE} == {*whole, MANIFEST}
        and (revision / MANIFEST).read_bytes()
        == manifest.written(Period.parse(revision.parent.name), number_of(revision), facts, whole)
        and all(sha256_of(revision / name) == file["sha256"] for name, file in whole.items())
    )


def _new_aside(folder: Path, period: Period) -> Path:
    month = _month_folder(folder, period)
    _remove_leftovers(month)
    aside = month / f"{TEMPORARY_PREFIX}{os.getpid()}"
    aside.mkdir()
    return aside


def _month_folder(folder: Path, period: Period) -> Path:
    month = folder / str(period)
    if not month.is_dir():
        month.mkdir(parents=True)
        synced(folder)
        synced(folder.parent)
    return month


def _remove_leftovers(month: Path) -> None:
    # The store admits one writer at a time, so what lies aside was left by a run that was killed.
    for path in month.glob(f"{TEMPORARY_PREFIX}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
