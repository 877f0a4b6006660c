"""Build the account of a player on one list: every game, every term of the sum, every reason with its article."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis.explain.fide_terms import calculation, entry_terms, headline
from ratinglist.analysis.explain.terms import Stated, Term, Values, account_document, unlisted_document
from ratinglist.errors import CheckError, NothingReadError
from ratinglist.messages import (
    ENTRY_REASONS,
    EVENT_REASONS,
    GAME_REASONS,
    LIST_BEFORE_SENTENCES,
    Reason,
    as_answer,
    sentences,
)
from ratinglist.pages.document import Document, as_text
from ratinglist.period import Period
from ratinglist.rating.change import rounded
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.registry import FIDE_SYSTEM, SYSTEMS
from ratinglist.tables import (
    GAME,
    LISTS,
    POOL,
    SYSTEM_GAME,
    Column,
    own_columns,
)


@dataclass(frozen=True, slots=True)
class Sources:
    """One player's rows of a published revision, and of the list before where that is published.

    ``lists``: ``LISTED`` of the player by time control; ``before``: the same of the list before; ``before_months``: the
    month of that list by time control, published or not. ``earlier_pool``: ``POOL`` of the list before. ``unrated``:
    ``UNRATED`` of the player. ``names``: FIDE ID to name of the player and the opponents. ``left_out``: the columns
    that the office does not publish, by table.
    """

    period: Period
    revision: str
    fide_id: int
    manifest: Values
    lists: Mapping[str, pl.DataFrame]
    before: Mapping[str, pl.DataFrame]
    before_months: Mapping[str, str]
    names: Mapping[int, str]
    changes: pl.DataFrame
    games: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    earlier_pool: pl.DataFrame
    events: pl.DataFrame
    unrated: pl.DataFrame
    left_out: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Account:
    """The explanation of a player's ratings on one list, or what an office knows of one who is not on it.

    ``content`` holds JSON values and terms: scores in half points, the other figures in points or in hundredths. Of a
    player about whom the list has nothing it has ``month`` and ``revision`` (null: no list is published); ``fide_id``,
    ``name``, ``federation``, ``state``, ``state_text`` and ``ratings`` of the player now; ``reports``: ``event_id``,
    ``name``, ``file``, ``status``, ``list_month``, ``why``, ``remedy`` of the accepted reports with the player, the
    newest first.
    """

    content: dict[str, Any]

    def of_time_control(self, name: str) -> Account:
        """Return the part of one time control alone; raise :class:`NothingReadError` where there is none."""
        parts = {part["time_control"]: part for part in self.content.get("time_controls", ())}
        if name not in parts:
            raise NothingReadError(
                f"The account has no {name} rating, no game of it and no result that waits; it has: "
                f"{', '.join(parts) or 'none'}. Leave --time-control out to see it."
            )
        return Account({**self.content, "time_controls": [parts[name]]})

    def as_dict(self) -> dict[str, object]:
        """Return the account as JSON values."""
        return {name: _as_json(value) for name, value in self.content.items()}

    def text(self) -> str:
        """Return the account as text for people."""
        return as_text(self.document())

    def document(self) -> Document:
        """Return the account as a document, for a page."""
        return (unlisted_document if "reports" in self.content else account_document)(self.content)


def _as_json(value: object) -> object:
    """Return terms inside ``value`` as JSON values."""
    if isinstance(value, Term):
        return value.as_dict()
    if isinstance(value, dict):
        return {name: _as_json(inner) for name, inner in value.items()}
    return [_as_json(inner) for inner in value] if isinstance(value, list) else value


def account(sources: Sources, book: RuleBook) -> Account:
    """Return the account of a player, with a part for each time control that has anything about the player.

    Raises :class:`CheckError` where the published games do not add up to the published change.
    """
    family = str(sources.manifest.get("family", ""))
    rules = {rule_set.name: rule_set for rule_set in (book.of(family) if family in book.families else ())}
    of_list = {control: book.on(family, control, sources.period.first_day) for control in LISTS if rules}
    # Those that it was calculated with, the newest of each time control last, where another is in force by now.
    for used in sources.manifest.get("rule_sets", []):
        if rule_set := rules.get(used["name"]):
            of_list[rule_set.time_control] = rule_set
    parts = [
        _part(sources, time_control, Stated(sentences("explain"), of_list.get(time_control)), rules)
        for time_control in LISTS
    ]
    tables = (*sources.lists.values(), sources.unrated)
    person = next((row for rows in tables if (row := _single_row(rows)) is not None), {})
    return Account(
        {
            "month": str(sources.period),
            "revision": sources.revision,
            "fide_id": sources.fide_id,
            "name": sources.names.get(sources.fide_id),
            "federation": person.get("federation"),
            "time_controls": [part for part in parts if part is not None],
            "left_out": {name: list(columns) for name, columns in sorted(sources.left_out.items())},
            # The rule sets whose file is no longer the one that the list was calculated with.
            "rules_changed": [
                used["name"]
                for used in sources.manifest.get("rule_sets", [])
                if used["name"] not in rules or rules[used["name"]].digest != used["sha256"]
            ],
        }
    )


def _single_row(rows: pl.DataFrame | None) -> dict[str, Any] | None:
    """Return the only row as a dict; None where there is no row."""
    return None if rows is None or rows.is_empty() else rows.row(0, named=True)


def _of_time_control(rows: pl.DataFrame, time_control: str) -> pl.DataFrame:
    return rows.filter(pl.col("time_control") == time_control)


def _part(sources: Sources, time_control: str, stated: Stated, rules: Mapping[str, RuleSet]) -> dict[str, Any] | None:
    """Return the part of one time control, or None where the list has nothing about the player there."""
    listed, before = _single_row(sources.lists.get(time_control)), _single_row(sources.before.get(time_control))
    change = _single_row(_of_time_control(sources.changes, time_control))
    games = _of_time_control(sources.games, time_control)
    entry = _single_row(_of_time_control(sources.entries, time_control))
    pool = _of_time_control(sources.pool, time_control)
    if listed is None and change is None and entry is None and games.is_empty() and pool.is_empty():
        return None
    rule_set = stated.rule_set
    events = event_accounts(games, sources.events, sources.names, rules, stated)
    _check_sum(sources, time_control, change, games, rule_set)
    of_change = None if change is None else _plain(change)
    part = {
        "time_control": time_control,
        "rule_set": None if rule_set is None else {"name": rule_set.name, "source": rule_set.source},
        "list_before": {
            "month": sources.before_months.get(time_control),
            "is_published": time_control in sources.before,
            **{name: None if before is None else before[name] for name in ("rating", "k", "flag")},
        },
        "listed": None if listed is None else _plain(listed),
        "change": of_change,
        "stands_in": _stands_in(sources, time_control, change, rule_set),
        "events": events,
        "entry": None if entry is None else _entry(entry, sources, time_control, stated),
        "waiting": _waiting_results(pool, sources.events),
    }
    if isinstance(rule_set, SystemRuleSet):
        has_entered = change is not None and change["status"] == "entered"
        waited = _of_time_control(sources.earlier_pool, time_control) if has_entered else POOL.empty()
        calculated = {
            "system": {
                "name": rule_set.system,
                "game_columns": _system_columns(games),
                "waited": _waiting_results(waited, sources.events),
            },
            "terms": _system_terms(of_change, games, rule_set, rules),
        }
    else:
        used = dict.fromkeys(event["rule_set"] for event in events)
        tables = [rules[name].articles.get("expected_score.table", "") for name in used if name in rules]
        ks = games["k"].drop_nulls().unique().sort().to_list()
        articles = list(dict.fromkeys(filter(None, tables)))
        calculated = {"terms": calculation(part, articles, ks, sources.period, stated)}
    return {**part, "headline": headline(part, stated), **calculated}


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a published row as JSON values, without the columns that the account holds elsewhere."""
    return {
        name: cell.isoformat() if isinstance(cell, date) else cell
        for name, cell in row.items()
        if name not in ("time_control", "fide_id", "list_month")
    }


