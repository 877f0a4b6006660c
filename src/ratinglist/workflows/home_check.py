"""Check everything that a home keeps: store, journal, archive, calculations and publications. Nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.config import STORE
from ratinglist.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.errors import AlteredError, RatinglistError
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import Period
from ratinglist.publication import current_view, manifest, published_tables, rollback_log
from ratinglist.publication import verify as verification
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX
from ratinglist.publication.regular_file import read_beginning
from ratinglist.store import archive, baseline, journal
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.store.journal import Entry
from ratinglist.store.required_originals import delivered_originals, required_originals
from ratinglist.store.table_scan import TableScan
from ratinglist.workflows import rebuilt_index

REBUILD = "ratinglist doctor --rebuild"
LOAD_AGAIN = "give the original to the program again (load, import-list, import-players), or put a copy of it there"
COPY = "put a copy of it there under this name, or restore a backup: ratinglist restore DIR"
MAKE_CURRENT = f"nothing is lost: the next command that writes makes this folder again, and so does {REBUILD}"
RESTORE = "restore a backup: ratinglist restore DIR"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a home that is not as it should be. ``part``: store, journal, archive, calculations, published."""

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
        return {"home": self.home, "whole": not self.problems, "checked": self.checked, "problems": self._rows()}

    def _rows(self) -> list[dict[str, str]]:
        return [asdict(one) for one in self.problems]

    def text(self) -> str:
        """Return a line for each part, and three for each problem."""
        lines = [f"{self.home}: " + ("not whole" if self.problems else "whole")]
        for part, count in self.checked.items():
            wrong = sum(one.part == part for one in self.problems)
            lines.append(f"  {part}: {count:,} checked, " + (f"{wrong:,} wrong" if wrong else "all whole"))
        for one in self.problems:
            lines += [f"{one.file}", f"  {one.description}", f"  remedy: {one.remedy}"]
        return "\n".join(lines)

    def add(self, part: str, file: Path, description: str, remedy: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(part, str(file), description, remedy))


def check_home(home: Path, store: TableScan) -> HomeCheck:
    """Check every file of a home; ``store``: what reading its store gave."""
    found = HomeCheck(str(home))
    found.checked["store"] = len(store.tables)
    for one in store.wrong:
        found.add("store", home / STORE, one, REBUILD)
    entries = _check_journal(home, store, found)
    _check_archive(home, entries, found)
    _check_calculations(home, entries, found)
    _check_published(home, entries, found)
    _check_index(home / "published", store, found)
    _check_current(home, found)
    return found


def _check_journal(home: Path, store: TableScan, found: HomeCheck) -> list[Entry]:
    """Check the copies of the journal against the store, and return the entries that can be read."""
    copied, problem = journal.read_copies(home)
    there = journal.copies(home)
    found.checked["journal"] = len(there)
    known = store.entries if len(store.entries) >= len(copied) else copied
    by_number = {one.number: one for one in store.entries}
    for number, path in there.items():
        if number in by_number:
            if not journal.has_copy(home, by_number[number]):
                found.add("journal", path, "was altered: it is not the entry of the store", REBUILD)
        elif store.entries and not store.wrong:
            found.add("journal", path, "is not in the store, which is older than this home", REBUILD)
    for number in sorted(set(by_number) - set(there)):
        found.add("journal", journal.path_of(home, number), "is missing", REBUILD)
    if not store.entries and problem:
        found.add("journal", journal.folder(home), problem, RESTORE)
    return known


def _check_archive(home: Path, entries: Sequence[Entry], found: HomeCheck) -> None:
    """Check every original that the journal names, and every file of the archive against its name."""
    needed = required_originals(home, entries)
    given_again = delivered_originals(entries)
    there = [path for folder in (archive.inputs(home), archive.reports(home)) for path in _files_in(folder)]
    for path in sorted({*needed, *there}):
        if not digest_folder.is_whole(path):
            state = "was altered" if os.path.lexists(path) else "is missing"
            what = needed.get(path, "an original")
            of_needed = LOAD_AGAIN if path.name in given_again else COPY
            found.add("archive", path, f"{state}: it holds {what}", of_needed if path in needed else RESTORE)
    found.checked["archive"] = len({*needed, *there})


