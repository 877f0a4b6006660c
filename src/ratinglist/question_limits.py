"""From where on a question is asked before a list is published: the section ``[questions]`` of ``office.toml``.

Every threshold has a share and a number of players beside it, so that ten players of a small federation are no alarm.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ratinglist.errors import CommandLineError
from ratinglist.limits import SHOWN_LENGTH
from ratinglist.safe_text import shortened

LARGEST = 1_000_000_000
"""No threshold is larger: the queries reckon with it."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds and their defaults, by the question they belong to.

    ``large_change``: ``change_points``, for more than ``change_per_ten_thousand`` players. ``mean_change``:
    ``mean_change_points``, of players with ``mean_change_games``, where there are ``mean_change_players`` of them.
    ``fewer_players``: ``fewer_players_percent`` and ``fewer_players``. ``changed_data``:
    ``changed_data_per_thousand`` and ``changed_data_players``. ``unusual_counts``: ``unusual_factor``, with
    ``unusual_months`` before, and by at least so many events, results, entries, delistings. ``many_masters``:
    ``masters_percent`` and ``masters``, ``masters_below`` the rating that gives their K.
    """

    change_points: int = 200
    change_per_ten_thousand: int = 1
    mean_change_points: int = 3
    mean_change_games: int = 9
    mean_change_players: int = 100
    fewer_players_percent: int = 1
    fewer_players: int = 10
    changed_data_per_thousand: int = 1
    changed_data_players: int = 10
    unusual_factor: int = 2
    unusual_months: int = 6
    unusual_events: int = 10
    unusual_results: int = 200
    unusual_entries: int = 20
    unusual_delistings: int = 20
    masters_percent: int = 5
    masters: int = 10
    masters_below: int = 200


def parse(section: object, where: str) -> Thresholds:
    """The thresholds of a ``[questions]`` section of ``where``, as TOML gives it; what it does not say is the default.

    Raises :class:`CommandLineError` naming the key for anything unknown, and for a value that is no whole number.
    """
    if not isinstance(section, dict):
        raise CommandLineError(f"{where}: 'questions' must be a section: [questions].")
    known = [one.name for one in fields(Thresholds)]
    for key, cell in section.items():
        if key not in known:
            raise CommandLineError(
                f"{where}: unknown key {shortened(repr(key), SHOWN_LENGTH)} in [questions] - known are "
                f"{', '.join(known)}."
            )
        least = 1 if key == "unusual_factor" else 0
        if type(cell) is not int or not least <= cell <= LARGEST:
            raise CommandLineError(
                f"{where}: '{key}' is {shortened(repr(cell), SHOWN_LENGTH)}; it must be a whole number from {least}."
            )
    return Thresholds(**section)
