"""The documents as a site: every page by its kind, with a search that works without a server."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

project = "ratinglist"
html_title = "ratinglist"
root_doc = "docs/index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/*.rst",
    "benchmarks/*.md",
    "data/sample/README.md",
    "tests/unit/README.md",
]
# Links lead to headings by the names that hosts of repositories give them.
myst_heading_anchors = 4
# Folders and files of the repository are no pages: such a link stays as it is written. The pages made from the code
# begin below their title with the headings of a table.
suppress_warnings = ["myst.xref_missing", "myst.header", "misc.highlighting_failure"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"footer_icons": []}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

_KINDS = {
    "Do one thing": "how-to",
    "Look something up": "reference",
    "Made from the code": "built",
    "Understand it": "explanation",
    "Decisions": "decisions",
}


def add_contents(_: Sphinx, docname: str, source: list[str]) -> None:
    """Append the pages by their kind to the index, for the navigation; on a host of repositories it needs none."""
    if docname != root_doc:
        return
    kinds = {"Begin": ["/README", "tutorial"]} | {
        title: sorted(f"{folder}/{path.stem}" for path in (ROOT / "docs" / folder).glob("*.md"))
        for title, folder in _KINDS.items()
    }
    kinds["Look something up"] += ["python", "/GLOSSARY", "/CHANGELOG", "/SECURITY", "/benchmarks/RESULTS"]
    kinds["Change it"] = ["/CONTRIBUTING", "/data/sample/README", "/tests/unit/README"]
    for title, pages in kinds.items():
        source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""])


def setup(app: Sphinx) -> None:
    """Connect what this file adds."""
    app.connect("source-read", add_contents)