def _files_in(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if not path.name.startswith((TEMPORARY_PREFIX, ".")))


def _check_calculations(home: Path, entries: Sequence[Entry], found: HomeCheck) -> None:
    """Check the files of every calculation: all of the newest of a month, the state of one that was replaced."""
    found.checked["calculations"] = 0
    made = [entry for entry in entries if entry.kind == "calculate"]
    newest = {entry.facts["month"]: entry.facts["calculation"] for entry in made}
    for entry in made:
        facts = entry.facts
        folder = CalculationFolder(home / "calculations", Period.parse(facts["month"]), facts["calculation"])
        found.checked["calculations"] += 1
        expected = {folder.state: facts["state_sha256"]}
        if newest[facts["month"]] == facts["calculation"]:
            expected[folder.path / "files.json"] = facts["files_sha256"]
            _check_tables(folder, found)
        _check_digests("calculations", expected, found)
    for entry in entries:
        kept = entry.facts.get("kept", {}) if entry.kind == baseline.KIND else {}
        of_calculations = {home / name: sha256 for name, sha256 in kept.items() if name.startswith("calculations/")}
        replaced = {home / "calculations" / f"month={month}" for month in newest}
        found.checked["calculations"] += len({path.parent for path in of_calculations if path.name == "files.json"})
        # Of a calculation that was replaced since, the state alone is kept.
        expected = {
            path: sha256
            for path, sha256 in of_calculations.items()
            if path.name == "state.parquet" or not any(path.is_relative_to(month) for month in replaced)
        }
        _check_digests("calculations", expected, found)


def _check_tables(folder: CalculationFolder, found: HomeCheck) -> None:
    try:
        folder.check_every_file()
    except AlteredError as error:
        found.add("calculations", folder.path, str(error).partition(". ")[0], REBUILD)


def _check_digests(part: str, expected: dict[Path, str], found: HomeCheck) -> None:
    for path, sha256 in sorted(expected.items()):
        try:
            digest = sha256_of(path)
        except FileNotFoundError:
            found.add(part, path, "is missing", REBUILD)
            continue
        except OSError as error:
            found.add(part, path, f"cannot be read: {error.strerror}", REBUILD)
            continue
        if digest != sha256:
            found.add(part, path, "was altered: its digest is not the one recorded", REBUILD)


def _check_published(home: Path, entries: Sequence[Entry], found: HomeCheck) -> None:
    """Check every revision against its manifest, and everything published against the journal."""
    published = home / "published"
    revisions, current = recorded_revisions(entries)
    pointers = dict(_wrong_pointers(published, current))
    found.checked["published"] = len(list(published.glob("*/r*")))
    if published.is_dir() and found.checked["published"]:
        try:
            # What the journal states of `latest` says more than that it is wrong.
            for one in [one for one in verification.verify(published).wrong if Path(one.file) not in pointers]:
                found.add("published", Path(one.file), one.description, _remedy_of(one))
        except RatinglistError as error:
            found.add("published", published, str(error), REBUILD)
    for (month, revision), digest in revisions.items():
        path = published / month / f"r{revision}" / manifest.MANIFEST
        try:
            data = read_beginning(path, REVISION_MANIFEST_BYTES)
            if data is not None and manifest.read(data).digest != digest:
                found.add("published", path, "is not the manifest that was published", REBUILD)
        except FileNotFoundError:
            found.add("published", path, "is missing: this revision was published", REBUILD)
        except (OSError, manifest.NotAManifestError):
            continue  # verify has reported it
    for path, description in pointers.items():
        found.add("published", path, description, REBUILD)
    for month in sorted({month for month, _ in revisions} - set(current)):
        path = published / month / "latest"
        if os.path.lexists(path):
            found.add("published", path, "is there, and the month was withdrawn", "remove it: no command wrote it")
    recorded = {f"published/{name}": sha256 for name, sha256 in published_tables.newest_digests(entries).items()}
    for entry in entries:
        if entry.kind == baseline.KIND:
            kept = {name: sha256 for name, sha256 in entry.facts["kept"].items() if name.startswith("published/")}
            # Every change replaces the index.
            moved = {f"published/{month}/latest" for month in current} | set(rebuilt_index.FILES)
            # The tables of a revision are compared with its manifest.
            names = [name for name in kept if name not in moved and (name.count("/") < 3 or "manifest" in name)]
            recorded = {**{name: kept[name] for name in names}, **recorded}
    _check_digests("published", {home / name: sha256 for name, sha256 in recorded.items()}, found)
    if entries and entries[0].kind != baseline.KIND:
        for path in sorted(published.glob("*/r*")):
            if path.is_dir() and (path.parent.name, int(path.name[1:] or 0)) not in revisions:
                found.add("published", path, "was published, and the journal does not record it", RESTORE)


