"""Draw the pictures that are shown where a page of the site is shared: 1200 by 630 pixels, as PNG.

typst draws them with the fonts in its wheel, so that they have the same bytes on every computer, and Pillow makes their
files small. Both come with the extra ``pictures``; without them nothing is drawn.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from typing import Any

import polars as pl
from anyascii import anyascii

from ratinglist.concurrency import map_ordered
from ratinglist.pages import html_pages
from ratinglist.safe_text import on_one_line
from ratinglist.site.cells import Words, minus
from ratinglist.site.folder import SiteFolder

FOLDER = "pictures"
"""A picture is named by the digest of what it is drawn of, so the content of an address never changes."""
WIDTH, HEIGHT = 1200, 630
_LIBRARIES = ("typst", "pillow")
_DRAWN_AT_ONCE = 50
_COLOURS = 64
"""A third of the bytes of a picture with all colours, and no difference to be seen."""
_LONGEST_TEXT = 120
_WITHOUT_LETTERS = re.compile("[^\\x00-\u058f\u0600-\u06ff\u10d0-\u10ff\u1e00-\u20cf\u2100-\u22ff]")
"""What the fonts in the wheel of typst do not have: they have Latin, Greek, Cyrillic, Armenian, Georgian and Arabic."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating of a player's picture.

    ``change``: with its sign; empty: none. ``gains``: its colour; None: neither gained nor lost. ``colour``: of the
    time control. ``points``: its line of a year, each point in thousandths of width and height.
    """

    name: str
    rating: str
    change: str
    gains: bool | None
    colour: str
    points: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """A player of a list's picture. ``change``, ``gains``: as of a :class:`Rating`."""

    place: str
    title: str
    name: str
    rating: str
    change: str
    gains: bool | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of an event's picture."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows.

    ``over``: the month. ``name``: of the player, the event or the list; ``title``: of the player. ``below``: a line
    under the name. Then ``ratings`` and ``figures``, at most three together, or ``rows``, at most three.
    """

    over: str
    name: str
    title: str = ""
    below: str = ""
    ratings: Sequence[Rating] = ()
    rows: Sequence[Row] = ()
    figures: Sequence[Figure] = ()


def list_picture(words: Words, month: str, name: str, rows: pl.DataFrame, below: str) -> Picture:
    """Return the picture of a list: its first three. ``rows``: with ``change``, the highest first."""
    return Picture(
        words.month(month),
        name,
        below=below,
        rows=[
            Row(
                str(place),
                row["title"] or "",
                row["name"] or str(row["fide_id"]),
                str(row["rating"]),
                *change_drawn(row["change"], words.text("new")),
            )
            for place, row in enumerate(rows.head(3).iter_rows(named=True), 1)
        ],
    )


def change_drawn(change: int | None, new: str) -> tuple[str, bool | None]:
    """Return a change as pictures have it: the text, ``new`` without one before, and whether it gains."""
    return (new if change is None else minus(f"{change:+d}") if change else "", change > 0 if change else None)


def libraries() -> dict[str, str]:
    """Return the versions of the libraries that draw; empty where one of them is not installed."""
    try:
        return {name: version(name) for name in _LIBRARIES}
    except PackageNotFoundError:
        return {}


class Pictures:
    """The pictures of a site: those that its pages name, which are then drawn at once."""

    def __init__(self, folder: SiteFolder, site: str, colour: str, mark: str, direction: str) -> None:
        """Begin without pictures.

        ``site``: its name; ``colour``: of the office, as ``#17493b``; ``mark``: the sign of the site as SVG;
        ``direction``: of the language, ``ltr`` or ``rtl``.
        """
        self._folder = folder
        self._common = {"site": _written(site), "colour": colour, "mark": mark, "rtl": direction == "rtl"}
        template = (html_pages.folder() / "picture.typ").read_bytes()
        self._libraries = libraries()
        self._drawn_with = [hashlib.sha256(template).hexdigest(), self._libraries, self._common]
        self._template = template
        self._named: dict[str, dict[str, Any]] = {}

    def add(self, picture: Picture) -> str:
        """Return the path in the site of a picture that :meth:`write` will draw; empty where none can be drawn."""
        if not self._libraries:
            return ""
        content = {key: _written(value) for key, value in asdict(picture).items()}
        made_of = json.dumps([self._drawn_with, content], sort_keys=True)
        name = f"{FOLDER}/{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.png"
        self._named[name] = content
        return name

    def write(self) -> None:
        """Draw the pictures that were added, but those that the earlier site has."""
        missing = [name for name in sorted(self._named) if not self._folder.keep_file(name)]
        for first in range(0, len(missing), _DRAWN_AT_ONCE):
            names = missing[first : first + _DRAWN_AT_ONCE]
            drawn = draw(self._template, self._common | {"pictures": [self._named[name] for name in names]})
            for name, content in zip(names, map_ordered(_small, drawn), strict=True):
                self._folder.write(name, content)


def draw(template: bytes, content: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the pages of a document of typst as PNG. ``content``: what the template reads as JSON."""
    import typst  # only with the extra

    # Fonts of the computer would give other bytes on another one.
    fonts = typst.Fonts(include_system_fonts=False)
    inputs = {"pictures": json.dumps(content)}
    drawn = typst.Compiler(font_paths=fonts).compile(input=template, format="png", ppi=72, sys_inputs=inputs)
    yield from drawn if isinstance(drawn, list) else [drawn or b""]


def _small(png: bytes) -> bytes:
    """Return a picture with few colours."""
    from PIL import Image  # only with the extra

    small = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(small, "PNG", compress_level=6)
    return small.getvalue()


def _written(value: Any) -> Any:
    """Return a value with its texts as they are drawn: on one line, not too long, and in letters that there are."""
    if isinstance(value, dict):
        return {key: _written(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    if not isinstance(value, str):
        return value
    text = on_one_line(value)
    text = anyascii(text) if _WITHOUT_LETTERS.search(text) else text
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
