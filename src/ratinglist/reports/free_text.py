"""Decide whether a text that a person writes for publication has a date of birth: reasons, remarks and names.

The published files have the year of birth and never the day. A text that a person writes is checked before it is
stored, because nothing that was published can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from ratinglist.reports.dates import YOUNGEST, Circle, DateInText, folded, full_dates, years_before

_NEAR: Final = 40
"""Most characters between a date and a word of birth that belongs to it."""

_WORDS: Final = (
    *(r"born|birth\w*|b-?day|dob|d\. ?o\. ?b|b\.", r"geb|geboren\w*|geburt\w*|geboorte\w*", r"nat[oaie]|nasc\w*"),
    *(r"nee? (?:le|en|a)|naissance", r"nacid\w*|nacimiento|nacio", r"fodt|fodd|fods?el\w*", r"syntyn\w*"),
    *(r"urodz\w*|ur\.|naroz\w*|nar\.", r"roden\w*|szul\w*|nascut\w*|dogum\w*|dogdu"),
)
_WORD_OF_BIRTH: Final = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS)})(?!\w)|\*")
"""Words of birth as :func:`folded` writes them, in the languages of the months' names."""


@dataclass(frozen=True, slots=True)
class KnownBirths:
    """What is known of dates of birth where a text is checked.

    ``of_players``: the function that returns which of some days are a date of birth of any player. ``named``: the dates
    of birth of the players that the text is about. ``is_player``: the function that returns whether a number is a FIDE
    ID. ``last``: the last day that is taken for a date of birth of a player of whom the text does not speak.
    """

    of_players: Callable[[Collection[date]], Collection[date]]
    is_player: Callable[[int], bool]
    last: date
    named: Collection[date] = field(default=())


def birth_date_problem(text: str, births: KnownBirths, today: date) -> str:
    """Return why ``text`` may not be published, as the end of a sentence that begins with its name; empty where it may.

    A full date is refused

    - where it is a date of birth of a player that the text is about;
    - where a word of birth is near it, and it is at least :data:`YOUNGEST` years old;
    - where it is a date of birth of any player known, and not later than ``births.last``.

    The sentence does not have the date: it is printed, and it may be kept in the log of a flow.
    """
    dates = [one for one in full_dates(text) if one.number is None or not births.is_player(one.number)]
    for one, why in _problems(text, dates, births, today):
        return (
            f"has a date of birth at characters {one.first} to {one.last}: {why}. The text is for publication, and no "
            "date of birth is published. Leave out the day and the month; the year may be said"
        )
    return ""


def _problems(
    text: str, dates: list[DateInText], births: KnownBirths, today: date
) -> Collection[tuple[DateInText, str]]:
    if not dates:
        return []
    places = _places_of_words(text)
    possible = years_before(today, YOUNGEST)
    candidates = {day for one in dates if one.circle <= Circle.OFFICE for day in one.days if day <= births.last}
    of_players = set(births.of_players(candidates)) if candidates else set()
    found = []
    for one in dates:
        near = any(first <= one.last + _NEAR and one.first <= last + _NEAR for first, last in places)
        if one.days & set(births.named):
            found.append((one, "it is that of a player whom the text is about"))
        elif one.circle == Circle.NAMED:
            continue
        elif near and any(day <= possible for day in one.days):
            found.append((one, "it is a full date near a word of birth"))
        elif one.circle <= Circle.OFFICE and one.days & of_players:
            found.append((one, "it is that of a player of this office"))
    return found


def _places_of_words(text: str) -> list[tuple[int, int]]:
    """Return the first and last character, from 1, of every word of birth in ``text``."""
    plain, places = folded(text)
    return [(places[one.start()] + 1, places[one.end() - 1] + 1) for one in _WORD_OF_BIRTH.finditer(plain)]