def _wrong_pointers(published: Path, current: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield each file ``latest`` that does not name the current revision of its month, and what is wrong with it."""
    for month, name in current.items():
        path = published / month / "latest"
        if not path.is_file():
            yield path, f"is missing: {name} was made the current revision"
        elif (content := path.read_bytes()) == name.encode():
            yield path, f"names {name} without an end of line: it was altered or cut off"
        elif content != f"{name}\n".encode():
            yield path, f"does not name {name}, which was made the current revision"


def _check_index(published: Path, store: TableScan, found: HomeCheck) -> None:
    """Check that the index of what is published is the one of the store, or becomes it with a change that is open."""
    if store.index is None or _content(published / NEXT_INDEX) == store.index[0]:
        return
    for name, expected in zip((INDEX, INDEX_SIGNATURE), store.index, strict=True):
        data = _content(published / name)
        if data is None and expected:
            found.add("published", published / name, "is missing", REBUILD)
        elif data is not None and data != expected:
            found.add("published", published / name, "is not the one that the store keeps", REBUILD)


def _check_current(home: Path, found: HomeCheck) -> None:
    """Check that ``HOME/current`` has the tables of the current revisions, where these are whole.

    Where they are not, what puts them back makes that folder again.
    """
    if any(one.part == "published" for one in found.problems):
        return
    published = home / "published"
    try:
        for path, description in current_view.differences(home / "current", published):
            found.add("published", path, description, MAKE_CURRENT)
    except (OSError, RatinglistError) as error:
        found.add("published", home / "current", f"cannot be compared: {error}", MAKE_CURRENT)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _remedy_of(problem: verification.Problem) -> str:
    """Return what helps: a rebuild signs where it has the key, and deletes nothing that was put there."""
    if problem.description.startswith(("was not published", "is not in the index")):
        return "remove it: no command wrote it"
    return f"{REBUILD} with the signing key in its place" if problem.file.endswith(manifest.SIGNATURE) else REBUILD


def recorded_revisions(entries: Sequence[Entry]) -> tuple[dict[tuple[str, int], str], dict[str, str]]:
    """Return the manifest digest of each revision that a journal records, and the current revision of each month.

    A month that was withdrawn has none.
    """
    revisions: dict[tuple[str, int], str] = {}
    current: dict[str, str] = {}
    for entry in entries:
        published = [entry.facts] if entry.kind == "publish" else entry.facts.get("published", [])
        for one in published:
            revisions[one["month"], one["revision"]] = one["manifest"]
            current[one["month"]] = f"r{one['revision']}"
        if entry.kind == "rollback" and entry.facts["to_revision"] == rollback_log.WITHDRAWN:
            current.pop(entry.facts["month"], None)
        elif entry.kind == "rollback":
            current[entry.facts["month"]] = f"r{entry.facts['to_revision']}"
    return revisions, current
