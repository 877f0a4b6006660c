"""The index of all that is published, ``index.json``: its one encoding, what it states, and its signature.

It states what readers see: the current revision of every month, the digest of every revision, and the sha256 of every
file that no manifest names. It follows from the log, of which it is the public part: ``counter`` is the number of
changes of what readers see, and ``log`` the digest of the newest entry when the change was decided. Its last key is its
signature. So it is whole in one file, which one rename replaces.

An office that has never signed has no index: without the counter and the day the same reports give the same bytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace

from ratinglist.files.durable_files import DIGEST, digest_of, fits
from ratinglist.publication.manifest import NotAManifestError
from ratinglist.publication.signature import NotSignedError, Signer, signed_by

INDEX = "index.json"
PUBLISHING = "being-published"
"""The file in ``published`` while files are placed there: what readers see then is no state of what is published."""

_NAME = re.compile(r"([12][0-9]{3}-(0[1-9]|1[0-2])/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_NUMBER = range(1, 2**31)
_DIGEST = re.compile(f"({DIGEST.pattern})?")
_VALUE = re.compile(r"r[1-9][0-9]{0,8}|[0-9a-f]{64}|")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SHAPE = {
    "office": str,
    "counter": _NUMBER,
    "day": _DAY,
    "log": _DIGEST,
    "signed_by": _DIGEST,
    "keys": [{"fingerprint": DIGEST, "since": _NUMBER, "day": _DAY}],
    "published": (_NAME, _VALUE),
    "signers": (_NAME, DIGEST),
    "digest": DIGEST,
    "signature": str,
}
_KEYS = tuple(_SHAPE)[:-2]
KEPT = ("office", "counter", "log", "digest", "signed_by", "signature")
"""What the log keeps of an index; it states the rest itself."""


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key that signed indexes: its fingerprint, and the counter and day (``YYYY-MM-DD``) of the first of them."""

    fingerprint: str
    since: int
    day: str


@dataclass(frozen=True, slots=True)
class Index:
    """An index. The names of ``published`` and ``signers`` are paths below the published folder.

    ``office``: the name of the office, empty where it has none. ``log``: the digest of the entry before the one that
    decided this index; empty for the first. ``signed_by``: the fingerprint of the key that signs it; empty where the
    office does not sign. ``keys``: every key that signed indexes so far, in order.

    ``published``: for each revision (``2025-11/r1``) the digest of its manifest, for ``2025-11/latest`` the name of the
    current revision (empty: the month has none), for any other file its sha256. ``signers``: the fingerprint of the key
    that signed a revision; an unsigned one is not named. ``signature``: as
    :meth:`~ratinglist.publication.signature.Signer.sign` writes it.
    """

    office: str
    counter: int
    day: str
    log: str
    signed_by: str
    keys: tuple[KeyUse, ...]
    published: dict[str, str]
    signers: dict[str, str]
    signature: str = ""

    @property
    def digest(self) -> str:
        """The digest of all but the signature."""
        return digest_of(self._content())

    def signed(self, signer: Signer | None) -> Index:
        """Return the index with its signature; as it is where the office does not sign."""
        return self if signer is None else replace(self, signature=signer.sign(self._signed_bytes()).decode())

    def encode(self) -> bytes:
        """Return the bytes of ``index.json``."""
        content = {**self._content(), "digest": self.digest, "signature": self.signature}
        return f"{json.dumps(content, ensure_ascii=False, indent=2)}\n".encode()

    def check_signature(self) -> str:
        """Return the fingerprint of the key that signed it; empty for an index that names none.

        Raises :class:`NotSignedError` where the signature is not that of this index by the key that it names.
        """
        if not self.signed_by:
            return ""
        signer = signed_by(self._signed_bytes(), self.signature.encode(), "index")
        if signer != self.signed_by:
            raise NotSignedError(f"it is of key {signer}, and the index names key {self.signed_by}")
        return signer

    def _signed_bytes(self) -> bytes:
        return f"index {self.digest}\n".encode()

    def _content(self) -> dict[str, object]:
        by_name = {name: dict(sorted(getattr(self, name).items())) for name in ("published", "signers")}
        fields = {name: getattr(self, name) for name in _KEYS}
        return {**fields, "keys": [asdict(one) for one in self.keys], **by_name}


def read(data: bytes) -> Index:
    """Parse the bytes of an index.

    Raises :class:`NotAManifestError` for any bytes that :meth:`Index.encode` would not have returned.
    """
    try:
        content = json.loads(data.decode("utf-8"))
        if not fits(content, _SHAPE) or not content["signers"].keys() <= content["published"].keys():
            raise NotAManifestError("it does not have the keys and values of an index")
        keys = tuple(KeyUse(one["fingerprint"], one["since"], one["day"]) for one in content["keys"])
        found = Index(**{name: content[name] for name in (*_KEYS, "signature")} | {"keys": keys})
        encoded = found.encode()
    except (ValueError, RecursionError):
        raise NotAManifestError("it is not JSON as an index has it") from None
    if encoded != data:
        raise NotAManifestError("its digest is not that of its content, or it is not formatted as ratinglist writes it")
    return found
