"""Compare what is published with the store before a command uses it: each must know all that the other knows.

A published file is hashed where it may have changed since it was compared last
(:mod:`ratinglist.publication.compared_files`); ``verify`` and ``doctor`` hash every file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import CheckError
from ratinglist.limits import PUBLISHED_INDEX_BYTES
from ratinglist.period import MONTH_NAME, Period
from ratinglist.publication import kept_index, revision_files, unlisted_files
from ratinglist.publication.compared_files import ComparedFiles
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE
from ratinglist.publication.regular_file import read_beginning, read_regular_file
from ratinglist.publication.revisions import LATEST
from ratinglist.publication.unlisted_files import IS_NO_FILE
from ratinglist.store import published_revisions
from ratinglist.store.database import Store
from ratinglist.store.published_revisions import REVISION_NAME, RevisionState

DO_NOT_AGREE = "the store and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the store or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
_SHOWN = 20
_POINTER_BYTES = 64


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where store and published files do not agree. ``revision``: its number; 0 where it is about the month."""

    month: str
    revision: int
    path: Path
    description: str

    def text(self) -> str:
        """Return the disagreement as one line."""
        return f"{self.path}: {self.description}"


def check(store: Store, published: Path, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the store and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), published_revisions.current(store).get(str(taken_back)))
    compared = ComparedFiles(store.home)
    found = [one for one in disagreements(store, published, compared) if (one.month, one.revision) != spared]
    if not found:
        compared.save()
        return
    raise CheckError(_text("Nothing was changed", found))


def before_reading(store: Store, published: Path) -> list[Disagreement]:
    """Return every disagreement, for a command that only reads; nothing is written.

    Nothing is compared where ``store`` is a copy: the process that writes compared them when it began, and may be
    placing files now.
    """
    return [] if store.is_copy else disagreements(store, published, ComparedFiles(store.home, is_written=False))


def refuse_to_show(found: Sequence[Disagreement]) -> None:
    """Raise :class:`CheckError` where there is a disagreement about what a command is to show."""
    if found:
        raise CheckError(_text("Nothing was shown", found))


def _text(consequence: str, found: Sequence[Disagreement]) -> str:
    lines = [f"  {one.text()}" for one in found[:_SHOWN]]
    more = [f"  and {len(found) - _SHOWN:,} more"] if len(found) > _SHOWN else []
    return "\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *more, *WAYS_OUT])


def disagreements(store: Store, published: Path, compared: ComparedFiles) -> list[Disagreement]:
    """Return every disagreement, by month and revision. ``compared``: the files that need no comparison."""
    known, current = published_revisions.known(store), published_revisions.current(store)
    on_disk = {entry.name for entry in os.scandir(published)} if published.is_dir() else set()
    months = {month for month, _ in known} | set(current) | {name for name in on_disk if MONTH_NAME.fullmatch(name)}
    found: list[Disagreement] = []
    there_of = {}
    for month in sorted(months):
        folder = published / month
        if folder.is_symlink():
            found.append(Disagreement(month, 0, folder, "is a link, and was published as a folder"))
            continue
        names = {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()
        there_of[month] = names
        there = {int(name[1:]) for name in names if REVISION_NAME.fullmatch(name)}
        expected = {number: state for (of, number), state in known.items() if of == month}
        found += [
            Disagreement(month, number, path, description)
            for number in sorted(there | set(expected))
            for path, description in _of_revision(
                folder / f"r{number}", number in there, expected.get(number), compared
            )
        ]
        found += _of_pointer(folder, current.get(month))
    for path, description in unlisted_files.problems(store, published, on_disk, there_of, compared):
        month = path.parent.name if path.parent != published else ""
        found.append(Disagreement(month, 0, path, description))
    return [*found, *_of_index(store, published)]


def _of_index(store: Store, published: Path) -> Iterator[Disagreement]:
    """Yield what is wrong with the index of what is published, and with its signature; a missing one is put back."""
    kept = kept_index.kept(store)
    if kept is None:
        # As after a rebuild.
        on_disk = kept_index.on_disk(published)
        kept = on_disk if kept_index.states(store, on_disk) else (b"", b"")
    for name, data in zip((INDEX, INDEX_SIGNATURE), kept, strict=True):
        path = published / name
        if os.path.lexists(path) and read_regular_file(path, PUBLISHED_INDEX_BYTES) != data:
            yield Disagreement(
                "", 0, path, "was altered. Move it out of the way: the next command that writes puts it back"
            )


def _of_revision(
    folder: Path, is_there: bool, expected: RevisionState | None, compared: ComparedFiles
) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one revision. ``expected``: its state by the store; None where it is unknown."""
    if expected is None:
        yield folder, "the store does not know this revision"
    elif not is_there:
        yield folder, f"is missing; it was published with the digest {expected.digest or 'not known'}"
    elif folder.is_symlink():
        yield folder, "is a link, and was published as a folder"
    elif expected.manifest_sha256:
        yield from revision_files.problems(folder, expected, compared)


def _of_pointer(month: Path, expected: int | None) -> Iterator[Disagreement]:
    """Yield the disagreement on which revision is current; ``expected``: the number by the store, None for none."""
    path, wanted = month / LATEST, f"r{expected}" if expected else ""
    try:
        content = read_beginning(path, _POINTER_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        content = b""
    named = (content or b"").decode("utf-8", errors="replace").strip()
    if content is None:
        yield Disagreement(month.name, 0, path, IS_NO_FILE)
    elif named != wanted:
        says = f"names {ascii(named)[1:-1]}" if named else "is missing"
        known = f"{wanted} is the current revision" if wanted else "no revision is current"
        yield Disagreement(month.name, 0, path, f"{says}, and by the store {known}")
    elif wanted and content != f"{wanted}\n".encode():
        yield Disagreement(
            month.name, 0, path, f"was altered: it does not have the bytes of {wanted} and an end of line"
        )
