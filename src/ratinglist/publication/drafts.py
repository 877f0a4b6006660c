"""From a calculated month to what readers see.

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
from ratinglist.publication import (
    approvals,
    checks,
    draft_diff,
    integrity,
    policy,
    preview_report,
    questions,
    revisions,
)
from ratinglist.publication import revision_writer as publication
from ratinglist.publication.approvals import Preview
from ratinglist.publication.checked_month import Ready, Reasons, calculated, ready
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.raised_questions import (
    RaisedQuestion,
    check_reasons,
    checked_text,
    unanswered,
    unanswered_text,
)
from ratinglist.publication.revision_writer import Draft, FinishedFile
from ratinglist.schemas import EVENT_STATUS, LISTS
from ratinglist.store import calculation_log, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.month_tables import Rows, lists_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_beside
from ratinglist.summaries import ApprovalSummary, PreviewSummary, PublishSummary

REPORT = "REPORT.md"


def publish(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PublishSummary:
    """Publish a calculated month as a new revision, or find that it is published already.

    Raises what :func:`publish_calculation` raises, and :class:`NothingReadError` where the month was not calculated.
    """
    return publish_calculation(store, settings, calculated(store, period), reasons)


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

    ``players``: as of :func:`ready`. ``hold``: where people have to look first, make the preview they look at. Raises
    what :func:`ready` raises; :class:`UnansweredError` where a question is open, :class:`NotApprovedError` where too
    few people approved exactly this; :class:`CommandLineError` for a reason that answers no question. Nothing is
    published then.
    """
    period = calculation.period
    _check_no_rerating_waits(store, settings, period)
    month = ready(store, settings, calculation, reasons, players)
    check_reasons({str(period): month.asked}, reasons)
    go_on = PublishingCommand(period)
    if unanswered(month.asked):
        stopped = unanswered_text({str(period): month.asked}, str(go_on))
        if hold:
            seen = keep_preview(store, settings, month, write(store, settings, month), go_on)
            stopped += f"\nThe whole report: {seen.report}"
        raise UnansweredError(stopped)
    keep_reasons(store, settings, {str(period): month.asked})
    settings.progress("publishing", 0, 1)
    draft = write(store, settings, month)
    if missing := not_approved(store, settings, draft):
        if hold:
            preview = keep_preview(store, settings, month, draft, go_on)
            raise NotApprovedError(f"{missing}\n{preview.to_approve()}")
        publication.drop(draft)
        _leave_no_trace(settings, period)
        raise NotApprovedError(f"{missing}\n{_how_to_look(store, settings, draft)}")
    done = publication.release(draft)
    calculation_log.note_publication(store, period, done.revision, settings.today)
    tell_events(store, settings)
    people = [one.name for one in approvals.approvals_of(store, period, draft.digest)]
    return PublishSummary(str(period), f"r{done.revision}", str(done.folder), done.new, done.rows, draft.digest, people)


