"""Draw small charts of lines as SVG, for a report and for the pages of a site.

A plotting library is not used. Altair and matplotlib bring some 40 MB and take a second to import, their output changes
with their version, and Altair's charts need JavaScript in the reader's browser. A chart of a report needs axes
and lines, and the same bytes for the same numbers: all coordinates here are whole numbers, computed with whole numbers.

A chart is an ``<svg>`` element to be put into a page, or a file of its own. Its title and description are read by
screen readers; each point has its value as a title. Ink is ``currentColor``, the colour of the text around
the chart, so it suits a light and a dark page; a style sheet may give the classes of the lines colours. Lines differ by
their dashes and have their names at their ends, so no reader needs to see colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ratinglist.text import grouped, on_one_line

Point = tuple[int, int | None]
"""A place on the x axis and a value; None where there is none: the line has a gap there."""

_WIDTH, _HEIGHT = 640, 320
_LINE, _CHARACTER = 16, 10
"""Height of a line and width of a character, in pixels: that on a phone, where a site makes texts larger."""
_EDGE = 4
"""What stays free at the right edge of a chart."""
_FONT = 12
_RIGHT, _BOTTOM = _WIDTH - 28, _HEIGHT - 3 * _LINE
"""Where the area of the lines ends."""
_TICKS = 6
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 4", "12 4")
_MOST_MARKED_POINTS = 60


@dataclass(frozen=True, slots=True)
class Chart:
    """The title, the labels and the unit of a chart.

    ``name``: letters, digits and hyphens; it begins the ids of the elements, so it differs from every other chart's of
    a page. ``description``: what the chart shows, in a sentence, for readers who do not see it. ``decimals``: values
    are whole numbers of 10 ** -``decimals``: 195043 with 2 decimals is 1,950.43.
    """

    name: str
    title: str
    description: str
    x_label: str
    y_label: str
    decimals: int = 0

    def number(self, value: int) -> str:
        """Return a value as the chart writes it."""
        return grouped(value, self.decimals)


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name in the legend, and its points from left to right."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Map ``first`` to the pixel ``start``, and ``last`` to ``end``."""

    first: int
    last: int
    start: int
    end: int

    def __call__(self, value: int) -> int:
        return self.start + ((value - self.first) * (self.end - self.start)) // max(self.last - self.first, 1)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The area of the lines, in pixels, and the scale of the values with the numbers next to it."""

    left: int
    right: int
    y: _Scale
    values: Sequence[int]


def line_chart(
    chart: Chart,
    series: Sequence[Series],
    x_ticks: Sequence[tuple[int, str]] = (),
    band: Sequence[tuple[int, int, int]] = (),
) -> str:
    """Return a chart of one or several lines. ``x_ticks``: place and text of each; default: round numbers.

    ``band``: places with a lowest and a highest value; the area between them is shaded: the numbers of a distribution
    have 0 as the lowest. The axis of the values shows the range that occurs. Raises :class:`ValueError` where no point
    has a value.
    """
    places = [x for line in series for x, _ in line.points]
    values = [value for line in series for _, value in line.points if value is not None]
    if not values:
        raise ValueError(f"chart {chart.name}: no point has a value")
    ticks = [(x, f"{x}") for x in _ticks(min(places), max(places)) if min(places) <= x <= max(places)]
    names = [line.name for line in series] if len(series) > 1 else []
    frame = _frame(chart, [*values, *(end for _, *ends in band for end in ends)], names)
    x = _Scale(min(places), max(places), frame.left + 8, frame.right - 8)
    lines = [element for number, line in enumerate(series) for element in _line(chart, line, x, frame, number)]
    texts = [(x(place), text) for place, text in x_ticks or ticks]
    ends = _ends(series, frame) if names else ()
    outline = [*((at, low) for at, low, _ in band), *((at, high) for at, _, high in reversed(band))]
    corners = "L".join(f"{x(at)} {frame.y(value)}" for at, value in outline)
    shaded = [f'<path d="M{corners}Z" fill="currentColor" fill-opacity="0.15" class="spread"/>'] if band else []
    return _svg(chart, [*_axes(chart, frame), *_x_texts(texts), *shaded, *lines, *ends])


