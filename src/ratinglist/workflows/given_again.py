"""Put an original back that the archive has lost, or has altered, where the same bytes are given again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.store import archive, journal
from ratinglist.store.database import Store
from ratinglist.store.required_originals import delivered_originals
from ratinglist.summaries import ImportSummary


def import_put_back(store: Store, file: Path, kind: str, period: Period | None) -> ImportSummary | None:
    """Archive a file again that was imported before and whose original is altered or missing; import nothing.

    ``kind``: of the journal's entry. ``period``: the month it was imported for, None for a file of players. Return
    None, and change nothing, where the original is whole, or this import was never made.
    """
    sha256 = sha256_of(file)
    if digest_folder.is_whole(archive.inputs(store.home) / sha256):
        return None
    month = str(period) if period else None
    made = [entry for entry in journal.entries_with(store, sha256) if entry.kind == kind]
    if not any((one.facts["sha256"], one.facts.get("month")) == (sha256, month) for one in made):
        return None
    archive.keep_input(store.home, file)
    return ImportSummary(str(file), month, {}, 0, 0, 0, already=True, put_back=True)


def named_by_journal(store: Store, digests: Collection[str]) -> set[str]:
    """Return those of ``digests`` that the journal names as originals of deliveries and imports."""
    return delivered_originals(journal.entries(store)).intersection(digests) if digests else set()
