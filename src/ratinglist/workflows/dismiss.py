"""The command `ratinglist dismiss`: set a refused report aside with a reason, or take it up again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.publication.answers import checked_reason
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import open_to_write

_SHORTEST = 12
"""Fewest characters of a digest that name a report."""


@dataclass(frozen=True, slots=True)
class DismissSummary(Summary):
    """A report that was set aside, or with ``undone`` taken up again. ``already``: nothing was changed now."""

    file: str
    event_id: str
    report_sha256: str
    reason: str
    undone: bool = False
    already: bool = False

    def text(self) -> str:
        """Return the summary, and how to undo it."""
        if self.undone:
            return f"{self.file} ({self.event_id}): taken up again; ratinglist quarantine shows it"
        state = "was set aside before: nothing was changed" if self.already else f"set aside: {self.reason}"
        return (
            f"{self.file} ({self.event_id}): {state}\nThe report is kept, and is counted nowhere. To undo this: "
            f"ratinglist dismiss {self.report_sha256[:_SHORTEST]} --undo"
        )


def dismiss(settings: Settings, report: str, because: str) -> DismissSummary:
    """Set a refused report aside: `quarantine`, `status` and the counts of `run` leave it out. No list changes.

    ``report``: the name of its file, or the end of the name, as the quarantine prints it; its event code; or the
    beginning of its sha256. Raises :class:`NothingReadError` where no report is meant, :class:`CommandLineError` where
    several are, where it is not refused, and where the reason is empty or has a date of birth.
    """
    reason = checked_reason(because, "--because", "why the report is set aside")
    with open_to_write(settings) as store:
        if problem := text_problem(store, reason, settings.today):
            raise CommandLineError(f"--because {problem}. The text was not stored, and nothing was set aside.")
        row = _named(store, report)
        if row["accepted"]:
            raise CommandLineError(
                f"{row['file']} ({row['event_id']}) is not refused, so it cannot be set aside: a list may rate it. To "
                f"keep it from being rated: ratinglist correct withdraw {row['event_id']}"
            )
        already = row["dismissed"] == reason
        if not already:
            store.record("dismiss", settings.today, report_id=row["report_id"], reason=reason)
        return DismissSummary(row["file"], row["event_id"], row["sha256"], reason, already=already)


def undo(settings: Settings, report: str) -> DismissSummary:
    """Take up a report again that was set aside; ``report``: see :func:`dismiss`.

    Raises :class:`NothingReadError` where no report is meant, :class:`CommandLineError` where several are, or where it
    was not set aside.
    """
    with open_to_write(settings) as store:
        row = _named(store, report, is_undone=True)
        if not row["dismissed"]:
            raise CommandLineError(f"{row['file']} ({row['event_id']}) was not set aside: nothing was changed.")
        store.record("dismiss", settings.today, report_id=row["report_id"], reason="")
        return DismissSummary(row["file"], row["event_id"], row["sha256"], "", undone=True)


def _named(store: Store, report: str, *, is_undone: bool = False) -> dict[str, Any]:
    """Return the report that is meant.

    Of several, the only one that is refused and not set aside, then the only refused one; with ``is_undone`` the only
    one that was set aside.
    """
    rows = store.read(
        """
        select report.report_id, report.file_name as file, report.event_id, report.sha256, report.accepted,
            coalesce(dismissed_report.reason, '') as dismissed
        from report left join dismissed_report using (report_id) order by report.file_name, report.report_no
        """
    ).to_dicts()
    meant = [row for row in rows if _is_meant(report, row)]
    refused = [row for row in meant if not row["accepted"]]
    if is_undone:
        first = [row for row in meant if row["dismissed"]] or meant
    else:
        first = [row for row in refused if not row["dismissed"]] or refused or meant
    if len({row["sha256"] for row in first}) == 1:
        # One file that was delivered several times: the newest delivery counts.
        return first[-1]
    if not first:
        raise NothingReadError(
            f"No report '{report}' was received. Name its file as `ratinglist quarantine` prints it, or its event code."
        )
    lines = [f"  ratinglist dismiss {row['sha256'][:_SHORTEST]}    {row['file']} ({row['event_id']})" for row in first]
    raise CommandLineError("\n".join([f"'{report}' names {len(first)} reports. Name one by its digest:", *lines]))


def _is_meant(report: str, row: dict[str, Any]) -> bool:
    parts, given = PurePath(row["file"]).parts, PurePath(report).parts
    return (
        report in (row["file"], row["event_id"])
        or (bool(given) and parts[-len(given) :] == given)
        or (len(report) >= _SHORTEST and row["sha256"].startswith(report.lower()))
    )
