"""Previews of lists and their approvals: what is approved, who is meant by a name, and which approvals count.

Approvals are only added; a month's preview replaces the one before. Two spellings of a name are one person. Where
``office.toml`` lists approvers, only their approvals count, and those of a person with a public key only with a
signature by that key.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.office import NAME, Approver, spelling
from ratinglist.period import Period
from ratinglist.publication.checked_month import current_calculation
from ratinglist.publication.signature import (
    NotSignedError,
    fingerprint_of_public_key,
    read_key,
    signed_by,
)
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store

_PUBLISH = "ratinglist publish "
_RERATE = "ratinglist rerate --from "


@dataclass(frozen=True, slots=True)
class PublishingCommand:
    """The command that publishes a list.

    ``month``: the list published, or the first list rated again. ``is_rerate``: only a re-rating writes the diff of a
    corrected list, so only it publishes its own previews.
    """

    month: Period
    is_rerate: bool = False

    def __str__(self) -> str:
        """Return the command as it is typed."""
        return f"{_RERATE if self.is_rerate else _PUBLISH}{self.month}"

    @property
    def preview(self) -> str:
        """Return the command, as it is typed, that makes the preview again."""
        return str(self) if self.is_rerate else f"{self} --preview"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the command that ``str`` printed: the store keeps it as text."""
        is_rerate = text.startswith(_RERATE)
        return cls(Period.parse(text.removeprefix(_RERATE if is_rerate else _PUBLISH)), is_rerate)


SHORTEST = 12
"""Fewest characters of a digest that identify it; all sixty-four need not be typed."""


@dataclass(frozen=True, slots=True)
class Approval:
    """One person's approval of one digest.

    ``known_on``: the day, ``YYYY-MM-DD``. ``signature``: as :meth:`~ratinglist.publication.signature.Signer.sign`
    writes it; empty where it is not signed.
    """

    name: str
    remark: str
    known_on: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The newest preview of a month.

    ``calculation_id``: the calculation it shows. ``unanswered``: the questions without an answer. ``go_on``: the
    command that publishes it.
    """

    revision: int
    digest: str
    calculation_id: str
    unanswered: list[str]
    go_on: PublishingCommand

    def as_facts(self) -> dict[str, object]:
        """Return the preview as JSON values, for the log."""
        return {
            "revision": self.revision,
            "manifest": self.digest,
            "calculation_id": self.calculation_id,
            "unanswered": self.unanswered,
            "go_on": str(self.go_on),
        }

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Preview:
        """Return the preview that :meth:`as_facts` encoded."""
        go_on = PublishingCommand.parse(facts["go_on"])
        return cls(facts["revision"], facts["manifest"], facts["calculation_id"], facts["unanswered"], go_on)


def preview_of(store: Store, period: Period) -> Preview | None:
    """Return the newest preview of a month, or None."""
    stated = store.log.history.previews.get(str(period))
    return None if stated is None else Preview.of_facts(stated)


def given(store: Store, period: Period, digest: str) -> list[Approval]:
    """Return every approval of a digest in the order given; some may be of one person, or count no more."""
    return [
        Approval(one["name"], one["remark"], one["known_on"], one.get("signature", ""))
        for one in store.log.history.approvals
        if (one["month"], one["manifest"]) == (str(period), digest)
    ]


def newest_approved(store: Store, period: Period) -> str:
    """Return the digest that was approved last; empty where none was."""
    approved = [one["manifest"] for one in store.log.history.approvals if one["month"] == str(period)]
    return approved[-1] if approved else ""


def approvable(store: Store, period: Period, digest: str | None) -> Preview:
    """Return the preview that may be approved now.

    ``digest``: the digest that the approver read, or its beginning; None: any.

    Raises :class:`NothingReadError` where there is no preview, :class:`CommandLineError` where the digest is blank,
    :class:`CheckError` where the preview has another digest, has a question without an answer, or shows a calculation
    that was replaced since.
    """
    if digest is not None and not digest.strip():
        raise CommandLineError(
            "--digest is empty: write the digest of the preview that you read, or leave the option out."
        )
    preview = preview_of(store, period)
    if preview is None:
        current_calculation(store, period)
        raise NothingReadError(
            f"There is no preview of the list of {period} to approve. Make one: ratinglist publish {period} --preview"
        )
    again = f"Make the preview again: {preview.go_on.preview}"
    if digest is not None and not (preview.digest.startswith(digest.lower()) and len(digest) >= SHORTEST):
        raise CheckError(
            f"Not approved: the current preview of {period} has the digest {preview.digest}, not {digest}. Read "
            f"previews/{period}/REPORT.md, then approve that digest."
        )
    calculation = calculations.calculation(store, period)
    if calculation is None or preview.calculation_id != calculation.calculation_id:
        raise CheckError(f"Not approved: the list of {period} was calculated again since its preview. {again}")
    if preview.unanswered:
        raise CheckError(
            f"Not approved: the preview of {period} has no answer to {', '.join(preview.unanswered)}. Answer with "
            f'--because QUESTION="your reason". {again}'
        )
    return preview


def person(settings: Settings, by: str) -> Approver:
    """Return the approver whose name ``by`` is; where the office lists none, a person of that name.

    Raises :class:`CommandLineError`, naming the approvers, where none is meant.
    """
    listed = settings.office.approvers
    if not listed:
        return Approver(" ".join(by.split()))
    found = _listed(settings, by)
    if found is None:
        raise CommandLineError(
            f"--by '{by}' is no approver of this office. {NAME} lists: {', '.join(one.name for one in listed)}. Write "
            f"one of these names; a new approver is added to {NAME}."
        )
    return found


def counting(store: Store, settings: Settings, period: Period, digest: str) -> list[Approval]:
    """Return the approvals of a digest that count, in the order given: the first of each person.

    Raises :class:`CommandLineError` where the public key of an approver cannot be read.
    """
    found: dict[str, Approval] = {}
    for one in given(store, period, digest):
        if not _problem(settings, period, digest, one):
            found.setdefault(spelling(person(settings, one.name).name), one)
    return list(found.values())


def not_counting(store: Store, settings: Settings, period: Period, digest: str) -> list[str]:
    """Return a sentence for each approval of a digest that does not count, with the reason."""
    every = given(store, period, digest)
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
        first, last = min(months), max(months)
        since = "" if first == last else f" --from {first}"
        raise CommandLineError(
            f"{who.name} approves with a signature, which only a command gives: "
            f"ratinglist approve {last}{since} --by {shlex.quote(who.name)} --key FILE. FILE has the private key."
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
    if signer != _fingerprint(settings, who):
        return f"the approval is signed by another key, {signer}"
    return ""


def _listed(settings: Settings, name: str) -> Approver | None:
    return next((one for one in settings.office.approvers if spelling(name) == spelling(one.name)), None)


def _fingerprint(settings: Settings, who: Approver) -> str:
    """Return the fingerprint of a person's public key.

    Raises :class:`CommandLineError` where it is none, and where another approver has the same one.
    """
    keys = {
        one.name: fingerprint_of_public_key(one.key.encode(), f"{NAME}: the key of {one.name}")
        for one in settings.office.approvers
        if one.key
    }
    for other, key in keys.items():
        if other != who.name and key == keys[who.name]:
            raise CommandLineError(
                f"{NAME}: {who.name} and {other} have the same key. Each person signs with an own one."
            )
    return keys[who.name]


def _approved_bytes(period: Period, digest: str) -> bytes:
    """Return what a person signs: a line with the month and the digest of its manifest."""
    return f"approved {period} {digest}\n".encode()
