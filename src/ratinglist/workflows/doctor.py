"""Check a home, whatever its state, changing nothing; and delete what a home does not need."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import duckdb

from ratinglist import office
from ratinglist.errors import AlteredError, CommandLineError, HomeError, StoreInUseError, first_line
from ratinglist.files import durable_files
from ratinglist.home import log, originals
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Entry, Log, path_of
from ratinglist.publication import doubts, settle
from ratinglist.publication.published_files import calculations, disagreements
from ratinglist.settings import LOG, Settings
from ratinglist.summaries import Facts
from ratinglist.workflows.opening import UNUSABLE, open_to_write, stored

REBUILD = "ratinglist doctor --rebuild"
AGAIN = "nothing is lost: the next command makes it again from the log and the originals"
COPY = "put a copy of it there under this name, or restore a backup: ratinglist restore DIR"
CLOSE = "close that program, then give the command again"
REMOVE = "move it out of the way"
RESTORE = "restore a backup: ratinglist restore DIR"
REPLACED = "replaced"
"""The folder of a home of what rebuilds replaced: a folder for each time."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a home that is not as it should be.

    ``part``: log, originals, store, calculations, published or office.
    """

    part: str
    file: str
    description: str
    remedy: str


@dataclass(slots=True)
class HomeCheck:
    """The result of a check: how many things of each part were checked, and what is wrong."""

    home: str
    checked: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return the result as JSON-able values."""
        rows = [asdict(problem) for problem in self.problems]
        return {"home": self.home, "whole": not self.problems, "checked": self.checked, "problems": rows}

    def text(self) -> str:
        """Return a line for each part, and three for each problem."""
        lines = [f"{self.home}: " + ("not whole" if self.problems else "whole")]
        for part, count in self.checked.items():
            wrong = sum(problem.part == part for problem in self.problems)
            lines.append(f"  {part}: {count:,} checked, " + (f"{wrong:,} wrong" if wrong else "all whole"))
        for problem in self.problems:
            lines += [f"{problem.file}", f"  {problem.description}", f"  remedy: {problem.remedy}"]
        return "\n".join(lines)

    def add(self, part: str, file: Path, description: str, remedy: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(part, str(file), description, remedy))


def check(settings: Settings) -> HomeCheck:
    """Check log, originals, store, calculations, publications and choices of a home, every byte of them.

    Raises :class:`~ratinglist.errors.StoreInUseError` while another command writes.
    """
    with held_to_write(settings.home):
        settings.progress("checking the files", 0, 1)
        return check_home(settings)


def check_home(settings: Settings) -> HomeCheck:
    """Check every file of a home that no other command writes."""
    home = settings.home
    check = HomeCheck(str(home))
    own, problem = log.read(home)
    entries = own.entries
    check.checked["log"] = len(entries)
    if problem:
        path = log.path_of(home, len(entries) + 1)
        check.add("log", path, problem.removeprefix(f"{path} "), RESTORE)
    elif not entries:
        check.add("log", home / LOG, "is missing or empty", RESTORE)
    _check_originals(home, entries, check)
    _check_store(own, settings, check)
    _check_calculations(own, check)
    _check_published(own, settings, check)
    _check_office(own, settings, check)
    return check


def _check_originals(home: Path, entries: Sequence[Entry], check: HomeCheck) -> None:
    """Check every original that the log names, and every file among the originals against its name."""
    needed = originals.required(home, entries)
    there = (path for name in (originals.FOLDER, originals.REPORTS) for path in (home / name).glob("[!.]*"))
    every = sorted({*needed, *there})
    for path in every:
        if wrong := durable_files.problem_of_file(path, path.name):
            what = f"{wrong}. It is {needed.get(path, 'an original')}"
            check.add("originals", path, what, COPY if path in needed else RESTORE)
    check.checked["originals"] = len(every)


