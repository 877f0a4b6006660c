"""The summary of `ratinglist status`: the office at a glance, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date

from ratinglist.analysis.unlike_names import UNLIKE_REMEDY
from ratinglist.number_text import counted
from ratinglist.reasons import status_word
from ratinglist.summaries import missing_approvals

_MONTHS_SHOWN = 6
_REPORTS_SHOWN = 20
_IMPORTS_SHOWN = 3
"""How many months and reports fit on one screen; `--json` has all of them."""


@dataclass(frozen=True, slots=True)
class PublishedMonth:
    """A published month. ``revision``: the current one; empty where ``problem`` states why there is none.

    ``published_on``: null where the store does not know the day. ``problem``: what is wrong with the published files,
    or when and why the month was taken back; else empty. ``withdrawn``: it was taken back and has no current list.
    """

    month: str
    revision: str
    published_on: date | None
    signed: bool
    problem: str = ""
    withdrawn: bool = False

    def text(self) -> str:
        """Return the month as one line."""
        on = f" on {self.published_on}" if self.published_on else ""
        if not self.revision:
            return f"{self.month}  {self.problem}"
        return f"{self.month}  {self.revision}{on}, {'signed' if self.signed else 'not signed'}" + (
            f"; {self.problem}" if self.problem else ""
        )


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
class WaitingReport:
    """A report that no list has rated and that may still be rated.

    ``status``: ``refused``, ``waiting`` or ``deferred``. ``rateable_until``: the closing date of the last list that may
    rate it; null where there is no limit, or no date.
    """

    file: str
    event_id: str
    name: str
    status: str
    why: str
    remedy: str
    rateable_until: date | None

    def text(self) -> str:
        """Return the report as one line: file, event, reason, remedy, and until when it can be rated."""
        remedy = f" → {self.remedy}" if self.remedy else ""
        until = f" (until {self.rateable_until})" if self.rateable_until else ""
        return f"{status_word(self.status):<8}  {self.file} ({self.event_id}): {self.why}{remedy}{until}"


@dataclass(frozen=True, slots=True)
class OpenMonth:
    """A month with a calculation that readers do not see.

    ``published``: another calculation of it is published. ``digest``: of its preview; empty where it has none.
    ``unanswered``: the open questions of the preview. ``approvals_needed`` and ``approved_by``: of that preview.
    ``go_on``: the command that makes the preview, or publishes it. ``preview_outdated``: the list was calculated again
    since its preview, which can be neither approved nor published; ``digest`` is empty then. ``rolled_back``: the
    revision with the figures of the calculation, where it was rolled back: then they cannot be published, and
    ``go_on`` makes that revision current again.
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
        if self.preview_outdated:
            return f"{self.month}  calculated again since its preview, make the preview again: {self.go_on}"
        if not self.digest:
            return f"{self.month}  {again}, no preview: {self.go_on}"
        missing = [f"no answer to {', '.join(self.unanswered)}"] if self.unanswered else []
        if self.approvals_missing:
            people = f" (approved by {' and '.join(self.approved_by)})" if self.approved_by else ""
            missing.append(f"{self.approvals_missing} of {self.approvals_needed} approvals missing{people}")
        what = "; ".join(missing) or "nothing is missing"
        because = "".join(f' --because {question}="..."' for question in self.unanswered)
        approve = self.approvals_missing and not self.unanswered
        command = f"ratinglist approve {self.month} --by NAME" if approve else f"{self.go_on}{because}"
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

    ``published``: oldest first. ``next_list``: null where there is no list to start from. ``waiting``: by file.
    ``received``: how many accepted reports no list has looked at, and the next list takes up; ``received_later``: how
    many were received when it had taken effect. ``to_do``: what the lists were calculated without, each a sentence with
    the command. ``backup``: null where the home knows of none. ``disagreements``: where the store and the published
    files do not agree, each a file and what is wrong with it; every other command that shows or changes what is
    published ends there. ``doubtful_ids``: the lines of waiting reports whose names are not those registered, and their
    players who may be registered twice. ``imported``: the imports that count, the newest first. ``office``: what is
    wrong with ``office.toml``.
    """

    home: str
    today: date
    published: list[PublishedMonth]
    next_list: NextList | None
    waiting: list[WaitingReport]
    received: int
    open_months: list[OpenMonth]
    to_do: list[str]
    backup: LastBackup | None
    disagreements: list[str] = field(default_factory=list)
    doubtful_ids: list[str] = field(default_factory=list)
    imported: list[str] = field(default_factory=list)
    received_later: int = 0
    office: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        months = [{**asdict(one), "approvals_missing": one.approvals_missing} for one in self.open_months]
        return {**asdict(self), "open_months": months}

    def text(self) -> str:
        """Return the office on one screen."""
        lines = [f"{self.home} on {self.today}"]
        if self.disagreements:
            wrong = _section("NOT AS PUBLISHED", self.disagreements, _MONTHS_SHOWN, "files")
            lines += [*wrong, "  Nothing else is shown or changed until this is put right: ratinglist doctor"]
        if self.office:
            lines.append(f"OFFICE.TOML IS WRONG, and no list is calculated before it is corrected: {self.office}")
        lines.append(self.next_list.text(self.today) if self.next_list else "No list was imported or published yet")
        later = f"; for a later list: {self.received_later:,}" if self.received_later else ""
        lines.append(f"Received for the next list: {counted(self.received, 'report')}{later}")
        current = [one.text() for one in reversed(self.published) if not one.withdrawn]
        lines += _section("Published", current, _MONTHS_SHOWN, "months")
        if taken_back := [one.text() for one in reversed(self.published) if one.withdrawn]:
            lines += _section("Taken back", taken_back, _MONTHS_SHOWN, "months")
        lines += _section("To publish", [one.text() for one in self.open_months], _MONTHS_SHOWN, "months")
        lines += _section("Waiting", [one.text() for one in self.waiting], _REPORTS_SHOWN, "reports")
        if self.doubtful_ids:
            lines += _section("FIDE IDs in doubt", self.doubtful_ids, _REPORTS_SHOWN, "lines")
            lines.append(f"  {UNLIKE_REMEDY}")
        lines += _section("To recalculate", self.to_do, _REPORTS_SHOWN, "sentences")
        if self.imported:
            lines += _section("Imported", self.imported, _IMPORTS_SHOWN, "imports")
        lines.append(self.backup.text() if self.backup else "Backup: none known of this home: ratinglist backup DIR")
        return "\n".join(lines)


def _section(title: str, rows: list[str], shown: int, what: str) -> list[str]:
    """Return the lines of one section: the first rows, and how many more there are."""
    if not rows:
        return [f"{title}: nothing"]
    left = len(rows) - shown
    named = what.removesuffix("s") if left == 1 else what
    more = [f"  and {left:,} more {named}: ratinglist status --json"] if left > 0 else []
    return [f"{title}: {len(rows):,}", *(f"  {row}" for row in rows[:shown]), *more]
