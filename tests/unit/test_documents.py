"""A document is stated once: as Markdown, as a page and as text it says the same, and shows every text as it is."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import polars as pl
import pytest

from ratinglist.pages.charts import Chart, Series, line_chart
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Figure,
    Figures,
    Heading,
    Paragraph,
    Strong,
    Table,
    as_markdown,
    as_text,
)
from ratinglist.pages.html_pages import as_page, single_file_policy

CHART = Chart("games-by-day", "Games", "Games by day.", "day", "games")
FIGURE = Figure(CHART, line_chart(CHART, [Series("Monday", [(1, 3)])]))
DOCUMENT = Document(
    "The list",
    [
        Paragraph("Read this."),
        Heading("Totals"),
        Paragraph((Strong("Open."), " Write ", Code("ratinglist run"), ".")),
        Figures([FIGURE]),
        Table(("name", "games"), [["Anna", 12], ["Bo", None]], (False, True)),
        Heading("Events", level=3),
        Entries(["none yet", ("see ", Code("x"))]),
        Table(("file",), [], (False,)),
        Paragraph("The end.", ends_section=True),
    ],
)
MARKDOWN = """\
# The list

Read this.

## Totals

**Open.** Write `ratinglist run`.

| name | games |
|---|--:|
| Anna | 12 |
| Bo |  |

### Events

- none yet
- see `x`

None.

The end.
"""
TEXT = """\
The list

Read this.

Totals
  Open. Write ratinglist run.
  name  games
  Anna     12
  Bo

Events
  none yet
  see x
  None.

The end."""
MARKUP = "<b>|*x*\n# y</b>"
SHOWN = r"<b>|*x*\n# y</b>"
ESCAPED = r"\<b\>\|\*x\*\\n# y\</b\>"


class Reader(HTMLParser):
    """What a reader of a page sees: each tag with its attributes, and the words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page.partition("<main>")[2])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def test_a_document_says_the_same_as_markdown_as_text_and_as_a_page():
    assert as_markdown(DOCUMENT) == MARKDOWN
    assert as_text(DOCUMENT) == TEXT
    words = " ".join(Reader(as_page(DOCUMENT)).words)
    assert set(re.findall(r"\w+", TEXT)) - set(re.findall(r"\w+", words)) == set()
    # A chart is in the page and not in the Markdown, which is compared whole above.
    assert FIGURE.svg in as_page(DOCUMENT)


def test_the_headings_of_a_page_are_levels_and_its_tables_are_named_by_them():
    tags = Reader(as_page(DOCUMENT)).tags
    assert [(tag, of.get("id")) for tag, of in tags if tag in ("h1", "h2", "h3")] == [
        *(("h1", None), ("h2", None), ("h3", None)),
    ]
    assert [of["aria-label"] for _, of in tags if of.get("role") == "region"] == ["Totals"]
    below = Document("x", [Heading("Standard"), Heading("Ratings", level=3), Table(("k",), [[1]], (True,))])
    assert [of["aria-label"] for _, of in Reader(as_page(below)).tags if of.get("role") == "region"] == [
        "Ratings, Standard"
    ]


def test_a_page_is_one_file_with_the_style_that_its_policy_names():
    page = as_page(DOCUMENT)
    assert page.startswith("<!doctype html>\n")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert single_file_policy(style).replace("'", "&#39;") in page
    assert "--paper" in style


@pytest.mark.parametrize(
    ("part", "markdown", "text"),
    [
        (Heading(MARKUP), f"## {ESCAPED}", f"\n{SHOWN}"),
        (Paragraph(MARKUP), "\\<b\\>\\|\\*x\\*  \n\\# y\\</b\\>", f"\n{SHOWN}"),
        (Paragraph((MARKUP, Strong(MARKUP))), f"{ESCAPED}**{ESCAPED}**", f"\n{SHOWN}{SHOWN}"),
        (Paragraph((MARKUP, Code(MARKUP))), f"{ESCAPED}`{SHOWN}`", f"\n{SHOWN}{SHOWN}"),
        (Entries([MARKUP]), f"- {ESCAPED}", f"\n{SHOWN}"),
        (Table((MARKUP,), [[MARKUP]], (False,)), f"| {ESCAPED} |\n|---|\n| {ESCAPED} |", f"\n{SHOWN}\n{SHOWN}"),
    ],
)
def test_no_text_becomes_markup_or_another_part(part, markdown, text):
    document = Document(MARKUP, [part])
    assert as_markdown(document) == f"# {ESCAPED}\n\n{markdown}\n"
    assert as_text(document) == f"{SHOWN}\n{text}"
    assert "b" not in {tag for tag, _ in Reader(as_page(document)).tags}


@pytest.mark.parametrize(("text", "written"), [("# not a heading", "\\# not"), ("1. not a list", "1\\. not")])
def test_a_paragraph_that_begins_like_markup_stays_a_paragraph(text, written):
    parts = [Paragraph(text), Paragraph((text, Code("x"))), Entries([text])]
    assert [line.removeprefix("- ")[: len(written)] for line in as_markdown(Document("x", parts)).splitlines()[2:]] == [
        *(written, "", written, "", written),
    ]


def test_a_command_with_backticks_stays_one_command():
    assert "``` a``b ```" in as_markdown(Document("x", [Paragraph((Code("a``b"),))]))


def test_the_columns_of_numbers_of_a_frame_are_aligned_right():
    rows = pl.DataFrame({"name": ["Anna"], "games": [3], "share": [None]})
    assert Table.of(("name", "games", "share"), rows).to_right == [False, True, False]