def _ticks(first: int, last: int) -> list[int]:
    """Return some five round numbers, the first at most ``first``, the last at least ``last``."""
    wanted = -(-(last - first) // (_TICKS - 1)) or 1
    power = 10 ** (len(str(wanted)) - 1)
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= wanted)
    return list(range(first // step * step, -(-last // step) * step + step, step))


def _frame(chart: Chart, values: Sequence[int], names: Sequence[str]) -> _Frame:
    """Return the area, to the right of the numbers of the values; ``names`` at its right have a third at most."""
    ticks = _ticks(min(values), max(values))
    if len(ticks) == 1:
        ticks.append(ticks[0] + 1)
    left = 2 * _LINE + _CHARACTER * max(len(chart.number(tick)) for tick in ticks)
    room = min(_CHARACTER * max((len(name) for name in names), default=0), _WIDTH // 3)
    return _Frame(left, _RIGHT - room, _Scale(ticks[0], ticks[-1], _BOTTOM, _LINE), ticks)


def _ends(series: Sequence[Series], frame: _Frame) -> Iterable[str]:
    """Yield the name of each line at its end, a line of text apart from the next."""
    newest = [(line.name, [value for _, value in line.points if value is not None]) for line in series]
    places = sorted((frame.y(values[-1]), number, name) for number, (name, values) in enumerate(newest) if values)
    # From the lowest upwards, so that none is below the area: the text below it may reach under them.
    lowest = _BOTTOM - _LINE // 2
    for at, (y, number, name) in reversed([*enumerate(places)]):
        lowest = min(max(y, _LINE * (at + 1)), lowest)
        yield _text(frame.right + 4, lowest + 4, name, "start", f' class="end end-{number}"')
        lowest -= _LINE


def _axes(chart: Chart, frame: _Frame) -> Iterable[str]:
    """Yield the grid with the numbers of the values, and the labels of both axes."""
    grid = "".join(f"M{frame.left} {frame.y(value)}H{frame.right}" for value in frame.values)
    yield f'<path d="{grid}" stroke="currentColor" stroke-opacity="0.2"/>'
    for value in frame.values:
        yield _text(frame.left - 6, frame.y(value) + 4, chart.number(value), "end")
    yield _text((frame.left + frame.right) // 2, _HEIGHT - 8, chart.x_label)
    middle = (_LINE + _BOTTOM) // 2
    turned = f' transform="rotate(-90 {_FONT} {middle})"'
    yield _text(_FONT, middle, chart.y_label, more=turned)


def _x_texts(texts: Sequence[tuple[int, str]]) -> Iterable[str]:
    """Yield the texts below the x axis: as many at equal distances as fit, none of them cut by the edge."""
    widest = max((len(text) for _, text in texts), default=0) * _CHARACTER
    closest = min((after[0] - before[0] for before, after in pairwise(texts)), default=widest)
    every = -(-widest // max(closest, 1))
    for x, text in texts[::every]:
        yield _text(min(x, _WIDTH - len(text) * _CHARACTER // 2 - _EDGE), _BOTTOM + _LINE, text)


def _line(chart: Chart, series: Series, x: _Scale, frame: _Frame, number: int) -> Iterable[str]:
    """Yield the line, broken where a value is missing, and a mark with the value on each point if they are few."""
    path, is_open = "", False
    for place, value in series.points:
        if value is not None:
            # A line of no length: its round end shows a point between two gaps.
            path += f"L{x(place)} {frame.y(value)}" if is_open else f"M{x(place)} {frame.y(value)}h0"
        is_open = value is not None
    dashes = _DASHES[number % len(_DASHES)]
    stroke = 'stroke="currentColor" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
    yield f'<path d="{path}" fill="none" stroke-linecap="round" {stroke} class="series series-{number}"/>'
    shown = [(place, value) for place, value in series.points if value is not None]
    if len(shown) <= _MOST_MARKED_POINTS:
        for place, value in shown:
            yield (
                f'<circle cx="{x(place)}" cy="{frame.y(value)}" r="3" fill="currentColor" class="point">'
                f"<title>{_escaped(series.name)}: {chart.number(value)}</title></circle>"
            )


def _text(x: int, y: int, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{more}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(on_one_line(text))


def _svg(chart: Chart, elements: Iterable[str]) -> str:
    """Return the elements as one ``<svg>``, a line each, with the title and the description for screen readers."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{chart.name}-title {chart.name}-description" font-family="sans-serif" '
        f'font-size="{_FONT}" fill="currentColor" class="chart sketch">'
    )
    title = f'<title id="{chart.name}-title">{_escaped(chart.title)}</title>'
    description = f'<desc id="{chart.name}-description">{_escaped(chart.description)}</desc>'
    return "\n".join([head, title, description, *elements, "</svg>", ""])
