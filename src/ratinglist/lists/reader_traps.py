"""Find values at which readers of exported lists are known to stop, and the players that have them.

Each entry of :data:`TRAPS` comes from a reader in use, or from a type that readers give a column. FIDE's own lists have
some of these values too, so an export warns, and refuses a list only on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.schemas import LISTED

_TEXTS_OF_FIDE = ("fide-txt", "fide-xml")
_TABLES = ("csv", "csv-spreadsheet", "swiss-manager-csv", "vega-csv")
_MISSING = "NA|N/A|NaN|nan|NULL|null|None|NONE|<NA>|#N/A"
"""Texts that pandas or R reads as a missing value."""
_KNOWN_TITLES = ("", "GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")
_LISTED_AT_MOST = 1000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Trap:
    """A value that a reader trips over.

    ``column``: the column shown with the player. ``holds``: an expression over rows of ``LISTED``, true for such a
    value. ``sentence``: what the value is. ``consequence``: what readers do with it. ``formats``: the formats that
    these readers read.
    """

    column: str
    holds: pl.Expr
    sentence: str
    consequence: str
    formats: tuple[str, ...]


TRAPS: dict[str, Trap] = {
    "blank_sex": Trap(
        "sex",
        ~pl.col("sex").is_in(["M", "F"]),
        "the sex is neither M nor F",
        "readers that know these two letters only refuse the file",
        _TEXTS_OF_FIDE,
    ),
    "unknown_title": Trap(
        "title",
        ~(pl.col("title").is_in(_KNOWN_TITLES) & pl.col("women_title").is_in(_KNOWN_TITLES)),
        "a title is none of FIDE's eight",
        "readers with a fixed set of titles refuse the file",
        (*_TEXTS_OF_FIDE, "vega-csv"),
    ),
    "missing_name": Trap(
        "name",
        pl.col("name").str.contains(rf"(^|,)\s*({_MISSING})\s*(,|$)"),
        "a part of the name is a word for a missing value",
        "pandas and R read no name there, and programs built on them stop",
        (*_TEXTS_OF_FIDE, *_TABLES),
    ),
    "blank_name": Trap(
        "name",
        ~pl.col("name").str.contains(r"\p{L}"),
        "the name has no letter",
        "readers that divide a name into surname and given name stop",
        (*_TEXTS_OF_FIDE, *_TABLES),
    ),
    "quotation_mark": Trap(
        "name",
        pl.col("name").str.contains('"', literal=True),
        "the name has a quotation mark",
        "readers that take the text for CSV join all lines up to the next one",
        ("fide-txt",),
    ),
    "escaped_sign": Trap(
        "name",
        pl.col("name").str.contains("[&<>]"),
        "the name has one of the signs &, < and >, which XML escapes",
        "SAX readers that keep the last piece of a text lose what is before the sign",
        ("fide-xml",),
    ),
    "blank_federation": Trap(
        "federation",
        ~pl.col("federation").str.contains("^[A-Z]{3}$"),
        "the federation is not three letters",
        "readers that look the federation up stop",
        (*_TEXTS_OF_FIDE, "swiss-manager-csv", "vega-csv"),
    ),
    "unknown_birth_year": Trap(
        "birth_year",
        pl.col("birth_year").is_null() | (pl.col("birth_year") == 0),
        "the year of birth is unknown",
        "readers that make a date of it stop at the year 0 or at a blank",
        _TEXTS_OF_FIDE,
    ),
    "long_fide_id": Trap(
        "fide_id",
        pl.col("fide_id") > 2**31 - 1,
        "the FIDE ID is larger than 2,147,483,647",
        "readers that keep it in 32 bits stop or change it",
        (*_TEXTS_OF_FIDE, "csv", "parquet"),
    ),
    "fide_id_over_8_digits": Trap(
        "fide_id",
        pl.col("fide_id") >= 10**8,
        "the FIDE ID has more than 8 digits",
        "Vega's manual gives the number 8 characters; a longer one may be cut",
        ("vega-csv",),
    ),
    "fide_id_under_4_digits": Trap(
        "fide_id",
        pl.col("fide_id") < 1000,
        "the FIDE ID has fewer than 4 digits",
        "Swiss-Manager is reported to refuse it",
        ("swiss-manager-csv",),
    ),
}
"""Every trap by its code. The reference page of the exports has the table."""


@dataclass(frozen=True, slots=True)
class TrappedPlayers:
    """The players whose value is a trap, by its code.

    ``players``: how many. ``listed``: the first of them by FIDE ID, with ``fide_id``, ``name`` and ``value``.
    """

    trap: str
    players: int
    listed: list[dict[str, object]]

    def text(self) -> str:
        """Return one sentence that names the trap, the first players and what readers do."""
        trap = TRAPS[self.trap]
        named = [
            f"{one['fide_id']} {one['name']}".rstrip() + (f" ({one['value']})" if _is_shown(trap, one) else "")
            for one in self.listed[:_SHOWN]
        ]
        more = f" and {self.players - len(named):,} more" if self.players > len(named) else ""
        players = "1 player" if self.players == 1 else f"{self.players:,} players"
        return f"{self.trap}: {trap.sentence}, {players}: {'; '.join(named)}{more}. {_sentence(trap.consequence)}"


def find_traps(lists: Iterable[pl.DataFrame], format_name: str) -> list[TrappedPlayers]:
    """Return the traps of a format in the rows that are exported (frames of ``LISTED``), each player once."""
    rows = list(lists)
    return [
        found for code, trap in TRAPS.items() if format_name in trap.formats and (found := _trapped(code, trap, rows))
    ]


def _trapped(code: str, trap: Trap, lists: list[pl.DataFrame]) -> TrappedPlayers | None:
    columns = list(dict.fromkeys(("fide_id", "name", trap.column)))
    found = pl.concat([LISTED.empty().select(columns), *(rows.filter(trap.holds).select(columns) for rows in lists)])
    if found.is_empty():
        return None
    players = found.unique("fide_id").sort("fide_id")
    listed = players.head(_LISTED_AT_MOST).select("fide_id", "name", pl.col(trap.column).alias("value"))
    return TrappedPlayers(code, players.height, listed.to_dicts())


def _is_shown(trap: Trap, player: Mapping[str, object]) -> bool:
    """Return whether the value says more than the FIDE ID and the name next to it."""
    return trap.column not in ("fide_id", "name") and player["value"] not in (None, "")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
