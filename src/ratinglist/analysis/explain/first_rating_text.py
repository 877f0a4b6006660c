"""Format how an unlisted player enters in the French Elo and in the Italian Elo of 1998 as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.analysis.explain.cited_rules import CitedRules
from ratinglist.analysis.explain.figures import Block, counted, halves, hundredths, plus, table, thousandths
from ratinglist.safe_text import on_one_line

Values = Mapping[str, Any]

_HEAD = ("event", "round", "opponent", "name", "value", "from")
_SOURCES = {"listed": "the list before", "enters": "the last round: enters with it", "waits": "the last round"}


def iterated_entry_lines(change: Values, figures: Values, rules: CitedRules) -> list[Block]:
    """Return the lines on an entry of the French Elo: the opponents' values, X, the division and the rating."""
    n, least = figures["games"], rules["entry.min_games"]
    lines: list[Block] = [
        rules.text(f"performances of all waiting games, in rounds that begin at {rules['entry.start']}", "entry.start")
    ]
    if figures["entry"] is not None:
        lines += _division(change, figures["entry"], rules)
    lines.append(
        rules.text(
            f"{counted(n, 'game')} waited, at least {least} of them within {rules['update.compatible']} points: "
            f"enters with {change['new_rating']}",
            "entry.min_games",
        )
    )
    return lines


def _division(change: Values, entry: Values, rules: CitedRules) -> list[Block]:
    n, points, x = entry["games"], rules["update.points"], entry["performance_sum"]
    rows = [
        [one["event_id"], one["round"], one["opponent_id"], one["opponent"], one["value"], _SOURCES[one["source"]]]
        for one in entry["opponents"]
    ]
    lines: list[Block] = [
        "the value of an opponent: the rating on the list before, else the performance after the last round:",
        *table(_HEAD, rows, ("event", "name", "from")),
    ]
    if entry["other_games"]:
        lines.append(
            f"{counted(entry['other_games'], 'other game')}, of earlier lists or against players who wait on: the "
            f"values, which are not published, add up to {entry['other_sum']}"
        )
    score = halves(entry["score_halves"])
    lines += [
        rules.text(
            f"X, the opponents' values and {points} more for a win, less for a loss: {entry['opponent_sum']} + "
            f"{points} × (2 × {score} - {n}) = {x}",
            "update.points",
        ),
        rules.text(
            f"X / {n} = {thousandths(1000 * x // n)}, rounded {entry['performance']}",
            "update.halves",
        ),
    ]
    if change["new_rating"] is not None and entry["performance"] != change["new_rating"]:
        lines.append(
            rules.text(
                f"the rating is the value, {change['new_rating']}: it was calculated with the opponents' values of an "
                f"earlier round; a value that moves by less than {rules['entry.settled_below']} stays",
                "entry.settled_below",
            )
        )
    return lines


def promotion_lines(figures: Values, rules: CitedRules) -> list[str]:
    """Return the lines on a promotion of the Italian Elo of 1998, with the figures of the event that gave it."""
    is_second = figures["promoted_to"] == rules["entry.second_rating"]
    name, key = ("2N", "second") if is_second else ("3N", "third")
    lines = [_judged(event, rules, key) for event in figures["promotions"] or []]
    return [
        *lines,
        rules.text(f"promoted to {name} by an event: at least {figures['promoted_to']}", f"entry.{key}_from"),
    ]


def _judged(event: Values, rules: CitedRules, key: str) -> str:
    n, score = event["games"], halves(event["score_halves"])
    name = on_one_line(event["name"] or "")
    place = on_one_line(event["event_id"]) + (f" ({name})" if name else "")
    if event["is_unlisted_event"]:
        share = rules["entry.third_share_hundredths"]
        return rules.text(
            f"{place}: all players are unlisted; {score} of {n} points, {hundredths(50 * event['score_halves'] // n)} "
            f"of them; {hundredths(share)} is needed",
            "entry.third_share_hundredths",
        )
    difference = 400 * (event["score_halves"] - n)
    quotient = 1000 * event["performance_sum"] // n
    return rules.text(
        f"{place}: {counted(n, 'game')}, {score} points; the opponents' ratings and 400 more for a win, less for a "
        f"loss: ({event['opponent_sum']} {plus(difference)}) / {n} = {thousandths(quotient)}; "
        f"{rules[f'entry.{key}_from']} is needed",
        f"entry.{key}_from",
    )
