"""FIDE's list as XML: combined, combined without arena titles, and of one time control.

The elements stand in FIDE's order, for there are readers that count them. There is no declaration and no mark, so the
text is UTF-8: names keep all their letters.
"""

from __future__ import annotations

import polars as pl

from ratinglist.errors import ExportError

LINE_END = "\r\n"
HEADER = "<playerslist>"
FOOTER = "</playerslist>"
_TEXTS = {
    "name": "name",
    "country": "federation",
    "sex": "sex",
    "title": "title",
    "w_title": "women_title",
    "o_title": "other_titles",
}
_ARENA = "foa_title"
_ONE_LIST = {"rating": "rating", "games": "games", "k": "k"}
_ALL_RATINGS = {
    **{part: f"standard_{part}" for part in _ONE_LIST},
    **{f"{name}_{part}": f"{name}_{part}" for name in ("rapid", "blitz") for part in _ONE_LIST},
}
_IMPOSSIBLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]"
"""Characters that XML cannot hold, not even escaped."""
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
"""A bare CR would be read as LF."""


def elements(*, one_list: bool, legacy: bool) -> dict[str, str]:
    """Element to the column it shows, in order; the arena title has none and is always empty."""
    arena = {} if legacy else {_ARENA: ""}
    ratings = _ONE_LIST if one_list else _ALL_RATINGS
    return {"fideid": "fide_id", **_TEXTS, **arena, **ratings, "birthday": "birth_year", "flag": "flag"}


def check(players: pl.DataFrame) -> None:
    """Raise :class:`ExportError` where a text of ``players`` holds a character that XML cannot hold."""
    for name in _TEXTS.values():
        wrong = players.filter(pl.col(name).str.contains(_IMPOSSIBLE)).sort("fide_id")
        if wrong.height:
            found = wrong[name].str.extract(f"({_IMPOSSIBLE})")[0]
            raise ExportError(
                f"Nothing was exported: {name} of player {wrong['fide_id'][0]} holds the control character "
                f"U+{ord(found):04X}, which XML cannot say. Correct the player's data and publish again, or export as "
                "fide-txt."
            )


def lines(players: pl.DataFrame, shown: dict[str, str]) -> pl.DataFrame:
    """One column ``line``: of each of ``players`` the element ``<player>``, a line for each child, the last not ended.

    ``players`` has the columns that ``shown`` (from :func:`elements`) names and has passed :func:`check`. Whoever has
    no rating gets 0, as in FIDE's; an unknown year of birth is empty.
    """
    parts: list[pl.Expr] = []
    before = f"<player>{LINE_END}"
    for element, column in shown.items():
        parts += [pl.lit(f"{before}<{element}>"), *([_text(column)] if column else [])]
        before = f"</{element}>{LINE_END}"
    return players.select(pl.concat_str([*parts, pl.lit(f"{before}</player>")]).alias("line"))


def _text(column: str) -> pl.Expr:
    if column in _TEXTS.values():
        return pl.col(column).str.replace_many(list(_ESCAPED), list(_ESCAPED.values()))
    unknown = "0" if column.endswith(tuple(_ONE_LIST)) else ""
    return pl.col(column).cast(pl.String).fill_null(unknown)
