"""The charts of reports and pages: the numbers given, well-formed, readable without eyes and without colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from ratinglist.pages.charts import Chart, Series, line_chart
from ratinglist.text import grouped

CHART = Chart("mean", "Mean rating", "The mean of each list.", "list", "rating", decimals=1)
SVG = "{http://www.w3.org/2000/svg}"


def elements(chart: str, name: str) -> list[ET.Element]:
    return ET.fromstring(chart).findall(f".//{SVG}{name}")


def texts(chart: str, name: str = "text") -> list[str | None]:
    return [element.text for element in elements(chart, name)]


def test_a_line_has_a_point_with_its_value_for_each_value():
    chart = line_chart(CHART, [Series("all", [(1, 19504), (2, 19511)])])
    points = elements(chart, "circle")
    assert [(point[0].text) for point in points] == ["all: 1,950.4", "all: 1,951.1"]
    left, right = points
    assert int(left.attrib["cx"]) < int(right.attrib["cx"])
    assert int(left.attrib["cy"]) > int(right.attrib["cy"])  # y grows downwards


def test_a_line_is_broken_where_a_value_is_missing():
    path = elements(line_chart(CHART, [Series("all", [(1, 5), (2, None), (3, 6), (4, 7)])]), "path")[-1]
    assert [path.attrib["d"].count(letter) for letter in "ML"] == [2, 1]


def test_a_band_is_an_area_between_its_ends_within_the_axes():
    series = Series("all", [(0, 10), (1, 20)])
    chart = line_chart(CHART, [series], band=[(0, -5, 25), (1, 10, 30)])
    (area,) = [path for path in elements(chart, "path") if path.attrib.get("class") == "spread"]
    corners = [tuple(map(int, corner.split())) for corner in area.attrib["d"].strip("MZ").split("L")]
    points = [(int(circle.attrib["cx"]), int(circle.attrib["cy"])) for circle in elements(chart, "circle")]
    assert [x for x, _ in corners] == [points[0][0], points[1][0], points[1][0], points[0][0]]
    # Down the page is down in value.
    assert corners[0][1] > points[0][1] > corners[3][1]
    assert corners[1][1] > points[1][1] > corners[2][1]
    grid = [int(y) for y in re.findall(r"M\d+ (\d+)H", chart)]
    assert all(min(grid) <= y <= max(grid) for _, y in corners)
    assert "spread" not in line_chart(CHART, [series])


def test_two_lines_have_a_legend_and_different_dashes():
    chart = line_chart(CHART, [Series("all", [(1, 5), (2, 6)]), Series("same players", [(1, 6), (2, 7)])])
    assert {"all", "same players"} <= set(texts(chart))
    lines = [path for path in elements(chart, "path") if path.attrib.get("fill") == "none"]
    assert len({line.attrib.get("stroke-dasharray") for line in lines}) == 2


def test_texts_below_the_axis_are_left_out_where_they_would_overlap():
    years = range(1900, 2020)
    chart = line_chart(CHART, [Series("all", [(year, 1) for year in years])], [(year, str(year)) for year in years])
    shown = [text for text in texts(chart) if re.fullmatch("(19|20)..", text or "")]
    assert 5 < len(shown) < 20


def test_a_chart_is_for_screen_readers_too():
    root = ET.fromstring(line_chart(CHART, [Series("a", [(1, 1)])]))
    by_id = {element.attrib.get("id"): element.text for element in root}
    assert root.attrib["role"] == "img"
    assert [by_id[name] for name in root.attrib["aria-labelledby"].split()] == ["Mean rating", "The mean of each list."]


def test_text_of_others_stays_text():
    chart = line_chart(CHART, [Series("all", [(1, 1)])], [(1, '</svg><script x="1">\x1b&')])
    assert '</svg><script x="1">\\u001b&' in texts(chart)
    assert "<script" not in chart


def test_every_coordinate_is_a_whole_number():
    chart = line_chart(CHART, [Series("all", [(1, 1), (2, 7), (4, 2)])])
    numbers = re.findall(r'\b(?:d|x|y|cx|cy|width|height|viewBox)="([^"]*)"', chart)
    assert numbers
    assert [number for number in numbers if "." in number] == []


@pytest.mark.parametrize("values", [[0], [7, 7], [-3, 4], [1, 10**12]])
def test_every_value_is_within_the_axes(values):
    chart = line_chart(CHART, [Series("all", list(enumerate(values)))])
    grid = [int(y) for y in re.findall(r"M\d+ (\d+)H", chart)]
    assert all(min(grid) <= int(circle.attrib["cy"]) <= max(grid) for circle in elements(chart, "circle"))


def test_a_chart_without_values_is_refused():
    with pytest.raises(ValueError, match="no point has a value"):
        line_chart(CHART, [Series("all", [(1, None)])])


def test_numbers_are_written_with_their_decimals():
    assert [grouped(-12345, 2), grouped(5, 2), grouped(1000, 0)] == ["-123.45", "0.05", "1,000"]
