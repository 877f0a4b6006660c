"""Delete what a home does not need: old previews, what rebuilds replaced, originals of imports that failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ratinglist.files.durable_files import remove
from ratinglist.home import originals
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import open_to_write
from ratinglist.workflows.rebuild import REPLACED


@dataclass(frozen=True, slots=True)
class TidySummary(Summary):
    """What was deleted: a line for each file or folder, and the bytes of all."""

    home: str
    removed: list[str]
    size: int

    def text(self) -> str:
        """Return a line for each thing deleted."""
        if not self.removed:
            return f"{self.home}: nothing to delete"
        lines = [f"{self.home}: deleted, {self.size:,} bytes in all:"]
        return "\n".join([*lines, *(f"  {one}" for one in self.removed)])


def tidy(settings: Settings) -> TidySummary:
    """Delete what neither a command nor a rebuild needs.

    Deleted are previews that were published or are of an earlier calculation, what rebuilds and restores replaced, and
    originals of imports that failed. Raises what opening the home raises: in a damaged home
    nothing is deleted.
    """
    home = settings.home
    with open_to_write(settings) as store:
        found = [*_old_previews(store, settings), *_replaced(home), *_unused(store)]
        size = sum(_size(path) for path, _ in found)
        for path, _ in found:
            remove(path)
    return TidySummary(str(home), [f"{path.relative_to(home)}: {what}" for path, what in found], size)


def _old_previews(store: Store, settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield the folders of previews that cannot be approved or published any more."""
    history = store.log.history
    newest = {month: one.facts["calculation_id"] for month, one in history.newest_calculations().items()}
    current = [
        month
        for month, one in history.previews.items()
        if one["calculation_id"] == newest.get(month) and (month, one["revision"]) not in history.revisions()
    ]
    if settings.previews.is_dir():
        for path in sorted(settings.previews.iterdir()):
            if path.name not in current:
                yield path, "an old preview"


def _replaced(home: Path) -> Iterator[tuple[Path, str]]:
    if (home / REPLACED).is_dir():
        yield home / REPLACED, "what a rebuild or a restore replaced"


def _unused(store: Store) -> Iterator[tuple[Path, str]]:
    """Yield the originals, reports apart, that no entry of the log names: of imports that failed."""
    used = originals.required(store.home, store.log.entries)
    folder = store.home / originals.FOLDER
    if folder.is_dir():
        unused = [path for path in sorted(folder.iterdir()) if path not in used]
        yield from ((path, "an original that was not imported") for path in unused)


def _size(path: Path) -> int:
    inner = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(one.lstat().st_size for one in inner if one.is_file())
