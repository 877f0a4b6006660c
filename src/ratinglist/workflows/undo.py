"""What was done, and its undoing: an import or a load, a refused report that counts, a published list.

``log`` shows every change with its number. ``retract ENTRY`` leaves out what was received, as if it had never been;
``dismiss`` sets a refused report aside; ``rollback MONTH`` makes an earlier revision current again, or withdraws the
month, and publishes the reason. Nothing is calculated and no file that was received or published is deleted. A command
that was killed may be given again.
"""

from __future__ import annotations

from datetime import date
from pathlib import PurePath
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError, HomeError, NothingReadError
from ratinglist.files.durable_files import work_file
from ratinglist.home import originals
from ratinglist.home.history import KINDS, LATEST, WITHDRAWN, described
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.publication import doubts, drafts, revisions, settle
from ratinglist.settings import LOG, PUBLISHED, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.summaries import Facts
from ratinglist.tables import ROLLED_BACK
from ratinglist.text import text_table
from ratinglist.workflows.opening import FIRST, open_to_write


def _reason(store: Store, settings: Settings, because: str, what: str) -> str:
    """Return the reason, which is kept; ``what`` has to be written."""
    return doubts.checked(store, settings, Period.of(settings.today), because, "--because", what)


# ------------------------------------------------------------------------------------------ what was received


def retract(settings: Settings, number: int, because: str | None = None) -> Facts:
    """Undo the import, the load or the dismissal with this number in the log. No list is calculated again.

    ``because``: the reason, kept in the log; None: none is given. Raises :class:`NothingReadError` where there is no
    such entry, :class:`CommandLineError` where it is of another kind, was undone before, or a list stands on it, and
    where another change would not be possible without it; then nothing is changed.

    Out: ``entry``; ``what`` it had recorded; ``months``: the lists that were calculated from it, oldest first;
    ``next``: the command that shows what would change on them, empty where there are none.
    """
    with open_to_write(settings) as store:
        entry = _entry_to_undo(store, number)
        what = "the reason, or leave the option out"
        reason = "" if because is None else _reason(store, settings, because, what)
        months = _lists_made_from(store, entry)
        if KINDS[entry.kind].makes_store:
            _leave_out(store, settings, number, reason)
        else:
            store.record("retract", settings.today, entry_retracted=number, reason=reason)
        look = f"ratinglist rerate --from {months[0]} --preview" if months else ""
        facts = {"entry": number, "what": described(entry), "months": months, "next": look}
        return Facts("The change is undone. The files that were received are kept.", facts)


def _entry_to_undo(store: Store, number: int) -> Entry:
    if not 1 <= number <= len(store.log.entries):
        raise NothingReadError(f"The log has no entry {number}. See what was done: ratinglist log")
    entry = store.log.entries[number - 1]
    if not KINDS[entry.kind].can_be_undone:
        raise CommandLineError(
            f"Entry {number} cannot be undone: {described(entry)}. Only an import, a load and a dismissal can. A "
            "published list is taken back with ratinglist rollback, a correction with ratinglist correct undo."
        )
    if number in store.log.history.retracted:
        raise CommandLineError(f"Entry {number} was undone before: nothing was changed.")
    if later := store.log.history.lists_after(entry):
        raise CommandLineError(
            f"Entry {number} cannot be undone: the list of {later[0]} was calculated from the list of "
            f"{entry.facts['month']}. Nothing was changed. To start from another list, make a new home."
        )
    return entry


def _lists_made_from(store: Store, entry: Entry) -> list[str]:
    """Return the months of the calculations that were made from the originals of an entry."""
    digests = [path.name for path in originals.delivered(store.home, entry)]
    rows = store.read(
        "select distinct month from calculation_input where digest in (select unnest($digests::varchar[])) order by 1",
        digests=digests,
    )
    return rows["month"].to_list()


