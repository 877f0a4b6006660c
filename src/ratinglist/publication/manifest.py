"""What is stated of published files: in the manifest of a revision, and in the index of all that is published.

The manifest, ``manifest.json``, is JSON, indented by two, in a fixed order: ``month``, ``revision``, the facts (sorted
at every depth), ``files`` (sorted by name), and last ``digest``, which people quote. The digest is the sha256 of
everything before it in the canonical form of RFC 8785: keys sorted, no space, UTF-8. So two manifests with one digest
have the same content; and because the file must have exactly this encoding, a changed space is found too. Its
``provenance`` states the calculation that the list shows, and the earlier ones that it was made from.

The index, ``index.json``, states what readers see: the current revision of every month, the digest of every revision,
and the sha256 of every file that no manifest names. It follows from the log, of which it is the public part:
``counter`` is the number of changes of what readers see, and ``log`` the digest of the newest entry when the change was
decided. Its last key is its signature. So it is whole in one file, which one rename replaces.

An office that has never signed has no index: without the counter and the day the same reports give the same bytes.

Manifests and indexes are signed with the private key of an office (Ed25519); openssl can check a signature too.
``manifest.json.sig`` is two lines of text: ``signature`` and ``public-key``, each in base64. The same key and bytes
always give the same signature (RFC 8032). A key is identified by its fingerprint, the sha256 of the public key in DER.
Every command that opens a home imports this module, and few sign or verify. So the functions that do import
cryptography, which takes 20 ms to load.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglist.errors import CommandLineError, first_line
from ratinglist.files.durable_files import COUNT, DIGEST, NO_LINK, NO_WAIT, digest_of, fits, withheld
from ratinglist.home.history import READINGS, History
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.settings import Settings
from ratinglist.store.calculations import FiledCalculation
from ratinglist.store.database import Store
from ratinglist.store.table_files import FileEntry

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"

_FILE_NAME = re.compile(r"(?!manifest\.json(\.sig)?\Z)[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SHAPE = {"month": MONTH_NAME, "revision": COUNT, "files": (_FILE_NAME, dict), "digest": DIGEST}
_ENTRY = {"sha256": DIGEST, "bytes": COUNT, "rows": COUNT}
_OF_LIST = {**_ENTRY, "logical_sha256": DIGEST}
OWN_FACTS = frozenset(_SHAPE)
"""The keys that the manifest has besides the facts; no fact may have such a name."""


class NotAManifestError(Exception):
    """The bytes are not a manifest as this program writes it; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest. ``facts``: all keys that are not fields here."""

    month: str
    revision: int
    facts: dict[str, Any]
    files: dict[str, dict[str, Any]]
    digest: str


def encode(period: Period, revision: int, facts: Mapping[str, object], files: Mapping[str, FileEntry]) -> bytes:
    """Return the bytes of a manifest.

    ``facts``: JSON values without fractions, lists in the caller's order. ``files``: the entries by file name.
    """
    # Sorted at every depth, so that the order in which the caller gathered the facts does not matter.
    sorted_facts = json.loads(json.dumps(dict(facts), sort_keys=True))
    entries = {name: {key: entry[key] for key in _OF_LIST if key in entry} for name, entry in sorted(files.items())}
    content = {"month": str(period), "revision": revision, **sorted_facts, "files": entries}
    text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=2)
    return f"{text}\n".encode()


def months_before(facts: Mapping[str, Any], period: Period) -> dict[str, str]:
    """Return the month of the list before, by time control: the newest that a list was calculated from.

    ``facts``: of its manifest.
    """
    newest: dict[str, str] = {}
    for entry in sorted(facts.get("inputs", {}).get("lists", [])):
        match = re.match(r"([12]\d{3}-(?:0[1-9]|1[0-2])) (\w+)", entry)
        if match and match[1] < str(period):
            newest[match[2]] = match[1]
    return newest


def read(data: bytes) -> Manifest:
    """Parse the bytes of a manifest.

    Raises :class:`NotAManifestError` for any bytes that :func:`encode` would not have returned: where they are not
    JSON, a key is missing or its value is of another kind, the encoding is another, or the digest is not that of the
    content.
    """
    try:
        content = json.loads(data.decode("utf-8"))
        is_manifest = fits({key: content[key] for key in _SHAPE}, _SHAPE)
        digest = digest_of(content)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotAManifestError(f"it is not JSON as a manifest has it ({first_line(error)})") from None
    if not is_manifest or not all(fits(file, _ENTRY) or fits(file, _OF_LIST) for file in content["files"].values()):
        raise NotAManifestError("it does not have the keys and values of a manifest")
    if digest != content["digest"]:
        raise NotAManifestError(f"its digest is {content['digest']}, and its content has {digest}")
    facts = {key: value for key, value in content.items() if key not in OWN_FACTS}
    if encode(Period.parse(content["month"]), content["revision"], facts, content["files"]) != data:
        raise NotAManifestError("it is not formatted as ratinglist writes it")
    return Manifest(content["month"], content["revision"], facts, content["files"], content["digest"])


def lists_before(history: History, calculation: FiledCalculation, published_now: Mapping[str, int]) -> dict[str, str]:
    """Return the published revision that the ratings of each time control are added to, such as ``2025-10/r1``.

    ``published_now``: the revisions that are published together with it. A month that is not published yet has that of
    its preview: it is published first, and people may approve both before. Imported lists are left out, and so are
    those of which no revision shows the corrected figures.
    """
    previewed = {month: int(preview["revision"]) for month, preview in history.previews.items()}
    now = {**previewed, **history.current, **published_now}
    shown = {month: number for month, number in now.items() if month not in history.carried}
    newest = months_before({"inputs": calculation.inputs}, calculation.period)
    return {control: f"{month}/r{shown[month]}" for control, month in newest.items() if month in shown}


def facts_of(store: Store, calculation: FiledCalculation, published_now: Mapping[str, int]) -> dict[str, object]:
    """Return the facts of a calculated month: its family, rule sets, program version, inputs and provenance.

    The provenance has the id of the calculation, the months calculated before (``stands_on``), each ``month
    calculation``, and :data:`~ratinglist.home.history.READINGS`. ``published_now``: see :func:`lists_before`.
    """
    standing = store.log.history.standing_calculations()
    before = sorted(month for month in standing if month < str(calculation.period))
    return {
        "family": calculation.family,
        "rule_sets": calculation.facts["rule_sets"],
        "code_version": calculation.version,
        "inputs": calculation.inputs,
        "lists_before": lists_before(store.log.history, calculation, published_now),
        "provenance": {
            "calculation": calculation.calculation_id,
            "stands_on": [f"{month} {standing[month].facts['calculation_id']}" for month in before],
            "readings": READINGS,
        },
    }


INDEX = "index.json"
PUBLISHING = "being-published"
"""The file in ``published`` while files are placed there: what readers see then is no state of what is published."""

_NAME = re.compile(rf"({MONTH_NAME.pattern}/)?[A-Za-z0-9_][A-Za-z0-9_.-]{{0,99}}")
_NUMBER = range(1, 2**31)
_DIGEST_OR_NONE = re.compile(f"({DIGEST.pattern})?")
_VALUE = re.compile(f"{REVISION_NAME.pattern}|{DIGEST.pattern}|")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OF_INDEX = {
    "office": str,
    "counter": _NUMBER,
    "day": _DAY,
    "log": _DIGEST_OR_NONE,
    "signed_by": _DIGEST_OR_NONE,
    "published": (_NAME, _VALUE),
    "signers": (_NAME, DIGEST),
    "digest": DIGEST,
    "signature": str,
}
_KEYS = tuple(_OF_INDEX)[:-2]
KEPT = ("office", "counter", "log", "digest", "signed_by", "signature")
"""What the log keeps of an index; it states the rest itself."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index. The names of ``published`` and ``signers`` are paths below the published folder.

    ``office``: the name of the office, empty where it has none. ``log``: the digest of the entry before the one that
    decided this index; empty for the first. ``signed_by``: the fingerprint of the key that signs it; empty where the
    office does not sign.

    ``published``: for each revision (``2025-11/r1``) the digest of its manifest, for ``2025-11/latest`` the name of the
    current revision (empty: the month has none), for any other file its sha256. ``signers``: the fingerprint of the key
    that signed a revision; an unsigned one is not named. ``signature``: as
    :meth:`~ratinglist.publication.manifest.Signer.sign` writes it.
    """

    office: str
    counter: int
    day: str
    log: str
    signed_by: str
    published: dict[str, str]
    signers: dict[str, str]
    signature: str = ""

    @classmethod
    def read(cls, data: bytes) -> Index:
        """Parse the bytes of an index.

        Raises :class:`NotAManifestError` for any bytes that :meth:`encode` would not have returned.
        """
        try:
            content = json.loads(data.decode("utf-8"))
            if not fits(content, _OF_INDEX) or not content["signers"].keys() <= content["published"].keys():
                raise NotAManifestError("it does not have the keys and values of an index")
            index = cls(**{name: content[name] for name in (*_KEYS, "signature")})
            encoded = index.encode()
        except (ValueError, RecursionError):
            raise NotAManifestError("it is not JSON as an index has it") from None
        if encoded != data:
            raise NotAManifestError(
                "its digest is not that of its content, or it is not formatted as ratinglist writes it"
            )
        return index

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
        return {**fields, **by_name}


_LINES = re.compile(rb"signature ([A-Za-z0-9+/]{86}==)\npublic-key ([A-Za-z0-9+/]{43}=)\n")
_DER = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 public key in DER (RFC 8410)."""
_KEY_BYTES = 16_384
"""The largest key file that is read; an Ed25519 key has about a hundred bytes."""
_HOW_TO_MAKE = "make one with: openssl genpkey -algorithm ed25519 -out KEY.pem"


