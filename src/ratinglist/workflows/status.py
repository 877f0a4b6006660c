"""The command `ratinglist status`: what is published, what waits and why, and what is to be done next."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date

from ratinglist.analysis import report_states
from ratinglist.home.history import Calculation
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.manifest import SIGNATURE
from ratinglist.rating.rules import RuleBook
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import because_options, missing_approvals
from ratinglist.text import counted
from ratinglist.workflows import backup
from ratinglist.workflows.opening import disagreements, open_to_read


def status(settings: Settings) -> StatusSummary:
    """Return the state of the office, from the store and the published folder; nothing is written.

    Where the store and the published files do not agree, the summary states it: the state of an office can be seen
    whatever it is. Raises what :func:`~ratinglist.workflows.opening.open_to_read` raises, and
    :class:`~ratinglist.errors.CommandLineError` where ``office.toml`` is wrong.
    """
    with open_to_read(settings) as store:
        return _summary(store, settings, rule_book())


def _summary(store: Store, settings: Settings, book: RuleBook) -> StatusSummary:
    published = _published(store, settings)
    next_list = _next_list(store, settings, book)
    reports = report_states.report_states(store, settings.family)
    month = next_list.month if next_list else ""
    received = sum(
        report.state == "ready" or (report.state == "rated" and report.list_month == month) for report in reports
    )
    return StatusSummary(
        home=str(settings.home),
        today=settings.today,
        published=published,
        next_list=next_list,
        waiting=[report for report in reports if report.is_open],
        received=received,
        open_months=_open_months(store, settings),
        to_do=[
            *(report_states.pending_changes(store, book, Period.parse(next_list.month)) if next_list else []),
            *(report_states.reports_in_time(store, book) if received else []),
        ],
        backup=_backup(settings, published),
        disagreements=[disagreement.text() for disagreement in disagreements(store.log, settings)],
    )


def _backup(settings: Settings, published: list[PublishedMonth]) -> LastBackup | None:
    trace = backup.read_trace(settings.home)
    if trace is None:
        return None
    current = [f"{month.month}/{month.revision}" for month in published if month.revision]
    missing = [revision for revision in current if revision not in trace["published"]]
    return LastBackup(trace["folder"], trace["made_on"], missing)


def _published(store: Store, settings: Settings) -> list[PublishedMonth]:
    """Return the months that the log says were published, oldest first, and those that were taken back."""
    history = store.log.history
    days = {(publication.month, publication.revision): publication.published_on for publication in history.publications}
    published = [
        PublishedMonth(
            month,
            f"r{number}",
            days.get((month, number)),
            signed=(settings.published / month / f"r{number}" / SIGNATURE).is_file(),
        )
        for month, number in history.current.items()
    ]
    taken_back = [
        PublishedMonth(month, "", None, signed=False, problem="withdrawn on {rolled_back_on}: {reason}".format_map(row))
        for month, row in history.withdrawn_months().items()
    ]
    return sorted([*published, *taken_back], key=lambda published_month: published_month.month)


def _next_list(store: Store, settings: Settings, book: RuleBook) -> NextList | None:
    """Return the list after the newest published or imported one; None where there is none to start from."""
    imported = store.value("select max(month) from imported_list")
    before = max(filter(None, (*store.log.history.current, imported)), default=None)
    if before is None:
        return None
    period = book.next_list(settings.family, Period.parse(before) + 1)
    closing = book.closing_dates(settings.family, period)[0]
    calculated = str(period) in store.log.history.standing_calculations()
    withdrawn = str(period) in store.log.history.withdrawn_months()
    return NextList(str(period), closing, calculated=calculated, withdrawn=withdrawn)


def _open_months(store: Store, settings: Settings) -> list[OpenMonth]:
    """Return the months with a calculation that the current revision does not show, oldest first."""
    history = store.log.history
    # Without those in which a re-rating found no other figures, or which it leaves to the next list.
    months = [
        _open_month(store, settings, calculation)
        for month, calculation in sorted(history.standing_calculations().items())
        if history.current.get(month) not in history.revisions_showing(calculation)
        and history.settled.get(month) is not calculation
    ]
    # A re-rating publishes all its lists or none, so its command takes the reasons for all of them.
    asked = [(open_month.go_on, question) for open_month in months for question in open_month.unanswered]
    return [
        replace(month, unanswered=list(dict.fromkeys(question for go_on, question in asked if go_on == month.go_on)))
        for month in months
    ]


def _open_month(store: Store, settings: Settings, calculation: Calculation) -> OpenMonth:
    """Return a month whose newest ``calculation`` is not the one that is published."""
    # Not with the module: few offices have such a month, and it takes a tenth of a second with all that it imports.
    from ratinglist.publication import approvals, doubts

    history, month, needed = store.log.history, calculation.month, settings.office.publication.approvals
    published = history.current.get(month)
    asked = [doubts.named(code) for code in ("loaded_since", "players_since", "pending_correction")]
    since = doubts.unanswered(doubts.doubts_about(store, settings, Period.parse(month), asked=asked))
    again = next((doubt.remedy for doubt in since if doubt.remedy), "")
    opened = OpenMonth(month, published is not None, "", [], needed, [], "", calculate_again=again)
    wrong = {revision.revision for revision in revisions.rolled_back(history, month)}
    preview = approvals.preview_of(store, Period.parse(month))
    if taken_back := sorted(wrong.intersection(history.revisions_showing(calculation))):
        name = f"r{taken_back[-1]}"
        return replace(opened, go_on=f"ratinglist rollback {month} --to {name}", rolled_back=name)
    if preview is None or preview.revision <= (published or 0):
        # Only `rerate` publishes a month that is published with other figures.
        return replace(opened, go_on=f"ratinglist {'rerate --from' if published else 'publish'} {month} --preview")
    if preview.calculation_id != calculation.calculation_id:
        return replace(opened, go_on=approvals.preview_again(preview.go_on), preview_outdated=True)
    people = [
        approval["name"] for approval in approvals.counting(store, settings, Period.parse(month), preview.manifest)
    ]
    return replace(
        opened, digest=preview.manifest, unanswered=preview.unanswered, approved_by=people, go_on=preview.go_on
    )


_MONTHS_SHOWN = 6
_REPORTS_SHOWN = 20
"""How many months and reports fit on one screen; `--json` has all of them."""


@dataclass(frozen=True, slots=True)
class PublishedMonth:
    """A published month. ``revision``: the current one; empty where the month was taken back, which ``problem`` says.

    ``published_on``: the day of this revision.
    """

    month: str
    revision: str
    published_on: date | None
    signed: bool
    problem: str = ""

    def text(self) -> str:
        """Return the month as one line."""
        on = f" on {self.published_on}" if self.published_on else ""
        if not self.revision:
            return f"{self.month}  {self.problem}"
        return f"{self.month}  {self.revision}{on}, {'signed' if self.signed else 'not signed'}"


@dataclass(frozen=True, slots=True)
class NextList:
    """The next list to be published. ``closing_date``: the first, where its time controls differ in it.

    ``withdrawn``: it was published and taken back, and is to be calculated again.
    """

    month: str
    closing_date: date
    calculated: bool
    withdrawn: bool = False

    def text(self, today: date) -> str:
        """Return the list with the days left, as one line."""
        calculated = "taken back, to be calculated again" if self.withdrawn else "not calculated yet"
        calculated = "calculated" if self.calculated else calculated
        days = (self.closing_date - today).days
        left = "today" if not days else f"in {counted(days, 'day')}" if days > 0 else "has passed"
        return f"Next list: {self.month}, {calculated}; closing date {self.closing_date} ({left})"


@dataclass(frozen=True, slots=True)
class OpenMonth:
    """A month with a calculation that readers do not see.

    ``published``: another calculation of it is published. ``digest``: of its preview; empty where it has none.
    ``unanswered``: the open questions of all that ``go_on`` publishes. ``approvals_needed`` and ``approved_by``: of
    that preview. ``go_on``: the command that makes the preview, or publishes it. ``preview_outdated``: the list was
    calculated again since its preview, which can be neither approved nor published; ``digest`` is empty then.
    ``rolled_back``: the revision with the figures of the calculation, where it was rolled back: then they cannot be
    published, and ``go_on`` makes that revision current again. ``calculate_again``: the command, where reports,
    players or corrections came since the calculation that it would have had; ``go_on`` then asks whether they may be
    left out.
    """

    month: str
    published: bool
    digest: str
    unanswered: list[str]
    approvals_needed: int
    approved_by: list[str]
    go_on: str
    preview_outdated: bool = False
    rolled_back: str = ""
    calculate_again: str = ""

    @property
    def approvals_missing(self) -> int:
        """Return how many people still have to approve the preview."""
        return missing_approvals(self.approvals_needed, self.approved_by)

    def text(self) -> str:
        """Return what is missing until the month is published, with the command, as one line."""
        if self.rolled_back:
            return (
                f"{self.month}  calculated as {self.rolled_back}, which was rolled back: correct what is wrong, then: "
                f'ratinglist rerate --from {self.month}; if it was right: {self.go_on} --because "..."'
            )
        again = "calculated again since it was published" if self.published else "calculated, not published"
        if self.calculate_again:
            what = "reports, players or corrections came since"
            return f"{self.month}  {again}; {what}, calculate it again: {self.calculate_again}"
        if self.preview_outdated:
            return f"{self.month}  calculated again since its preview, make the preview again: {self.go_on}"
        if not self.digest:
            return f"{self.month}  {again}, no preview: {self.go_on}"
        missing = [f"no answer to {', '.join(self.unanswered)}"] if self.unanswered else []
        if self.approvals_missing:
            people = f" (approved by {' and '.join(self.approved_by)})" if self.approved_by else ""
            missing.append(f"{self.approvals_missing} of {self.approvals_needed} approvals missing{people}")
        what = "; ".join(missing) or "nothing is missing"
        approve = self.approvals_missing and not self.unanswered
        publish = f"{self.go_on} {because_options(self.unanswered)}".rstrip()
        command = f"ratinglist approve {self.month} --by NAME" if approve else publish
        return f"{self.month}  {again}, preview {self.digest[:12]}: {what}: {command}"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The last backup that the home knows of. ``missing``: the current revisions that it does not have."""

    folder: str
    made_on: str
    missing: list[str]

    def text(self) -> str:
        """Return the backup as one line, with the command where it is older than a list."""
        if not self.missing:
            return f"Backup: of {self.made_on}, with every list published"
        more = f" and {len(self.missing) - 1:,} more" if len(self.missing) > 1 else ""
        return f"Backup: of {self.made_on}, without {self.missing[-1]}{more}: ratinglist backup {self.folder}"