def preview(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PreviewSummary:
    """Make the files that would be published and a report on them, under ``HOME/previews``; readers do not see them.

    Questions may be open: the report asks them. Raises what :func:`ready` raises, :class:`NothingReadError` where the
    month was not calculated, and :class:`CommandLineError` for a reason that answers no question.
    """
    calculation = calculated(store, period)
    _check_no_rerating_waits(store, settings, period)
    month = ready(store, settings, calculation, reasons)
    check_reasons({str(period): month.asked}, reasons)
    keep_reasons(store, settings, {str(period): month.asked})
    settings.progress("making the preview", 0, 1)
    return keep_preview(store, settings, month, write(store, settings, month), PublishingCommand(period))


def write(
    store: Store,
    settings: Settings,
    month: Ready,
    more: Mapping[str, Rows] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Draft:
    """Assemble the revision of a month; ``more`` tables and ``texts`` go with a revision that was corrected.

    Raises :class:`CheckError` where nothing may be published.
    """
    style = policy.of_office(settings, store)
    finished, tables = _files_and_tables(store, month, style.fields)
    try:
        return publication.write_aside(
            settings.published, month.period, {**tables, **(more or {})}, month.facts, texts, style, finished
        )
    except CheckError:
        _leave_no_trace(settings, month.period)
        raise


def _files_and_tables(
    store: Store, month: Ready, fields: FieldPolicy
) -> tuple[dict[str, FinishedFile], dict[str, Rows]]:
    """Return the files of the calculation that are published as they are, and the tables to be written again.

    A list is written again where players' data came or were corrected after the calculation, a table where the office
    has changed which columns it leaves out.
    """
    calculation, folder = month.calculation, month.calculation.folder
    newest = calculation_log.last_facts(store)
    lists_are_current = newest == (calculation.last_source, calculation.last_correction)
    entries = folder.files()
    finished: dict[str, FinishedFile] = {}
    again: list[str] = []
    for stem in dict.fromkeys(Path(name).stem for name in entries):
        carried = pl.read_parquet_schema(folder.path / f"{stem}.parquet").keys()
        if list(carried) != list(fields.table(stem).columns) or (stem in LISTS and not lists_are_current):
            again.append(stem)
            continue
        names = [name for name in entries if Path(name).stem == stem]
        finished |= {name: FinishedFile(folder.path / name, entries[name]) for name in names}
    tables: dict[str, Rows] = {}
    if set(again) & set(LISTS):
        lists = lists_of(month.period, calculation.family, folder.read_state(), month.players, rule_book())
        tables = {stem: rows for stem, rows in lists.items() if stem in again}
    return finished, {**tables, **{stem: folder.read_table(stem) for stem in again if stem not in LISTS}}


def keep_reasons(store: Store, settings: Settings, asked: Mapping[str, Sequence[RaisedQuestion]]) -> None:
    """Note the reasons given for what was ``asked``, by month."""
    with store.transaction():
        for month, answered in asked.items():
            questions.keep_reasons(store, Period.parse(month), answered, settings.today)


def not_approved(store: Store, settings: Settings, draft: Draft) -> str:
    """Why a draft may not be released: which digest lacks how many approvals, and what changed; empty where it may be.

    What readers have already needs no approval.
    """
    needed = settings.office.publication.approvals
    if not draft.new and revisions.latest(settings.published, draft.period) == draft.folder:
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
        lines.append(f"What {names} approved was another: {approved}.")
        seen = approvals.preview_of(store, draft.period)
        if seen is not None and seen.digest == approved:
            lines += draft_diff.differences(settings.previews / str(draft.period) / f"r{seen.revision}", draft.folder)
    return "\n".join(lines)


def _how_to_look(store: Store, settings: Settings, draft: Draft) -> str:
    seen = approvals.preview_of(store, draft.period)
    if seen is None or seen.digest != draft.digest:
        return f"Look at it: ratinglist publish {draft.period} --preview"
    report_of = settings.previews / str(draft.period) / REPORT
    return f"Read {report_of}, then: ratinglist approve {draft.period} --by NAME --digest {draft.digest[:12]}"


def keep_preview(
    store: Store, settings: Settings, month: Ready, draft: Draft, go_on: PublishingCommand
) -> PreviewSummary:
    """Keep a draft as the month's preview, with its report; ``go_on``: the command that publishes it."""
    needed = settings.office.publication.approvals
    period, folder = month.period, settings.previews / str(month.period)
    kept = folder / f"r{draft.revision}"
    folder.mkdir(parents=True, exist_ok=True)
    publication.keep_as(draft, kept)
    _leave_no_trace(settings, period)
    for other in folder.iterdir():
        if other.is_dir() and other != kept:
            shutil.rmtree(other)
    text = preview_report.markdown(_previewed(store, month, draft, needed, go_on))
    path = folder / REPORT
    path.write_text(text, encoding="utf-8", newline="\n")
    open_ones = [one.question for one in unanswered(month.asked)]
    note = Preview(draft.revision, draft.digest, month.calculation.calculation_id, open_ones, go_on)
    approvals.note_preview(store, period, note, settings.today)
    given = [one.name for one in approvals.approvals_of(store, period, draft.digest)]
    return PreviewSummary(
        month=str(period),
        revision=f"r{draft.revision}",
        path=str(kept),
        report=str(path),
        digest=draft.digest,
        is_new=draft.new,
        questions=[one.as_dict() for one in month.asked],
        unanswered=open_ones,
        approvals_needed=needed,
        approved_by=given,
        go_on=str(go_on),
        lines=[line for one in month.asked for line in one.lines()],
    )


def _previewed(
    store: Store, month: Ready, draft: Draft, needed: int, go_on: PublishingCommand
) -> preview_report.Previewed:
    rule_sets = rule_book().in_force(month.calculation.family, month.period.first_day)
    before = checks.lists_before(store, month.period, month.players)
    shown = [str(month.period), *before["month"].unique().to_list()]
    return preview_report.Previewed(
        period=month.period,
        revision=draft.revision,
        digest=draft.digest,
        is_new=draft.new,
        rule_sets=[one["name"] for one in month.calculation.rule_sets],
        floors={one.time_control: one.list.floor for one in rule_sets},
        tables=month.calculation.folder.read_tables(),
        before=before,
        counts=store.read("select * from month_count where month in (select unnest($months))", months=shown),
        players=month.players,
        refused=quarantine.of_month(store, month.period),
        questions=month.asked,
        approvals=needed,
        go_on=go_on,
    )


def _leave_no_trace(settings: Settings, period: Period) -> None:
    """Readers need not see the empty folder of a month that is not published."""
    folder = settings.published / str(period)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def tell_events(store: Store, settings: Settings) -> None:
    """Write ``published/events.parquet``: of every report ever received, what became of it."""
    rows = event_status.statuses(store, rule_book(), settings.family)
    carried = settings.office.fields.table(EVENT_STATUS.name)
    write_beside(settings.published / "events.parquet", carried, rows)


def approve(
    store: Store, settings: Settings, period: Period, by: str, digest: str | None = None, remark: str = ""
) -> ApprovalSummary:
    """Note that ``by`` approves the current preview of a month, and say who has.

    Raises what :func:`~ratinglist.publication.approvals.approvable` raises, :class:`CommandLineError` where the preview
    was published already, and :class:`CheckError` where its files are not those that were made.
    """
    name = checked_text(by, "--by", "the name of who approves")
    said = checked_text(remark, "--remark", "what there is to say, or leave it out") if remark else ""
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
            f"Not approved: the preview of {period} is not what was made, and not what would be published:\n{lines}\n"
            f"Make it again, and look at it again: {preview.go_on.preview}"
        )
    is_new = approvals.approve(store, period, preview.digest, name, said, settings.today)
    return replace(approved(store, settings, period), already="" if is_new else name)


def approved(store: Store, settings: Settings, period: Period) -> ApprovalSummary:
    """Who approved the current preview of a month; :class:`NothingReadError` where there is none."""
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
    """Whether readers got exactly this preview, be it current or not."""
    folder = settings.published / str(period) / f"r{preview.revision}"
    return folder.is_dir() and integrity.said(folder).digest == preview.digest


def _check_no_rerating_waits(store: Store, settings: Settings, period: Period) -> None:
    """Raise :class:`CheckError` where a re-rating's preview is not published yet: only that command knows the diff."""
    seen = approvals.preview_of(store, period)
    if seen is None or not seen.go_on.is_rerate or _is_published(settings, period, seen):
        return
    if revisions.latest(settings.published, period) is not None:
        raise CheckError(
            f"Nothing was published: the list of {period} was rated again, and its new revision, r{seen.revision}, "
            f"tells its readers what changed (DIFF.md). It is previewed and published by: {seen.go_on}"
        )
