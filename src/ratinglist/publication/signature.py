"""Sign a manifest with the private key of an office (Ed25519), and check a signature; openssl can check one too.

``manifest.json.sig`` is two lines of text: ``signature`` and ``public-key``, each in base64. The same key and bytes
always give the same signature (RFC 8032). A key is identified by its fingerprint, the sha256 of the public key in DER.

Every command that opens a home imports this module, and few sign or verify. So the functions that do import
cryptography, which takes 20 ms to load.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import NO_LINK, NO_WAIT, withheld
from ratinglist.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_LINES = re.compile(rb"signature ([A-Za-z0-9+/]{86}==)\npublic-key ([A-Za-z0-9+/]{43}=)\n")
_DER = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 public key in DER (RFC 8410)."""
_KEY_BYTES = 16_384
"""The largest key file that is read; an Ed25519 key has some hundred bytes."""
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

    found = _LINES.fullmatch(signature)
    if not found:
        raise NotSignedError("it is not a signature and a public key in base64")
    proof, public = (base64.b64decode(group) for group in found.groups())
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
