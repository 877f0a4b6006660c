"""Return the newest index of what is published as the store keeps it, or as a folder has it; nothing is written."""

from __future__ import annotations

from pathlib import Path

from ratinglist.publication import published_index, published_tables
from ratinglist.publication.manifest import NotAManifestError
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, PublishedIndex
from ratinglist.publication.revisions import LATEST
from ratinglist.publication.signature import NotSignedError
from ratinglist.store import published_revisions
from ratinglist.store.database import Store


def kept(store: Store) -> tuple[bytes, bytes] | None:
    """Return the newest index as the store keeps it: the bytes of the index and of its signature; None without one."""
    rows = store.rows("select content, signature from published_index")
    return (rows[0][0].encode(), rows[0][1].encode()) if rows else None


def on_disk(published: Path) -> tuple[bytes, bytes]:
    """Return the index and signature of a published folder that is older than its store; empty where there is none."""
    found = [path.read_bytes() if (path := published / name).is_file() else b"" for name in (INDEX, INDEX_SIGNATURE)]
    return found[0], found[1]


def whole(index: tuple[bytes, bytes]) -> PublishedIndex | None:
    """Return an index whose signature is that of the key it names; None where it is damaged."""
    content, signatures = index
    try:
        found = published_index.read(content)
        if found.signed_by and published_index.signer_of(content, signatures) != found.signed_by:
            return None
    except (NotAManifestError, NotSignedError):
        return None
    return found


def states(store: Store, index: tuple[bytes, bytes]) -> bool:
    """Return whether an index, with its signature, is whole and states the revisions of the store."""
    found = whole(index)
    if found is None:
        return False
    stated = {name: value for name, value in found.published.items() if not published_tables.is_file(name)}
    return stated == revisions_and_current(store)


def revisions_and_current(store: Store) -> dict[str, str]:
    """Return the digest of every revision and the current one of every month, by the names of an index."""
    known, current = published_revisions.known(store), published_revisions.current(store)
    latest = {month: f"r{current[month]}" if month in current else "" for month, _ in known}
    return {
        **{f"{month}/r{number}": state.digest for (month, number), state in known.items()},
        **{f"{month}/{LATEST}": name for month, name in latest.items()},
    }
