"""The commands that publish a calculated list: preview, approve, publish."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import MONTH, office_options, office_settings, show
from ratinglist.period import Period

BECAUSE_OPTION = click.option(
    "--because",
    multiple=True,
    metavar='QUESTION="REASON"',
    help="Why a list that raises this question is right; published in manifest.json. May be repeated.",
)


def reasons(because: tuple[str, ...]) -> dict[str, str]:
    """Return the reasons of ``--because`` by question; ``CommandLineError`` where one cannot be read."""
    from ratinglist.publication import checks
    from ratinglist.publication.questions import parse_reasons

    return parse_reasons(because, checks.question_names()) if because else {}


@click.command()
@click.argument("month", type=MONTH)
@click.option(
    "--preview", is_flag=True, help="Write the files and REPORT.md to previews/ of the home; publish nothing."
)
@BECAUSE_OPTION
@office_options
def publish(month: Period, preview: bool, because: tuple[str, ...], home: Path | None, as_json: bool) -> None:
    """Publish the calculated list as a new, immutable revision."""
    from ratinglist.workflows import publish as workflow

    given = reasons(because)
    settings = office_settings(home)
    show((workflow.preview if preview else workflow.publish)(settings, month, given), as_json=as_json)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--by", help="The person who approves; without it, show the approvals.")
@click.option("--digest", help="Approve only if the digest of the preview is this one, or begins with it.")
@click.option("--remark", default="", help="A remark, kept with the approval.")
@click.option(
    "--key", type=click.Path(path_type=Path), help="Your private key (PEM), where office.toml has your public one."
)
@click.option("--from", "start", type=MONTH, help="Approve the previews of all months from this one on to MONTH.")
@office_options
def approve(
    month: Period,
    by: str | None,
    digest: str | None,
    remark: str,
    key: Path | None,
    start: Period | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Approve the preview of a list, or show its approvals."""
    from ratinglist.workflows import publish as workflow

    settings = office_settings(home)
    if by is None:
        if digest is not None or remark or key is not None or start is not None:
            raise click.UsageError(
                "--digest, --remark, --key and --from belong to an approval: name the person who approves with --by."
            )
        show(workflow.approved(settings, month), as_json=as_json)
    elif start is None:
        show(workflow.approve(settings, month, by, digest, remark, key), as_json=as_json)
    else:
        show(workflow.approve_months(settings, start, month, by, digest, remark, key), as_json=as_json)
