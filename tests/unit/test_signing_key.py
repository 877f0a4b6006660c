"""A signing key that never ends, never answers or is open to others is refused before it is used."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from ratinglist.errors import CommandLineError
from ratinglist.publication.manifest import read_key, read_public_key

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PRIVATE = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    path.touch(0o600)
    path.write_bytes(PRIVATE)
    return path


RSA = rsa.generate_private_key(public_exponent=65537, key_size=1024)
WRONG_KEYS = {
    "garbage": (b"\xff\x00 not a key", "not a private key in PEM"),
    "public": (PUBLIC, "not a private key in PEM"),
    "rsa": (RSA.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), "not an Ed25519 key"),
    "locked": (
        KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")),
        "without a passphrase",
    ),
}


@pytest.mark.parametrize("content", WRONG_KEYS)
def test_a_key_that_cannot_sign_is_refused_with_the_remedy(key: Path, content: str) -> None:
    data, message = WRONG_KEYS[content]
    key.write_bytes(data)
    with pytest.raises(CommandLineError, match=message):
        read_key(key)


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def long_file(path: Path) -> Path:
    path.touch(0o600)
    os.truncate(path, 2**40)
    return path


def link(path: Path) -> Path:
    path.symlink_to(__file__)
    return path


@pytest.mark.parametrize(
    ("path_of", "message"),
    [
        (lambda _: Path("/dev/zero"), "^/dev/zero: this is not a private key"),
        (lambda _: Path("/dev/null"), "^/dev/null: this is not a private key"),
        (lambda _: Path("/dev"), "^/dev: this is not a private key"),
        (pipe, "this is not a private key"),
        (long_file, "this is not a private key in PEM"),
        (link, r"key.pem: .* Write the path of the file itself"),
        (lambda path: path, r"cannot be read \(No such file or directory\).*openssl genpkey"),
    ],
)
def test_what_is_no_ordinary_file_is_no_signing_key(
    tmp_path: Path, path_of: Callable[[Path], Path], message: str
) -> None:
    with pytest.raises(CommandLineError, match=message):
        read_key(path_of(tmp_path / "key.pem"))


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o640, 0o620, 0o601])
def test_a_key_that_other_accounts_may_use_is_refused_with_the_chmod_to_type(key: Path, mode: int) -> None:
    key.chmod(mode)
    with pytest.raises(CommandLineError, match=f"other accounts of this machine may .*: chmod 600 {key}$"):
        read_key(key)


def test_in_a_shared_home_the_group_may_read_the_key_and_others_may_not(key: Path) -> None:
    key.chmod(0o640)
    public = key.with_name("public.pem")
    public.write_bytes(PUBLIC)
    assert read_key(key, refused=0o007).fingerprint == read_public_key(public)
    key.chmod(0o644)
    with pytest.raises(CommandLineError, match=f"chmod 640 {key}$"):
        read_key(key, refused=0o007)


@pytest.mark.parametrize("path_of", [lambda _: Path("/dev/zero"), lambda path: path.parent, pipe])
def test_what_is_no_ordinary_file_is_no_public_key(tmp_path: Path, path_of: Callable[[Path], Path]) -> None:
    with pytest.raises(CommandLineError, match="public key"):
        read_public_key(path_of(tmp_path / "key.pem"))