class NotSignedError(Exception):
    """The bytes are not a signature of the data by the key they name; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Signer:
    """The private key of an office."""

    _key: Ed25519PrivateKey = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of its public key."""
        return _fingerprint(self._key.public_key())

    def sign(self, data: bytes) -> bytes:
        """Return the content of the signature file for ``data``."""
        return _encode(self._key.sign(data), self._key.public_key().public_bytes_raw())


def signer_of(settings: Settings) -> Signer:
    """Return the key of an office that signs.

    Raises :class:`CommandLineError` where the key cannot be used, or is stored in the published folder.
    """
    path = settings.home / settings.office.publication.signing_key
    if path.resolve().is_relative_to(settings.published.resolve()):
        raise CommandLineError(f"{path}: the signing key is in the folder that is published. Put it somewhere else.")
    return read_key(path, withheld(settings.home))


def read_key(path: Path, refused: int = 0o077, option: str = "[publication] signing_key") -> Signer:
    """Read the private key in ``path``: PKCS#8 PEM without a passphrase, as openssl makes it.

    ``refused``: the permissions that it may not give (:func:`ratinglist.files.durable_files.withheld`). ``option``:
    where the path was given, for messages.

    Raises :class:`CommandLineError` where the file is missing, is a link or anything else but a regular file, cannot be
    read, has a passphrase, holds a key of another kind, or gives a permission of ``refused``.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        mode, data = _read_key_file(path, NO_LINK)
    except OSError as error:
        raise CommandLineError(
            f"{path}: the signing key cannot be read ({error.strerror}). Write the path of the file itself into "
            f"{option}, or {_HOW_TO_MAKE}"
        ) from None
    if data and mode & refused:
        allowed = "600" if refused & stat.S_IRGRP else "640"
        raise CommandLineError(
            f"{path}: other accounts of this machine may read or write the signing key: chmod {allowed} {path}"
        )
    try:
        key = load_pem_private_key(data, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise CommandLineError(
            f"{path}: this is not a private key in PEM without a passphrase: {_HOW_TO_MAKE}"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CommandLineError(f"{path}: the signing key is not an Ed25519 key: {_HOW_TO_MAKE}")
    return Signer(key)


def read_public_key(path: Path) -> str:
    """Return the fingerprint of the public key (PEM) in ``path``: a file, or a link to one.

    Raises :class:`CommandLineError` where it does not hold one.
    """
    try:
        _, data = _read_key_file(path)
    except OSError as error:
        raise CommandLineError(f"{path}: the public key cannot be read ({error.strerror}).") from None
    return fingerprint_of_public_key(data, str(path))


def _read_key_file(path: Path, flags: int = 0) -> tuple[int, bytes]:
    """Return the mode of a file and its content; nothing of what is no regular file, which is not read."""
    # A pipe or a device may never end, or never answer.
    handle = os.open(path, os.O_RDONLY | NO_WAIT | flags)
    try:
        mode = os.fstat(handle).st_mode
        return mode, os.read(handle, _KEY_BYTES) if stat.S_ISREG(mode) else b""
    finally:
        os.close(handle)


def fingerprint_of_public_key(data: bytes, name: str) -> str:
    """Return the fingerprint of a public key in PEM; ``name``: what it is called in messages.

    Raises :class:`CommandLineError` where it is none.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise CommandLineError(
            f"{name}: this is not a public key in PEM: openssl pkey -in KEY.pem -pubout -out KEY.pub"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise CommandLineError(f"{name}: the public key is not an Ed25519 key.")
    return _fingerprint(key)


def signed_by(data: bytes, signature: bytes, what: str = "manifest") -> str:
    """Check a signature of ``data`` and return the fingerprint of the key that made it.

    ``signature``: the content of a signature file. ``what``: what ``data`` is, for the message. Raises
    :class:`NotSignedError` where it is not as :meth:`Signer.sign` writes it, or is no signature of ``data``.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    lines = _LINES.fullmatch(signature)
    if not lines:
        raise NotSignedError("it is not a signature and a public key in base64")
    proof, public = (base64.b64decode(group) for group in lines.groups())
    if _encode(proof, public) != signature:
        # The last character of base64 has unused bits; a change of one of them is a change of the file.
        raise NotSignedError("it is not encoded as it was written")
    try:
        key = Ed25519PublicKey.from_public_bytes(public)
        key.verify(proof, data)
    except (InvalidSignature, ValueError):
        raise NotSignedError(f"it is not a signature of this {what} by the key it names") from None
    return _fingerprint(key)


def _encode(proof: bytes, public: bytes) -> bytes:
    return b"signature %s\npublic-key %s\n" % (base64.b64encode(proof), base64.b64encode(public))


def _fingerprint(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(_DER + key.public_bytes_raw()).hexdigest()
