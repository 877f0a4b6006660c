"""A signing key that never ends, never answers or is open to others is refused before it is used."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev"])
def test_a_device_or_a_folder_is_no_signing_key(device: str) -> None:
    with pytest.raises(CommandLineError, match=f"^{device}: this is not a private key"):
        read_key(Path(device))


def test_a_pipe_is_no_signing_key(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key.pem")
    with pytest.raises(CommandLineError, match="this is not a private key"):
        read_key(tmp_path / "key.pem")


def test_a_link_is_no_signing_key(key: Path, tmp_path: Path) -> None:
    (tmp_path / "link.pem").symlink_to(key)
    with pytest.raises(CommandLineError, match=r"link.pem: .* Write the path of the file itself"):
        read_key(tmp_path / "link.pem")


def test_a_missing_key_is_named_with_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(CommandLineError, match=r"cannot be read \(No such file or directory\).*openssl genpkey"):
        read_key(tmp_path / "key.pem")


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


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o640, 0o620, 0o601])
def test_a_key_that_other_accounts_may_use_is_refused_with_the_chmod_to_type(key: Path, mode: int) -> None:
    key.chmod(mode)
    with pytest.raises(CommandLineError, match=f"other accounts of this machine may .*: chmod 600 {key}$"):
        read_key(key)


def test_in_a_shared_home_the_group_may_read_the_key_and_others_may_not(key: Path) -> None:
    key.chmod(0o640)
    assert read_key(key, refused=0o007).fingerprint == read_public_key_of(key.parent)
    key.chmod(0o644)
    with pytest.raises(CommandLineError, match=f"chmod 640 {key}$"):
        read_key(key, refused=0o007)


def read_public_key_of(folder: Path) -> str:
    (folder / "public.pem").write_bytes(PUBLIC)
    return read_public_key(folder / "public.pem")


@pytest.mark.parametrize("kind", ["device", "folder", "pipe"])
def test_what_is_no_ordinary_file_is_no_public_key(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = {"device": Path("/dev/zero"), "folder": tmp_path, "pipe": tmp_path / "pipe"}[kind]
    with pytest.raises(CommandLineError, match="public key"):
        read_public_key(path)


def test_no_more_of_a_long_file_is_read_than_a_key_has(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.touch(0o600)
    os.truncate(key, 2**40)
    with pytest.raises(CommandLineError, match="this is not a private key in PEM"):
        read_key(key)
