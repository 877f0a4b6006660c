"""The commands for when something is wrong: look it up, and put right what was received or published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli.options import (
    BECAUSE_OPTION,
    CONTROL,
    FIDE_ID,
    MONTH,
    PATH,
    PREVIEW_OPTION,
    InRange,
    Office,
    in_office,
    reasons,
    say,
)
from ratinglist.errors import CommandLineError
from ratinglist.period import Period

if TYPE_CHECKING:
    from ratinglist.analysis.explain import Account

_MOST_PLAYERS = 10_000


@click.command()
@click.argument("fide_id", type=FIDE_ID)
@click.argument("month", type=MONTH, required=False)
@click.option("--time-control", type=CONTROL, help="One time control only; default: all that have the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@click.option("--preview", is_flag=True, help="The calculated list, published or not; default: the newest calculated.")
@click.option("--html", "as_html", is_flag=True, help="Print a page for a browser: one file that loads nothing.")
@in_office
def explain(
    fide_id: int,
    month: Period | None,
    time_control: str | None,
    revision: str | None,
    preview: bool,
    as_html: bool,
    office: Office,
) -> None:
    """Explain how a player's rating was calculated: every game, the sum, the articles, and what was not rated.

    `ratinglist find NAME` shows the FIDE ID. MONTH is by default the newest published one.
    """
    if as_html and office.as_json:
        raise CommandLineError("--html and --json are two forms of the same: leave one of them out.")
    if preview and revision:
        raise CommandLineError("--preview is of the calculated list, --revision of a published one: leave one out.")
    settings = office.settings()
    if preview:
        account: Account = workflows.explain.explain_calculated(settings, fide_id, month)
    else:
        account = workflows.explain.explain_player(settings, fide_id, month, revision)
    if time_control:
        account = account.of_time_control(time_control)
    if as_html:
        from ratinglist.pages.html_pages import as_page

        say(as_page(account.document()).removesuffix("\n"))
    else:
        office.show(account)


@click.command()
@click.argument("event", metavar="EVENT")
@in_office
def event(event: str, office: Office) -> None:
    """Show what became of an event: its reports, what is missing, and until when it can be rated.

    EVENT is a code, or a part of a name that no other event has.
    """
    office.show(workflows.quarantine.event(office.settings(), event))


@click.command()
@click.argument("name", nargs=-1, required=True)
@click.option(
    "--limit", type=InRange(1, _MOST_PLAYERS), default=20, show_default=True, help="How many players to show."
)
@in_office
def find(name: tuple[str, ...], limit: int, office: Office) -> None:
    """Find players by any part of a name, in any alphabet, with their newest ratings; a number is a FIDE ID."""
    office.show(workflows.find.find(office.settings(), " ".join(name), limit))


@click.command()
@click.option(
    "--min-score", type=InRange(0, 100), default=70, show_default=True, help="Show those with this score or more."
)
@in_office
def identities(min_score: int, office: Office) -> None:
    """Propose players who may be one person, and FIDE IDs that may be wrong in reports; change nothing."""
    rows = workflows.find.propose(office.settings(), min_score)
    office.show_rows(rows.to_dicts(), lambda: workflows.find.candidates_text(rows, min_score))


@click.command()
@click.argument("month", type=MONTH)
@click.option("--out", type=PATH, help="Folder of the letters; default: letters-YYYY-MM here.")
@click.option("--language", default="en", show_default=True, help="Language of the letters: en or it.")
@in_office
def letters(month: Period, out: Path | None, language: str, office: Office) -> None:
    """Write a letter to the arbiter of each report of a month: rated, refused or waiting, why, and what to do."""
    office.show(workflows.quarantine.letters(office.settings(), month, out, language))


@click.command()
@click.option("--from", "start", type=MONTH, required=True, help="The first list to calculate again.")
@PREVIEW_OPTION
@BECAUSE_OPTION
@in_office
def rerate(start: Period, preview: bool, because: tuple[str, ...], office: Office) -> None:
    """Calculate every list from a month on again; publish a new revision, with its diff, of each list that changed."""
    answers = reasons(because, "publish")
    settings = office.settings()
    office.show(workflows.rerate.rerate(settings, start, preview=preview, because=answers))


@click.command()
@click.argument("entry", type=InRange(1))
@click.option("--because", help="Why it is undone; kept in the log.")
@in_office
def retract(entry: int, because: str | None, office: Office) -> None:
    """Undo an import, a load or a dismissal, by the number that `ratinglist log` shows."""
    office.show(workflows.undo.retract(office.settings(), entry, because))


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
@click.argument("report")
@click.option("--because", required=True, help="Why the report is set aside; it is kept, and not published.")
@in_office
def dismiss(report: str, because: str, office: Office) -> None:
    """Set a refused report aside, by file name, event code or digest: it is no longer counted as refused."""
    office.show(workflows.undo.dismiss(office.settings(), report, because))


COMMANDS = (explain, event, find, identities, letters, rerate, retract, rollback, dismiss)
