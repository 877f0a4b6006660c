"""Publish a calculated month: check it, raise its questions, write a draft, and release the draft or keep a preview.

```
calculation -> checks -> questions -> draft -> approvals -> revision
                                            -> or a preview with its report
```
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NotApprovedError, NothingReadError, UnansweredError
from ratinglist.field_policy import FieldPolicy
from ratinglist.period import Period
from ratinglist.private_files import make_private_folder
from ratinglist.publication import (
    answers,
    approvals,
    checks,
    draft_diff,
    integrity,
    policy,
    preview_report,
    published_tables,
    revision_writer,
    revisions,
    written_text,
)
from ratinglist.publication.approvals import Preview
from ratinglist.publication.checked_month import CheckedMonth, Reasons, check_month, current_calculation
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.questions import (
    RaisedQuestion,
    check_reasons,
    unanswered,
    unanswered_text,
)
from ratinglist.publication.revision_writer import Draft, FinishedFile, RevisionContent
from ratinglist.schemas import EVENT_STATUS, LISTS
from ratinglist.store import calculation_log, journal, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.month_tables import Rows, lists_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import replace_parquet
from ratinglist.summaries import ApprovalSummary, PreviewSummary, PublishSummary

REPORT = "REPORT.md"


def publish(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PublishSummary:
    """Publish a calculated month as a new revision, or find that it is published already.

    Raises what :func:`publish_calculation` raises, and :class:`NothingReadError` where the month was not calculated.
    """
    return publish_calculation(store, settings, current_calculation(store, period), reasons)


def publish_calculation(
    store: Store,
    settings: Settings,
    calculation: Calculation,
    reasons: Reasons,
    *,
    players: pl.DataFrame | None = None,
    hold: bool = False,
) -> PublishSummary:
    """Publish a calculation as a new revision, or find that it is published already.

    ``players``: see :func:`check_month`. ``hold``: keep a preview where a question or an approval is open. Raises what
    :func:`check_month` raises; :class:`UnansweredError` where a question is open, :class:`NotApprovedError` where too
    few people approved exactly this; :class:`CommandLineError` for a reason that answers no question. Nothing is
    published then.
    """
    period = calculation.period
    _check_no_rerating_is_open(store, settings, period)
    month = check_month(store, settings, calculation, reasons, players)
    _check_lists_before_are_published(store, settings, period)
    check_reasons({str(period): month.questions}, reasons)
    go_on = PublishingCommand(period)
    if unanswered(month.questions):
        message = unanswered_text({str(period): month.questions}, str(go_on))
        if hold:
            kept = keep_preview(store, settings, month, write(store, settings, month), go_on)
            message += f"\nThe whole report: {kept.report}"
        raise UnansweredError(message)
    keep_reasons(store, settings, {str(period): month.questions})
    settings.progress("publishing", 0, 1)
    draft = write(store, settings, month)
    if missing := missing_approvals_text(store, settings, draft):
        if hold:
            preview = keep_preview(store, settings, month, draft, go_on)
            raise NotApprovedError(f"{missing}\n{preview.to_approve()}")
        revision_writer.drop(draft)
        _remove_empty_month(settings, period)
        raise NotApprovedError(f"{missing}\n{_approval_remedy(store, settings, draft)}")
    done = revision_writer.release(draft)
    with store.transaction():
        is_known = calculation_log.is_noted(store, period, done.revision)
        calculation_log.note_publication(store, period, done.revision, settings.today)
        statuses = write_event_statuses(store, settings)
        facts = {"month": str(period), "revision": done.revision, "manifest": draft.digest}
        if not is_known:
            journal.note(store, "publish", settings.today, **facts, family=settings.family, tables=statuses)
        elif statuses != published_tables.recorded(store, statuses):
            journal.note(store, "statuses", settings.today, family=settings.family, tables=statuses)
    people = [one.name for one in approvals.approvals_of(store, period, draft.digest)]
    return PublishSummary(
        str(period), f"r{done.revision}", str(done.folder), done.is_new, done.rows, draft.digest, people
    )


def preview(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PreviewSummary:
    """Write the files that would be published and a report on them under ``HOME/previews``, which is not published.

    Questions may be open: the report lists them. Raises what :func:`check_month` raises, :class:`NothingReadError`
    where the month was not calculated, and :class:`CommandLineError` for a reason that answers no question.
    """
    calculation = current_calculation(store, period)
    _check_no_rerating_is_open(store, settings, period)
    month = check_month(store, settings, calculation, reasons)
    check_reasons({str(period): month.questions}, reasons)
    keep_reasons(store, settings, {str(period): month.questions})
    settings.progress("making the preview", 0, 1)
    return keep_preview(store, settings, month, write(store, settings, month), PublishingCommand(period))


def write(
    store: Store,
    settings: Settings,
    month: CheckedMonth,
    added: RevisionContent | None = None,
) -> Draft:
    """Write the draft of a month's revision; ``added``: the diff of a corrected list, as table and text.

    Raises what :func:`~ratinglist.publication.revision_writer.write_draft` raises.
    """
    office_policy = policy.of_office(settings, store)
    content = _content_of(store, month, office_policy.fields)
    if added is not None:
        content = replace(content, tables={**content.tables, **added.tables}, texts=added.texts)
    try:
        return revision_writer.write_draft(settings.published, month.period, content, month.facts, office_policy)
    except CheckError:
        _remove_empty_month(settings, month.period)
        raise


def _content_of(store: Store, month: CheckedMonth, fields: FieldPolicy) -> RevisionContent:
    """Return the files of the calculation that are published unchanged, and the tables to be written again.

    A list is written again where players' data were imported or corrected after the calculation, a table where the
    office has changed the columns that it leaves out.
    """
    calculation, folder = month.calculation, month.calculation.folder
    newest = calculation_log.last_facts(store)
    lists_are_current = newest == (calculation.last_source, calculation.last_correction)
    entries = folder.files()
    finished: dict[str, FinishedFile] = {}
    again: list[str] = []
    for stem in dict.fromkeys(Path(name).stem for name in entries):
        columns = pl.scan_parquet(folder.path / f"{stem}.parquet", glob=False).collect_schema().names()
        if list(columns) != list(fields.table(stem).columns) or (stem in LISTS and not lists_are_current):
            again.append(stem)
            continue
        names = [name for name in entries if Path(name).stem == stem]
        finished |= {name: FinishedFile(folder.path / name, entries[name]) for name in names}
    tables: dict[str, Rows] = {}
    if set(again) & set(LISTS):
        lists = lists_of(month.period, calculation.family, folder.read_state(), month.players, rule_book())
        tables = {stem: rows for stem, rows in lists.items() if stem in again}
    tables |= {stem: folder.read_table(stem) for stem in again if stem not in LISTS}
    return RevisionContent(tables, finished)


def keep_reasons(store: Store, settings: Settings, questions: Mapping[str, Sequence[RaisedQuestion]]) -> None:
    """Keep the reasons given for questions, by month, in one transaction."""
    with store.transaction():
        for month, raised in questions.items():
            answers.keep_reasons(store, Period.parse(month), raised, settings.today)


def missing_approvals_text(store: Store, settings: Settings, draft: Draft) -> str:
    """Return why a draft may not be released, empty where it may be: the missing approvals, and what changed since.

    A revision that is current already needs no approval.
    """
    needed = settings.office.publication.approvals
    if not draft.is_new and revisions.pointed_to(settings.published, draft.period) == draft.folder:
        return ""
    given = approvals.approvals_of(store, draft.period, draft.digest)
    if len(given) >= needed:
        return ""
    people = f" ({', '.join(one.name for one in given)})" if given else ""
    missing = needed - len(given)
    lines = [
        f"Nothing was published: the list of {draft.period} has the digest {draft.digest} and {len(given)} of "
        f"{needed} approvals{people}; {missing} {'is' if missing == 1 else 'are'} missing."
    ]
    approved = approvals.newest_approved(store, draft.period)
    if approved and approved != draft.digest:
        names = ", ".join(one.name for one in approvals.approvals_of(store, draft.period, approved))
        lines.append(f"{names} approved another digest: {approved}.")
        shown = approvals.preview_of(store, draft.period)
        if shown is not None and shown.digest == approved:
            lines += draft_diff.differences(settings.previews / str(draft.period) / f"r{shown.revision}", draft.folder)
    return "\n".join(lines)


def _approval_remedy(store: Store, settings: Settings, draft: Draft) -> str:
    shown = approvals.preview_of(store, draft.period)
    if shown is None or shown.digest != draft.digest:
        return f"Preview it: ratinglist publish {draft.period} --preview"
    report = settings.previews / str(draft.period) / REPORT
    return f"Read {report}, then: ratinglist approve {draft.period} --by NAME --digest {draft.digest[:12]}"


def keep_preview(
    store: Store, settings: Settings, month: CheckedMonth, draft: Draft, go_on: PublishingCommand
) -> PreviewSummary:
    """Keep a draft as the month's preview, with its report; ``go_on``: the command that publishes it."""
    needed = settings.office.publication.approvals
    period, folder = month.period, settings.previews / str(month.period)
    kept = folder / f"r{draft.revision}"
    make_private_folder(settings.previews)
    folder.mkdir(exist_ok=True)
    revision_writer.keep_as(draft, kept)
    _remove_empty_month(settings, period)
    for other in folder.iterdir():
        if other.is_dir() and other != kept:
            shutil.rmtree(other)
    text = preview_report.markdown(_previewed(store, month, draft, needed, go_on))
    path = folder / REPORT
    path.write_text(text, encoding="utf-8", newline="\n")
    open_ones = [one.question for one in unanswered(month.questions)]
    shown = Preview(draft.revision, draft.digest, month.calculation.calculation_id, open_ones, go_on)
    with store.transaction():
        approvals.note_preview(store, period, shown, settings.today)
        journal.note(store, "preview", settings.today, month=str(period), **shown.as_facts())
    given = [one.name for one in approvals.approvals_of(store, period, draft.digest)]
    return PreviewSummary(
        month=str(period),
        revision=f"r{draft.revision}",
        path=str(kept),
        report=str(path),
        digest=draft.digest,
        is_new=draft.is_new,
        questions=[one.as_dict() for one in month.questions],
        unanswered=open_ones,
        approvals_needed=needed,
        approved_by=given,
        go_on=str(go_on),
        lines=[line for one in month.questions for line in one.lines()],
    )


