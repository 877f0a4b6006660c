"""The commands between a calculated list and its readers: look at it, approve it, publish it."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import MONTH, Progress, office_options, show
from ratinglist.config import Settings
from ratinglist.period import Period

BECAUSE_OPTION = click.option(
    "--because",
    multiple=True,
    metavar='QUESTION="REASON"',
    help="Why a list that raises this question is right; goes into its manifest. May be repeated.",
)


def reasons(because: tuple[str, ...]) -> dict[str, str]:
    """The reasons of ``--because`` by question; ``CommandLineError`` where one is none."""
    from ratinglist.publication import questions
    from ratinglist.publication.raised_questions import parse_reasons

    return parse_reasons(because, questions.names()) if because else {}


@click.command()
@click.argument("month", type=MONTH)
@click.option("--preview", is_flag=True, help="Make the bytes and a report on them; readers see nothing of it.")
@BECAUSE_OPTION
@office_options
def publish(month: Period, preview: bool, because: tuple[str, ...], home: Path | None, as_json: bool) -> None:
    """Publish the calculated list as a new, immutable revision."""
    from ratinglist.workflows import publish as workflow

    given = reasons(because)
    settings = Settings.read(home, progress=Progress())
    show((workflow.preview if preview else workflow.publish)(settings, month, given), as_json=as_json)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--by", help="Who approves; without it, show who has.")
@click.option("--digest", help="Approve only if the preview has this digest, or one that begins so.")
@click.option("--remark", default="", help="What there is to say about it; kept with the approval.")
@office_options
def approve(month: Period, by: str | None, digest: str | None, remark: str, home: Path | None, as_json: bool) -> None:
    """Approve the preview of a list, or show who has."""
    from ratinglist.workflows import publish as workflow

    settings = Settings.read(home, progress=Progress())
    if by is None:
        if digest is not None or remark:
            raise click.UsageError("--digest and --remark belong to an approval: say who approves with --by.")
        show(workflow.approved(settings, month), as_json=as_json)
    else:
        show(workflow.approve(settings, month, by, digest, remark), as_json=as_json)