def _check_sum(
    sources: Sources, time_control: str, change: dict[str, Any] | None, games: pl.DataFrame, rule_set: RuleSet | None
) -> None:
    """Raise :class:`CheckError` unless the games of FIDE's lists add up to the published change."""
    exact = "change_hundredths"
    if isinstance(rule_set, SystemRuleSet) or change is None or change[exact] is None:
        return
    total = games[exact].sum()
    if total != change[exact]:
        raise CheckError(
            f"The {time_control} games of player {sources.fide_id} for {sources.period} ({sources.revision}) add up to "
            f"{total} hundredths, but changes.parquet has {change[exact]}: a published file was "
            f"changed. Find it with ratinglist verify and the folder of that month."
        )


def _stands_in(sources: Sources, time_control: str, change: dict[str, Any] | None, rule_set: RuleSet | None) -> bool:
    """Return whether the change is added to a standard rating, because the player had none of this time control.

    False where the list before is not published, so that this is not known.
    """
    is_unknown = time_control in sources.before_months and time_control not in sources.before
    had_rating = is_unknown or _single_row(sources.before.get(time_control)) is not None
    if change is None or change["old_rating"] is None or had_rating or rule_set is None:
        return False
    return rule_set.event.standard_rating_stands_in


# -------------------------------------------------------------------------------------------------------------- entry


