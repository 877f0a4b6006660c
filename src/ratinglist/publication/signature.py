"""An Ed25519 signature of a manifest: made with the office's private key, checked by anybody, with or without openssl.

``manifest.json.sig`` is two lines of text: ``signature`` and ``public-key``, each in base64. The same key and bytes
always give the same signature (RFC 8032). A key is told by its fingerprint, the sha256 of the public key in DER.
"""

from __future__ import annotations

import base64
import hashlib
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from ratinglist.errors import CommandLineError

_LINES = re.compile(rb"signature ([A-Za-z0-9+/]{86}==)\npublic-key ([A-Za-z0-9+/]{43}=)\n")
_KEY_BYTES = 16_384
"""The largest key file that is read; an Ed25519 key has some hundred bytes."""
_HOW_TO_MAKE = "make one with: openssl genpkey -algorithm ed25519 -out KEY.pem"


class NotSignedError(Exception):
    """A signature is not one, or not of these bytes, or of another key; says why."""


@dataclass(frozen=True, slots=True)
class Signer:
    """The private key of an office, ready to sign."""

    _key: Ed25519PrivateKey = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """Of the public key that belongs to it."""
        return _fingerprint(self._key.public_key())

    def signed(self, data: bytes) -> bytes:
        """The text of the signature file for ``data``."""
        return _told(self._key.sign(data), _raw(self._key.public_key()))


def read_key(path: Path) -> Signer:
    """The private key in ``path``: PKCS#8 PEM without a passphrase, as openssl makes it.

    Raises :class:`CommandLineError` where there is none, it is no ordinary file, cannot be read, is locked, of another
    kind, or may be read by everybody on this machine.
    """
    try:
        may_read = path.stat().st_mode
        # A pipe or a device may never end, or never answer.
        data = _at_most(path) if stat.S_ISREG(may_read) else None
    except OSError as error:
        raise CommandLineError(
            f"{path}: the signing key cannot be read ({error.strerror}). Mend [publication] signing_key, or "
            f"{_HOW_TO_MAKE}"
        ) from None
    if data is None:
        raise CommandLineError(
            f"{path}: the signing key is not an ordinary file. Mend [publication] signing_key, or {_HOW_TO_MAKE}"
        )
    if may_read & (stat.S_IROTH | stat.S_IWOTH):
        raise CommandLineError(f"{path}: everybody on this machine may read the signing key: chmod 600 {path}")
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError:
        raise CommandLineError(
            f"{path}: the signing key is locked by a passphrase, and nobody is there to give it. Store it without one: "
            f"openssl pkey -in {path} -out KEY.pem"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise CommandLineError(f"{path}: this is not a private key in PEM: {_HOW_TO_MAKE}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CommandLineError(f"{path}: the signing key is not an Ed25519 key: {_HOW_TO_MAKE}")
    return Signer(key)


def read_public_key(path: Path) -> str:
    """The fingerprint of the public key (PEM) in ``path``.

    Raises :class:`CommandLineError` where there is none.
    """
    try:
        key = load_pem_public_key(_at_most(path))
    except OSError as error:
        raise CommandLineError(f"{path}: the public key cannot be read ({error.strerror}).") from None
    except (ValueError, UnsupportedAlgorithm):
        raise CommandLineError(
            f"{path}: this is not a public key in PEM: openssl pkey -in KEY.pem -pubout -out {path}"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise CommandLineError(f"{path}: the public key is not an Ed25519 key.")
    return _fingerprint(key)


def signed_by(data: bytes, signature: bytes) -> str:
    """The fingerprint of the key that signed ``data``, by the text of a signature file.

    Raises :class:`NotSignedError` where the text is not spelt as :meth:`Signer.signed` does, or does not fit ``data``.
    """
    found = _LINES.fullmatch(signature)
    if not found:
        raise NotSignedError("it is not a signature and a public key in base64")
    proof, public = (base64.b64decode(one) for one in found.groups())
    if _told(proof, public) != signature:
        # The last letter of base64 has bits that mean nothing; a change of one of them is a change.
        raise NotSignedError("it is not spelt as it was written")
    key = Ed25519PublicKey.from_public_bytes(public)
    try:
        key.verify(proof, data)
    except InvalidSignature:
        raise NotSignedError("it is not a signature of this manifest by the key it names") from None
    return _fingerprint(key)


def _at_most(path: Path) -> bytes:
    """The first bytes of a key file: what is longer is no key, and reads as none."""
    with path.open("rb") as file:
        return file.read(_KEY_BYTES)


def _told(proof: bytes, public: bytes) -> bytes:
    return b"signature %s\npublic-key %s\n" % (base64.b64encode(proof), base64.b64encode(public))


def _raw(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _fingerprint(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
