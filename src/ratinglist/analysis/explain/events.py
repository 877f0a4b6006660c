"""Describe the events of one player and the games in them: the figures of every game, or why it is not rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis.explain.terms import Stated, Term, Values
from ratinglist.messages import EVENT_REASONS, GAME_REASONS, LIST_BEFORE_SENTENCES, Reason, as_answer
from ratinglist.rating.change import rounded
from ratinglist.rating.rules import RuleSet, SystemRuleSet
from ratinglist.rating.systems.registry import FIDE_SYSTEM
from ratinglist.tables import GAME, SYSTEM_GAME, own_columns

_GAME_COLUMNS = (
    *("round", "date", "colour", "opponent_id", "score_halves", "rating", "opponent_rating", "difference"),
    *("difference_used", "expected_hundredths", "k", "change_hundredths", "rated", "reason"),
    # The figures that the games of other systems have in addition.
    *(name for name in SYSTEM_GAME.columns if name not in GAME.columns),
)
_RULES = {
    "opponent_unrated": "list.ratings_used",
    "counts_for_entry": "entry.min_games",
    "received_after_closing": "list.closing_days_before",
    "ended_after_closing": "list.closing_days_before",
}
"""The rule of another system whose article is given in place of that of FIDE, by the code of a reason."""

_RECEIVING = "list.closing_days_before"
"""The rule whose article states how the other systems receive and judge events: this covers all other reasons."""

_OF_FIDE = ("B.02", "RB ", "Arbiters' Manual")


def event_accounts(
    games: pl.DataFrame,
    events: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    stated: Stated,
) -> list[dict[str, Any]]:
    """Return the events of a player's games by start date, each with its games by round.

    In: ``games`` (``GAME``) of one player and time control, ``events`` (``EVENT``), at least those of the games,
    ``names`` by FIDE ID, ``rules``, the rule sets by name, and the rule set of the list. Out: JSON values and terms:
    ``verdict``, those before the games, and ``terms``, those after them; ``change`` is the event's rounded change where
    the list's rule set rounds event by event, else null.
    """
    ordered = games.join(
        events.select("event_id", "start_date", "end_date"), on="event_id", how="left", maintain_order="left"
    ).sort("start_date", "end_date", "event_id", "round", "opponent_id", nulls_last=True)
    of_event = {row["event_id"]: row for row in events.iter_rows(named=True)}
    return [
        _event(str(event_id), of_event.get(event_id, {}), rows, names, rules, stated)
        for (event_id,), rows in ordered.group_by("event_id", maintain_order=True)
    ]


def reason_entry(code: str | None, rule_set: RuleSet | None, *, of_event: bool) -> dict[str, str] | None:
    """Return the code of a reason with its sentence, remedy and article; None where there is no reason.

    ``rule_set``: that of the list; where it is of another system than FIDE's, the sentence and the article are its own.
    ``of_event``: the code is one of ``EVENT_REASONS`` where both catalogues have it.
    """
    if not code:
        return None
    catalogue = {**GAME_REASONS, **EVENT_REASONS} if of_event else {**EVENT_REASONS, **GAME_REASONS}
    reason = catalogue.get(code, Reason("", ""))
    if isinstance(rule_set, SystemRuleSet):
        reason = _own_reason(code, reason, rule_set)
    return {"code": code, "says": reason.sentence, "remedy": as_answer(reason.remedy), "article": reason.article}


def _own_reason(code: str, reason: Reason, rule_set: SystemRuleSet) -> Reason:
    """Return ``reason`` with the sentence of the system, and its own article in place of one of FIDE's regulations."""
    if rule_set.own.list.ratings_used == "list_before":
        reason = replace(reason, sentence=LIST_BEFORE_SENTENCES.get(code, reason.sentence))
    if not reason.article.startswith(_OF_FIDE):
        return reason
    articles = rule_set.articles
    return replace(reason, article=articles.get(_RULES.get(code, _RECEIVING), articles[_RECEIVING]))


def iso_day(value: date | None) -> str | None:
    """Format a day as ``YYYY-MM-DD``; None for None."""
    return None if value is None else value.isoformat()


