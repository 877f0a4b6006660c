"""The report of a study as a document with charts: the same tables give the same document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import polars as pl

from ratinglist.laboratory.scores import LOSSES
from ratinglist.pages.charts import Chart, Point, Series, bar_chart, line_chart
from ratinglist.pages.document import Code, Document, Entries, Figure, Figures, Heading, Paragraph, Part, Table, Word
from ratinglist.period import Period
from ratinglist.text import grouped

Tables = Mapping[str, pl.DataFrame]

_MOST_LINES = 6
"""How many systems a chart of lines shows: their dashes distinguish no more."""
_CALIBRATIONS = tuple(f"calibration-{number}" for number in range(1, _MOST_LINES + 1))
_NORMAL_95_HUNDREDTHS = 196
_FEWEST_GAMES = 20
"""Fewest games of a point of the calibration."""


def report_document(
    title: str,
    facts: Sequence[str],
    reference: str,
    tables: Tables,
    charts: Mapping[str, Figure],
    first: Sequence[Part] = (),
) -> Document:
    """Return the report.

    In: ``facts``: sentences about the study; ``reference``: the system that the others are compared with; ``tables``:
    the rows by the name of the table; ``charts``: what :func:`chart_figures` returns; ``first``: the parts before the
    predictions.
    """
    parts: list[Part] = [
        *map(Paragraph, facts),
        *first,
        Heading("Prediction"),
        Paragraph(
            (
                "Every game is predicted from the ratings in force when its event began; the lower a loss, the "
                "better. ",
                Word("common"),
                ": the games that every system with a list each month predicts; ",
                Word("own"),
                ": all that a system predicts.",
            )
        ),
        _scores(tables["scores"]),
        Paragraph(
            (
                Word("accuracy"),
                ": the share of the decisive games that the favourite won, the player of whom the system expects more "
                "than half a point. ",
                Word("drawn"),
                ": the share of draws among all games, which no accuracy counts.",
            )
        ),
        _figures(charts, "log-loss", "accuracy"),
        Heading(f"Difference from {reference}"),
        Paragraph(
            "Mean loss less that of the reference on the games that both predict, with an interval of 95 %, games of "
            "one event taken together. An interval below 0: the system predicts better; one that contains 0: these "
            "games do not decide it."
        ),
        _differences(tables["differences"], reference),
        Heading("Calibration"),
        Paragraph(
            "Score less expected score of White, by the difference of the ratings. Above 0 White scored more than the "
            "system expected. Where 0 is within a band, these games do not show that the system is wrong there."
        ),
        _figures(charts, "calibration", *_CALIBRATIONS),
        Heading("By group"),
        Paragraph("Difference of the log loss."),
        _groups(tables["differences"], reference),
        Heading("Lists"),
        Paragraph(
            (
                "The last list of each system. ",
                Word("10 games"),
                ": mean change of the players with 10 games or more in the month. ",
                Word("reversals"),
                ": changes in the other direction than the one before.",
            )
        ),
        _lists(tables["movement"]),
        _figures(charts, "mean", "same-players", "rank-correlation"),
    ]
    return Document(title, parts)


def chart_figures(tables: Tables, steps: Mapping[str, Sequence[str]]) -> dict[str, Figure]:
    """Return the charts that the tables have values for, by name.

    ``steps``: the lists of a system that have a one-time step of its regulations. The line of a mean is broken there,
    and the list is marked, so that the step is not taken for a change that games made.
    """
    found: dict[str, Figure] = {}
    common = tables["scores"].filter(pl.col("games_of") == "common", pl.col("log_loss_millionths").is_not_null())
    systems = common.sort("log_loss_millionths", "system")["system"].to_list()
    if systems:
        chart = Chart("log-loss", "Log loss", "Mean log loss on common games, by system.", "system", "log loss", 6)
        bars = [(name, value) for name, value in common.select("system", "log_loss_millionths").iter_rows()]
        found[chart.name] = Figure(chart, bar_chart(chart, bars))
        shares = common.filter(pl.col("accuracy_millionths").is_not_null())
        if len(shares):
            text = "Share of the decisive common games that the favourite won, in per cent, by system."
            chart = Chart("accuracy", "Accuracy", text, "system", "per cent", 1)
            bars = list(shares.select("system", (pl.col("accuracy_millionths") + 500) // 1000).iter_rows())
            found[chart.name] = Figure(chart, bar_chart(chart, bars))
        calibration = tables["calibration"].filter(pl.col("grouping") == "difference", pl.col("games") >= _FEWEST_GAMES)
        chart = Chart(
            "calibration",
            "Calibration",
            "Score less expected score of White, by the difference of the ratings in bands of 50 points.",
            "White's rating less Black's, from",
            "score less expected",
            6,
        )
        series = _series(
            calibration.select(
                "system",
                x=pl.col("value").cast(pl.Int64),
                y=pl.col("score_millionths") - pl.col("expected_millionths"),
            ),
            systems,
        )
        if series:
            found[chart.name] = Figure(chart, line_chart(chart, series))
        for name, one in zip(_CALIBRATIONS, series, strict=False):
            found[name] = _with_band(name, one, calibration.filter(pl.col("system") == one.name))
    movement = tables["movement"]
    every = systems or movement["system"].unique().sort().to_list()
    for name, column, title, decimals in (
        ("mean", "mean_hundredths", "Mean rating of all players", 2),
        ("same-players", "same_mean_hundredths", "Mean rating of the players on every list", 2),
        ("rank-correlation", "rank_correlation_millionths", "Rank correlation with the office's list", 6),
    ):
        rows = movement.select("system", "list_month", y=column).drop_nulls("y")
        months = sorted(rows["list_month"].unique())
        ticks = [(Period.parse(month).index, month) for month in months]
        places = {text: place for place, text in ticks}
        series = _series(rows.with_columns(x=pl.col("list_month").replace_strict(places)), every)
        if not series:
            continue
        marks: dict[int, str] = {}
        if name != "rank-correlation":
            steps_at = {
                one.name: {places[month] for month in steps.get(one.name, ()) if month in places} for one in series
            }
            series = [Series(one.name, _broken(one.points, steps_at[one.name])) for one in series]
            for place in sorted(set().union(*steps_at.values())):
                stepping = ", ".join(name for name, places_of in steps_at.items() if place in places_of)
                marks[place] = f"one-time step of {stepping}"
        sentence = f"{title}, by list and system.{_marks_text(marks, ticks)}"
        chart = Chart(name, title, sentence, "list", title.lower(), decimals)
        found[name] = Figure(chart, line_chart(chart, series, ticks, list(marks.items())))
    return found


def _with_band(name: str, series: Series, rows: pl.DataFrame) -> Figure:
    """Return the calibration of one system, with a band of 95 % around its line."""
    chart = Chart(
        name,
        f"Calibration of {series.name}",
        f"Score less expected score of White by {series.name}, with a band of 95 %, by the difference of the ratings.",
        "White's rating less Black's, from",
        "score less expected",
        6,
    )
    middle = pl.col("score_millionths") - pl.col("expected_millionths")
    half = (_NORMAL_95_HUNDREDTHS * pl.col("error_millionths") + 99) // 100
    band = rows.with_columns(x=pl.col("value").cast(pl.Int64), low=middle - half, high=middle + half).sort("x")
    return Figure(chart, line_chart(chart, [series], band=list(band.select("x", "low", "high").iter_rows())))


def percent(millionths: int | None) -> str:
    """Return a share as per cent with a decimal; empty where there is none."""
    return "" if millionths is None else f"{grouped((millionths + 500) // 1000, 1)} %"


def _broken(points: Sequence[Point], places: Collection[int]) -> list[Point]:
    """Return the points of a line with a gap before each of some ``places``."""
    gap: list[Point] = []
    return [one for point in points for one in ([(point[0], None)] if point[0] in places else gap) + [point]]


def _marks_text(marks: Mapping[int, str], ticks: Sequence[tuple[int, str]]) -> str:
    """Return what is marked, after a blank; empty where nothing is."""
    months = dict(ticks)
    found = "; ".join(f"{months[place]}: {text}" for place, text in marks.items())
    return f" Marked: {found}; the line is broken there." if found else ""


def what_if_parts(changed: str, changes: Sequence[str], tables: Tables) -> list[Part]:
    """Return the parts about who moves, enters and leaves under a changed regulation."""
    moved = tables["moved"].select(
        pl.col("grouping").replace({"all": "all players"}),
        "value",
        *("players", "moved", "entering", "leaving"),
        *(_number(name) for name in ("mean_hundredths", "lower_hundredths", "median_hundredths", "upper_hundredths")),
    )
    header = ("group", "value", "on both", "moved", "enter", "leave", "mean", "5 %", "median", "95 %")
    largest = (
        tables["largest"].head(20).select("fide_id", "name", "federation", "rating", "changed_rating", "difference")
    )
    return [
        Heading("Who moves"),
        Paragraph(f"The last list under the regulations as they are, and under {changed}:"),
        Entries.of([(Code(change),) for change in changes]),
        Table.of(header, moved),
        Paragraph(("The largest differences; ", Code("largest.parquet"), " has a hundred.")),
        Table.of(("FIDE ID", "name", "federation", "rating", "changed", "difference"), largest),
    ]


def _series(rows: pl.DataFrame, systems: Sequence[str]) -> list[Series]:
    found = []
    for name in systems[:_MOST_LINES]:
        points: list[Point] = list(rows.filter(pl.col("system") == name).sort("x").select("x", "y").iter_rows())
        if points:
            found.append(Series(name, points))
    return found


def _figures(charts: Mapping[str, Figure], *names: str) -> Figures:
    return Figures([charts[name] for name in names if name in charts])


def _scores(scores: pl.DataFrame) -> Table:
    rows = scores.sort("games_of", "log_loss_millionths", "system").select(
        *("system", "games_of", "games", "unrated"),
        *(_number(f"{name}_millionths") for name in LOSSES),
        "decisive",
        _share(pl.col("accuracy_millionths")),
        _share((2_000_000 * pl.col("drawn") + pl.col("games")) // (2 * pl.max_horizontal(pl.col("games"), 1))),
    )
    header = ("system", "games", "number", "not predicted", "log loss", "deviance", "Brier", "decisive")
    return _with_numbers((*header, "accuracy", "drawn"), rows, 2)


def _differences(differences: pl.DataFrame, reference: str) -> Table:
    rows = differences.filter(pl.col("reference") == reference, pl.col("grouping") == "all").select(
        "system", pl.col("measure").str.replace("_", " "), "games", "events", *_interval()
    )
    return _with_numbers(("system", "measure", "games", "events", "difference", "from", "to"), rows, 2)


def _groups(differences: pl.DataFrame, reference: str) -> Table:
    of_reference = differences.filter(
        pl.col("reference") == reference, pl.col("grouping") != "all", pl.col("measure") == "log_loss"
    )
    rows = of_reference.select("system", pl.col("grouping").str.replace("_", " "), "value", "games", *_interval())
    return _with_numbers(("system", "group", "value", "games", "difference", "from", "to"), rows, 3)


def _lists(movement: pl.DataFrame) -> Table:
    last = movement.sort("system", "list_month").group_by("system", maintain_order=True).last()
    share = 100 * pl.col("reversals") // pl.max_horizontal(pl.col("changed_twice"), 1)
    rows = last.select(
        *("system", "list_month", "players"),
        *(_number(n) for n in ("mean_hundredths", "same_mean_hundredths", "top_mean_hundredths")),
        _number("busy_change_hundredths"),
        pl.when(pl.col("changed_twice") > 0).then(pl.format("{} %", share)).alias("reversals"),
        _number("official_difference_hundredths"),
        _number("rank_correlation_millionths"),
    )
    header = ("system", "list", "players", "mean", "same players", "top 100", "10 games", "reversals")
    return _with_numbers((*header, "less official", "rank correlation"), rows, 2)


def _interval() -> list[pl.Expr]:
    return [_number(f"{name}_millionths") for name in ("difference", "low", "high")]


def _with_numbers(header: Sequence[str], rows: pl.DataFrame, texts: int) -> Table:
    """Return a table whose columns are numbers, aligned right, but the first ``texts``."""
    return Table(header, rows.rows(), [place >= texts for place in range(len(header))])


def _share(millionths: pl.Expr) -> pl.Expr:
    return millionths.map_elements(percent, return_dtype=pl.String)


def _number(name: str) -> pl.Expr:
    decimals = 6 if name.endswith("_millionths") else 2
    return pl.col(name).map_elements(lambda value: grouped(value, decimals), return_dtype=pl.String)
