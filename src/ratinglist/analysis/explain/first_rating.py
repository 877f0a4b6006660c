"""Describe how an unlisted player enters in the French Elo and in the Italian Elo of 1998: the games that decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EntrySources:
    """What an entry rests on besides the player's games of the month.

    ``waited``: the results that waited on the list before. ``listed``: FIDE ID to rating on this list, of the
    opponents. ``listed_events``: the events with a counted game of a listed player; None: not read.
    """

    waited: Sequence[Row] = ()
    listed: Mapping[int, int] = field(default_factory=dict)
    listed_events: frozenset[str] | None = None


def iterated_entry(events: Sequence[Row], change: Values, values: Values, sources: EntrySources) -> Row | None:
    """Return how the waiting games give the first rating of the French Elo; None where a figure is not published.

    X is the sum of the opponents' values and of 400 for each win, less 400 for each loss. The value of an opponent is
    the rating on the list before, or the value of the last round; that of an opponent who enters is their new rating.
    Out: ``games`` of this period with the value of each opponent where it is published, ``other_games`` and their
    ``other_sum``: those of earlier periods, and of opponents who wait.
    """
    n, x = change["performance_games"], change["performance_sum"]
    games = [(event["event_id"], game) for event in events for game in event["games"] if _waits(game)]
    points = [game["score_halves"] for _, game in games] + [one["score_halves"] for one in sources.waited]
    count = len(games) + sum(one["games"] or 0 for one in sources.waited)
    if n is None or x is None or count != n or any(one is None for one in points):
        return None
    halves = sum(points)
    opponents = x - values["update.points"] * (halves - n)
    shown = [
        {
            "event_id": event_id,
            "round": game["round"],
            "opponent_id": game["opponent_id"],
            "opponent": game["opponent"],
            "value": _value(game, sources.listed),
            "source": _source(game, sources.listed),
        }
        for event_id, game in games
    ]
    known = [game["value"] for game in shown if game["value"] is not None]
    return {
        "games": n,
        "score_halves": halves,
        "opponent_sum": opponents,
        "performance_sum": x,
        "performance": (2 * x + n) // (2 * n),
        "opponents": shown,
        "other_games": n - len(known),
        "other_sum": opponents - sum(known),
    }


def _waits(game: Values) -> bool:
    return game["reason"] is not None and game["reason"]["code"] == "counts_for_entry"


def _value(game: Values, listed: Mapping[int, int]) -> int | None:
    return listed.get(game["opponent_id"]) if game["opponent_rating"] is None else int(game["opponent_rating"])


def _source(game: Values, listed: Mapping[int, int]) -> str:
    """Return where an opponent's value comes from: ``listed``, ``enters`` or ``waits``."""
    if game["opponent_rating"] is not None:
        return "listed"
    return "enters" if game["opponent_id"] in listed else "waits"


def promoting_events(events: Sequence[Row], change: Values, values: Values, sources: EntrySources) -> list[Row] | None:
    """Return the events that give the best promotion of the Italian Elo of 1998, with the figures that are judged.

    ``step``: 1: to 3N, 2: to 2N. ``is_unlisted_event``: only unlisted players, so that the share of the points decides;
    else ``performance_sum``, the sum of the opponents' ratings and of 400 for each win, less 400 for each loss, against
    the limit times the games. None where the ratings of the games are not published.
    """
    if sources.listed_events is None:
        return None
    found = []
    for event in events:
        games = [game for game in event["games"] if _is_judged(game)]
        if len(games) < values["entry.min_games"] or any(game["opponent_rating"] is None for game in games):
            continue
        n, halves = len(games), sum(game["score_halves"] for game in games)
        opponents = sum(game["opponent_rating"] for game in games)
        x = opponents + 400 * (halves - n)
        is_unlisted_event = event["event_id"] not in sources.listed_events
        if is_unlisted_event:
            step = 1 if 50 * halves >= values["entry.third_share_hundredths"] * n else 0
        else:
            step = 2 if x >= values["entry.second_from"] * n else 1 if x >= values["entry.third_from"] * n else 0
        found.append(
            {
                "event_id": event["event_id"],
                "name": event["name"],
                "games": n,
                "score_halves": halves,
                "opponent_sum": opponents,
                "performance_sum": x,
                "is_unlisted_event": is_unlisted_event,
                "step": step,
            }
        )
    # A listed player of category 3N is promoted to 2N only.
    least = 1 if change["old_rating"] is None else 2
    best = max((one["step"] for one in found), default=0)
    return [one for one in found if one["step"] == best >= least]


def _is_judged(game: Values) -> bool:
    return game["reason"]["code"] == "counts_for_promotion" if game["reason"] is not None else bool(game["rated"])
