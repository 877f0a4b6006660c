"""The index of all that is published, ``index.json``: its one encoding, and what it states.

It states what readers see: the current revision of every month, the digest of every revision, and the sha256 of every
file that no manifest names. ``counter`` is the number of changes of what readers see; each change has an index, which
names the digest of the one before. Encoding and digest are those of a manifest
(:mod:`ratinglist.publication.manifest`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratinglist.canonical_json import digest_of
from ratinglist.publication import manifest
from ratinglist.publication.manifest import NotAManifestError
from ratinglist.publication.signature import NotSignedError, is_signature, signed_by

INDEX, INDEX_SIGNATURE = "index.json", "index.json.sig"
NEXT_INDEX = "index.next.json"
"""The index of a change that is being carried out: it is there from before the first step until after the last one."""

_NAME = re.compile(r"([12][0-9]{3}-(0[1-9]|1[0-2])/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_VALUE = re.compile(r"r[1-9][0-9]{0,8}|[0-9a-f]{64}|")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_KEYS = ("counter", "day", "before", "signed_by", "keys", "published", "signers", "digest")
_SIGNATURE_LINES = 2


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key that signed indexes: its fingerprint, and the counter and day (``YYYY-MM-DD``) of the first of them."""

    fingerprint: str
    since: int
    day: str


@dataclass(frozen=True, slots=True)
class PublishedIndex:
    """An index. The names of ``published`` and ``signers`` are paths below the published folder.

    ``before``: the digest of the index before; empty for the first. ``signed_by``: the fingerprint of the key that
    signs this one; empty where the office does not sign. ``keys``: every key that signed indexes so far, in order.

    ``published``: for each revision (``2025-11/r1``) the digest of its manifest, for ``2025-11/latest`` the name of the
    current revision (empty: the month has none), for any other file its sha256. ``signers``: the fingerprint of the key
    that signed a revision; an unsigned one is not named.
    """

    counter: int
    day: str
    before: str
    signed_by: str
    keys: tuple[KeyUse, ...]
    published: dict[str, str]
    signers: dict[str, str]
    digest: str = field(default="", compare=False)

    def states_the_same_as(self, other: PublishedIndex) -> bool:
        """Return whether both state the same files, signed by the same keys."""
        return (self.published, self.signed_by, self.signers) == (other.published, other.signed_by, other.signers)

    def encode(self) -> bytes:
        """Return the bytes of ``index.json``."""
        content: dict[str, object] = {
            "counter": self.counter,
            "day": self.day,
            "before": self.before,
            "signed_by": self.signed_by,
            "keys": [{"fingerprint": one.fingerprint, "since": one.since, "day": one.day} for one in self.keys],
            "published": dict(sorted(self.published.items())),
            "signers": dict(sorted(self.signers.items())),
        }
        text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=2)
        return f"{text}\n".encode()


def read(data: bytes) -> PublishedIndex:
    """Parse the bytes of an index.

    Raises :class:`NotAManifestError` for any bytes that :meth:`PublishedIndex.encode` would not have returned.
    """
    try:
        content = manifest.parsed(data.decode("utf-8"))
        if not isinstance(content, dict) or tuple(content) != _KEYS or not _has_kinds(content):
            raise NotAManifestError("it does not have the keys and values of an index")
        found = PublishedIndex(
            content["counter"],
            content["day"],
            content["before"],
            content["signed_by"],
            tuple(KeyUse(one["fingerprint"], one["since"], one["day"]) for one in content["keys"]),
            content["published"],
            content["signers"],
            content["digest"],
        )
        encoded = found.encode()
    except (ValueError, RecursionError):
        raise NotAManifestError("it is not JSON as an index has it") from None
    if encoded != data:
        raise NotAManifestError("its digest is not that of its content, or it is not formatted as ratinglist writes it")
    return found


def signer_of(data: bytes, signatures: bytes) -> str:
    """Return the fingerprint of the key that signed the index ``data``.

    ``signatures``: the content of ``index.json.sig``: the signature of the newest index, and after it, while and until
    that one is in place, the signature of the index before. Raises :class:`NotSignedError` where none is of ``data``.
    """
    lines = signatures.splitlines(keepends=True)
    pairs = [b"".join(lines[at : at + _SIGNATURE_LINES]) for at in range(0, len(lines), _SIGNATURE_LINES)]
    if len(pairs) > 2 or not all(map(is_signature, pairs)):
        raise NotSignedError("it is not one signature, or two, as they were written")
    reason = NotSignedError("it is empty")
    for pair in pairs:
        try:
            return signed_by(data, pair, "index")
        except NotSignedError as error:
            reason = error
    raise reason


def newest_signature(signatures: bytes) -> bytes:
    """Return the first signature of ``index.json.sig``, which is that of the newest index."""
    return b"".join(signatures.splitlines(keepends=True)[:_SIGNATURE_LINES])


def _has_kinds(content: Mapping[str, Any]) -> bool:
    """Return whether every value of an index is of its kind."""
    published, signers, keys = content["published"], content["signers"], content["keys"]
    return (
        _is_counter(content["counter"])
        and _matches(_DAY, content["day"])
        and all(content[name] == "" or _matches(_DIGEST, content[name]) for name in ("before", "signed_by"))
        and _matches(_DIGEST, content["digest"])
        and isinstance(published, dict)
        and all(_matches(_NAME, name) and _matches(_VALUE, value) for name, value in published.items())
        and isinstance(signers, dict)
        and all(name in published and _matches(_DIGEST, value) for name, value in signers.items())
        and isinstance(keys, list)
        and all(_is_key(one) for one in keys)
    )


def _is_key(one: object) -> bool:
    return (
        isinstance(one, dict)
        and list(one) == ["fingerprint", "since", "day"]
        and _matches(_DIGEST, one["fingerprint"])
        and _is_counter(one["since"])
        and _matches(_DAY, one["day"])
    )


def _is_counter(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
