"""Compare what is published with the log before a command uses it: every file is as the log states it.

A file is hashed where it may have changed since it was compared last (:mod:`ratinglist.home.compared_files`);
``verify`` and ``doctor`` hash every file.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.files.durable_files import read_regular_file
from ratinglist.home import tree
from ratinglist.home.compared_files import ComparedFiles
from ratinglist.home.history import LATEST, History
from ratinglist.period import REVISION_NAME, Period
from ratinglist.publication.index import INDEX

DO_NOT_AGREE = "the log and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the log or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
_SHOWN = 20
_POINTER_BYTES = 64


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where log and published files do not agree. ``revision``: its number; 0 where it is about the month."""

    month: str
    revision: int
    path: Path
    description: str

    def text(self) -> str:
        """Return the disagreement as one line."""
        return f"{self.path}: {self.description}"


def check(history: History, settings: Settings, taken_back: Period | None = None) -> None:
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
    lines = [f"  {one.text()}" for one in found[:_SHOWN]]
    more = [f"  and {len(found) - _SHOWN:,} more"] if len(found) > _SHOWN else []
    return "\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *more, *WAYS_OUT])


def disagreements(history: History, published: Path, compared: ComparedFiles | None = None) -> list[Disagreement]:
    """Return every disagreement, by path. ``compared``: the files that need not be hashed; None: every file is."""
    if not published.is_dir() and not history.placed:
        return []
    found = []
    for name, problem in tree.differences(published, history.placed, compared):
        month, _, rest = name.partition("/")
        revision = rest.partition("/")[0]
        number = int(revision[1:]) if REVISION_NAME.fullmatch(revision) else 0
        # An index is in the folder itself, and concerns no month.
        of_month = month if "/" in name or (published / name).is_dir() or month in history.current else ""
        description = _description(history, published, name, problem)
        found.append(Disagreement(of_month, number, published / name, description))
    return found


def _description(history: History, published: Path, name: str, problem: str) -> str:
    """Return what is wrong with a file, with what the log states of it where that says more."""
    month, _, rest = name.partition("/")
    if name == INDEX and problem not in ("is missing", tree.NOT_PUBLISHED):
        return "was altered. Move it out of the way: the next command that writes puts it back"
    if REVISION_NAME.fullmatch(rest):
        digest = history.revisions().get((month, int(rest[1:])))
        if problem == tree.NOT_PUBLISHED:
            return "the log does not know this revision"
        return f"{problem}; it was published with the digest {digest}"
    if rest != LATEST or problem == tree.IS_NO_FILE:
        return problem
    content = read_regular_file(published / name, _POINTER_BYTES) or b""
    named, current = content.decode("utf-8", errors="replace").strip(), history.current.get(month)
    if current is not None and named == f"r{current}":
        return f"was altered: it does not have the bytes of r{current} and an end of line"
    says = f"names {ascii(named)[1:-1]}" if named else "is missing"
    return f"{says}, and by the log {f'r{current} is the current revision' if current else 'no revision is current'}"
