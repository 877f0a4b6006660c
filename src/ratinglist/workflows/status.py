"""The command `ratinglist status`: what is published, what waits and why, and what is to be done next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.analysis.pending import pending_changes, reports_in_time
from ratinglist.analysis.unlike_names import sentence, unlike_lines
from ratinglist.config.office import Office
from ratinglist.config.settings import Settings
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.home import backup_folder
from ratinglist.home.kinds import described
from ratinglist.period import Period
from ratinglist.publication import approvals, office_guard, revisions, rollback_log
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.verify.against_log import Disagreement
from ratinglist.rating.rules import RuleBook
from ratinglist.reasons import EVENT_REASONS, WAITING
from ratinglist.store import quarantine
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import identities
from ratinglist.workflows.opening import disagreements, open_to_read
from ratinglist.workflows.status_summary import (
    LastBackup,
    NextList,
    OpenMonth,
    PublishedMonth,
    StatusSummary,
    WaitingReport,
)


def status(settings: Settings) -> StatusSummary:
    """Return the state of the office, from the store and the published folder; nothing is written.

    Where the store and the published files do not agree, the summary states it: the state of an office can be seen
    whatever it is. Where ``office.toml`` is wrong, it states that, and goes on without the choices. Raises what
    :func:`~ratinglist.workflows.opening.open_to_read` raises.
    """
    wrong = ""
    try:
        _ = settings.office
    except CommandLineError as error:
        settings, wrong = replace(settings, choices=Office()), str(error)
    with open_to_read(settings) as store:
        return _summary(store, settings, rule_book(), wrong)


def _summary(store: Store, settings: Settings, book: RuleBook, wrong: str) -> StatusSummary:
    found = disagreements(store.log, settings)
    published = _published(store, settings)
    published = sorted([*published, *_lost(store, settings, found, published)], key=lambda one: one.month)
    next_list = _next_list(store, settings, book, published)
    waiting, received, later, unlike = _waiting(store, settings, book, next_list)
    return StatusSummary(
        home=str(settings.home),
        today=settings.today,
        published=published,
        next_list=next_list,
        waiting=waiting,
        received=received,
        received_later=later,
        open_months=_open_months(store, settings, published),
        to_do=[
            *(pending_changes(store, book, Period.parse(next_list.month)) if next_list else []),
            *(reports_in_time(store, book) if received or later else []),
        ],
        backup=_backup(settings, published),
        disagreements=[one.text() for one in found],
        doubtful_ids=unlike,
        imported=_imported(store),
        office=wrong,
    )


def _imported(store: Store) -> list[str]:
    """Return the imports that count, the newest first, each with the command that undoes it."""
    retracted = store.log.history.retracted
    return [
        f"{one.day}  {described(one)}: ratinglist retract {one.number}"
        for one in reversed(store.log.entries)
        if one.kind in ("import-list", "import-players", "import-reference") and one.number not in retracted
    ]


def _backup(settings: Settings, published: list[PublishedMonth]) -> LastBackup | None:
    trace = backup_folder.read_trace(settings.home)
    if trace is None:
        return None
    current = [f"{one.month}/{one.revision}" for one in published if one.revision]
    return LastBackup(trace.folder, trace.made_on, trace.missing(current))


def _published(store: Store, settings: Settings) -> list[PublishedMonth]:
    """Return the published months, oldest first, with the day on which the store says the revision was published."""
    days = {(one.month, one.revision): one.published_on for one in store.log.history.publications}
    found = []
    for period in revisions.months(settings.published):
        try:
            folder = revisions.latest(settings.published, period)
        except (AlteredError, NothingReadError) as error:
            found.append(PublishedMonth(str(period), "", None, signed=False, problem=str(error)))
            continue
        if folder is None:
            continue
        problem = "" if (folder / MANIFEST).is_file() else f"{folder / MANIFEST} is missing: ratinglist verify {folder}"
        day = days.get((str(period), revisions.number_of(folder)))
        signed = (folder / SIGNATURE).is_file()
        found.append(PublishedMonth(str(period), folder.name, day, signed=signed, problem=problem))
    found += [
        PublishedMonth(
            month,
            "",
            None,
            signed=False,
            problem=f"withdrawn on {one['rolled_back_on']}: {one['reason']}",
            withdrawn=True,
        )
        for month, one in store.log.history.withdrawn_months().items()
    ]
    return sorted(found, key=lambda one: one.month)


def _lost(
    store: Store, settings: Settings, found: Sequence[Disagreement], published: Sequence[PublishedMonth]
) -> list[PublishedMonth]:
    """Return the months that have a current revision by the store, and nothing in the published folder.

    ``found``: where they do not agree; ``published``: the months of the published folder.
    """
    wrong, there = {one.month for one in found}, {one.month for one in published}
    return [
        PublishedMonth(
            month,
            "",
            None,
            signed=False,
            problem=f"r{number} was published, and {settings.published / month} has no current list: ratinglist doctor",
        )
        for month, number in store.log.history.current.items()
        if month in wrong and month not in there
    ]


def _next_list(store: Store, settings: Settings, book: RuleBook, published: list[PublishedMonth]) -> NextList | None:
    """Return the list after the newest published or imported one; None where there is none to start from."""
    imported = store.read("select max(month) as month from imported_list").item()
    current = store.log.history.current
    months = [*(one.month for one in published if one.revision), *current]
    before = max(filter(None, (*months, imported)), default=None)
    if before is None:
        return None
    period = book.next_list(settings.family, Period.parse(before) + 1)
    closing = book.closing_dates(settings.family, period)[0]
    calculated = str(period) in store.log.history.standing_calculations()
    withdrawn = str(period) in store.log.history.withdrawn_months()
    return NextList(str(period), closing, calculated=calculated, withdrawn=withdrawn)


def _waiting(
    store: Store, settings: Settings, book: RuleBook, next_list: NextList | None
) -> tuple[list[WaitingReport], int, int, list[str]]:
    """Return the reports that may still be rated, by file: refused, deferred, or waiting for something.

    Out: these reports, the number of accepted ones that no list has looked at and that the next list takes up, or that
    it rates and is not published yet, the number of those received when the next list had taken effect, and the lines
    of all of them whose names are not those registered.
    """
    every = event_status.without_replaced_versions(event_status.statuses(store, book, settings.family))
    kept = quarantine.without_dismissed(store, every)
    rows = kept.filter(~pl.col("status").is_in(event_status.SETTLED) & (pl.col("reason") != "withdrawn"))
    month = next_list.month if next_list else ""
    on_next_list = len(kept.filter(pl.col("status") == "rated", pl.col("list_month") == month))
    findings = quarantine.by_report(store, rows["report_id"]) if len(rows) else {}
    effective = Period.parse(month).first_day if month else date.max
    waiting, received, later = [], on_next_list, 0
    for row in rows.sort("file_name", "event_id", "received_on", "report_id").iter_rows(named=True):
        finding = next(iter(findings.get(row["report_id"], [])), None)
        if finding is None and not row["reason"]:
            received += row["received_on"] < effective
            later += row["received_on"] >= effective
        elif finding is not None or row["reason"] != "time_control_unknown":  # else loaded again with its time control
            waiting.append(_waiting_report(row, finding))
    unlike = unlike_lines(store, rows["report_id"])
    lines = [f"{row['file']}, line {row['line']}: {sentence(row)}" for row in unlike.iter_rows(named=True)]
    if len(rows):
        with store.seeing(waiting=rows.select("report_id")):
            players = store.read(
                "select distinct fide_id from report_player join report using (report_no) "
                "semi join waiting using (report_id)"
            )
        lines += identities.registered_twice(store, players["fide_id"])
    return waiting, received, later, lines


def _waiting_report(row: dict[str, Any], finding: dict[str, object] | None) -> WaitingReport:
    """Return a report that waits, with its first finding where it has one, else the reason of the list."""
    is_waiting = row["reason"] in WAITING
    if finding is None:
        reason = EVENT_REASONS[row["reason"]]
        why, remedy = reason.sentence, reason.remedy
    else:
        is_waiting = finding["status"] == "waiting"
        why, remedy = str(finding["says"]), str(finding["remedy"])
    return WaitingReport(
        file=row["file_name"],
        event_id=row["event_id"],
        name=row["name"],
        status="waiting" if is_waiting else row["status"],
        why=why,
        remedy=remedy,
        rateable_until=row["rateable_until"],
    )


def _open_months(store: Store, settings: Settings, published: list[PublishedMonth]) -> list[OpenMonth]:
    """Return the months with a calculation that the current revision does not show, oldest first."""
    shown = {one.month: int(one.revision[1:]) for one in published if one.revision}
    # Which revision of such a month is current is not known, so neither is whether it shows its calculation.
    unknown = {one.month for one in published if not one.revision and not one.withdrawn}
    rows = store.read(
        """
        select calculation.month, calculation.calculation_id,
            list(publication.revision) filter (where made.calculation_id is not null) as revisions
        from standing_calculation as calculation
        left join publication on publication.month = calculation.month
        left join calculation_made as made
            on made.calculation_no = publication.calculation_no and made.calculation_id = calculation.calculation_id
        group by calculation.month, calculation.calculation_id
        order by calculation.month
        """
    )
    found = []
    for month, calculation_id, revisions_of_it in rows.iter_rows():
        revision = shown.get(month, 0)
        if month in unknown or revision in (revisions_of_it or []):
            continue
        # office.toml is read for such a month alone: checking it costs a tenth of a second.
        needed = settings.office.publication.approvals
        wrong = {one.revision for one in rollback_log.rolled_back(store, month)}
        if taken_back := sorted(wrong.intersection(revisions_of_it or [])):
            name = f"r{taken_back[-1]}"
            go_on = f"ratinglist rollback {month} --to {name}"
            found.append(OpenMonth(month, month in shown, "", [], needed, [], go_on, rolled_back=name))
            continue
        preview = approvals.preview_of(store, Period.parse(month))
        if preview is None or preview.revision <= revision:
            # Only `rerate` publishes a month that is published with other figures.
            go_on = f"ratinglist {'rerate --from' if month in shown else 'publish'} {month} --preview"
            found.append(OpenMonth(month, month in shown, "", [], needed, [], go_on))
        elif preview.calculation_id != calculation_id:
            go_on = str(preview.go_on.preview)
            found.append(OpenMonth(month, month in shown, "", [], needed, [], go_on, preview_outdated=True))
        else:
            people = [one.name for one in approvals.counting(store, settings, Period.parse(month), preview.digest)]
            go_on = str(preview.go_on)
            unanswered = [*preview.unanswered, *_raised_since(store, settings, Period.parse(month), preview.unanswered)]
            found.append(OpenMonth(month, month in shown, preview.digest, unanswered, needed, people, go_on))
    return found


def _raised_since(store: Store, settings: Settings, period: Period, raised_before: Sequence[str]) -> list[str]:
    """Return the question on ``office.toml`` where the file was changed since the preview, which raised others."""
    try:
        raised = office_guard.raised_question(store, settings, period)
    except AlteredError:
        # Publishing ends there, and doctor names the original. What the office holds can be seen all the same.
        return []
    return [one.question for one in raised if not one.reason and one.question not in raised_before]