def _leave_out(store: Store, settings: Settings, number: int, reason: str) -> None:
    """Record that an entry is undone, with the store that is made without it.

    Raises :class:`CommandLineError` where another change is not possible without it.
    """
    from ratinglist.workflows.replay import make_store

    facts: dict[str, object] = {"entry_retracted": number, "reason": reason}
    without_entry = work_file(settings.home)
    try:
        with store.log.supposing("retract", settings.today, facts):
            make_store(store.log, settings, without_entry)
    except HomeError as error:
        raise CommandLineError(
            f"Entry {number} cannot be undone, because a later change stands on it. Undo that one first. {error}"
        ) from None
    store.replace_facts(without_entry, "retract", settings.today, **facts)


# ------------------------------------------------------------------------------------------ a refused report

_SHORTEST = 12
"""Fewest characters of a digest that name a report."""


def dismiss(settings: Settings, report: str, because: str) -> Facts:
    """Set a refused report aside: `quarantine`, `status` and the counts of `run` leave it out. No list changes.

    ``report``: the name of its file, or the end of the name, as the quarantine prints it; its event code; or the
    beginning of its sha256. ``because``: the reason. Raises :class:`NothingReadError` where no report is meant,
    :class:`CommandLineError` where several are, where it is not refused, and where the reason is empty or has a date of
    birth.

    Out: ``file``, ``event_id``, ``report_sha256``, ``reason``; ``already``: nothing was changed now.
    """
    with open_to_write(settings) as store:
        reason = _reason(store, settings, because, "why the report is set aside")
        row = _report_named(store, report)
        if row["accepted"]:
            raise CommandLineError(
                f"{row['file']} ({row['event_id']}) is not refused, so it cannot be set aside: a list may rate it. To "
                f"keep it from being rated: ratinglist correct withdraw {row['event_id']}"
            )
        already = row["dismissed"] == reason
        if not already:
            store.record("dismiss", settings.today, report_id=row["report_id"], reason=reason)
        facts = {
            "file": row["file"],
            "event_id": row["event_id"],
            "report_sha256": row["sha256"],
            "reason": reason,
            "already": already,
        }
        return Facts("The report is set aside.", facts)


def _report_named(store: Store, report: str) -> dict[str, Any]:
    """Return the report that is meant: of several the only one that is not set aside, or the only refused."""
    reports = store.dicts(
        """
        select report.report_id, report.file_name as file, report.event_id, report.sha256, report.accepted,
            coalesce(dismissed_report.reason, '') as dismissed
        from report left join dismissed_report using (report_id) order by report.file_name, report.report_no
        """
    )
    meant = [row for row in reports if _is_meant(report, row)]
    refused = [report for report in meant if not report["accepted"]]
    likely = [report for report in refused if not report["dismissed"]] or refused or meant
    if len({report["sha256"] for report in likely}) == 1:
        # One file that was delivered several times: the newest delivery counts.
        return likely[-1]
    if not likely:
        raise NothingReadError(
            f"No report '{report}' was received. Name its file as `ratinglist quarantine` prints it, or its event code."
        )
    lines = [
        f"  ratinglist dismiss {report['sha256'][:_SHORTEST]}    {report['file']} ({report['event_id']})"
        for report in likely
    ]
    raise CommandLineError("\n".join([f"'{report}' names {len(likely)} reports. Name one by its digest:", *lines]))


def _is_meant(report: str, row: dict[str, Any]) -> bool:
    parts = PurePath(report).parts
    is_name = bool(parts) and PurePath(row["file"]).parts[-len(parts) :] == parts
    is_digest = len(report) >= _SHORTEST and row["sha256"].startswith(report.lower())
    return is_name or is_digest or report == row["event_id"]


# ------------------------------------------------------------------------------------------ a published list

WITHDRAW = "none"
"""What is named in the place of a revision where the month is to have no current list."""


