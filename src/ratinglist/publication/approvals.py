"""Previews of lists and their approvals. Approvals are only added; a month's preview replaces the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.store import calculations
from ratinglist.store.database import Store

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
