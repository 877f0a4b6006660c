"""Describe the events of one player and the games in them: the figures of every game, or why it is not rated."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis.explain.system_reasons import own_reason
from ratinglist.rating.change import rounded
from ratinglist.rating.rules import FIDE_SYSTEM, RuleSet, SystemRuleSet
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS, Reason
from ratinglist.schemas import SIDE, SYSTEM_SIDE

_GAME_COLUMNS = (
    *("round", "date", "colour", "opponent_id", "score_halves", "rating", "opponent_rating", "difference"),
    *("difference_used", "expected_hundredths", "k", "change_hundredths", "rated", "reason"),
)


_OF_SYSTEMS = tuple(name for name in SYSTEM_SIDE.columns if name not in SIDE.columns)
"""The figures that the games of other systems have in addition."""


def event_accounts(
    games: pl.DataFrame,
    events: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    rule_set: RuleSet | None,
) -> list[dict[str, Any]]:
    """Return the events of a player's games by start date, each with its games by round.

    In: ``games`` (``GAME``) of one player and time control, ``events`` (``EVENT``), at least those of the games,
    ``names`` by FIDE ID, ``rules``, the rule sets by name, and ``rule_set``, that of the list. Out: JSON values;
    ``change`` is the event's rounded change where the list's rule set rounds event by event, else null.
    """
    per_event = rule_set is not None and rule_set.values().get("change.rounded_per") == "event"
    ordered = games.join(
        events.select("event_id", "start_date", "end_date"), on="event_id", how="left", maintain_order="left"
    ).sort("start_date", "end_date", "event_id", "round", "opponent_id", nulls_last=True)
    of_event = {row["event_id"]: row for row in events.iter_rows(named=True)}
    return [
        _event(str(event_id), of_event.get(event_id, {}), rows, names, rules, rule_set, per_event=per_event)
        for (event_id,), rows in ordered.group_by("event_id", maintain_order=True)
    ]


def reason_entry(code: str | None, rule_set: RuleSet | None, *, of_event: bool) -> dict[str, str] | None:
    """Return the code of a reason with its sentence, remedy and article; None where there is no reason.

    ``rule_set``: that of the list; where it is of another system than FIDE's, the article is its own. ``of_event``: the
    code is one of ``EVENT_REASONS`` where both catalogues have it.
    """
    if not code:
        return None
    catalogue = {**GAME_REASONS, **EVENT_REASONS} if of_event else {**EVENT_REASONS, **GAME_REASONS}
    reason = catalogue.get(code, Reason("", "", "", ""))
    if isinstance(rule_set, SystemRuleSet):
        reason = own_reason(code, reason, rule_set)
    return {"code": code, "says": reason.sentence, "remedy": reason.remedy, "article": reason.article}


def iso_day(value: date | None) -> str | None:
    """Format a day as ``YYYY-MM-DD``; None for None."""
    return None if value is None else value.isoformat()


def _event(
    event_id: str,
    event: Mapping[str, Any],
    games: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    rule_set_of_list: RuleSet | None,
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
        "start_date": iso_day(event.get("start_date")),
        "end_date": iso_day(event.get("end_date")),
        "status": event.get("status"),
        "reason": reason_entry(event.get("reason"), rule_set_of_list, of_event=True),
        "rule_set": used[0] if len(used) else None,
        "source": None if rule_set is None else rule_set.source,
        "table": None if rule_set is None else rule_set.articles.get("expected_score.table"),
        "cap": None if rule_set is None else _cap(rule_set),
        "rated_games": len(changes) if rule_set is None or rule_set.system == FIDE_SYSTEM else _counted(games),
        "change_hundredths": total,
        "change": None if total is None or not per_event else pl.select(rounded(pl.lit(total))).item(),
        "games": [
            {
                **{name: row[name] for name in (*_GAME_COLUMNS, *_OF_SYSTEMS) if name in games.columns},
                "date": iso_day(row["date"]),
                "opponent": names.get(row["opponent_id"]),
                "reason": reason_entry(row["reason"], rule_set_of_list, of_event=is_refused),
            }
            for row in games.iter_rows(named=True)
        ],
    }


def _counted(games: pl.DataFrame) -> int:
    """Return the number of games that count, by their reason: another system may have no change of a single game."""
    return games.filter(pl.col("reason") == "").height


def _cap(rule_set: RuleSet) -> dict[str, Any] | None:
    """Return the rule on large differences; None where another system than FIDE's has none."""
    if rule_set.system != FIDE_SYSTEM:
        cap = rule_set.values().get("expected_score.cap")
        article = rule_set.articles.get("expected_score.cap")
        return (
            None if cap is None else {"value": cap, "applies_to": "every_game", "players_below": 0, "article": article}
        )
    return {
        "value": rule_set.expected_score.cap,
        "applies_to": rule_set.expected_score.cap_applies_to,
        "players_below": rule_set.expected_score.cap_players_below,
        "article": rule_set.articles["expected_score.cap_applies_to"],
    }
