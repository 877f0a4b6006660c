"""Find the columns of FIDE's text list of one time control from its data lines, without a header that fits them.

Some lists of 2001 to 2004 have no header line, or one whose headings are not above their columns. Their lines are an
ID, a name, perhaps a title, a federation, a rating, and perhaps games, a birth and a flag, each in its place. The
places that nearly all lines agree on are the columns; where they do not agree there are none, and the list is refused.
"""

from __future__ import annotations

import polars as pl

_LINE = r"^(\s*\d{3,9}\s+)(\S.*?\s)([A-Z]{3}\s+)([12]\d{3})(.*)$"
"""ID, name and title, federation, rating, the rest."""
_TITLE = r"\s((?:w?[gmfc]|W?[GIFC]M)\s*)$"
_GAMES = r"^(\s{1,6}\d{1,3})(?:\s|$)"
_BIRTH = r"(?:[\d ]{1,2}\.[\d ]{1,2}\.(?:\d{4}|\d\d)|(?:19|20)\d\d)"
_FLAG = r"^(.*?\s)[wWiI]{1,2}\s*$"
_AGREE = 95
"""The least percentage of lines that agree on the place of a column."""
_FEWEST = 3
"""The fewest lines that columns are found from."""
_SEEN = 5_000

Places = dict[str, tuple[int, int]]
"""Column to its first character, from 0, and the one after its last."""


def columns_from_data(lines: pl.DataFrame) -> Places | None:
    """Return the columns of ``lines`` (``text``), in order; None where the lines do not agree on them."""
    texts = lines["text"].head(_SEEN).str.strip_chars_end()
    parts = texts.str.extract_groups(_LINE).struct.unnest()
    parts.columns = ["id", "body", "federation", "rating", "rest"]
    parts = parts.drop_nulls()
    if texts.len() < _FEWEST or 100 * parts.height < _AGREE * texts.len():
        return None
    length = parts.select(pl.all().str.len_chars().cast(pl.Int64))
    name = length["id"]
    federation = name + length["body"]
    rating = federation + length["federation"]
    found = [_agreed(name), _agreed(federation), _agreed(rating)]
    if any(place is None for place in found):
        return None
    starts: list[int] = [place for place in found if place is not None]
    title = _title(parts["body"], starts[0])
    places: Places = {"fide_id": (0, starts[0]), "name": (starts[0], starts[1] if title is None else title)}
    if title is not None:
        places["title"] = (title, starts[1])
    places |= {"federation": (starts[1], starts[2]), "rating": (starts[2], starts[2] + 4)}
    return places | _after_rating(parts["rest"], starts[2] + 4)


def _agreed(places: pl.Series) -> int | None:
    """Return the place that nearly all lines have."""
    most = places.mode().min()
    if not isinstance(most, int) or 100 * (places == most).sum() < _AGREE * places.len():
        return None
    return most


def _title(bodies: pl.Series, start: int) -> int | None:
    """Return where the titles begin, between name and federation; None where no line has a title.

    A name may end with one letter; so titles are where most of what looks like one is, and nearly all.
    """
    titles = bodies.str.extract(_TITLE)
    offsets = (bodies.str.len_chars() - titles.str.len_chars()).drop_nulls().cast(pl.Int64)
    most = offsets.mode().max()
    if not isinstance(most, int) or 2 * (offsets == most).sum() < offsets.len():
        return None
    return start + most


def _after_rating(rests: pl.Series, start: int) -> Places:
    """Return the columns after the rating: games, birth and flag, those of them that the lines have."""
    places: Places = {}
    after = start
    games = rests.str.extract(_GAMES).str.len_chars().cast(pl.Int64)
    if games.drop_nulls().len() and (end := _agreed(games.drop_nulls())) is not None:
        places["games"] = (after, start + end)
        after = start + end
    tail = rests.str.slice(after - start)
    births = tail.str.extract(rf"^(\s+{_BIRTH})").str.len_chars().cast(pl.Int64).drop_nulls()
    if births.len() and 2 * births.len() >= tail.len():
        width = max(births.to_list())
        places["birth_year"] = (after, after + width)
        after += width
        tail = rests.str.slice(after - start)
    flags = tail.str.extract(_FLAG).str.len_chars().cast(pl.Int64).drop_nulls()
    if flags.len():
        places["flag"] = (after, after + 1_000)
    return places
