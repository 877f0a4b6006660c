"""Render HTML pages from templates in which every value is escaped, with a content policy that lets no value act.

A page may load what is named in its policy and nothing else: a page of the site its own style sheet and scripts, a page
that is one file its own style alone, which is named by its digest. So a name of a player or an event that looked like
markup would do nothing, even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ratinglist.files import resources

SITE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Only the scripts, the style sheet and the images of the page's own host, or folder."""


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


def single_file(template: str, **values: object) -> str:
    """Return a page that is one file, with the style of ``page.css`` in it."""
    style = (folder() / "page.css").read_text(encoding="utf-8")
    return render(template, style=Markup(style), policy=single_file_policy(style), **values)  # noqa: S704 - our own file


def drawing(svg: str) -> Markup:
    """Return a chart that :mod:`ratinglist.pages.charts` drew, to be put into a page as it is."""
    return Markup(svg)  # noqa: S704 - every text in a chart is escaped by the module that draws it