def _previewed(
    store: Store, month: CheckedMonth, draft: Draft, needed: int, go_on: PublishingCommand
) -> preview_report.Previewed:
    rule_sets = rule_book().in_force(month.calculation.family, month.period.first_day)
    before = checks.lists_before(store, month.period, month.players)
    months = [str(month.period), *before["month"].unique().to_list()]
    return preview_report.Previewed(
        period=month.period,
        revision=draft.revision,
        digest=draft.digest,
        is_new=draft.is_new,
        rule_sets=[one["name"] for one in month.calculation.rule_sets],
        floors={one.time_control: one.list.floor for one in rule_sets},
        tables=month.calculation.folder.read_tables(),
        before=before,
        counts=store.read("select * from month_count where month in (select unnest($months))", months=months),
        players=month.players,
        refused=quarantine.of_month(store, month.period),
        questions=month.questions,
        approvals=needed,
        go_on=go_on,
    )


def _remove_empty_month(settings: Settings, period: Period) -> None:
    """Remove the folder of a month that is not published, where it is empty."""
    folder = settings.published / str(period)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def write_event_statuses(store: Store, settings: Settings) -> dict[str, str]:
    """Write ``published/events.parquet``, the status of every report ever received, and return its digest by name."""
    rows = event_status.statuses(store, rule_book(), settings.family)
    table = settings.office.fields.table(EVENT_STATUS.name)
    path = replace_parquet(settings.published / "events.parquet", table, rows)
    return published_tables.digests(settings.published, [path])