def rollback(settings: Settings, period: Period, because: str, by: str = "", to: str | None = None) -> Facts:
    """Make the revision before the current one current again, or the one named by ``to`` (``r1``).

    ``to`` is ``none`` where the month is to be withdrawn. Where there is no revision before, the month is withdrawn
    too: it has no current list until a list of it is published again, or a revision is made current by ``to``.

    ``because``: the reason, which is published. The revision before is the newest older one that was not rolled back
    itself. A rollback that was made before, with the same reason and person, and whose result is still current, is not
    made again. Raises :class:`NothingReadError` where the month has no current list and ``to`` names none,
    :class:`CommandLineError` where there is no such revision or no reason, and what
    :func:`~ratinglist.workflows.opening.open_to_write` raises; then nothing is changed.

    Out: ``month``; ``before``: the revision that was current, empty where the month had been withdrawn; ``revision``:
    the one that is now, empty where the month was withdrawn now; ``path``: the folder of that revision, or of the
    month; ``digest`` of it; ``reason``; ``later``: the later lists that are published, and may have been calculated on
    the figures taken back; ``next``: the command that calculates the lists, once what was wrong is corrected;
    ``already``: the same rollback was made before, and nothing was changed now.
    """
    with open_to_write(settings, taken_back=period) as store:
        return roll_back(store, settings, period, because, by, to)


def roll_back(
    store: Store, settings: Settings, period: Period, because: str, by: str = "", to: str | None = None
) -> Facts:
    """Roll a list back in an open home; see :func:`rollback`."""
    doubts.check_office_kept(store, settings)
    history, month = store.log.history, str(period)
    current, withdrawn = history.current.get(month, WITHDRAWN), history.withdrawn_months().get(month)
    if current == WITHDRAWN and withdrawn is None:
        undo = " It was imported; `ratinglist log` shows the number with which an import is undone."
        imported = undo if calculations.is_imported(store, period) else ""
        raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.{imported}")
    what = "the reason; the readers of the list will see it"
    reason = doubts.checked(store, settings, period, because, "--because", what)
    person = doubts.checked(store, settings, period, by, "--by")
    newest = next((rollback for rollback in reversed(history.rollbacks) if rollback["month"] == month), None)
    as_decided = {"reason": reason, "who": person, "to_revision": current}
    is_named = to in (None, f"r{current}" if current else WITHDRAW)
    if newest is not None and is_named and as_decided.items() <= newest.items():
        return _summary(store, settings, newest, already=True)
    if withdrawn is not None and to in (None, WITHDRAW):
        raise NothingReadError(
            "The list of {month} was withdrawn on {rolled_back_on} ({reason}): there is nothing to take back. To make "
            'a revision current again: ratinglist rollback {month} --to r{from_revision} --because "..."'.format_map(
                withdrawn
            )
        )
    target, digests = _target(store, month, current, to), history.revisions()
    row = {
        "month": month,
        "from_revision": current,
        "to_revision": target,
        "from_digest": digests.get((month, current), ""),
        "to_digest": digests.get((month, target), ""),
        "reason": reason,
        "who": person,
    }
    _decide(store, settings, period, row)
    return _summary(store, settings, row, already=False)


def _target(store: Store, month: str, current: int, to: str | None) -> int:
    """Return the revision that becomes current, or :data:`WITHDRAWN`.

    Raises :class:`CommandLineError` where there is no revision ``to``.
    """
    if to == WITHDRAW:
        return WITHDRAWN
    numbers = [number for other, number in store.log.history.revisions() if other == month]
    if to is None:
        rolled_back = {revision.revision for revision in revisions.rolled_back(store.log.history, month)}
        return max((number for number in numbers if number < current and number not in rolled_back), default=WITHDRAWN)
    if to not in {f"r{number}" for number in numbers}:
        raise CommandLineError(f"--to {to}: the list of {month} has no such revision. Name one such as r1.")
    if to == f"r{current}":
        raise CommandLineError(f"{to} is the current revision of {month} already: nothing was changed.")
    return int(to[1:])


