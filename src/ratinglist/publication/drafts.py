"""Publish a calculated month: check it, raise its questions, write a draft, and release the draft or keep a preview.

```
calculation -> checks -> questions -> draft -> approvals -> revision
                                            -> or a preview with its report
```
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.errors import CheckError, NotApprovedError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import (
    approvals,
    policy,
    previews,
    release,
    revision_writer,
    revisions,
    rollback_log,
)
from ratinglist.publication.approvals import PublishingCommand
from ratinglist.publication.checked_month import CheckedMonth, InMemory, Reasons, check_month, current_calculation
from ratinglist.publication.differing_tables import check_same, differences
from ratinglist.publication.policy import PublishingPolicy
from ratinglist.publication.questions import check_reasons, unanswered, unanswered_text
from ratinglist.publication.release import Record
from ratinglist.publication.revision_writer import Draft, FinishedFile, RevisionContent
from ratinglist.rating.rating_list import unrated_players
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.store.calculations import Calculation, lists_of
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import PreviewSummary, PublishSummary, missing_approvals
from ratinglist.tables import LISTS

_WITH_NAMES = (*LISTS, "unrated")
"""The tables that have the data of registered players."""


def publish(
    store: Store, settings: Settings, period: Period, reasons: Reasons, digest: str | None = None
) -> PublishSummary:
    """Publish a calculated month as a new revision, or find that it is published already.

    Raises what :func:`publish_calculation` raises, and :class:`NothingReadError` where the month was not calculated.
    """
    return publish_calculation(store, settings, current_calculation(store, period), reasons, digest=digest)


def publish_calculation(
    store: Store,
    settings: Settings,
    calculation: Calculation,
    reasons: Reasons,
    *,
    known: InMemory | None = None,
    keep_preview: bool = False,
    digest: str | None = None,
) -> PublishSummary:
    """Publish a calculation as a new revision, or find that it is published already.

    ``keep_preview``: keep one where a question or an approval is open.
    ``digest``: that of the manifest that a person has seen; None: any.

    Raises what :func:`check_month` raises; :class:`UnansweredError` where a question is open,
    :class:`NotApprovedError` where too few people approved exactly this; :class:`CommandLineError` for a reason that
    answers no question; :class:`CheckError` where the month is published with other figures, which only ``rerate``
    changes, and where the digest is another one. Nothing is published then.
    """
    month, draft = _ready(store, settings, calculation, reasons, known, keep_preview=keep_preview)
    if digest not in (None, draft.digest):
        raise CheckError(
            f"Nothing was published: the list of {month.period} was changed by another command since it was shown. "
            f"Look at it again: ratinglist publish {month.period} --preview"
        )
    period, questions = month.period, {str(month.period): month.questions}
    record = Record("publish", {})
    typed = month.typed if draft.is_new else []
    is_new = bool(release.release(store, settings, [draft], questions, record))
    people = [one.name for one in approvals.counting(store, settings, period, draft.digest)]
    folder = settings.published / str(period) / f"r{draft.revision}"
    return PublishSummary(str(period), folder.name, str(folder), is_new, draft.rows, draft.digest, people, typed)


def preview_calculation(
    store: Store, settings: Settings, calculation: Calculation, reasons: Reasons, known: InMemory
) -> PreviewSummary:
    """Keep what :func:`publish_calculation` would publish as a preview; raises what that function raises."""
    month, draft = _ready(store, settings, calculation, reasons, known, keep_preview=True)
    questions, go_on = {str(month.period): month.questions}, PublishingCommand(month.period)
    (kept,) = previews.keep(store, settings, [(month, draft)], questions, go_on)
    return kept


def _ready(
    store: Store,
    settings: Settings,
    calculation: Calculation,
    reasons: Reasons,
    known: InMemory | None,
    *,
    keep_preview: bool,
) -> tuple[CheckedMonth, Draft]:
    """Return a month that may be published and its draft; see :func:`publish_calculation`."""
    period = calculation.period
    _check_no_rerating_is_open(store, settings, period)
    month = check_month(store, settings, calculation, reasons, known)
    check_lists_before_are_published(store, period)
    questions = {str(period): month.questions}
    check_reasons(questions, reasons)
    go_on = PublishingCommand(period)
    if unanswered(month.questions):
        message = unanswered_text(questions, str(go_on))
        if keep_preview:
            draft = write_same_figures(store, settings, month)
            (kept,) = previews.keep(store, settings, [(month, draft)], {}, go_on)
            message += f"\nThe whole report: {kept.report}"
        raise UnansweredError(message)
    settings.progress("publishing", 0, 1)
    draft = write_same_figures(store, settings, month)
    if missing := missing_approvals_text(store, settings, draft):
        if keep_preview:
            (preview,) = previews.keep(store, settings, [(month, draft)], questions, go_on)
            raise NotApprovedError(f"{missing}\n{preview.to_approve()}")
        release.keep_reasons(store, settings, questions)
        raise NotApprovedError(f"{missing}\n{_approval_remedy(store, settings, draft)}")
    return month, draft


def preview(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PreviewSummary:
    """Write the files that would be published and a report on them under ``HOME/previews``, which is not published.

    Questions may be open: the report lists them. Raises what :func:`publish_calculation` raises, apart from open
    questions and approvals, and :class:`NothingReadError` where the month was not calculated.
    """
    calculation = current_calculation(store, period)
    _check_no_rerating_is_open(store, settings, period)
    month = check_month(store, settings, calculation, reasons)
    questions = {str(period): month.questions}
    check_reasons(questions, reasons)
    settings.progress("making the preview", 0, 1)
    draft = write_same_figures(store, settings, month)
    (kept,) = previews.keep(store, settings, [(month, draft)], questions, PublishingCommand(period))
    return kept


def write_same_figures(store: Store, settings: Settings, month: CheckedMonth) -> Draft:
    """Write the draft of a month's revision; raise :class:`CheckError` where it is published with other figures."""
    draft = write(store, settings, month)
    current = revisions.current(store, settings, month.period)
    if draft.is_new and current is not None:
        check_same(current, draft)
    return draft


