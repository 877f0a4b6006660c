"""The commands `ratinglist explain --html` and `ratinglist open`: an account as a page that is one file."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp

from ratinglist.analysis.explain import Account, UnlistedAccount
from ratinglist.config import Settings
from ratinglist.pages import charts, html_pages
from ratinglist.pages.document import Figure, Figures
from ratinglist.period import Period
from ratinglist.schemas import LISTS
from ratinglist.summaries import Summary
from ratinglist.workflows import sql
from ratinglist.workflows.explain import explain_player


@dataclass(frozen=True, slots=True)
class OpenedPage(Summary):
    """A page written for the officer's browser. ``is_open``: a browser took it."""

    file: str
    is_open: bool

    def text(self) -> str:
        """Return the summary as one line."""
        address = Path(self.file).as_uri()
        return address if self.is_open else f"No browser could be opened here. The page is {address}"


def account_page(settings: Settings, account: Account | UnlistedAccount) -> str:
    """Return an account as a page that is one file: the words of the command, and a chart of the ratings published."""
    document = account.document()
    charts_first = [*_charts(settings, int(account.content["fide_id"])), *document.parts]
    return html_pages.as_page(replace(document, parts=charts_first))


def open_page(settings: Settings, player: str, period: Period | None = None) -> OpenedPage:
    """Write the account of a player into a private temporary folder, and open it in the browser of this computer.

    Raises what :func:`~ratinglist.workflows.explain.explain_player` raises.
    """
    account = explain_player(settings, player, period)
    page = account_page(settings, account)
    name = f"{account.content['fide_id']}-{account.content['month'] or 'unpublished'}.html"
    file = Path(mkdtemp(prefix="ratinglist-")) / name
    file.write_text(page, encoding="utf-8", newline="\n")
    return OpenedPage(str(file), webbrowser.open(file.as_uri()))


def _charts(settings: Settings, fide_id: int) -> list[Figures]:
    """Return a chart of the player's ratings on all published lists; none where there are fewer than two lists."""
    if not settings.published.is_dir():
        return []
    rows = sql.run(
        settings.published,
        f"select list_month, time_control, rating from lists where fide_id = {fide_id:d} order by all",  # noqa: S608 - a number
    )
    months = sql.run(settings.published, "select distinct list_month from lists order by all")["list_month"].to_list()
    if rows.is_empty() or len(months) < 2:
        return []
    ratings = {(month, control): rating for month, control, rating in rows.iter_rows()}
    series = [
        charts.Series(control, [(number, ratings.get((month, control))) for number, month in enumerate(months)])
        for control in LISTS
        if any(key[1] == control for key in ratings)
    ]
    chart = charts.Chart("ratings", "Ratings", "The ratings of the player on all published lists.", "list", "rating")
    return [Figures([Figure(chart, charts.line_chart(chart, series, list(enumerate(months))))])]
