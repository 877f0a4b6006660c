"""The digest of a JSON object that states it itself: of a manifest, an index, an entry of the log, a backup."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def digest_of(content: Mapping[str, object]) -> str:
    """Return the sha256 of the canonical bytes (RFC 8785) of ``content`` without its key ``digest``, in hex.

    ``content``: JSON values without fractions.
    """
    without = {key: value for key, value in content.items() if key != "digest"}
    canonical = json.dumps(without, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
