"""Hold the thresholds of the questions that a list raises before it is published: ``[questions]`` of ``office.toml``.

Every threshold is a share and a number of players, so that ten players of a small federation raise no question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ratinglist.strict_toml import Allowed

LARGEST = 1_000_000_000
"""No threshold is larger: the queries calculate with it."""

Count = Annotated[int, Allowed(ge=0, le=LARGEST)]
Factor = Annotated[int, Allowed(ge=1, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds and their defaults, by the question they belong to.

    ``large_change``: ``change_deviations``, by K and games, or ``change_points`` where K is not known, for more than
    ``change_per_ten_thousand`` players. ``mean_change``: ``mean_change_points``, of players with ``mean_change_games``,
    where there are ``mean_change_players`` of them.
    ``fewer_players``: ``fewer_players_percent`` and ``fewer_players``. ``changed_data``:
    ``changed_data_per_thousand`` and ``changed_data_players``. ``unusual_counts``: ``unusual_factor``, with
    ``unusual_months`` before, and by at least so many events, results, entries, delistings. ``many_masters``:
    ``masters_percent`` and ``masters``, ``masters_below`` the rating that gives their K. ``points_differ``:
    ``points_percent`` and ``points_players`` of the players of a report.
    """

    change_deviations: Count = 4
    change_points: Count = 200
    change_per_ten_thousand: Count = 1
    mean_change_points: Count = 3
    mean_change_games: Count = 9
    mean_change_players: Count = 100
    fewer_players_percent: Count = 1
    fewer_players: Count = 10
    changed_data_per_thousand: Count = 1
    changed_data_players: Count = 10
    unusual_factor: Factor = 2
    unusual_months: Count = 6
    unusual_events: Count = 10
    unusual_results: Count = 200
    unusual_entries: Count = 20
    unusual_delistings: Count = 20
    masters_percent: Count = 5
    masters: Count = 10
    masters_below: Count = 200
    points_percent: Count = 20
    points_players: Count = 3