def _decide(store: Store, settings: Settings, period: Period, row: dict[str, Any]) -> None:
    """Write the drafts of what readers see of a rollback, and decide it."""
    target, history = row["to_revision"], store.log.history
    steps = [rollback for rollback in history.rollbacks if rollback["month"] == str(period)]
    steps.append({"rollback_no": len(history.rollbacks) + 1, **row, "rolled_back_on": settings.today})
    removed: list[str] = []
    path = settle.draft_path(settings.drafts, f"{PUBLISHED}/{period}/{revisions.ROLLBACKS}")
    revisions.write_rollbacks(path, ROLLED_BACK.conform(pl.DataFrame(steps)))
    has_numbers = f"{period}/{revisions.NUMBERS}" in history.placed
    if target == WITHDRAWN:
        removed = [f"{period}/{name}" for name in (LATEST, *([revisions.NUMBERS] if has_numbers else []))]
    elif has_numbers:
        shown = revisions.read_tables(settings.published / str(period) / f"r{target}")
        drafts.write_both_numbers(store, settings, period, shown)
    # Which lists count changes with a withdrawal, and so does what became of the events.
    if WITHDRAWN in (row["from_revision"], target):
        with store.supposing("rollback", settings.today, row):
            drafts.draft_event_statuses(store, settings)
    current = {} if target == WITHDRAWN else {str(period): target}
    facts = {**row, "family": settings.family}
    settle.decide(store, settings, "rollback", facts, current=current, removed=removed)


def _summary(store: Store, settings: Settings, row: dict[str, Any], *, already: bool) -> Facts:
    month = row["month"]
    before, target = (f"r{revision}" if revision else "" for revision in (row["from_revision"], row["to_revision"]))
    readers = f"{target} is current again" if target else "withdrawn, and readers have no list of this month"
    facts = {
        "month": month,
        "before": before,
        "revision": target,
        "path": str(settings.published / month / target),
        "digest": row["to_digest"],
        "reason": row["reason"],
        "later": [
            f"{later} (r{number})" for later, number in sorted(store.log.history.current.items()) if later > month
        ],
        "next": f"ratinglist rerate --from {month}" if target else f"ratinglist rate {month}",
        "already": already,
    }
    return Facts(f"The list of {month}: {readers}. Nothing was calculated.", facts)


def changes(settings: Settings, since: date | None = None) -> list[dict[str, object]]:
    """Return a row for each change, oldest first: ``entry``, ``day``, ``by``, ``what``, ``retracted_by``.

    ``since``: only those of that day and later. ``retracted_by``: the number of the change that undid it; None where
    none did. Raises :class:`NothingReadError` where there is no home, :class:`~ratinglist.errors.HomeError` where the
    log is damaged.
    """
    log = Log.open(settings.home)
    if not log.entries:
        raise NothingReadError(f"{settings.home / LOG} has no entry: nothing was done in this home yet. {FIRST}")
    undone = {entry.facts["entry_retracted"]: entry.number for entry in log.entries if entry.kind == "retract"}
    return [
        {
            "entry": entry.number,
            "day": str(entry.day),
            "by": entry.by,
            "what": described(entry),
            "retracted_by": undone.get(entry.number),
        }
        for entry in log.entries
        if since is None or entry.day >= since
    ]


def changes_text(rows: list[dict[str, object]]) -> str:
    """Return the rows as a table; a change that was undone says so."""
    if not rows:
        return "Nothing was done since that day."
    cells = [
        [
            str(row["entry"]),
            str(row["day"]),
            str(row["by"]),
            f"{row['what']}" + (f" (undone by {row['retracted_by']})" if row["retracted_by"] else ""),
        ]
        for row in rows
    ]
    return "\n".join(text_table(("entry", "day", "by", "what was done"), cells, (True, False, False, False)))
