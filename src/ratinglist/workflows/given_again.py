"""Put an original back that is lost or altered, where the same bytes are given again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.durable_files import sha256_of
from ratinglist.home import originals
from ratinglist.period import Period
from ratinglist.store.database import Store
from ratinglist.summaries import ImportSummary


def import_put_back(store: Store, file: Path, kind: str, period: Period | None) -> ImportSummary | None:
    """Keep a file again that was imported before and whose original is altered or missing; import nothing.

    ``kind``: of the entry. ``period``: the month it was imported for, None for a file of players. Return
    None, and change nothing, where the original is whole, or this import was never made.
    """
    sha256 = sha256_of(file)
    if digest_folder.is_whole(store.home / originals.FOLDER / sha256):
        return None
    month = str(period) if period else None
    made = [one.facts for one in store.log.entries if one.kind == kind]
    if not any((one["sha256"], one.get("month")) == (sha256, month) for one in made):
        return None
    originals.keep_file(store.home, file)
    return ImportSummary(str(file), month, {}, 0, 0, 0, already=True, put_back=True)


def named_by_log(store: Store, digests: Collection[str]) -> set[str]:
    """Return those of ``digests`` that the log names as originals of deliveries and imports."""
    if not digests:
        return set()
    named = {path.name for entry in store.log.entries for path in originals.delivered(store.home, entry)}
    return named.intersection(digests)
