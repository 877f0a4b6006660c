"""The command of every month: load, rate and publish, with a question to a person at a terminal."""

from __future__ import annotations

import signal
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratinglist.cli.options import (
    MONTH,
    RECEIVED_OPTION,
    RULES_OPTION,
    STRICT_OPTION,
    check_strict,
    engine_options,
    office_options,
    office_settings,
    say,
    show,
)
from ratinglist.cli.publication import BECAUSE_OPTION, reasons
from ratinglist.config import EngineChoice
from ratinglist.period import Period

if TYPE_CHECKING:
    from ratinglist.run_summary import RunPreview


@click.command()
@click.argument("month", type=MONTH)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@RULES_OPTION
@RECEIVED_OPTION
@STRICT_OPTION
@BECAUSE_OPTION
@click.option("--yes", is_flag=True, help="Publish without a question; elsewhere than on a terminal there is none.")
@engine_options
@office_options
def run(
    month: Period,
    paths: tuple[Path, ...],
    family: str | None,
    received: date | None,
    strict: bool,
    because: tuple[str, ...],
    yes: bool,
    engine: str,
    scheduler: str | None,
    buckets: int | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Load, rate and publish in one. On a terminal, show the list and ask before it is published."""
    from ratinglist.summaries import refused_reports
    from ratinglist.workflows import run as workflow

    given = reasons(because)
    confirm = None if yes or as_json or not _is_terminal() else _agrees
    settings = office_settings(home, family, EngineChoice.read(engine, buckets, scheduler))
    summary = workflow.run(settings, month, paths, received, given, confirm)
    if confirm is None or not summary.published.is_new:
        show(summary, as_json=as_json)
    else:
        # The person has seen the rest.
        say(summary.published.text())
    unread = len(summary.loaded.problems) if summary.loaded else 0
    check_strict(refused_reports(summary.rated.refused), unread, strict=strict)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _agrees(preview: RunPreview) -> bool:
    """Show what would be published and return whether the person agrees; no answer is a no."""
    say(preview.text())
    # Polars installs its own handler, which continues the reading of the answer after Ctrl-C.
    signal.siginterrupt(signal.SIGINT, True)
    try:
        return click.confirm("publish?", default=False)
    except click.Abort:
        # The input has ended.
        click.echo()
        return False
