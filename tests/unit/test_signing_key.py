"""A signing key that never ends, or never answers, is refused before it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.publication.signature import read_key, read_public_key


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev"])
def test_a_device_or_a_folder_is_no_signing_key(device: str) -> None:
    with pytest.raises(CommandLineError, match=f"^{device}: the signing key is not an ordinary file"):
        read_key(Path(device))


def test_a_pipe_is_no_signing_key(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key.pem")
    with pytest.raises(CommandLineError, match="is not an ordinary file"):
        read_key(tmp_path / "key.pem")


def test_a_public_key_file_without_end_is_refused() -> None:
    with pytest.raises(CommandLineError, match="this is not a public key in PEM"):
        read_public_key(Path("/dev/zero"))


def test_no_more_of_a_long_file_is_read_than_a_key_has(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.touch(0o600)
    os.truncate(key, 2**40)
    with pytest.raises(CommandLineError, match="this is not a private key in PEM"):
        read_key(key)
