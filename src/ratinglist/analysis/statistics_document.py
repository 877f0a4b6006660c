"""The statistics of a list as a document: a section for each time control, with charts and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.pages.charts import Chart, Series, bar_chart, line_chart
from ratinglist.pages.document import Document, Figure, Figures, Heading, Paragraph, Part, Table
from ratinglist.period import Period
from ratinglist.text import grouped

_PARTS = {
    "before": "sum of the earlier list",
    "games": "changes by games",
    "other_changes": "other changes",
    "entering": "players who entered",
    "leaving": "players who left",
    "after": "sum of this list",
}
_MOVED = {"games": "games", "other_changes": "other changes", "entering": "entered", "leaving": "left"}
"""The parts of the flow that the chart shows: the sums of the lists are a thousand times as large."""


def statistics_document(month: str, tables: Mapping[str, pl.DataFrame], notes: Sequence[str]) -> Document:
    """Return the statistics of a month's list with charts.

    In: ``tables``: the rows of every table of the command by its name; ``notes``: what is missing, a sentence each.
    """
    parts: list[Part] = [Paragraph(note) for note in notes]
    for control in tables["groups"]["time_control"].unique(maintain_order=True):
        parts += _of_time_control(control, month, tables)
    return Document(f"Statistics of the list of {month}", parts)


def _of_time_control(control: str, month: str, tables: Mapping[str, pl.DataFrame]) -> list[Part]:
    rows = {name: table.filter(pl.col("time_control") == control) for name, table in tables.items()}
    return [
        Heading(control.capitalize(), anchor=control),
        *_distribution(control, month, rows["bands"]),
        *_groups(rows["groups"]),
        *_births(control, month, rows["birth_years"]),
        *_flow(control, rows["flow"]),
        *_inflation(control, rows["inflation"]),
        *_reference(rows["reference"]),
    ]


def _distribution(control: str, month: str, bands: pl.DataFrame) -> list[Part]:
    every = bands.filter(pl.col("grouping") == "all")
    players = dict(every.select("band", "players").iter_rows())
    bars = [(str(band), players.get(band, 0)) for band in range(min(players), max(players) + 100, 100)]
    chart = Chart(
        f"distribution-{control}",
        "Distribution of the ratings",
        f"Number of players in each band of 100 points, {control} list of {month}.",
        "rating from",
        "players",
    )
    return _charted(chart, bar_chart(chart, bars))


def _births(control: str, month: str, births: pl.DataFrame) -> list[Part]:
    if births.is_empty():
        return [Paragraph("No year of birth is published.")]
    chart = Chart(
        f"births-{control}",
        "Mean rating by year of birth",
        f"Mean rating of the players born in each year, {control} list of {month}.",
        "year of birth",
        "mean rating",
        decimals=2,
    )
    means = Series("mean", list(births.select("birth_year", "mean_hundredths").iter_rows()))
    return _charted(chart, line_chart(chart, [means]))


def _groups(groups: pl.DataFrame) -> list[Part]:
    header = ["group", "players", "mean", "standard deviation", "standard error", "mean age", "below the limit"]
    rows = [
        [
            " ".join(part for part in (row["grouping"].replace("_", " "), row["value"]) if part),
            f"{row['players']:,}",
            grouped(row["mean_hundredths"], 2),
            grouped(row["deviation_hundredths"], 2),
            grouped(row["standard_error_hundredths"], 2),
            grouped(row["mean_age_hundredths"], 2),
            "" if row["below_limit"] is None else f"{row['below_limit']:,} ({row['share_below_hundredths']} %)",
        ]
        for row in groups.iter_rows(named=True)
    ]
    return [Heading("Groups of players", level=3), _table(header, rows)]


def _flow(control: str, flow: pl.DataFrame) -> list[Part]:
    if flow.is_empty():
        return [Paragraph("There is no earlier list to compare with.")]
    points = dict(flow.select("part", "points").iter_rows())
    bars = [(text, points[part] * (-1 if part == "leaving" else 1)) for part, text in _MOVED.items()]
    before = flow["from_month"][0]
    chart = Chart(
        f"flow-{control}",
        f"Points since the list of {before}",
        "Points that games, other changes, entering and leaving players added to the sum of all ratings.",
        "",
        "points",
    )
    rows = [
        [_PARTS[row["part"]], f"{row['players']:,}", f"{row['points']:,}", grouped(row["mean_hundredths"], 2)]
        for row in flow.iter_rows(named=True)
    ]
    header = [f"from the list of {before}", "players", "points", "mean"]
    return [*_charted(chart, bar_chart(chart, bars)), _table(header, rows)]


def _inflation(control: str, inflation: pl.DataFrame) -> list[Part]:
    if inflation.height < 2:
        return []
    months = [Period.parse(month).index for month in inflation["list_month"]]
    ticks = list(zip(months, inflation["list_month"].to_list(), strict=True))

    def series(name: str, column: str, step: str) -> Series:
        means = inflation[column] - inflation[step].cum_sum()
        return Series(name, list(zip(months, means.to_list(), strict=True)))

    steps = _steps_text(inflation)
    same = Chart(
        f"same-players-{control}",
        "Mean rating from list to list",
        f"Mean rating of all players, and of the same players: those on every list shown.{steps}",
        "list",
        "mean rating",
        decimals=2,
    )
    lines = [
        series("all players", "mean_hundredths", "step_hundredths"),
        series("the same players", "same_mean_hundredths", "same_step_hundredths"),
    ]
    header = [
        *("list", "players", "mean", "standard error", "same players", "their mean", "top 100"),
        *("entered", "their mean", "entered 12 lists before", "at entry", "now", "games", "points gained"),
    ]
    rows = [
        [
            row["list_month"],
            f"{row['players']:,}",
            grouped(row["mean_hundredths"], 2),
            grouped(row["standard_error_hundredths"], 2),
            f"{row['same_players']:,}",
            grouped(row["same_mean_hundredths"], 2),
            grouped(row["top_mean_hundredths"], 2),
            grouped(row["entered"], 0),
            grouped(row["entered_mean_hundredths"], 2),
            grouped(row["entered_12_before"], 0),
            grouped(row["mean_at_entry_hundredths"], 2),
            grouped(row["mean_now_hundredths"], 2),
            grouped(row["games"], 0),
            grouped(row["points_gained_hundredths"], 2),
        ]
        for row in inflation.iter_rows(named=True)
    ]
    note = [Paragraph(f"{steps.strip()} The table has the means as they are.")] if steps else []
    return [*_charted(same, line_chart(same, lines, ticks)), *note, _table(header, rows)]


def _steps_text(inflation: pl.DataFrame) -> str:
    """Return which one-time steps the chart leaves out, after a blank; empty where there is none."""
    months = inflation.filter(pl.col("step_hundredths") != 0)["list_month"].to_list()
    return f" Without the one-time step of the regulations in {', '.join(months)}." if months else ""


def _reference(reference: pl.DataFrame) -> list[Part]:
    if reference.is_empty():
        return []
    first = reference.row(0, named=True)
    line = []
    for direction, name, of in (("", "own", "reference"), ("reverse_", "reference", "own")):
        if first[f"{direction}slope_ten_thousandths"] is not None:
            slope = grouped(first[f"{direction}slope_ten_thousandths"], 4)
            start = first[f"{direction}intercept_hundredths"]
            sum_text = f"{slope} × {of} rating {'-' if start < 0 else '+'} {grouped(abs(start), 2)}"
            line.append(Paragraph(f"Line of best fit: {name} rating = {sum_text}."))
    rows = [
        [
            "all" if row["band"] is None else str(row["band"]),
            f"{row['players']:,}",
            grouped(row["mean_difference_hundredths"], 2),
        ]
        for row in reference.iter_rows(named=True)
    ]
    table = _table(["own rating from", "players on both lists", "own − reference"], rows)
    return [Heading("Compared with the reference list", level=3), *line, table]


def _charted(chart: Chart, svg: str) -> list[Part]:
    return [Heading(chart.title, level=3), Figures([Figure(chart, svg)])]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of numbers whose first column says what they are of."""
    return Table(header, rows, [number > 0 for number in range(len(header))])
