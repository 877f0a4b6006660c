"""The events of one player and his games in them: every figure of a game, or why it is not rated."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from ratinglist.rating.change import rounded
from ratinglist.rating.rules import RuleSet
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS, Reason

_OF_A_GAME = (
    *("round", "date", "colour", "opponent_id", "score_halves", "rating", "opponent_rating", "difference"),
    *("difference_used", "expected_hundredths", "k", "change_hundredths", "rated", "reason"),
)


def events_of(
    games: pl.DataFrame,
    events: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    rule_set: RuleSet | None,
) -> list[dict[str, Any]]:
    """The events of a player's games, by start date, each with its games by round.

    In: ``games`` (``GAME``) of one player and time control, ``events`` (``EVENT``) that hold theirs, ``names`` by FIDE
    ID, the rule sets by name and that of the list. Out: JSON values; ``change`` is the event's rounded change where the
    list's rule set rounds event by event, else null.
    """
    per_event = rule_set is not None and rule_set.change.rounded_per == "event"
    ordered = games.join(
        events.select("event_id", "start_date", "end_date"), on="event_id", how="left", maintain_order="left"
    ).sort("start_date", "end_date", "event_id", "round", "opponent_id", nulls_last=True)
    of_event = {row["event_id"]: row for row in events.iter_rows(named=True)}
    return [
        _event(str(event_id), of_event.get(event_id, {}), rows, names, rules, per_event=per_event)
        for (event_id,), rows in ordered.group_by("event_id", maintain_order=True)
    ]


def reason_of(code: str | None, *, of_event: bool) -> dict[str, str] | None:
    """The code of a reason with its sentence, remedy and article; None where there is none."""
    if not code:
        return None
    catalogue = {**GAME_REASONS, **EVENT_REASONS} if of_event else {**EVENT_REASONS, **GAME_REASONS}
    found = catalogue.get(code, Reason("", "", "", ""))
    return {"code": code, "says": found.sentence, "remedy": found.remedy, "article": found.article}


def day(value: date | None) -> str | None:
    """A day as JSON has it."""
    return None if value is None else value.isoformat()


def _event(
    event_id: str,
    event: Mapping[str, Any],
    games: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    *,
    per_event: bool,
) -> dict[str, Any]:
    used = games["rule_set"].drop_nulls()
    rule_set = rules.get(used[0]) if len(used) else None
    is_refused = event.get("status") not in (None, "rated")
    changes = games["change_hundredths"].drop_nulls()
    total = int(changes.sum()) if len(changes) else None
    return {
        "event_id": event_id,
        "name": event.get("name"),
        "federation": event.get("federation"),
        "start_date": day(event.get("start_date")),
        "end_date": day(event.get("end_date")),
        "status": event.get("status"),
        "reason": reason_of(event.get("reason"), of_event=True),
        "rule_set": used[0] if len(used) else None,
        "source": None if rule_set is None else rule_set.source,
        "table": None if rule_set is None else rule_set.articles["expected_score.table"],
        "cap": None if rule_set is None else _cap(rule_set),
        "rated_games": len(changes),
        "change_hundredths": total,
        "change": None if total is None or not per_event else pl.select(rounded(pl.lit(total))).item(),
        "games": [
            {
                **{name: row[name] for name in _OF_A_GAME},
                "date": day(row["date"]),
                "opponent": names.get(row["opponent_id"]),
                "reason": reason_of(row["reason"], of_event=is_refused),
            }
            for row in games.iter_rows(named=True)
        ],
    }


def _cap(rule_set: RuleSet) -> dict[str, Any]:
    """The rule on large differences."""
    return {
        "value": rule_set.expected_score.cap,
        "applies_to": rule_set.expected_score.cap_applies_to,
        "players_below": rule_set.expected_score.cap_players_below,
        "article": rule_set.articles["expected_score.cap_applies_to"],
    }