def _event(
    event_id: str,
    event: Values,
    games: pl.DataFrame,
    names: Mapping[int, str],
    rules: Mapping[str, RuleSet],
    stated: Stated,
) -> dict[str, Any]:
    used = games["rule_set"].drop_nulls()
    name = used[0] if len(used) else None
    rule_set = None if name is None else rules.get(name)
    is_refused = event.get("status") not in (None, "rated")
    reason = reason_entry(event.get("reason"), stated.rule_set, of_event=True)
    shown_columns = [name for name in (*_GAME_COLUMNS, *own_columns(games.schema)) if name in games.columns]
    shown = [
        {
            **{name: row[name] for name in shown_columns},
            "date": iso_day(row["date"]),
            "opponent": names.get(row["opponent_id"]),
            "reason": reason_entry(row["reason"], stated.rule_set, of_event=is_refused),
        }
        for row in games.iter_rows(named=True)
    ]
    changes = games["change_hundredths"].drop_nulls()
    total = int(changes.sum()) if len(changes) else None
    per_event = stated.has("change.rounded_per") and stated.value("change.rounded_per") == "event"
    change = None if total is None or not per_event else pl.select(rounded(pl.lit(total))).item()
    # Another system may have no change of a single game.
    is_of_fide = rule_set is None or rule_set.system == FIDE_SYSTEM
    rated = len(changes) if is_of_fide else games.filter(pl.col("reason") == "").height
    return {
        "event_id": event_id,
        "name": event.get("name"),
        "federation": event.get("federation"),
        "start_date": iso_day(event.get("start_date")),
        "end_date": iso_day(event.get("end_date")),
        "status": event.get("status"),
        "reason": reason,
        "rule_set": name,
        "rated_games": rated,
        "change_hundredths": total,
        "change": change,
        "verdict": _verdict(reason, name, rule_set, stated),
        "games": shown,
        "terms": [
            *([] if reason is not None else _not_rated(shown, stated)),
            *_cut(shown, rule_set, stated),
            *_not_played(shown, stated),
            *_sum(rated, total, change, stated),
        ],
    }


def _verdict(reason: Values | None, name: str | None, rule_set: RuleSet | None, stated: Stated) -> list[Term]:
    """Return why an event is not rated and what to do, or the rule set by which it is."""
    if reason is not None:
        remedy = reason["remedy"]
        return [
            stated.term("event_not_rated", None, reason["article"], why=reason["says"]),
            *([stated.term("what_to_do", remedy=remedy)] if remedy else []),
        ]
    if name is None:
        return []
    is_same = stated.rule_set is not None and stated.rule_set.name == name
    known = stated.text("rule_file_gone") if rule_set is None else rule_set.source
    return [stated.term("by_rules", name=name, source="" if is_same else stated.text("source", source=known))]


def _not_rated(games: Sequence[Values], stated: Stated) -> list[Term]:
    """Return a term for each reason, with the rounds that are not rated for it."""
    rounds: dict[tuple[str, str], list[int]] = {}
    for game in games:
        if (reason := game["reason"]) is not None:
            rounds.setdefault((reason["says"], reason["article"]), []).append(game["round"])
    return [
        stated.term("rounds_not_rated", None, article, rounds=numbers, why=says)
        for (says, article), numbers in rounds.items()
    ]


def _cut(games: Sequence[Values], rule_set: RuleSet | None, stated: Stated) -> list[Term]:
    """Return the term on large differences; none where no difference was cut."""
    rounds = [
        game["round"]
        for game in games
        if game["difference_used"] is not None and game["difference"] not in (None, game["difference_used"])
    ]
    if not rounds or rule_set is None or "expected_score.cap" not in rule_set.articles:
        return []
    below, best, article = "", "", rule_set.articles["expected_score.cap"]
    if rule_set.system == FIDE_SYSTEM:
        rules, article = rule_set.expected_score, rule_set.articles["expected_score.cap_applies_to"]
        below = (
            stated.text("cap_below", rating=rules.cap_players_below) if rules.cap_applies_to == "players_below" else ""
        )
        best = stated.text("cap_best") if rules.cap_applies_to == "best_game_per_event" else ""
    cap = rule_set.values()["expected_score.cap"]
    return [stated.term("cap", cap, article, rounds=rounds, cap=cap, below=below, best=best)]


def _not_played(games: Sequence[Values], stated: Stated) -> list[Term]:
    """Return a term on the rounds without a game between the player's first and last."""
    played = {game["round"] for game in games}
    missing = sorted(set(range(min(played), max(played) + 1)) - played)
    return [stated.term("not_played", rounds=missing)] if missing else []


def _sum(rated: int, total: int | None, change: int | None, stated: Stated) -> list[Term]:
    if not rated:
        return []
    if total is None:
        return [stated.term("event_rated", games=rated)]
    rounding = "" if change is None else stated.text("event_rounded", change=change)
    return [stated.term("event_sum", total if change is None else change, games=rated, sum=total, rounding=rounding)]
