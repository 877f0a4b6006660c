"""What is published: the lists, their files for other programs, their proof, letters and the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from ratinglist.desk.page import Page, Visit
from ratinglist.errors import NothingReadError
from ratinglist.lists.formats import FORMATS
from ratinglist.pages.document import Entries, Entry, Heading, Paragraph, Part, Table
from ratinglist.pages.html_pages import shown_parts
from ratinglist.publication import revisions
from ratinglist.publication.revision_writer import OF_DIFF

_DIFF = f"{OF_DIFF[1]}.md"


def publications(visit: Visit) -> Page:
    """Return the published months, the newest first, with what can be done with all of them."""
    found = visit.status
    return Page("publications.html", {"published": list(reversed(found.published)), "backup": found.backup})


def publication(visit: Visit) -> Page:
    """Return a published month with the differences of its revisions, and the forms for its files."""
    period = visit.period
    found = next((one for one in visit.status.published if one.month == str(period)), None)
    if found is None:
        raise NothingReadError(f"Nothing is published for {period}.")
    folder = visit.settings.published / str(period)
    made = sorted((one for one in folder.glob("r*") if one.is_dir()), key=revisions.number_of, reverse=True)
    current = int(found.revision[1:] or 0)
    diffs = [(one.name, (one / _DIFF).read_text(encoding="utf-8")) for one in made if (one / _DIFF).is_file()]
    values = {
        "month": str(period),
        "published": found,
        "earlier": [one.name for one in made if revisions.number_of(one) < current],
        "later": [one.name for one in made if revisions.number_of(one) > current],
        "withdrawn": visit.withdrawn.get(str(period)),
        "diffs": [(name, list(shown_parts(list(_parts(text))))) for name, text in diffs],
        "formats": [(name, one.description) for name, one in FORMATS.items()],
        "can_be_signed": bool(visit.settings.office.publication.signing_key),
    }
    return Page("publication.html", values)


def _parts(text: str) -> Iterator[Part]:
    """Yield the parts of a report that this program wrote as Markdown, its title left out."""
    for kind, group in groupby(text.splitlines(), lambda line: line[:1] if line[:1] in "#-|" else ""):
        lines = list(group)
        if kind == "#":
            yield from (Heading(_plain(line.lstrip("# "))) for line in lines if line.startswith("##"))
        elif kind == "-":
            yield Entries([Entry(_plain(line[2:])) for line in lines])
        elif kind == "|":
            head, rule, *rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
            to_right = [cell.endswith(":") for cell in rule]
            yield Table([_plain(cell) for cell in head], [[_plain(cell) for cell in row] for row in rows], to_right)
        else:
            yield from (Paragraph(_plain(line)) for line in lines if line.strip())


def _plain(text: str) -> str:
    """Return a text without the signs that Markdown needs to show it as it is."""
    return re.sub(r"\\([^\w\s])", r"\1", text).replace("`", "")
