"""The statistics of a list as a document: a section for each time control, with charts and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.pages.charts import Chart, Series, bar_chart, line_chart
from ratinglist.pages.document import Document, Figure, Figures, Heading, Paragraph, Part, figures_table
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
    name = pl.concat_str(pl.col("grouping").str.replace("_", " "), "value", separator=" ").str.strip_chars()
    table = figures_table(
        groups.with_columns(group=name, share_below="share_below_hundredths"),
        {
            "group": "group",
            "players": "players",
            "mean_hundredths": "mean",
            "deviation_hundredths": "standard deviation",
            "standard_error_hundredths": "standard error",
            "mean_age_hundredths": "mean age",
            "below_limit": "below the limit",
            "share_below": "below the limit, %",
        },
    )
    return [Heading("Groups of players", level=3), table]


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
    table = figures_table(
        flow.with_columns(pl.col("part").replace(_PARTS)),
        {"part": f"from the list of {before}", "players": "players", "points": "points", "mean_hundredths": "mean"},
    )
    return [*_charted(chart, bar_chart(chart, bars)), table]


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
    table = figures_table(
        inflation,
        {
            "list_month": "list",
            "players": "players",
            "mean_hundredths": "mean",
            "standard_error_hundredths": "standard error",
            "same_players": "same players",
            "same_mean_hundredths": "mean of the same",
            "top_mean_hundredths": "top 100",
            "entered": "entered",
            "entered_mean_hundredths": "mean of the entered",
            "entered_12_before": "entered 12 lists before",
            "mean_at_entry_hundredths": "at entry",
            "mean_now_hundredths": "now",
            "games": "games",
            "points_gained_hundredths": "points gained",
        },
    )
    note = [Paragraph(f"{steps.strip()} The table has the means as they are.")] if steps else []
    return [*_charted(same, line_chart(same, lines, ticks)), *note, table]


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
    table = figures_table(
        reference.with_columns(pl.col("band").cast(pl.String).fill_null("all")),
        {
            "band": "own rating from",
            "players": "players on both lists",
            "mean_difference_hundredths": "own − reference",
        },
    )
    return [Heading("Compared with the reference list", level=3), *line, table]


def _charted(chart: Chart, svg: str) -> list[Part]:
    return [Heading(chart.title, level=3), Figures([Figure(chart, svg)])]
