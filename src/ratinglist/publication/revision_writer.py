"""A month's list, from frames to an immutable revision that a reader sees whole or not at all.

Everything is written aside, synced to the disk and renamed to ``r<N>``; only then ``latest`` is moved to it, again by
one rename. A run killed anywhere leaves readers with the revision before or the revision after, and the next run of
the same month ends with the same bytes. Between writing and renaming the finished bytes are a :class:`Draft`: they can
be looked at, kept as a preview, released or dropped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ratinglist.durable_files import TEMPORARY_PREFIX, sha256_of, synced
from ratinglist.errors import CheckError
from ratinglist.field_policy import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import manifest, privacy_scan, rollback_log
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, FileEntry
from ratinglist.publication.month_tables import Made, Rows, checked
from ratinglist.publication.policy import Births, Imprint
from ratinglist.publication.revisions import newest_complete, next_revision, number_of, point_to
from ratinglist.publication.signature import Signer
from ratinglist.publication.table_writing import Writing, finish

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
    begun: Writing | None = None,
) -> Draft:
    """Write the revision that the list of ``period`` would become, under ``folder`` (``HOME/published``) but aside.

    ``tables`` maps the stems of :data:`PUBLISHED` to the rows of those tables; a list may be absent, and the diff of a
    first revision is; the others may not. ``texts``: further files for people, by name. Columns a table
    does not have are never written. ``facts`` are what the manifest says besides: JSON values without fractions,
    sorted by the caller where they are lists. ``imprint`` says what the office leaves out, which the manifest then
    tells under ``without``, and who signs. ``begun``: the same tables, being written already (:func:`begin`), by the
    same imprint. The draft goes to :func:`release`, :func:`drop` or :func:`keep_as`;
    one that goes nowhere is swept away by the next.

    Raises :class:`CheckError`, with nothing published, where a table is missing or unknown, a key is not unique, an
    obligatory value is empty, a row belongs to another list, the files written carry what they must not, or they are
    those of a revision that was taken back (:mod:`ratinglist.workflows.rollback`); ``polars.exceptions`` errors
    where a frame does not have its table's columns.
    """
    style = imprint or Imprint()
    ready = checked(period, tables) if begun is None else begun.made().tables
    if taken := manifest.OWN_FACTS & set(facts):
        raise CheckError(f"The manifest says {', '.join(sorted(taken))} itself. Nothing was published.")
    if without := style.fields.as_dict():
        facts = {**facts, "without": without}
    month = folder / str(period)
    writing = begun or Writing(_new_aside(folder, period), lambda: Made(ready), style.fields, style.births)
    try:
        aside, files = writing.aside, writing.files(texts or {})
    except CheckError:
        give_up(writing)
        raise
    if carried := privacy_scan.strangers(aside, texts or ()) + writing.offences():
        shutil.rmtree(aside)
        raise CheckError(
            "\n".join(
                [
                    f"Nothing was published: the list of {period} would tell what must not be told.",
                    *(f"  {one}" for one in carried),
                    "Mend the player's data (a correction, or import-players); a column is a defect of the program: "
                    "report it.",
                ]
            )
        )
    rows = {stem: frame.height for stem, frame in ready.items()}

    _stop_what_was_taken_back(aside, month, files)
    newest = newest_complete(month)
    if newest is not None and _holds(newest, files, facts):
        shutil.rmtree(aside)
        digest = manifest.read((newest / MANIFEST).read_bytes()).digest
        return Draft(period, number_of(newest), newest, digest, rows, new=False, signer=style.signer)

    number = next_revision(folder, period)
    text = manifest.written(period, number, facts, files)
    _write_last(aside / MANIFEST, text)
    return Draft(period, number, aside, manifest.read(text).digest, rows, new=True, signer=style.signer)


def begin(folder: Path, period: Period, make: Callable[[], Made], fields: FieldPolicy, births: Births) -> Writing:
    """Begin to write what :func:`write_aside` will be given, while others go on.

    ``make`` and ``births`` are called in threads.

    What :func:`write_aside` raises for its tables is raised there.
    """

    def in_order() -> Made:
        made = make()
        return replace(made, tables=checked(period, made.tables))

    return Writing(_new_aside(folder, period), in_order, fields, births)


def give_up(writing: Writing) -> None:
    """Throw away what was begun and is not wanted any more."""
    writing.wait()
    shutil.rmtree(writing.aside)


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


def _stop_what_was_taken_back(aside: Path, month: Path, files: Mapping[str, FileEntry]) -> None:
    """Raise :class:`CheckError`, the draft thrown away, where these very files were published and rolled back."""
    now = _contents(files)
    for one in rollback_log.taken_back(month):
        if _contents(_said_files(month / f"r{one.revision}")) == now:
            shutil.rmtree(aside)
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
