"""Verify what is published, and the calculations, against the log: every file is as the log states it.

A file is hashed where it may have changed since it was compared last (:mod:`ratinglist.home.published_files`);
``verify`` and ``doctor`` hash every file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import AlteredError, CheckError
from ratinglist.files.durable_files import read_regular_file
from ratinglist.home.history import LATEST, History
from ratinglist.home.log import Log
from ratinglist.home.published_files import IS_NO_FILE, ComparedFiles, Difference, differences
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import REVISION_NAME, Period
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import FILES, CalculationFolder

DO_NOT_AGREE = "the log and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the log or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
_POINTER_BYTES = 64


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where a file and the log do not agree.

    ``revision``: its number; 0 where it is about the month. ``is_foreign``: the log states nothing of it, so no command
    wrote it, and none deletes it.
    """

    month: str
    revision: int
    path: Path
    description: str
    is_foreign: bool = False

    def text(self) -> str:
        """Return the disagreement as one line."""
        return f"{self.path}: {self.description}" + (". Move it out of the way" if self.is_foreign else "")


def refuse_to_change(history: History, settings: Settings, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the log and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), history.current.get(str(taken_back)))
    compared = ComparedFiles(settings.home)
    every = disagreements(history, settings.published, compared)
    found = [one for one in every if (one.month, one.revision) != spared]
    if found:
        raise CheckError(_text("Nothing was changed", found))
    if not every:
        compared.save()


def refuse_to_show(found: Sequence[Disagreement], months: Collection[Period] | None = None) -> None:
    """Raise :class:`CheckError` where there is a disagreement about what a command is to show.

    ``months``: those that the command reads; None for all, with the files of no month.
    """
    concerned = [one for one in found if months is None or one.month in set(map(str, months))]
    if concerned:
        raise CheckError(_text("Nothing was shown", concerned))


def _text(consequence: str, found: Sequence[Disagreement]) -> str:
    lines = first_lines([one.text() for one in found])
    return "\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *WAYS_OUT])


def disagreements(history: History, published: Path, compared: ComparedFiles | None = None) -> list[Disagreement]:
    """Return where the log and the published files do not agree, by path.

    ``compared``: the files that need not be hashed; None: every file is.
    """
    if not published.is_dir() and not history.placed:
        return []
    found = []
    for one in differences(published, history.placed, compared):
        name = one.name
        month, _, rest = name.partition("/")
        revision = rest.partition("/")[0]
        number = int(revision[1:]) if REVISION_NAME.fullmatch(revision) else 0
        # An index is in the folder itself, and concerns no month.
        of_month = month if "/" in name or (published / name).is_dir() or month in history.current else ""
        description = _description(history, published, one)
        found.append(Disagreement(of_month, number, published / name, description, one.is_foreign))
    return found


def calculations(log: Log) -> Iterator[Disagreement]:
    """Yield where the log and the calculations do not agree: all files of the newest one of a month, else the state."""
    history, root = log.history, log.home / "calculations"
    newest = history.newest_calculations()
    for one in history.calculations:
        is_newest = newest[one.month] is one
        folder = CalculationFolder(root, Period.parse(one.month), one.number)
        stated = {folder.state.relative_to(folder.path).as_posix(): one.facts["state_sha256"]}
        if is_newest:
            stated[FILES] = one.facts["files_sha256"]
            try:
                stated |= folder.stated()
            except AlteredError as error:
                yield Disagreement(one.month, 0, folder.path / FILES, str(error).partition(". ")[0])
                continue
        for other in differences(folder.path, stated):
            # What another command reads now is deleted later.
            if is_newest or not other.is_foreign:
                yield Disagreement(one.month, 0, folder.path / other.name, other.description, other.is_foreign)


def _description(history: History, published: Path, one: Difference) -> str:
    """Return what is wrong with a file, with what the log states of it where that says more."""
    month, _, rest = one.name.partition("/")
    if REVISION_NAME.fullmatch(rest):
        digest = history.revisions().get((month, int(rest[1:])))
        if one.is_foreign:
            return "the log does not know this revision"
        return f"{one.description}; it was published with the digest {digest}"
    if rest != LATEST or one.description == IS_NO_FILE:
        return one.description
    content = read_regular_file(published / one.name, _POINTER_BYTES) or b""
    named, current = content.decode("utf-8", errors="replace").strip(), history.current.get(month)
    if current is not None and named == f"r{current}":
        return f"was altered: it does not have the bytes of r{current} and an end of line"
    says = f"names {ascii(named)[1:-1]}" if named else "is missing"
    return f"{says}, and by the log {f'r{current} is the current revision' if current else 'no revision is current'}"
