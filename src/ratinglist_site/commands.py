"""The commands of the site: it is made and served, and the sample federation is played to look at it."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import click

from ratinglist import workflows
from ratinglist.cli.options import MONTH, PATH, Office, Progress, in_office, say
from ratinglist.period import Period
from ratinglist.settings import Settings


@click.command()
@click.option(
    "--out",
    type=PATH,
    help="Folder of the site; an earlier site there is replaced at once. Default: out in [site] of office.toml.",
)
@click.option("--from", "first", type=MONTH, help="The first list shown; default: the first published.")
@click.option("--serve", is_flag=True, help="Then serve it to the browser of this computer, until Ctrl-C.")
@in_office
def site(out: Path | None, first: Period | None, serve: bool, office: Office) -> None:
    """Make a static site of everything published: players, lists, months, events. Any web server can send it.

    Language, years of birth, downloads and clubs: [site] of office.toml.
    """
    from ratinglist_site.make import make_site, server

    summary = make_site(office.settings(), out, first)
    office.show(summary)
    if serve:
        # Nothing is written any more: Ctrl-C is how it ends.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with server(Path(summary.folder)) as opened, suppress(KeyboardInterrupt):
            say(f"Look at it at http://127.0.0.1:{opened.server_port}/ until you press Ctrl-C.", err=True)
            opened.serve_forever()


@click.command()
@click.option("--out", type=PATH, default=Path("demo-site"), show_default=True, help="The site.")
@in_office
def demo(out: Path, office: Office) -> None:
    """Play the sample federation: four months, published, with their site. The home is demo-home, or --home."""
    from ratinglist_site.make import make_site

    settings = Settings.read(office.home or Path("demo-home"), progress=Progress())
    done = [*workflows.init.demo(settings), make_site(settings, out)]
    office.show_rows([summary.as_dict() for summary in done], lambda: "\n".join(summary.text() for summary in done))


COMMANDS = (site, demo)
