"""Find in the journal which revisions were signed.

No entry names a signature. Each names the ``office.toml`` of its day instead, which the archive keeps; a publication
with a ``signing_key`` there has signed its revisions, or it would have failed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.publication.manifest import SIGNATURE
from ratinglist.store import archive, baseline
from ratinglist.store.journal import Entry


def signed_revisions(home: Path, entries: Sequence[Entry]) -> set[str]:
    """Return the revisions that were signed when they were published, or later, by their names in an index.

    A version of ``office.toml`` that the archive has lost is passed over: a rebuild needs, and has, those since the
    newest baseline, and a baseline names the signatures that were there.
    """
    signed: set[str] = set()
    signs: dict[str, bool] = {}
    for entry in entries:
        facts = entry.facts
        if entry.kind == "sign":
            signed |= {f"{facts['month']}/r{number}" for number in facts["revisions"]}
        elif entry.kind == baseline.KIND:
            names = [Path(name) for name in facts["kept"]]
            signed |= {"/".join(path.parts[1:3]) for path in names if path.name == SIGNATURE and len(path.parts) > 3}
        published = [facts] if entry.kind == "publish" else facts.get("published", [])
        if published and entry.office not in signs:
            signs[entry.office] = _names_key(archive.inputs(home) / entry.office) if entry.office else False
        if published and signs[entry.office]:
            signed |= {f"{one['month']}/r{one['revision']}" for one in published}
    return signed


def _names_key(office_file: Path) -> bool:
    """Return whether an archived ``office.toml``, which was valid on its day, names a key to sign with."""
    if not digest_folder.is_whole(office_file):
        return False
    # Without the limits of today: an office of before them must be rebuilt too.
    content = tomllib.loads(office_file.read_text(encoding="utf-8"))
    return bool(content.get("publication", {}).get("signing_key"))