def write(
    store: Store,
    settings: Settings,
    month: CheckedMonth,
    added: RevisionContent | None = None,
) -> Draft:
    """Write the draft of a month's revision; ``added``: the diff of a corrected list, as table and text.

    Raises what :func:`~ratinglist.publication.revision_writer.write_draft` and :func:`check_not_rolled_back` raise.
    """
    office_policy = policy.of_office(settings, store)
    content = _content_of(store, month, office_policy)
    if added is not None:
        content = replace(content, tables={**content.tables, **added.tables}, texts=added.texts)
    facts = {**month.facts, **({"office": settings.office.name} if settings.office.name else {})}
    draft = revision_writer.write_draft(
        settings.published, settings.drafts, month.period, content, facts, office_policy
    )
    check_not_rolled_back(store, settings, draft)
    return draft


def check_not_rolled_back(store: Store, settings: Settings, draft: Draft) -> None:
    """Raise :class:`CheckError` where exactly these files were published before and rolled back."""
    month = settings.published / str(draft.period)
    for one in rollback_log.rolled_back(store, month.name):
        folders = (draft.folder, month / f"r{one.revision}")
        now, before = (revision_writer.content_digests(revision_writer.files_in_manifest(path)) for path in folders)
        if now == before:
            raise CheckError(
                f"Nothing was published: this is exactly r{one.revision} of {month.name}, which was rolled back on "
                f"{one.since} ({one.reason}). Correct what was wrong and run rerate. If it was right after all: "
                f'ratinglist rollback {month.name} --to r{one.revision} --because "..."'
            )


