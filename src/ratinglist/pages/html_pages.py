"""Write documents and pages as HTML: every value is escaped, and a content policy lets no value act.

A page may load what is named in its policy and nothing else: a page of the site its own style sheet and scripts, a page
that is one file its own style alone, which is named by its digest. So a name of a player or an event that looked like
markup would do nothing, even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ratinglist.files import resources
from ratinglist.pages.document import (
    NONE,
    Code,
    Document,
    Entries,
    Figures,
    Heading,
    Part,
    Span,
    Strong,
    Table,
    Text,
    plain,
)
from ratinglist.text import on_one_line, shown


def single_file_policy(style: str) -> str:
    """Return the policy of a page that is one file: no script, nothing loaded, and exactly this style."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def folder() -> Path:
    """Return the folder of the templates, scripts, styles and texts of pages."""
    return resources.data("site")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(folder() / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: object) -> str:
    """Return a page. Every value is escaped, unless it is a :class:`Markup` that this program made."""
    return _environment().get_template(template).render(values)


def as_page(document: Document) -> str:
    """Return a document as a page that is one file, with the style sheet in it."""
    style = (folder() / "site.css").read_text(encoding="utf-8")
    return render(
        "document.html",
        style=Markup(style),  # noqa: S704 - our own file
        policy=single_file_policy(style),
        heading=plain(document.title),
        parts=shown_parts(document.parts),
    )


def drawing(svg: str) -> Markup:
    """Return a chart that :mod:`ratinglist.pages.charts` drew, to be put into a page as it is."""
    return Markup(svg)  # noqa: S704 - every text in a chart is escaped by the module that draws it


def shown_parts(parts: Sequence[Part]) -> Iterator[tuple[str, Any]]:
    """Yield the kind of each part, and what the template shows of it.

    The caption of a table is the headings above it, the nearest one first.
    """
    section = nearest = ""
    for part in parts:
        if isinstance(part, Heading):
            nearest = plain(part.text)
            section = nearest if part.level == 2 else section
            yield "heading", {"level": part.level, "text": _inline(part.text)}
        elif isinstance(part, Table):
            if not part.rows:
                yield "paragraph", NONE
                continue
            caption = ", ".join(dict.fromkeys(filter(None, (nearest, section))))
            head = [(text, "number" if right else "") for text, right in zip(part.head, part.to_right, strict=True)]
            rows = [[shown(cell) for cell in row] for row in part.rows]
            yield "table", {"caption": caption, "head": head, "rows": rows}
        elif isinstance(part, Entries):
            yield "entries", [_inline(text) for text in part.texts]
        elif isinstance(part, Figures):
            yield "charts", [(drawing(figure.svg), figure.chart.description) for figure in part.figures]
        else:
            yield "paragraph", _inline(part.text)


_TAGS = {Code: "code", Strong: "strong"}


def _inline(text: Text) -> Markup:
    return Markup().join(map(_span, [text] if isinstance(text, str) else text))


def _span(part: Span) -> Markup:
    if isinstance(part, str):
        return escape(on_one_line(part))
    return Markup("<{0}>{1}</{0}>").format(_TAGS[type(part)], on_one_line(part.text))