def _check_store(own: Log, settings: Settings, check: HomeCheck) -> None:
    """Check that every table can be read, and that the store was made from the entries of the log."""
    path = settings.store
    check.checked["store"] = 0
    try:
        store = stored(settings, own)
    except StoreInUseError:
        check.add("store", path, "is open in another program, which may change it: it could not be checked", CLOSE)
        return
    if store is None:
        check.add("store", path, UNUSABLE, REMOVE if path.is_dir() else AGAIN)
        return
    try:
        check.checked["store"] = store.read_all()
        if store.missing_entries():
            check.add("store", path, "is not made from the newest entries of the log", AGAIN)
    except HomeError as error:
        check.add("log", settings.home / LOG, str(error), RESTORE)
    except duckdb.Error as error:
        check.add("store", path, f"cannot be read: {first_line(error)}", f"nothing is lost: {REBUILD}")
    finally:
        store.close()


def _check_calculations(own: Log, check: HomeCheck) -> None:
    check.checked["calculations"] = len(own.history.kept_calculations())
    for calculation in calculations(own):
        check.add(
            "calculations", calculation.path, calculation.description, REMOVE if calculation.is_foreign else REBUILD
        )


def _check_published(own: Log, settings: Settings, check: HomeCheck) -> None:
    """Check that everything published is what the log states."""
    check.checked["published"] = len(own.history.revisions())
    if settle.is_open(own, settings):
        check.add(
            "published", settings.drafts, "holds a change that was decided and is not in place", "give any command"
        )
        return
    is_log_whole = not any(problem.part == "log" for problem in check.problems)
    # The store does not show that a log was cut by an entry that changed no fact: only what that published does.
    following = path_of(own.home, len(own.entries) + 1)
    move_away = f"{REMOVE}; if the log lost its newest entry, put that back instead: {following}"
    for disagreement in disagreements(own.history, settings.published):
        remedy = (move_away if disagreement.is_foreign else REBUILD) if is_log_whole else RESTORE
        check.add("published", disagreement.path, disagreement.description, remedy)


def _check_office(own: Log, settings: Settings, check: HomeCheck) -> None:
    """Check that ``office.toml`` can be read, and that it guards publications as before."""
    path, before = settings.home / office.NAME, doubts.office_kept(own)
    check.checked["office"] = 1
    # An original that is missing or altered is named above.
    with suppress(AlteredError):
        try:
            office.read(settings.home)
            rows = doubts.weakened(own, settings)
            if len(rows):
                remedy = f"put the file back: {before} is the one that was used before"
                check.add("office", path, f"guards publications less: {doubts.weakened_text(rows)}", remedy)
        except CommandLineError as error:
            check.add("office", path, str(error), f"fix the file, or put back the one of before: {before}")


def tidy(settings: Settings) -> Facts:
    """Delete what neither a command nor a rebuild needs.

    Deleted are previews that were published or are of an earlier calculation, what rebuilds replaced, and originals of
    imports that failed. Raises what opening the home raises: in a damaged home nothing is deleted.

    Out: ``home``; ``removed``: a line for each file or folder; ``size`` of all in bytes.
    """
    home = settings.home
    with open_to_write(settings) as store:
        history = store.log.history
        newest = {month: calculation.calculation_id for month, calculation in history.newest_calculations().items()}
        kept = [
            settings.previews / month
            for month, preview in history.previews.items()
            if preview["calculation_id"] == newest.get(month)
            and (month, preview["revision"]) not in history.revisions()
        ]
        needed = {*kept, *originals.required(home, store.log.entries)}
        folders = {
            settings.previews: "an old preview",
            home / REPLACED: "what a rebuild replaced",
            home / originals.FOLDER: "an original that was not imported",
        }
        unneeded = {
            path: what for folder, what in folders.items() for path in sorted(folder.glob("*")) if path not in needed
        }
        size = sum(_size(path) for path in unneeded)
        for path in unneeded:
            durable_files.remove(path)
        # All in it was deleted.
        with suppress(FileNotFoundError):
            (home / REPLACED).rmdir()
    removed = [f"{path.relative_to(home)}: {what}" for path, what in unneeded.items()]
    return Facts("What no command needs was removed.", {"home": str(home), "removed": removed, "size": size})


def _size(path: Path) -> int:
    inner = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(path.lstat().st_size for path in inner if path.is_file())
