"""The commands of the laboratory: replay, report, what-if."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ratinglist.cli.options import CONTROL, MONTH, PATH, Office, in_office
from ratinglist.period import Period

_FROM = click.option("--from", "first", type=MONTH, help="The first list that is replayed; default: your first one.")
_TO = click.option("--to", "last", type=MONTH, help="The last one; default: your newest one.")
_CONTROL = click.option("--time-control", type=CONTROL, default="standard", show_default=True)
_START = click.option(
    "--start",
    type=click.Choice(["list", "scratch"]),
    default="list",
    show_default=True,
    help="From the office's list before the first month, or with no player rated.",
)
_OUT = click.option("--out", type=PATH, help="Folder to write to; default: laboratory, or what-if, here.")


class _Systems(click.ParamType[list[str]]):
    """Systems between commas: families, or folders of one; of a report also tables of predictions."""

    name = "SYSTEMS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the names, each once."""
        names = list(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
        if not names:
            self.fail("it is empty: name rule families between commas.", param, ctx)
        return names


@click.group()
def lab() -> None:
    """Replay the months of this office under other systems or rules. Nothing is published, and no store is changed."""


@lab.command()
@click.option(
    "--systems", "names", type=_Systems(), required=True, help="Families, or folders of rule files, between commas."
)
@_START
@_FROM
@_TO
@_CONTROL
@in_office
def replay(names: list[str], **options: Any) -> None:
    """Calculate the months under every system, and predict every game before it is learnt."""
    from ratinglist.laboratory import replay

    _show(replay.replay, names, **options)


@lab.command()
@click.option("--systems", "names", type=_Systems(), help="Replayed systems, the first to compare with; default: all.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def report(names: list[str] | None, **options: Any) -> None:
    """Compare what the replayed systems predicted and what their lists became: a page, charts and tables."""
    from ratinglist.laboratory import report

    _show(report.report, names or (), **options)


@lab.command("what-if")
@click.option("--family", default="fide", show_default=True, help="The rule family that is changed.")
@click.option("--change", "changes", multiple=True, required=True, help="section.key=value; may be repeated.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def what_if(family: str, changes: tuple[str, ...], **options: Any) -> None:
    """Change values of a regulation in memory: who moves, enters and leaves, and whether it predicts better."""
    from ratinglist.laboratory import what_if

    _show(what_if.what_if, family, changes, **options)


def _show(
    command: Callable[..., Any],
    *arguments: object,
    office: Office,
    first: Period | None,
    last: Period | None,
    start: str,
    **options: object,
) -> None:
    """Run a command on the months and print its summary; ``options``: as that command takes them."""
    from ratinglist.laboratory import replay

    office.show(command(office.settings(), *arguments, months=(first, last), start=replay.STARTS[start], **options))