def _content_of(store: Store, month: CheckedMonth, of_office: PublishingPolicy) -> RevisionContent:
    """Return the files of the calculation that are published unchanged, and the tables to be written again.

    A list, and the names of the unrated players, are written again where players' data were imported or corrected
    after the calculation, a table where the office has changed the columns that it leaves out.
    """
    calculation, folder = month.calculation, month.calculation.folder
    history = store.log.history
    newest = (history.last_source, history.last_correction)
    names_are_current = newest == (calculation.last_source, calculation.last_correction)
    entries = folder.files()
    finished: dict[str, FinishedFile] = {}
    again: list[str] = []
    for stem in dict.fromkeys(Path(name).stem for name in entries):
        columns = table_files.scan_table(folder.path, stem).collect_schema()
        is_narrowed = list(columns) != list(of_office.fields.table(stem, columns).columns)
        if is_narrowed or (stem in _WITH_NAMES and not names_are_current):
            again.append(stem)
            continue
        names = [name for name in entries if Path(name).stem == stem]
        finished |= {name: FinishedFile(folder.path / name, entries[name]) for name in names}
    tables: dict[str, pl.DataFrame] = {}
    if set(again) & set(LISTS):
        state, system_state = folder.read_state(), folder.read_system_state()
        lists = lists_of(month.period, calculation.family, state, month.players, rule_book(), system_state)
        tables = {stem: rows for stem, rows in lists.items() if stem in again}
    tables |= {stem: folder.read_table(stem) for stem in again if stem not in LISTS}
    if "unrated" in again:
        tables["unrated"] = unrated_players(folder.read_table("unrated")["fide_id"], month.players)
    return RevisionContent(tables, finished)


def missing_approvals_text(store: Store, settings: Settings, draft: Draft) -> str:
    """Return why a draft may not be released, empty where it may be: the missing approvals, and what changed since.

    A revision that is current already needs no approval.
    """
    needed = settings.office.publication.approvals
    if not draft.is_new and revisions.current(store, settings, draft.period) == draft.folder:
        return ""
    given = approvals.counting(store, settings, draft.period, draft.digest)
    missing = missing_approvals(needed, given)
    if not missing:
        return ""
    people = f" ({', '.join(one.name for one in given)})" if given else ""
    lines = [
        f"Nothing was published: the list of {draft.period} has the digest {draft.digest} and {len(given)} of "
        f"{needed} approvals{people}; {missing} {'is' if missing == 1 else 'are'} missing."
    ]
    lines += [f"Not counted: {one}" for one in approvals.not_counting(store, settings, draft.period, draft.digest)]
    approved = approvals.newest_approved(store, draft.period)
    if approved and approved != draft.digest:
        names = ", ".join(dict.fromkeys(one.name for one in approvals.given(store, draft.period, approved)))
        lines.append(f"{names} approved another digest: {approved}.")
        shown = approvals.preview_of(store, draft.period)
        if shown is not None and shown.digest == approved:
            lines += differences(settings.previews / str(draft.period) / f"r{shown.revision}", draft.folder)
    return "\n".join(lines)


def _approval_remedy(store: Store, settings: Settings, draft: Draft) -> str:
    shown = approvals.preview_of(store, draft.period)
    if shown is None or shown.digest != draft.digest:
        return f"Preview it: ratinglist publish {draft.period} --preview"
    report = settings.previews / str(draft.period) / previews.REPORT
    return f"Read {report}, then: ratinglist approve {draft.period} --by NAME --digest {draft.digest[:12]}"


def check_lists_before_are_published(store: Store, period: Period) -> None:
    """Raise :class:`CheckError` where the list was calculated from lists that are not published.

    An imported list counts as published; a list that was withdrawn is not calculated from.
    """
    months = store.read(
        """
        select month from standing_calculation anti join imported_list using (month)
        where month < $month order by month
        """,
        month=str(period),
    )
    missing = [one for one in months["month"] if one not in store.log.history.current]
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
    if shown is None or not shown.go_on.is_rerate or previews.is_published(settings, period, shown):
        return
    if revisions.current(store, settings, period) is not None:
        raise CheckError(
            f"Nothing was published: the list of {period} was rated again, and its new revision, r{shown.revision}, "
            f"must be published with its diff (DIFF.md). Preview and publish it with: {shown.go_on}"
        )
