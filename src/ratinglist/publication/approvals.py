"""Previews of lists and their approvals. Approvals are only added; a month's preview replaces the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication.publishing_command import PublishingCommand
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
        """Return the preview as JSON values, for the journal."""
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


def note_preview(store: Store, period: Period, preview: Preview, known_on: date) -> None:
    """Insert the newest preview of a month, or replace the one before."""
    store.execute(
        "insert or replace into preview values ($month, $revision, $digest, $calculation, $unanswered, $go_on, $day)",
        month=str(period),
        revision=preview.revision,
        digest=preview.digest,
        calculation=preview.calculation_id,
        unanswered=" ".join(preview.unanswered),
        go_on=str(preview.go_on),
        day=known_on,
    )


def preview_of(store: Store, period: Period) -> Preview | None:
    """Return the newest preview of a month, or None."""
    rows = store.read("select * from preview where month = $month", month=str(period)).to_dicts()
    if not rows:
        return None
    row = rows[0]
    go_on = PublishingCommand.parse(row["go_on"])
    return Preview(row["revision"], row["digest"], row["calculation_id"], row["unanswered"].split(), go_on)


def given(store: Store, period: Period, digest: str) -> list[Approval]:
    """Return every approval of a digest in the order given; some may be of one person, or count no more."""
    rows = store.read(
        """
        select name, remark, known_on::varchar as known_on, coalesce(signature, '') as signature
        from approval left join approval_signature using (approval_no)
        where month = $month and digest = $digest order by approval_no
        """,
        month=str(period),
        digest=digest,
    )
    return [Approval(**row) for row in rows.to_dicts()]


def newest_approved(store: Store, period: Period) -> str:
    """Return the digest that was approved last; empty where none was."""
    rows = store.read(
        "select digest from approval where month = $month order by approval_no desc limit 1", month=str(period)
    )
    return str(rows.item()) if len(rows) else ""


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
    calculation = store.read("select calculation_id from calculation where month = $month", month=str(period))
    if preview.calculation_id not in calculation["calculation_id"]:
        raise CheckError(f"Not approved: the list of {period} was calculated again since its preview. {again}")
    if preview.unanswered:
        raise CheckError(
            f"Not approved: the preview of {period} has no answer to {', '.join(preview.unanswered)}. Answer with "
            f'--because QUESTION="your reason". {again}'
        )
    return preview


def insert(
    store: Store, period: Period, digest: str, name: str, remark: str, known_on: date, signature: str = ""
) -> None:
    """Insert the approval of a digest by the person ``name``."""
    number = int(store.read("select coalesce(max(approval_no), 0) + 1 as n from approval").item())
    store.execute(
        "insert into approval values ($number, $month, $digest, $name, $remark, $day)",
        number=number,
        month=str(period),
        digest=digest,
        name=name,
        remark=remark,
        day=known_on,
    )
    if signature:
        store.execute("insert into approval_signature values ($number, $signature)", number=number, signature=signature)
