"""The people who approve lists: who is meant by a name, and which approvals count.

Two spellings of a name are one person. Where ``office.toml`` lists approvers, only their approvals count, and those of
a person with a public key only with a signature by that key.
"""

from __future__ import annotations

from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.office import NAME, Approver, spelling
from ratinglist.period import Period
from ratinglist.publication import approvals
from ratinglist.publication.approvals import Approval
from ratinglist.publication.signature import (
    NotSignedError,
    fingerprint_of_public_key,
    read_key,
    read_public_key,
    signed_by,
)
from ratinglist.store.database import Store

_BEGINS_PEM = "-----BEGIN"


def person(settings: Settings, by: str) -> Approver:
    """Return the approver whose name or alias ``by`` is; where the office lists none, a person of that name.

    Raises :class:`CommandLineError`, naming the approvers, where none is meant.
    """
    listed = settings.office.approvers
    if not listed:
        return Approver(" ".join(by.split()))
    found = _listed(settings, by)
    if found is None:
        raise CommandLineError(
            f"--by '{by}' is no approver of this office. {NAME} lists: {', '.join(one.name for one in listed)}. Write "
            f"one of these names; a new approver, or another spelling of a name, is added to {NAME}."
        )
    return found


def counting(store: Store, settings: Settings, period: Period, digest: str) -> list[Approval]:
    """Return the approvals of a digest that count, in the order given: the first of each person.

    Raises :class:`CommandLineError` where the public key of an approver cannot be read.
    """
    found: dict[str, Approval] = {}
    for one in approvals.given(store, period, digest):
        if not _problem(settings, period, digest, one):
            found.setdefault(person(settings, one.name).name.casefold(), one)
    return list(found.values())


def not_counting(store: Store, settings: Settings, period: Period, digest: str) -> list[str]:
    """Return a sentence for each approval of a digest that does not count, with the reason."""
    every = approvals.given(store, period, digest)
    return [f"{one.name}: {why}" for one in every if (why := _problem(settings, period, digest, one))]


def signature_of(settings: Settings, who: Approver, key: Path | None, months: dict[Period, str]) -> dict[Period, str]:
    """Return the person's signature of what is approved, by month; empty texts where the person does not sign.

    ``key``: the file of the private key; ``months``: the digest approved of each month. Raises
    :class:`CommandLineError` where a key is missing, is not needed, cannot be used, or is another person's.
    """
    if not who.key:
        if key is not None:
            raise CommandLineError(
                f"--key {key}: {NAME} has no public key of {who.name}, so the signature could not be checked. Add it "
                "as key of that approver, or leave the option out."
            )
        return dict.fromkeys(months, "")
    expected = _fingerprint(settings, who)
    if key is None:
        raise CommandLineError(
            f"{who.name} approves with a signature: name the file of the private key with --key FILE."
        )
    signer = read_key(key, option="--key")
    if signer.fingerprint != expected:
        raise CommandLineError(
            f"--key {key} is not the key of {who.name}: its fingerprint is {signer.fingerprint}, and that of the "
            f"public key in {NAME} is {expected}."
        )
    return {period: signer.sign(_approved_bytes(period, digest)).decode() for period, digest in months.items()}


def _problem(settings: Settings, period: Period, digest: str, approval: Approval) -> str:
    """Return why an approval does not count; empty where it does."""
    if not settings.office.approvers:
        return ""
    who = _listed(settings, approval.name)
    if who is None:
        return f"is no approver by {NAME} any more"
    if not who.key:
        return ""
    if not approval.signature:
        return "the approval is not signed: approve again with --key FILE"
    try:
        signer = signed_by(_approved_bytes(period, digest), approval.signature.encode(), "approval")
    except NotSignedError as error:
        return f"the signature proves nothing: {error}"
    return "" if signer == _fingerprint(settings, who) else f"the approval is signed by another key, {signer}"


def _listed(settings: Settings, name: str) -> Approver | None:
    return next((one for one in settings.office.approvers if spelling(name) in one.spellings), None)


def _fingerprint(settings: Settings, who: Approver) -> str:
    """Return the fingerprint of a person's public key.

    Raises :class:`CommandLineError` where it cannot be read, and where another approver has the same one.
    """
    own = _fingerprint_alone(settings, who)
    for other in settings.office.approvers:
        if other is not who and other.key and _fingerprint_alone(settings, other) == own:
            raise CommandLineError(
                f"{NAME}: {who.name} and {other.name} have the same key. Each person signs with an own one."
            )
    return own


def _fingerprint_alone(settings: Settings, who: Approver) -> str:
    if who.key.lstrip().startswith(_BEGINS_PEM):
        return fingerprint_of_public_key(who.key.encode(), f"{NAME}: the key of {who.name}")
    return read_public_key(settings.home / who.key)


def _approved_bytes(period: Period, digest: str) -> bytes:
    """Return what a person signs: a line with the month and the digest of its manifest."""
    return f"approved {period} {digest}\n".encode()