def approve(
    store: Store, settings: Settings, period: Period, by: str, digest: str | None = None, remark: str = ""
) -> ApprovalSummary:
    """Keep the approval of the current preview of a month by the person ``by``, and return all its approvals.

    Raises what :func:`~ratinglist.publication.approvals.approvable` raises, :class:`CommandLineError` where the preview
    was published already, and :class:`CheckError` where its files are not those that were made.
    """
    name = written_text.checked(store, settings, period, by, "--by", "the name of the person who approves")
    what = "the remark, or leave the option out" if remark else ""
    remark = written_text.checked(store, settings, period, remark, "--remark", what)
    preview = approvals.approvable(store, period, digest)
    if _is_published(settings, period, preview):
        raise CommandLineError(
            f"The list of {period} is published already, as r{preview.revision} with exactly this digest: nothing is "
            f"to be approved. Who approved it: ratinglist approve {period}"
        )
    kept = settings.previews / str(period) / f"r{preview.revision}"
    if altered := integrity.differences(kept, preview.digest):
        lines = "\n".join(f"  {line}" for line in altered)
        raise CheckError(
            f"Not approved: the preview of {period} was altered, and is not what would be published:\n{lines}\n"
            f"Make it again, and look at it again: {preview.go_on.preview}"
        )
    is_new = approvals.approve(store, period, preview.digest, name, remark, settings.today)
    if is_new:
        facts = {"month": str(period), "manifest": preview.digest, "name": name, "remark": remark}
        journal.note(store, "approve", settings.today, **facts)
    return replace(approved(store, settings, period), already="" if is_new else name)


