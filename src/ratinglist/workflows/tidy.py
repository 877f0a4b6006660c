"""Delete what a home does not need: old previews, what rebuilds replaced, and what killed processes left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ratinglist.config import BUCKETS, STORE, Settings
from ratinglist.durable_files import TEMPORARY_PREFIX, folder_named_in_disk_errors, remove_folder
from ratinglist.store import archive, journal, received, replaced_parts
from ratinglist.store.database import Store
from ratinglist.store.home_lock import held_home
from ratinglist.store.journal import Entry
from ratinglist.store.opening import finish_interrupted, open_store
from ratinglist.store.required_originals import required_inputs


@dataclass(frozen=True, slots=True)
class TidySummary:
    """What was deleted: a line for each file or folder, and the bytes of all."""

    home: str
    removed: list[str]
    size: int

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return a line for each thing deleted."""
        if not self.removed:
            return f"{self.home}: nothing to delete"
        lines = [f"{self.home}: deleted, {self.size:,} bytes in all:"]
        return "\n".join([*lines, *(f"  {one}" for one in self.removed)])


def tidy(settings: Settings) -> TidySummary:
    """Delete what neither a command nor a rebuild needs.

    Deleted are previews that were published or are of an earlier calculation, what rebuilds and restores replaced,
    unfinished files, originals of imports that failed, and the rows of imports that were given again without effect.
    Raises what opening the store raises: in a damaged home nothing is deleted.
    """
    home = settings.home
    with held_home(home):
        finish_interrupted(home)
        with folder_named_in_disk_errors(home), open_store(settings.store, settings.threads) as store:
            found = [*_old_previews(store, settings), *_replaced(home), *_unfinished(home), *_unused(store)]
            size = sum(_size(path) for path, _ in found)
            for path, _ in found:
                remove_folder(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            sources = _drop_sources(store, settings)
    removed = [f"{path.relative_to(home)}: {what}" for path, what in found]
    return TidySummary(str(home), [*removed, *sources], size)


def _old_previews(store: Store, settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield the folders of previews that cannot be approved or published any more."""
    current = store.read(
        """
        select preview.month from preview join calculation using (month, calculation_id)
        anti join publication
            on publication.month = preview.month and publication.revision = preview.revision
        """
    )["month"].to_list()
    if settings.previews.is_dir():
        for path in sorted(settings.previews.iterdir()):
            if path.name not in current:
                yield path, "an old preview"


def _replaced(home: Path) -> Iterator[tuple[Path, str]]:
    if (home / replaced_parts.FOLDER).is_dir():
        yield home / replaced_parts.FOLDER, "what a rebuild or a restore replaced"


def _unfinished(home: Path) -> Iterator[tuple[Path, str]]:
    """Yield what killed processes left: earlier versions wrote reports to ``reports/.<sha256>.<number>.tmp``."""
    folders = (home, home / "archive", home / "archive" / "journal", home / "published", *home.glob("published/*"))
    for folder in folders:
        if folder.is_dir():
            yield from ((path, "unfinished") for path in sorted(folder.glob(f"{TEMPORARY_PREFIX}*")))
    yield from ((path, "unfinished") for path in sorted(archive.reports(home).glob(".*.tmp")))
    if (home / BUCKETS).is_dir():
        yield home / BUCKETS, "the buckets of a month whose calculation was killed"
    yield from ((path, "the store before it was migrated") for path in sorted(home.glob(f"{STORE}.before-*")))


def _unused(store: Store) -> Iterator[tuple[Path, str]]:
    """Yield the originals in the archive that no entry of the journal names: of imports that failed."""
    used: set[str] = set()
    for entry in journal.entries(store):
        used |= {*required_inputs(entry), *entry.facts.get("kept", {}).values()}
    folder = archive.inputs(store.home)
    if folder.is_dir():
        unused = [path for path in sorted(folder.iterdir()) if path.name not in used]
        yield from ((path, "an original that was not imported") for path in unused)


def _drop_sources(store: Store, settings: Settings) -> list[str]:
    """Delete the rows of imports that were given again without effect, and return a line for each."""
    numbers = received.repeated_sources(store)
    if not numbers:
        return []
    with store.transaction():
        names = [f"{received.source_name(store, number)}: a row of an import given again" for number in numbers]
        _drop(store, numbers)
        journal.note(store, "tidy", settings.today, sources=numbers)
    return names


def tidy_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Delete the rows that an entry of the journal records."""
    with store.transaction():
        _drop(store, entry.facts["sources"])
        journal.note(store, entry.kind, settings.today, sources=entry.facts["sources"])


def _drop(store: Store, numbers: Sequence[int]) -> None:
    for number in numbers:
        received.drop_source_file(store, number)


def _size(path: Path) -> int:
    inner = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(one.lstat().st_size for one in inner if one.is_file())
