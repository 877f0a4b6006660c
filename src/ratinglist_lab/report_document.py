"""The report of a study as a document with charts: the same tables give the same document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.pages.charts import Chart, Series, line_chart
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Figure,
    Figures,
    Heading,
    Paragraph,
    Part,
    Table,
    figures_table,
)
from ratinglist.period import Period
from ratinglist.text import grouped
from ratinglist_lab.measures import LOSSES

Tables = Mapping[str, pl.DataFrame]

_INTERVAL = {"difference_millionths": "difference", "low_millionths": "from", "high_millionths": "to"}
"""The columns of a difference with its interval, and their names in a table."""

_MOST_LINES = 6
"""How many systems a chart of lines shows: their dashes distinguish no more."""
_FEWEST_GAMES = 20
"""Fewest games of a point of the calibration."""
_OF_LISTS = (
    ("mean", "mean_hundredths", "Mean rating of all players", 2),
    ("same-players", "same_mean_hundredths", "Mean rating of the players on every list", 2),
    ("rank-correlation", "rank_correlation_millionths", "Rank correlation with the office's list", 6),
)
"""The charts by list: name, column, title, decimals."""


def report_document(
    title: str,
    facts: Sequence[str],
    reference: str,
    tables: Tables,
    first: Sequence[Part] = (),
) -> Document:
    """Return the report.

    In: ``facts``: sentences about the study; ``reference``: the system that the others are compared with; ``tables``:
    the rows by the name of the table; ``first``: the parts before the predictions.
    """
    of_reference = tables["differences"].filter(pl.col("reference") == reference)
    of_all, is_log_loss = pl.col("grouping") == "all", pl.col("measure") == "log_loss"
    parts: list[Part] = [
        *map(Paragraph, facts),
        *first,
        Heading("Prediction"),
        Paragraph(
            (
                "Every game is predicted from the ratings in force when its event began; the lower a loss, the "
                "better. ",
                Code("common"),
                ": the games that every system with a list each month predicts; ",
                Code("own"),
                ": all that a system predicts.",
            )
        ),
        _scores(tables["scores"]),
        Paragraph(
            (
                Code("accuracy"),
                ": the share of the decisive games that the favourite won, the player of whom the system expects more "
                "than half a point. ",
                Code("drawn"),
                ": the share of draws among all games, which no accuracy counts.",
            )
        ),
        Heading(f"Difference from {reference}"),
        Paragraph(
            "Mean loss less that of the reference on the games that both predict, with an interval of 95 %, games of "
            "one event taken together. An interval below 0: the system predicts better; one that contains 0: these "
            "games do not decide it."
        ),
        figures_table(
            of_reference.filter(of_all).with_columns(pl.col("measure").str.replace("_", " ")),
            {"system": "system", "measure": "measure", "games": "games", "events": "events", **_INTERVAL},
        ),
        Heading("Calibration"),
        Paragraph(
            "Score less expected score of White, by the difference of the ratings. Above 0 White scored more than the "
            "system expected. Where 0 is within a band, these games do not show that the system is wrong there."
        ),
        Figures(calibration_charts(tables)),
        Heading("By group"),
        Paragraph("Difference of the log loss."),
        figures_table(
            of_reference.filter(~of_all, is_log_loss).with_columns(pl.col("grouping").str.replace("_", " ")),
            {"system": "system", "grouping": "group", "value": "value", "games": "games", **_INTERVAL},
        ),
        Heading("Lists"),
        Paragraph(
            (
                "The last list of each system. ",
                Code("10 games"),
                ": mean change of the players with 10 games or more in the month. ",
                Code("reversals"),
                ": changes in the other direction than the one before.",
            )
        ),
        _lists(tables["movement"]),
        Figures(list_charts(tables)),
    ]
    return Document(title, parts)


def what_if_parts(changed: str, changes: Sequence[str], tables: Tables) -> list[Part]:
    """Return the parts about who moves, enters and leaves under a changed regulation."""
    moved = figures_table(
        tables["moved"].with_columns(pl.col("grouping").replace({"all": "all players"})),
        {
            "grouping": "group",
            "value": "value",
            "players": "on both",
            "moved": "moved",
            "entering": "enter",
            "leaving": "leave",
            "mean_hundredths": "mean",
            "lower_hundredths": "5 %",
            "median_hundredths": "median",
            "upper_hundredths": "95 %",
        },
    )
    largest = tables["largest"].head(20)
    return [
        Heading("Who moves"),
        Paragraph(f"The last list under the regulations as they are, and under {changed}:"),
        Entries([(Code(change),) for change in changes]),
        moved,
        Paragraph(("The largest differences; ", Code("largest.parquet"), " has a hundred.")),
        Table.of(("FIDE ID", "name", "federation", "rating", "changed", "difference"), largest),
    ]


def calibration_charts(tables: Tables) -> list[Figure]:
    """Return the calibration of each system as a chart, with a band of 95 % around its line."""
    middle = pl.col("score_millionths") - pl.col("expected_millionths")
    half = (196 * pl.col("error_millionths") + 99) // 100
    calibration = (
        tables["calibration"]
        .filter(pl.col("grouping") == "difference", pl.col("games") >= _FEWEST_GAMES)
        .select("system", x=pl.col("value").cast(pl.Int64), y=middle, low=middle - half, high=middle + half)
        .sort("x")
    )
    figures = []
    for number, name in enumerate(_best(tables), 1):
        rows = calibration.filter(pl.col("system") == name)
        if rows.is_empty():
            continue
        chart = Chart(
            f"calibration-{number}",
            f"Calibration of {name}",
            f"Score less expected score of White by {name}, with a band of 95 %, by the difference of the ratings.",
            "White's rating less Black's, from",
            "score less expected",
            6,
        )
        line = Series(name, rows.select("x", "y").rows())
        figures.append(Figure(chart, line_chart(chart, [line], band=rows.select("x", "low", "high").rows())))
    return figures


def list_charts(tables: Tables) -> list[Figure]:
    """Return the charts of the lists that the tables have values for."""
    figures = []
    for name, column, title, decimals in _OF_LISTS:
        rows = tables["movement"].drop_nulls(column).sort("list_month")
        ticks = [(Period.parse(month).index, month) for month in rows["list_month"].unique().sort()]
        places = {month: place for place, month in ticks}
        points = {
            system: [(places[month], value) for month, value in of_system.select("list_month", column).iter_rows()]
            for (system,), of_system in rows.group_by("system", maintain_order=True)
        }
        series = [Series(system, points[system]) for system in _best(tables) if system in points]
        if series:
            chart = Chart(name, title, f"{title}, by list and system.", "list", title.lower(), decimals)
            figures.append(Figure(chart, line_chart(chart, series, ticks)))
    return figures


def percent(millionths: int | None) -> str:
    """Return a share as per cent with a decimal; empty where there is none."""
    return "" if millionths is None else f"{grouped((millionths + 500) // 1000, 1)} %"


def _best(tables: Tables) -> list[str]:
    """Return the systems that the charts show: those that predict the common games best."""
    common = tables["scores"].filter(pl.col("games_of") == "common").sort("log_loss_millionths", "system")
    systems = common["system"].to_list() or tables["movement"]["system"].unique().sort().to_list()
    return systems[:_MOST_LINES]


def _scores(scores: pl.DataFrame) -> Table:
    rows = scores.sort("games_of", "log_loss_millionths", "system").with_columns(
        accuracy_tenths=(pl.col("accuracy_millionths") + 500) // 1000,
        drawn_tenths=(2000 * pl.col("drawn") + pl.col("games")) // (2 * pl.col("games")),
    )
    head = {"system": "system", "games_of": "games", "games": "number", "unrated": "not predicted"}
    head |= {f"{name}_millionths": name.replace("_", " ") for name in LOSSES}
    return figures_table(
        rows, head | {"decisive": "decisive", "accuracy_tenths": "accuracy, %", "drawn_tenths": "drawn, %"}
    )


def _lists(movement: pl.DataFrame) -> Table:
    last = movement.sort("system", "list_month").group_by("system", maintain_order=True).last()
    share = 100 * pl.col("reversals") // pl.max_horizontal("changed_twice", 1)
    return figures_table(
        last.with_columns(share=pl.when(pl.col("changed_twice") > 0).then(share)),
        {
            "system": "system",
            "list_month": "list",
            "players": "players",
            "mean_hundredths": "mean",
            "same_mean_hundredths": "same players",
            "top_mean_hundredths": "top 100",
            "busy_change_hundredths": "10 games",
            "share": "reversals, %",
            "official_difference_hundredths": "less official",
            "rank_correlation_millionths": "rank correlation",
        },
    )
