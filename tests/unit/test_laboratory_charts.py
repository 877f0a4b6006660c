"""The charts of a laboratory's report: the line of a mean is broken at a one-time step, and the step is marked."""

import polars as pl

from ratinglist_lab.measures import MOVEMENT_TABLE, SCORE_TABLE
from ratinglist_lab.report_document import list_charts

MEANS = {"fide": (1650, 1648, 1780, 1778), "club": (1650, 1645, 1640, 1635)}
MONTHS = ("2024-01", "2024-02", "2024-03", "2024-04")


def charts(steps: dict[str, list[str]]) -> dict[str, str]:
    rows = pl.DataFrame(
        [
            {"system": name, "list_month": month, "mean_hundredths": 100 * mean, "rank_correlation_millionths": 990_000}
            for name, means in MEANS.items()
            for month, mean in zip(MONTHS, means, strict=True)
        ]
    )
    missing = [pl.lit(None).alias(name) for name in MOVEMENT_TABLE.columns if name not in rows.columns]
    tables = {"scores": SCORE_TABLE.empty(), "movement": MOVEMENT_TABLE.conform(rows.with_columns(missing))}
    return {figure.chart.name: figure.svg for figure in list_charts(tables, steps)}


def lines(chart: str) -> list[int]:
    """How many parts each line of the chart has."""
    return [one.partition('"')[0].count("M") for one in chart.split('<path d="')[1:] if "stroke-linecap" in one]


def test_the_line_of_a_mean_is_broken_at_a_one_time_step_and_the_step_is_marked():
    found = charts({"fide": ["2024-03"], "club": []})
    assert lines(found["mean"]) == [1, 2]  # club, fide
    assert "one-time step of fide</text>" in found["mean"]
    assert "Marked: 2024-03: one-time step of fide; the line is broken there." in found["mean"]


def test_the_order_of_the_players_is_not_broken_by_a_step():
    found = charts({"fide": ["2024-03"]})
    assert lines(found["rank-correlation"]) == [1, 1]
    assert "one-time step" not in found["rank-correlation"]


def test_without_a_step_nothing_is_marked():
    found = charts({"fide": ["2022-01"]})
    assert lines(found["mean"]) == [1, 1]
    assert "one-time step" not in found["mean"]
