"""Parse the header line of FIDE's text list: the headings, the columns below them, and the month of the list."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ratinglist.limits import SHOWN_LENGTH
from ratinglist.lists.raw_list import MONTH_NAMES, list_month
from ratinglist.lists.selection import ARENA, fide_columns
from ratinglist.period import Period
from ratinglist.safe_text import shortened
from ratinglist.schemas import LISTS

_HEADINGS = {
    **{
        column.heading.lower().replace(" ", ""): name or ARENA.element
        for name, column in fide_columns(one_list=False, legacy=False).items()
    },
    "code": "fide_id",
    "country": "federation",
    "title": "title",
    "titl": "title",
    "rating": "rating",
    "rtng": "rating",
    "games": "games",
    "gms": "games",
    "k": "k",
    "birthday": "birth_year",
    "born": "birth_year",
}
"""The headings of today, and those of older lists."""
_MONTH = rf"(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)"
# Longest first: `Titl` must not be read as `Tit` and a stray letter, `SK` not as `S` and `K`.
_HEADER = re.compile(
    "|".join(
        [r"ID[ _]?Number", _MONTH, *sorted(map(re.escape, _HEADINGS.keys() - {"idnumber"}), key=len, reverse=True)]
    ),
    # ASCII only: Unicode's case folding takes the long s for an s and the sign for kelvin for a k.
    re.ASCII | re.IGNORECASE,
)
_NUMBERS = ("fide_id", "rating", "games", "k", "birth_year")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column of a file: characters ``start`` to ``end`` (exclusive, from 0) under ``heading``."""

    name: str
    heading: str
    start: int
    end: int

    @property
    def numeric(self) -> bool:
        """Whether the column holds a number, which never touches the column to its right."""
        return self.name.endswith(_NUMBERS)


@dataclass(frozen=True, slots=True)
class HeaderLine:
    """The columns that a header line names, its length, and the month in it (lists of one time control)."""

    columns: tuple[TextColumn, ...]
    width: int
    month: Period | None

    @classmethod
    def parse(cls, header: str) -> HeaderLine:
        """Parse a header line; raise :class:`ValueError` with the problem if it is not one of FIDE's."""
        found = list(_HEADER.finditer(header))
        unknown = _HEADER.sub(" ", header).split()
        if unknown:
            raise ValueError(f"the heading '{shortened(unknown[0], SHOWN_LENGTH)}' is not known")
        names = [_column_name(heading) for heading in found]
        missing = [name for name in ("fide_id", "name") if name not in names]
        if missing:
            raise ValueError(f"the header line has no column for {missing[0]}")
        if len(set(names)) < len(names):
            raise ValueError("two headings name the same column")
        if not {"rating", "standard_rating"} & set(names):
            raise ValueError("the header line has no column for a rating: SRtng, or a month such as OCT26")
        lacking = [heading for heading, name in _HEADINGS.items() if name.startswith(LISTS) and name not in names]
        if "standard_rating" in names and lacking:
            raise ValueError(f"a list of three time controls needs the heading {lacking[0]}, in any case")
        starts = [0, *(heading.start() for heading in found[1:])]
        # The last column runs to the end of the line; a line that is too long is found by its length.
        ends = [*starts[1:], len(header) + 1000]
        columns = zip(names, (heading[0] for heading in found), starts, ends, strict=True)
        months = (list_month(heading["month"], heading["year"]) for heading in found if heading["month"])
        month = next(months, None)
        return cls(tuple(TextColumn(*column) for column in columns), len(header), month)


def _column_name(heading: re.Match[str]) -> str:
    return "rating" if heading["month"] else _HEADINGS[heading[0].lower().replace(" ", "").replace("_", "")]