def _entry(entry: dict[str, Any], sources: Sources, time_control: str, stated: Stated) -> dict[str, Any]:
    """Return the calculation of a first rating; ``entry`` is a row of ``ENTRY``.

    Out: JSON values and terms; ``opponent_average_hundredths`` is Ra. ``tranches`` are the results counted, one per
    event. ``is_whole`` is false where results are missing: the earlier ones are in the list before, which this home
    need not have published.
    """
    tranches = _tranches(sources, time_control)
    reason = ENTRY_REASONS.get(entry["reason"] or "")
    average = entry["opponent_average"]
    shown = {
        **{name: entry[name] for name in ("games", "score_halves", "p_hundredths", "dp", "computed_rating")},
        "opponent_average_hundredths": None if average is None else int(average * 100),
        "published": entry["published"],
        "reason": None
        if reason is None
        else {"code": entry["reason"], "says": reason.sentence, "article": reason.article},
        "tranches": _waiting_results(tranches, sources.events),
        "is_whole": entry["games"] is not None and tranches["games"].sum() == entry["games"],
    }
    return {**shown, "terms": entry_terms(shown, stated)}


def _waiting_results(pool: pl.DataFrame, events: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the results of an unrated player, one entry per event: the rows of ``POOL`` with the event's name.

    ``last_month`` is the last list that counts the result.
    """
    named = pool.join(events.select("event_id", "name"), on="event_id", how="left", maintain_order="left").sort(
        "counted_month", "event_id", nulls_last=True
    )
    return [
        {
            **{name: row[name] for name in ("event_id", "name", "games", "score_halves", "opponent_rating_sum")},
            "counted_month": row["counted_month"],
            # Empty in a system whose results do not expire, null where the office leaves it out.
            "last_month": str(Period.parse(row["expires_month"]) - 1) if row["expires_month"] else None,
        }
        for row in named.iter_rows(named=True)
    ]


def _tranches(sources: Sources, time_control: str) -> pl.DataFrame:
    """Return all results that the entry counts (``POOL``).

    A player who does not enter has them in the pool of the list. A player who enters has left that pool: the earlier
    results are in the pool of the list before, those of the month in the games.
    """
    waiting = _of_time_control(sources.pool, time_control)
    if not waiting.is_empty():
        return waiting
    month = str(sources.period)
    earlier = _of_time_control(sources.earlier_pool, time_control).filter(pl.col("expires_month") > month)
    return pl.concat([earlier, results_of_month(_of_time_control(sources.games, time_control), month)])


def results_of_month(games: pl.DataFrame, month: str) -> pl.DataFrame:
    """Return the results of a month's games that count for an entry (``POOL``); ``games``: ``GAME``."""
    counted = (
        games.filter(pl.col("reason") == "counts_for_entry")
        .group_by("time_control", "fide_id", "event_id")
        .agg(
            pl.len().alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
        )
        .with_columns(pl.lit(month).alias("counted_month"), pl.lit(None).alias("expires_month"))
    )
    return POOL.conform(counted)


# ------------------------------------------------------------------------------------- a system that is not FIDE's

# One account serves every system: it prints what the system's tables and rule files declare, and no formula.
_IN_EVERY_TABLE = {*GAME.columns, "expected_thousandths", "change_thousandths"}
"""The columns of a game that its line shows under a heading, whatever the system."""


def _system_columns(games: pl.DataFrame) -> list[str]:
    """Return the columns that a system adds to a game, as far as these ``games`` have a value in them."""
    names = [*SYSTEM_GAME.columns, *own_columns(games.schema)]
    return [name for name in names if name in games.columns and games[name].count() and name not in _IN_EVERY_TABLE]


def _system_terms(
    change: Values | None, games: pl.DataFrame, rule_set: SystemRuleSet, rules: Mapping[str, RuleSet]
) -> list[Term]:
    """Return the figures of a player's change, what the columns of the games are, and the values of the rules.

    ``rules``: the rule sets by name; those of the games are stated besides ``rule_set``, that of the list.
    """
    published = SYSTEMS[rule_set.system].published
    of_game = published["games"].columns
    names = dict.fromkeys([rule_set.name, *games["rule_set"].drop_nulls().sort()])
    return [
        *_figures(change or {}, published["changes"].columns),
        *(
            Term("column_of_game", "of a game, {column}: {description}", _described(name, of_game))
            for name in _system_columns(games)
        ),
        *_values(rules[name] for name in names if name in rules),
    ]


def _figures(change: Values, columns: Mapping[str, Column]) -> Iterator[Term]:
    """Yield a term for each figure of a row of the changes."""
    for name, value in change.items():
        if value is not None:
            yield Term(name, "{column} {result}: {description}", _described(name, columns), value)


def _described(name: str, columns: Mapping[str, Column]) -> dict[str, object]:
    return {"column": name, "description": columns[name].description if name in columns else "of the system"}


def _values(rule_sets: Iterable[RuleSet]) -> Iterator[Term]:
    """Yield a term for each value of the rule sets, with its article."""
    for rule_set in rule_sets:
        for key, value in rule_set.values().items():
            operands = {"rules": rule_set.name, "key": key}
            yield Term(key, "{rules}, {key}: {result} ({article})", operands, value, rule_set.articles[key])


# ------------------------------------------------------------------------------------------------ events and games

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
