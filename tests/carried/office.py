"""What a kept home is made of, and the command that publishes its next list."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HOMES = Path(__file__).resolve().parent / "homes"
MONTHS = ("2025-01", "2025-02")
NEXT = "2025-03"
TO_THE_NEXT_LIST = ("run", NEXT, f"world/reports/{NEXT}", "--yes")
_SEED = bytes(32)
"""The key signs made-up lists alone, so it is the same one always and no secret."""


def write_key(home: Path) -> None:
    """Write the private key of the office into its home, closed to other accounts."""
    key = Ed25519PrivateKey.from_private_bytes(_SEED)
    path = home / "office.pem"
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def public_key() -> bytes:
    """Return the public key of the office, as it gives it to readers."""
    return (
        Ed25519PrivateKey.from_private_bytes(_SEED)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