@dataclass(frozen=True, slots=True)
class StatusSummary:
    """The state of an office on a day.

    ``published``: oldest first. ``next_list``: null where there is no list to start from. ``waiting``: the reports that
    may still be rated, by file. ``received``: how many the next list rates. ``to_do``: what the lists were calculated
    without, each a sentence with the command. ``backup``: null where the home knows of none. ``disagreements``: where
    the log and the published files do not agree, each a file and what is wrong with it; every other command that shows
    or changes what is published ends there.
    """

    home: str
    today: date
    published: list[PublishedMonth]
    next_list: NextList | None
    waiting: list[report_states.ReportState]
    received: int
    open_months: list[OpenMonth]
    to_do: list[str]
    backup: LastBackup | None
    disagreements: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        months = [{**asdict(month), "approvals_missing": month.approvals_missing} for month in self.open_months]
        return {**asdict(self), "open_months": months, "waiting": [_waiting_report(report) for report in self.waiting]}

    def text(self) -> str:
        """Return the office on one screen."""
        lines = [f"{self.home} on {self.today}"]
        if self.disagreements:
            wrong = _section("NOT AS PUBLISHED", self.disagreements, _MONTHS_SHOWN, "files")
            lines += [*wrong, "  First put this right: ratinglist doctor"]
        lines.append(self.next_list.text(self.today) if self.next_list else "No list was imported or published yet")
        lines.append(f"Received for the next list: {counted(self.received, 'report')}")
        current = [month.text() for month in reversed(self.published) if month.revision]
        lines += _section("Published", current, _MONTHS_SHOWN, "months")
        if taken_back := [month.text() for month in reversed(self.published) if not month.revision]:
            lines += _section("Taken back", taken_back, _MONTHS_SHOWN, "months")
        lines += _section("To publish", [month.text() for month in self.open_months], _MONTHS_SHOWN, "months")
        lines += _section("Waiting", [_waiting_text(report) for report in self.waiting], _REPORTS_SHOWN, "reports")
        lines += _section("To recalculate", self.to_do, _REPORTS_SHOWN, "sentences")
        lines.append(self.backup.text() if self.backup else "Backup: none known of this home: ratinglist backup DIR")
        return "\n".join(lines)


def _waiting_report(report: report_states.ReportState) -> dict[str, object]:
    return {
        "file": report.file_name,
        "event_id": report.event_id,
        "name": report.event,
        "status": "waiting" if report.state == "waits" else report.state,
        "why": report.says,
        "remedy": report.remedy,
        "rateable_until": report.until,
    }


def _waiting_text(report: report_states.ReportState) -> str:
    """Return a report as one line: file, event, reason, remedy, and until when it can be rated."""
    remedy = f" → {report.remedy}" if report.remedy else ""
    until = f" (until {report.until})" if report.until else ""
    return f"{report.state:<8}  {report.file_name} ({report.event_id}): {report.says}{remedy}{until}"


def _section(title: str, rows: list[str], shown: int, what: str) -> list[str]:
    """Return the lines of one section: the first rows, and how many more there are."""
    if not rows:
        return [f"{title}: nothing"]
    left = len(rows) - shown
    named = what.removesuffix("s") if left == 1 else what
    more = [f"  and {left:,} more {named}: ratinglist status --json"] if left > 0 else []
    return [f"{title}: {len(rows):,}", *(f"  {row}" for row in rows[:shown]), *more]
