"""The commands of the month: what was delivered is loaded, a list is calculated, looked at, approved and published."""

from __future__ import annotations

import signal
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli.options import (
    BECAUSE_OPTION,
    MONTH,
    PATH,
    RECEIVED_OPTION,
    RULES_OPTION,
    STRICT_OPTION,
    Office,
    check_strict,
    in_office,
    reasons,
    say,
)
from ratinglist.period import Period

if TYPE_CHECKING:
    from ratinglist.workflows.run import RunPreview


@click.command()
@click.argument("month", type=MONTH)
@click.argument("paths", nargs=-1, type=PATH)
@RULES_OPTION
@RECEIVED_OPTION
@STRICT_OPTION
@BECAUSE_OPTION
@click.option("--yes", is_flag=True, help="Publish without a question; elsewhere than on a terminal there is none.")
@in_office
def run(
    month: Period,
    paths: tuple[Path, ...],
    family: str | None,
    received: date | None,
    strict: bool,
    because: tuple[str, ...],
    yes: bool,
    office: Office,
) -> None:
    """Load, rate and publish in one. On a terminal, show the list and ask before it is published."""
    from ratinglist.summaries import refused_reports

    answers = reasons(because, "publish")
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    confirm = _agrees if is_terminal and not yes and not office.as_json else None
    settings = office.settings(family)
    summary = workflows.run.run(settings, month, paths, received, answers, confirm)
    if confirm is None or not summary.published.is_new:
        office.show(summary)
    else:
        # The person has seen the rest.
        say(summary.published.text())
    unread = len(summary.loaded.problems) if summary.loaded else 0
    check_strict(refused_reports(summary.rated.refused), unread, strict=strict)


def _agrees(preview: RunPreview) -> bool:
    """Show what would be published and return whether the person agrees; no answer is a no."""
    say(preview.text())
    # Python's own handler runs only after an answer was read, where the signal comes just before the reading.
    ours = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return click.confirm("publish?", default=False)
    except click.Abort:
        # The input has ended.
        click.echo()
        return False
    finally:
        signal.signal(signal.SIGINT, ours)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATH)
@RECEIVED_OPTION
@STRICT_OPTION
@in_office
def load(paths: tuple[Path, ...], received: date | None, strict: bool, office: Office) -> None:
    """Load tournament reports: files, folders, zips. Safe to repeat."""
    from ratinglist.summaries import refused_reports

    summary = workflows.load.load(office.settings(), paths, received)
    office.show(summary)
    check_strict(refused_reports(summary.refused), len(summary.problems), strict=strict)


@click.command()
@click.argument("month", type=MONTH)
@RULES_OPTION
@in_office
def rate(month: Period, family: str | None, office: Office) -> None:
    """Calculate a month's list, all time controls."""
    office.show(workflows.run.rate(office.settings(family), month))


@click.command()
@in_office
def status(office: Office) -> None:
    """Show the office at a glance: lists published, the next closing date, what waits and why, what is to be done."""
    office.show(workflows.status.status(office.settings()))


@click.command()
@click.argument("month", type=MONTH, required=False)
@in_office
def quarantine(month: Period | None, office: Office) -> None:
    """Show every report that is not rated, why, and what to do about it: in the store, or by a month's list."""
    from ratinglist.summaries import quarantine_text

    rows = workflows.quarantine.quarantined(office.settings(), month)
    office.show_rows(rows, lambda: quarantine_text(rows))


@click.command()
@click.argument("month", type=MONTH)
@click.option(
    "--preview", is_flag=True, help="Write the files and REPORT.md to previews/ of the home; publish nothing."
)
@BECAUSE_OPTION
@in_office
def publish(month: Period, preview: bool, because: tuple[str, ...], office: Office) -> None:
    """Publish the calculated list as a new, immutable revision."""
    answers = reasons(because, "publish")
    settings = office.settings()
    office.show((workflows.publish.preview if preview else workflows.publish.publish)(settings, month, answers))


@click.command()
@click.argument("month", type=MONTH)
@click.option("--by", help="The person who approves; without it, show the approvals.")
@click.option("--digest", help="Approve only if the digest of the preview is this one, or begins with it.")
@click.option("--key", type=PATH, help="Your private key (PEM), where office.toml has your public one.")
@in_office
def approve(month: Period, by: str | None, digest: str | None, key: Path | None, office: Office) -> None:
    """Approve the preview of a list, or show its approvals."""
    settings = office.settings()
    if by is None:
        if digest is not None or key is not None:
            raise click.UsageError("--digest and --key belong to an approval: name the person who approves with --by.")
        office.show(workflows.publish.approved(settings, month))
    else:
        office.show(workflows.publish.approve(settings, month, by, digest, key))


COMMANDS = (run, load, rate, status, quarantine, publish, approve)
