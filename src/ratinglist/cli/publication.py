"""The commands that publish a list, prove what is published, and take it back."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli import end_interrupted
from ratinglist.cli.options import (
    MONTH,
    PATH,
    RECEIVED_OPTION,
    RULES_OPTION,
    STRICT_OPTION,
    InRange,
    Office,
    check_strict,
    end_with,
    in_office,
    say,
)
from ratinglist.errors import AlteredError
from ratinglist.period import Period

if TYPE_CHECKING:
    from ratinglist.workflows.run import RunPreview

BECAUSE_OPTION = click.option(
    "--because",
    multiple=True,
    metavar='QUESTION="REASON"',
    help="Why a list that raises this question is right; published in manifest.json. May be repeated.",
)


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

    given = reasons(because)
    confirm = None if yes or office.as_json or not _is_terminal() else _agrees
    settings = office.settings(family)
    summary = workflows.run.run(settings, month, paths, received, given, confirm)
    if confirm is None or not summary.published.is_new:
        office.show(summary)
    else:
        # The person has seen the rest.
        say(summary.published.text())
    months = [] if office.as_json else sorted({published.month for published in workflows.untold.untold(settings)})
    if months:
        say(f"People were not told of {', '.join(months)} yet: the next scheduled run tells them.")
    unread = len(summary.loaded.problems) if summary.loaded else 0
    check_strict(refused_reports(summary.rated.refused), unread, strict=strict)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _agrees(preview: RunPreview) -> bool:
    """Show what would be published and return whether the person agrees; no answer is a no."""
    say(preview.text())
    try:
        with _ended_at_every_interrupt():
            return click.confirm("publish?", default=False)
    except click.Abort:
        # The input has ended.
        click.echo()
        return False


@contextmanager
def _ended_at_every_interrupt() -> Iterator[None]:
    """End the process at Ctrl-C at whatever moment it comes, by a thread that waits for the signal; not on Windows.

    Python's own handler runs only after the answer was read, where the signal comes just before the reading, or where
    the handler of Polars lets the reading go on.
    """
    if sys.platform == "win32":
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)

    def wait() -> None:
        while os.read(reader, 1) != bytes([signal.SIGINT]):
            pass
        end_interrupted()

    Thread(target=wait, daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)


def reasons(because: tuple[str, ...]) -> dict[str, str]:
    """Return the reasons of ``--because`` by question; ``CommandLineError`` where one cannot be read."""
    from ratinglist.publication.doubts import parse_reasons, question_names

    return parse_reasons(because, question_names("publish")) if because else {}


@click.command()
@click.argument("month", type=MONTH)
@click.option(
    "--preview", is_flag=True, help="Write the files and REPORT.md to previews/ of the home; publish nothing."
)
@BECAUSE_OPTION
@in_office
def publish(month: Period, preview: bool, because: tuple[str, ...], office: Office) -> None:
    """Publish the calculated list as a new, immutable revision."""
    given = reasons(because)
    settings = office.settings()
    office.show((workflows.publish.preview if preview else workflows.publish.publish)(settings, month, given))


@click.command()
@click.argument("month", type=MONTH)
@click.option("--by", help="The person who approves; without it, show the approvals.")
@click.option("--digest", help="Approve only if the digest of the preview is this one, or begins with it.")
@click.option("--remark", default="", help="A remark, kept with the approval.")
@click.option("--key", type=PATH, help="Your private key (PEM), where office.toml has your public one.")
@click.option("--from", "start", type=MONTH, help="Approve the previews of all months from this one on to MONTH.")
@in_office
def approve(
    month: Period,
    by: str | None,
    digest: str | None,
    remark: str,
    key: Path | None,
    start: Period | None,
    office: Office,
) -> None:
    """Approve the preview of a list, or show its approvals."""
    settings = office.settings()
    if by is None:
        if digest is not None or remark or key is not None or start is not None:
            raise click.UsageError(
                "--digest, --remark, --key and --from belong to an approval: name the person who approves with --by."
            )
        office.show(workflows.publish.approved(settings, month))
    elif start is None:
        office.show(workflows.publish.approve(settings, month, by, digest, remark, key))
    else:
        office.show(workflows.publish.approve_months(settings, start, month, by, digest, remark, key))


@click.command()
@click.argument("path", type=PATH)
@click.option(
    "--key",
    type=PATH,
    help="The office's public key (PEM), which must have signed the index and every revision since it has signed.",
)
@click.option(
    "--seen",
    type=InRange(1),
    metavar="COUNTER",
    help="The counter that verify printed before: an index that is older was set back.",
)
@click.option("--office", "of_office", metavar="NAME", help="The name of the office that the index must state.")
@in_office
def verify(path: Path, key: Path | None, seen: int | None, of_office: str | None, office: Office) -> None:
    """Find any published file that is not what was published: a revision, or all of them (exit 4)."""
    from ratinglist.publication import published_files
    from ratinglist.publication.signature import read_public_key

    found = published_files.verify(path, read_public_key(key) if key else None, seen or 0, of_office)
    office.show(found)
    if found.wrong:
        end_with(AlteredError, found.complaint())


@click.command()
@click.argument("month", type=MONTH)
@click.option("--because", required=True, help="The reason, as text; it is kept, and published in rollbacks.csv.")
@click.option("--by", default="", help="The person who decided it.")
@click.option(
    "--to", metavar="rN", help="The revision to make current, or none to withdraw the month; default: the one before."
)
@in_office
def rollback(month: Period, because: str, by: str, to: str | None, office: Office) -> None:
    """Take a published list back: the revision before is current again at once; nothing is calculated."""
    office.show(workflows.undo.rollback(office.settings(), month, because, by, to))


@click.command()
@click.argument("month", type=MONTH)
@in_office
def sign(month: Period, office: Office) -> None:
    """Sign the revisions of a month that were published before the office had its key."""
    office.show(workflows.sign.sign(office.settings(), month))


@click.command()
@click.argument("revision", type=PATH)
@click.option("--inputs", type=PATH, required=True, help="The folder that holds the office's files.")
@in_office
def reproduce(revision: Path, inputs: Path, office: Office) -> None:
    """Make a published revision again from its log and inputs, in a temporary home, and compare the digest (exit 4)."""
    office.show(workflows.reproduce.reproduce(revision, inputs, office.settings_without_home()))
