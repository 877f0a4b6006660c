"""The statistics of a list as a document: of each time control the charts, then the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from ratinglist.pages.charts import Chart, Series, bar_chart, line_chart
from ratinglist.pages.document import Document, Figure, Figures, Heading, Paragraph, Part, Table, figures_table
from ratinglist.period import Period
from ratinglist.text import grouped

_TABLES = {
    "groups": "Groups of players",
    "flow": "Flow of points",
    "inflation": "From list to list",
    "birth_years": "Years of birth",
    "reference": "Compared with the reference list",
}
"""The tables that the page shows, and their headings; the bands are a chart."""
_OF_LINE = ("slope_ten_thousandths", "intercept_hundredths")


def statistics_document(month: str, tables: Mapping[str, pl.DataFrame], notes: Sequence[str]) -> Document:
    """Return the statistics of a month's list with charts.

    In: ``tables``: the rows of every table of the command by its name; ``notes``: what is missing, a sentence each.
    """
    parts: list[Part] = [Paragraph(note) for note in notes]
    for control in tables["groups"]["time_control"].unique(maintain_order=True):
        of_control = {name: rows.filter(time_control=control) for name, rows in tables.items()}
        parts += [Heading(control.capitalize(), anchor=control), Figures(list(_figures(control, of_control)))]
        for name, title in _TABLES.items():
            if of_control[name].height:
                parts += [Heading(title, level=3), _table(of_control[name])]
        parts += _lines_of_best_fit(of_control["reference"])
    return Document(f"Statistics of the list of {month}", parts)


def _table(rows: pl.DataFrame) -> Table:
    """Return the columns of a table that have values, and more than one list month."""
    names = [name for name in rows.columns if rows[name].count() and not name.endswith(_OF_LINE)]
    shown = [name for name in names if name != "time_control" and (name != "list_month" or rows[name].n_unique() > 1)]
    titles = {name: name.removesuffix("_hundredths").replace("_", " ") for name in shown}
    return figures_table(rows.with_columns(pl.col("^(band|birth_year)$").cast(pl.String)), titles)


def _figures(control: str, rows: Mapping[str, pl.DataFrame]) -> Iterator[Figure]:
    """Yield the distribution, the mean by year of birth, and the means from list to list, where there are any."""
    players = dict(rows["bands"].filter(grouping="all").select("band", "players").iter_rows())
    says = f"Number of players in each band of 100 points, {control}."
    chart = Chart(f"distribution-{control}", "Distribution of the ratings", says, "rating from", "players")
    bars = [(str(band), players.get(band, 0)) for band in range(min(players), max(players) + 100, 100)]
    yield Figure(chart, bar_chart(chart, bars))
    if rows["birth_years"].height:
        says = f"Mean rating of the players born in each year, {control}."
        chart = Chart(f"births-{control}", "Mean rating by year of birth", says, "year of birth", "mean rating", 2)
        means = Series("mean", rows["birth_years"].select("birth_year", "mean_hundredths").rows())
        yield Figure(chart, line_chart(chart, [means]))
    inflation = rows["inflation"]
    if inflation.height > 1:
        months = [Period.parse(month).index for month in inflation["list_month"]]
        lines = [
            Series(name, list(zip(months, inflation[column].to_list(), strict=True)))
            for name, column in (("all players", "mean_hundredths"), ("the same players", "same_mean_hundredths"))
        ]
        says = "Mean rating of all players, and of the same players: those on every list shown."
        chart = Chart(f"same-players-{control}", "Mean rating from list to list", says, "list", "mean rating", 2)
        ticks = list(zip(months, inflation["list_month"].to_list(), strict=True))
        yield Figure(chart, line_chart(chart, lines, ticks))


def _lines_of_best_fit(reference: pl.DataFrame) -> list[Part]:
    parts: list[Part] = []
    # The first row has the figures of all players.
    for row in reference.head(1).iter_rows(named=True):
        for direction, name, of in (("", "own", "reference"), ("reverse_", "reference", "own")):
            slope, start = (row[f"{direction}{column}"] for column in _OF_LINE)
            if slope is not None:
                sign = "-" if start < 0 else "+"
                line = f"{name} rating = {grouped(slope, 4)} × {of} rating {sign} {grouped(abs(start), 2)}"
                parts.append(Paragraph(f"Line of best fit: {line}."))
    return parts
