"""Who approved which preview of a list, and when. Approvals only grow; a preview is replaced by the next one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.store.database import Store

SHORTEST = 12
"""Characters of a digest that name it: nobody types sixty-four."""


@dataclass(frozen=True, slots=True)
class Approval:
    """One person's word for one digest. ``known_on``: the day, ``YYYY-MM-DD``."""

    name: str
    remark: str
    known_on: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The newest preview of a month.

    ``calculation_id``: the calculation it shows. ``unanswered``: the questions it leaves open. ``go_on``: the command
    that publishes it.
    """

    revision: int
    digest: str
    calculation_id: str
    unanswered: list[str]
    go_on: str

    @property
    def of_rerating(self) -> bool:
        """Whether a re-rating made it: then it has the diff, and only the re-rating publishes it."""
        return self.go_on.startswith("ratinglist rerate")

    @property
    def again(self) -> str:
        """The command that makes it again."""
        return self.go_on if self.of_rerating else f"{self.go_on} --preview"


def note_preview(store: Store, period: Period, preview: Preview, known_on: date) -> None:
    """Note the newest preview of a month in the place of the one before."""
    store.execute(
        "insert or replace into preview values ($month, $revision, $digest, $calculation, $unanswered, $go_on, $day)",
        month=str(period),
        revision=preview.revision,
        digest=preview.digest,
        calculation=preview.calculation_id,
        unanswered=" ".join(preview.unanswered),
        go_on=preview.go_on,
        day=known_on,
    )


def preview_of(store: Store, period: Period) -> Preview | None:
    """The newest preview of a month, or None."""
    rows = store.read("select * from preview where month = $month", month=str(period)).to_dicts()
    if not rows:
        return None
    row = rows[0]
    return Preview(row["revision"], row["digest"], row["calculation_id"], row["unanswered"].split(), row["go_on"])


def approvals_of(store: Store, period: Period, digest: str) -> list[Approval]:
    """The people who approved a digest, in the order they did, everybody once."""
    rows = store.read(
        """
        select name, remark, known_on::varchar as known_on from approval
        where month = $month and digest = $digest
        qualify row_number() over (partition by lower(name) order by approval_no) = 1
        order by approval_no
        """,
        month=str(period),
        digest=digest,
    )
    return [Approval(**row) for row in rows.to_dicts()]


def newest_approved(store: Store, period: Period) -> str:
    """The digest that somebody approved last; empty where nobody approved anything."""
    rows = store.read(
        "select digest from approval where month = $month order by approval_no desc limit 1", month=str(period)
    )
    return str(rows.item()) if len(rows) else ""


def approvable(store: Store, period: Period, digest: str | None) -> Preview:
    """The preview that may be approved now; ``digest``: what the approver believes it is, None: whatever it is.

    Raises :class:`NothingReadError` where there is none, :class:`CommandLineError` where the digest is blank,
    :class:`CheckError` where it is another, leaves a question open, or the list was calculated again since.
    """
    if digest is not None and not digest.strip():
        raise CommandLineError(
            "--digest is empty: write the digest of the preview that was read, or leave the option out."
        )
    preview = preview_of(store, period)
    if preview is None:
        raise NothingReadError(
            f"There is no preview of the list of {period} to approve. Make one: ratinglist publish {period} --preview"
        )
    again = f"Make the preview again: {preview.again}"
    if digest is not None and not (preview.digest.startswith(digest.lower()) and len(digest) >= SHORTEST):
        raise CheckError(
            f"Not approved: the current preview of {period} has the digest {preview.digest}, not {digest}. Read its "
            "REPORT.md, then approve that."
        )
    calculation = store.read("select calculation_id from calculation where month = $month", month=str(period))
    if preview.calculation_id not in calculation["calculation_id"]:
        raise CheckError(f"Not approved: the list of {period} was calculated again since its preview. {again}")
    if preview.unanswered:
        raise CheckError(
            f"Not approved: the preview of {period} leaves open {', '.join(preview.unanswered)}. Answer with --because "
            f'QUESTION="your reason". {again}'
        )
    return preview


def approve(store: Store, period: Period, digest: str, name: str, remark: str, known_on: date) -> bool:
    """Note that somebody approved a digest; False where he had done so before."""
    name = " ".join(name.split())
    if any(one.name.lower() == name.lower() for one in approvals_of(store, period, digest)):
        return False
    store.execute(
        """
        insert into approval
        select coalesce(max(approval_no), 0) + 1, $month, $digest, $name, $remark, $day from approval
        """,
        month=str(period),
        digest=digest,
        name=name,
        remark=remark,
        day=known_on,
    )
    return True