def approved(store: Store, settings: Settings, period: Period) -> ApprovalSummary:
    """Return the approvals of the current preview of a month; :class:`NothingReadError` where there is no preview."""
    preview = approvals.preview_of(store, period)
    if preview is None:
        raise NothingReadError(f"There is no preview of the list of {period}: ratinglist publish {period} --preview")
    given = [asdict(one) for one in approvals.approvals_of(store, period, preview.digest)]
    done = _is_published(settings, period, preview)
    needed = settings.office.publication.approvals
    return ApprovalSummary(
        str(period), f"r{preview.revision}", preview.digest, given, needed, str(preview.go_on), published=done
    )


def _is_published(settings: Settings, period: Period, preview: Preview) -> bool:
    """Return whether a revision with the digest of this preview was published, current or not."""
    folder = settings.published / str(period) / f"r{preview.revision}"
    return folder.is_dir() and integrity.read_manifest(folder).digest == preview.digest


def _check_lists_before_are_published(store: Store, settings: Settings, period: Period) -> None:
    """Raise :class:`CheckError` where the list was calculated from lists that are not published.

    An imported list counts as published.
    """
    months = store.read(
        "select month from calculation anti join imported_list using (month) where month < $month order by month",
        month=str(period),
    )
    missing = [one for one in months["month"] if revisions.latest(settings.published, Period.parse(one)) is None]
    if missing:
        publish_first = "; ".join(f"ratinglist publish {one}" for one in missing)
        raise CheckError(
            f"Nothing was published: the list of {period} was calculated from {', '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} calculated but not published. Publish in this order: "
            f"{publish_first}; ratinglist publish {period}. If a month is wrong, correct it and rate it again first."
        )


def _check_no_rerating_is_open(store: Store, settings: Settings, period: Period) -> None:
    """Raise :class:`CheckError` where the preview of a re-rating is not published: only `rerate` writes its diff."""
    shown = approvals.preview_of(store, period)
    if shown is None or not shown.go_on.is_rerate or _is_published(settings, period, shown):
        return
    if revisions.pointed_to(settings.published, period) is not None:
        raise CheckError(
            f"Nothing was published: the list of {period} was rated again, and its new revision, r{shown.revision}, "
            f"must be published with its diff (DIFF.md). Preview and publish it with: {shown.go_on}"
        )
