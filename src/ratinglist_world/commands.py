"""The command of the made-up federations: ``simulate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ratinglist.cli.options import MONTH, PATH, InRange, Office, Progress, in_office


@click.command()
@click.argument("out", type=PATH)
@click.option("--players", type=int, required=True, help="Players of the starting list: from 60 to 2,000,000.")
@click.option("--months", type=InRange(1, 600), default=1, show_default=True, help="How many months of reports.")
@click.option("--from", "first", type=MONTH, default="2025-11", show_default=True, help="The first list to be rated.")
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Number that determines the federation; another seed gives another.",
)
@click.option("--reports", type=int, help="Events held each month; default: in proportion to the players.")
@click.option("--federation", "federations", multiple=True, help="Its code; may be repeated. Default: made-up codes.")
@in_office
def simulate(out: Path, months: int, office: Office, **world: Any) -> None:
    """Make up a federation, or a whole world: a starting list, and months of reports."""
    from ratinglist_world.people import world_of
    from ratinglist_world.simulate import simulate as make_up

    office.show(make_up(out, world_of(**world), months, Progress()))


COMMANDS = (simulate,)
