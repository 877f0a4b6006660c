"""How another system than FIDE's came to a player's number: its own figures, each with the article of its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratinglist.analysis.explain.first_rating import EntrySources, iterated_entry, promoting_events
from ratinglist.analysis.explain.glicko_account import DeviationsBefore, learning
from ratinglist.rating.rules import FIDE_SYSTEM, SystemRuleSet
from ratinglist.rating.system_rules import GlickoRules

EXACT_CHANGE = {
    FIDE_SYSTEM: "change_hundredths",
    "fsi": "change_hundredths",
    "club": "change_thousandths",
    "uscf": "change_thousandths",
}
"""The column of a game whose sum is that of the change, by system; the other systems have none."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlayerPart:
    """A player's published rows on one list, and the account of the events.

    ``listed``, ``before``: rows of the list and of the one before; ``change``: the row of ``changes``; None where there
    is none. ``waiting``: the results that wait. ``deviations``: those of the list before, of all players in the games.
    ``entry``: what an entry rests on.
    """

    fide_id: int
    listed: Row | None
    before: Row | None
    change: Row | None
    events: Sequence[Row]
    waiting: Sequence[Row]
    deviations: DeviationsBefore
    entry: EntrySources

    @property
    def counted(self) -> list[Row]:
        """Return the games that count, in order of the events."""
        return [game for event in self.events for game in event["games"] if game["reason"] is None and game["rated"]]


def system_account(part: PlayerPart, rule_set: SystemRuleSet) -> Row:
    """Return the figures of the system: ``name``, ``rules`` (value and article by key), and those of :data:`_FIGURES`.

    ``figures`` is null where nothing was computed for the player.
    """
    values = rule_set.values()
    figures = None if part.change is None else _FIGURES[rule_set.system](part, part.change, values)
    if figures is not None and part.change is not None and isinstance(rule_set.own, GlickoRules):
        found = learning(part.fide_id, part.events, part.change, part.deviations, rule_set.own)
        figures = {**figures, "learning": found}
    return {
        "name": rule_set.system,
        "rules": {
            key: {"value": values[key], "article": rule_set.articles[key]}
            for key in values
            if not key.startswith("list.closing") and key != "list.official_closing_days_before"
        },
        "figures": figures,
    }


def _fsi(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    counted_as = values["entry.rating"] if change["old_rating"] is None else change["old_rating"]
    return {"counted_as": counted_as, "events": [event["change"] for event in part.events if event["rated_games"]]}


def _club(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    counted_as = change["old_rating"]
    if counted_as is None and change["new_rating"] is not None and change["change"] is not None:
        counted_as = change["new_rating"] - change["change"]
    exact = None
    if counted_as is not None and change["change_thousandths"] is not None:
        exact = 1000 * counted_as + change["change_thousandths"]
    by_games = None if exact is None else (2 * exact + 1000) // 2000
    raised = by_games is not None and change["new_rating"] is not None and change["new_rating"] > by_games
    title = "" if part.listed is None else (part.listed["title"] or "").lower()
    return {
        "counted_as": counted_as,
        "exact_thousandths": exact,
        "by_games": by_games,
        "raised_to": change["new_rating"] if raised else None,
        "title_rule": f"title_minimum.{title}" if f"title_minimum.{title}" in values else None,
    }


def _uscf(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    del values
    old, played = change["old_rating"], change["games_before"]
    averaged, total = change["performance_games"], change["performance_sum"]
    average = old
    if averaged is not None and total is not None and played is not None:
        weight = played + averaged
        average = (2 * (played * (old or 0) + total) + weight) // (2 * weight)
    others = change["change_thousandths"]
    exact = None if average is None or others is None else 1000 * average + others
    return {
        "games_before": played,
        "averaged_games": averaged,
        "performance_sum": total,
        "average": average,
        "established_games": sum(1 for game in part.counted if game["k"] is not None),
        "exact_thousandths": exact,
    }


def _ffe(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    n, x, old = change["performance_games"], change["performance_sum"], change["old_rating"]
    weight = values["update.weight_games"]
    figures = {"case": None, "games": n, "performance_sum": x, "numerator": None, "denominator": None, "entry": None}
    if change["status"] == "entered":
        return {**figures, "entry": iterated_entry(part.events, change, values, part.entry)}
    if n is None or x is None or old is None:
        return figures
    if x < n * old:
        case, numerator, denominator = "below", weight * old + x, weight + n
    elif n >= weight:
        case, numerator, denominator = "whole", x, n
    else:
        case, numerator, denominator = "part", (weight - n) * old + x, weight
    return {**figures, "case": case, "numerator": numerator, "denominator": denominator}


def _fsi_1998(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    step = values["expected_score.sum_step"]
    events = []
    for event in sorted(part.events, key=lambda one: (one["end_date"], one["start_date"], one["event_id"])):
        games = [game for game in event["games"] if game["reason"] is None and game["rated"]]
        if not games or games[0]["k"] is None or games[0]["expected_hundredths"] is None:
            continue
        total = sum(game["expected_hundredths"] for game in games)
        used = step * ((2 * total + step) // (2 * step))
        halves = sum(game["score_halves"] for game in games)
        events.append(
            {
                "event_id": event["event_id"],
                "rating": games[0]["rating"],
                "k": games[0]["k"],
                "score_halves": halves,
                "expected_hundredths": total,
                "expected_used": used,
                "change_hundredths": games[0]["k"] * (50 * halves - used),
            }
        )
    by_games = _by_blocks(change["old_rating"], events, values["change.refresh_every"])
    promoted = None
    if change["new_rating"] is not None and (by_games is None or change["new_rating"] > by_games):
        promoted = change["new_rating"]
    promotions = None if promoted is None else promoting_events(part.events, change, values, part.entry)
    return {"events": events, "by_games": by_games, "promoted_to": promoted, "promotions": promotions}


def _by_blocks(old: int | None, events: Sequence[Row], every: int) -> int | None:
    """Return the rating after the events, taken up after every ``every`` of them; None for an unlisted player."""
    if old is None:
        return None
    size = every or len(events) or 1
    for first in range(0, len(events), size):
        total = sum(event["change_hundredths"] for event in events[first : first + size])
        old = (2 * (100 * old + total) + 100) // 200
    return old


def _glicko(part: PlayerPart, change: Row, values: Mapping[str, Any]) -> Row:
    del values
    games = part.counted
    return {
        "rating_before": games[0]["rating_hundredths"] if games else None,
        "deviation_grown": games[0]["deviation_hundredths"] if games else None,
        "deviation_before": None if part.before is None else part.before["deviation_hundredths"],
        "rating_after": change["rating_hundredths"],
        "deviation_after": change["deviation_hundredths"],
        "score_halves": sum(game["score_halves"] for game in games),
        "expected_thousandths": sum(game["expected_thousandths"] or 0 for game in games),
    }


_FIGURES: dict[str, Callable[[PlayerPart, Row, Mapping[str, Any]], Row]] = {
    "fsi": _fsi,
    "club": _club,
    "uscf": _uscf,
    "ffe": _ffe,
    "fsi-1998": _fsi_1998,
    "glicko": _glicko,
}
"""The figures of each system: from the rows, the change and the values of the rule set."""
