"""Keep drafts as previews of lists, with their reports, and let people approve them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import synced
from ratinglist.office import Approver, spelling
from ratinglist.period import Period
from ratinglist.publication import approvals, questions, release, revision_writer, revisions, settle
from ratinglist.publication.approvals import Approval, Preview, PublishingCommand
from ratinglist.publication.change import draft_path
from ratinglist.publication.checked_month import CheckedMonth
from ratinglist.publication.questions import RaisedQuestion, unanswered
from ratinglist.publication.revision_writer import Draft
from ratinglist.publication.settle import PREVIEWS
from ratinglist.publication.verify import against_manifest, folders
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.summaries import ApprovalSummary, PreviewSummary

REPORT = "REPORT.md"
PICTURES = "REPORT.html"
"""The same report with charts, for a browser. Neither is part of what is published."""


def keep(
    store: Store,
    settings: Settings,
    drafts: Sequence[tuple[CheckedMonth, Draft]],
    questions: Mapping[str, Sequence[RaisedQuestion]],
    go_on: PublishingCommand,
) -> list[PreviewSummary]:
    """Keep drafts as the previews of their months, each with its report, and the reasons given so far.

    ``questions``: those whose reasons are kept, by month; ``go_on``: the command that publishes the lists.
    """
    stated = []
    for month, draft in drafts:
        _write(store, settings, month, draft, go_on)
        open_ones = [one.question for one in unanswered(month.questions)]
        shown = Preview(draft.revision, draft.digest, month.calculation.calculation_id, open_ones, go_on)
        stated.append({"month": str(month.period), **shown.as_facts()})
    reasons = release.new_reasons(store, questions)
    store.record("preview", settings.today, previews=stated, **({"answers": reasons} if reasons else {}))
    settle.carry_out(store.log, settings)
    return [_summary(store, settings, month, draft, go_on) for month, draft in drafts]


def _write(store: Store, settings: Settings, month: CheckedMonth, draft: Draft, go_on: PublishingCommand) -> None:
    """Move a draft to the drafts of previews, and write its report into the same folder, as Markdown and as a page."""
    folder = draft_path(settings.drafts, f"{PREVIEWS}/{month.period}")
    revision_writer.keep_as(draft, folder / f"r{draft.revision}")
    # Here, because a list that is published at once has no report.
    from ratinglist.publication.report_document import report_texts

    for name, text in zip((REPORT, PICTURES), report_texts(store, settings, month, draft, go_on), strict=True):
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        synced(path)


def _summary(
    store: Store, settings: Settings, month: CheckedMonth, draft: Draft, go_on: PublishingCommand
) -> PreviewSummary:
    period, folder = month.period, settings.previews / str(month.period)
    return PreviewSummary(
        month=str(period),
        revision=f"r{draft.revision}",
        path=str(folder / f"r{draft.revision}"),
        report=str(folder / REPORT),
        digest=draft.digest,
        is_new=draft.is_new,
        questions=[one.as_dict() for one in month.questions],
        unanswered=[one.question for one in unanswered(month.questions)],
        approvals_needed=settings.office.publication.approvals,
        approved_by=[one.name for one in approvals.counting(store, settings, period, draft.digest)],
        go_on=str(go_on),
        lines=[line for one in month.questions for line in one.lines()],
        typed=month.typed if draft.is_new else [],
    )


def approve(
    store: Store,
    settings: Settings,
    months: Sequence[Period],
    by: str,
    digest: str | None = None,
    remark: str = "",
    key: Path | None = None,
) -> list[ApprovalSummary]:
    """Keep the approval of the current previews of some months by the person ``by``: all of them, or none.

    ``months``: oldest first; ``digest``: that of the last one. ``key``: the file of the person's private key. Out: for
    each month all its approvals. Raises what :func:`~ratinglist.publication.approvals.approvable` raises,
    :class:`CommandLineError` where a preview was published already, the name or the key is wrong, and
    :class:`CheckError` where the files of a preview are not those that were made.
    """
    name = questions.checked(store, settings, months[-1], by, "--by", "the name of the person who approves")
    who = approvals.person(settings, name)
    what = "the remark, or leave the option out" if remark else ""
    remark = questions.checked(store, settings, months[-1], remark, "--remark", what)
    digests = {
        period: _approvable(store, settings, period, digest if period == months[-1] else None) for period in months
    }
    signatures = approvals.signature_of(settings, who, key, digests)
    already = {period: _approved_before(store, settings, period, who, digests[period]) for period in months}
    new = [
        {
            "month": str(period),
            "manifest": digests[period],
            "name": who.name,
            "remark": remark,
            **({"signature": signatures[period]} if signatures[period] else {}),
        }
        for period in months
        if not already[period]
    ]
    if new:
        store.record("approve", settings.today, approvals=new)
    return [replace(approved(store, settings, period), already=already[period]) for period in months]


def _approvable(store: Store, settings: Settings, period: Period, digest: str | None) -> str:
    """Return the digest of the preview of a month, which may be approved."""
    preview = approvals.approvable(store, period, digest)
    if is_published(settings, period, preview):
        raise CommandLineError(
            f"The list of {period} is published already, as r{preview.revision} with exactly this digest: nothing is "
            f"to be approved. Who approved it: ratinglist approve {period}"
        )
    kept = settings.previews / str(period) / f"r{preview.revision}"
    if altered := folders.altered_files(kept, preview.digest):
        lines = "\n".join(altered)
        raise CheckError(
            f"Not approved: the preview of {period} was altered, and is not what would be published:\n{lines}\n"
            f"Make it again, and look at it again: {preview.go_on.preview}"
        )
    return preview.digest


def _approved_before(store: Store, settings: Settings, period: Period, who: Approver, digest: str) -> str:
    """Return the name by which a person has approved the same before; empty where the person has not."""
    counting = approvals.counting(store, settings, period, digest)
    return next((one.name for one in counting if spelling(one.name) == spelling(who.name)), "")


def approved(store: Store, settings: Settings, period: Period) -> ApprovalSummary:
    """Return the approvals of the current preview of a month; :class:`NothingReadError` where there is no preview."""
    preview = approvals.preview_of(store, period)
    if preview is None:
        raise NothingReadError(f"There is no preview of the list of {period}: ratinglist publish {period} --preview")
    counting = [_as_dict(one) for one in approvals.counting(store, settings, period, preview.digest)]
    done = is_published(settings, period, preview)
    needed = settings.office.publication.approvals
    return ApprovalSummary(
        str(period), f"r{preview.revision}", preview.digest, counting, needed, str(preview.go_on), published=done
    )


def _as_dict(approval: Approval) -> dict[str, str]:
    """Return an approval as JSON values; ``signature`` only where it is signed."""
    return {name: value for name, value in asdict(approval).items() if value or name != "signature"}


def to_approve(store: Store, settings: Settings, start: Period, end: Period) -> list[Period]:
    """Return the months from ``start`` to ``end`` whose preview is to be approved, and ``end`` in any case.

    A month that was not calculated here, or is published with the figures that it has now, is not one of them.
    """
    if start > end:
        raise CommandLineError(f"--from {start} is after {end}: write the earlier month with --from.")
    found = []
    for period in calculations.months_from(store, start):
        shown = approvals.preview_of(store, period)
        is_done = shown is None and revisions.current(store, settings, period) is not None
        if period < end and not is_done and not (shown and is_published(settings, period, shown)):
            found.append(period)
    return [*found, end]


def is_published(settings: Settings, period: Period, preview: Preview) -> bool:
    """Return whether a revision with the digest of this preview was published, current or not."""
    folder = settings.published / str(period) / f"r{preview.revision}"
    return folder.is_dir() and against_manifest.read_manifest(folder).digest == preview.digest
