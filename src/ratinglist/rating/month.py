"""Calculate a month: from the reports received to the new lists, in the order of the regulations.

::

    select reports -> participants and games -> verdict on every event -> each game once
        FIDE's rules:     -> sides -> tranches, K -> changes -> new lists
        another system's: -> the system's own month step (:mod:`ratinglist.rating.system_list`)

No paths, no clock, no database. The same inputs give the same rows, in whatever order they come.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating import player_games
from ratinglist.rating.calculation import rate_lists, stored_sides, sum_rated_sides, waiting_results
from ratinglist.rating.duplicate_games import count_games_once
from ratinglist.rating.event_verdicts import judge_events, published_events, select_reports
from ratinglist.rating.model import JudgedMonth, MonthInputs, MonthResult, newest_list, rules_of_list, system_of
from ratinglist.rating.participants import (
    distinct_participants,
    facts_of_reports,
    games_of,
    join_ratings,
    join_ratings_at_start,
    persons_of,
    with_report_row,
)
from ratinglist.rating.system_list import rate_system
from ratinglist.tables import CHANGE, ENTRY, LIST_STATE, POOL


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Calculate the list of ``inputs.period`` for every time control with an earlier list and a rule set in force."""
    return rate_judged(judge_month(inputs), inputs)


def judge_month(inputs: MonthInputs) -> JudgedMonth:
    """Judge every event known to the period, join the ratings to its participants, and count each game once."""
    reports = select_reports(inputs)
    participants = distinct_participants(with_report_row(inputs.report_players, reports))
    persons = persons_of(participants, inputs.players)
    games = games_of(with_report_row(inputs.report_games, reports), participants)
    participants = join_ratings_at_start(participants, reports, inputs.lists)
    events = judge_events(reports, facts_of_reports(participants, persons, games), inputs)
    once = count_games_once(events, games, participants, inputs.earlier_games)
    return JudgedMonth(
        events=once.events,
        participants=join_ratings(participants, once.events, _newest_lists(inputs), persons),
        sides=player_games.sides_of_games(once.events, games),
        duplicate_sides=once.duplicate_sides,
        coincidences=once.coincidences,
    )


def rate_judged(judged: JudgedMonth, inputs: MonthInputs) -> MonthResult:
    """Rate the games of a judged month and calculate the new lists, by FIDE's rules or by another system."""
    rule_set = system_of(inputs)
    return _rate_by_fide(judged, inputs) if rule_set is None else rate_system(judged, inputs, rule_set)


def _rate_by_fide(judged: JudgedMonth, inputs: MonthInputs) -> MonthResult:
    rules = rules_of_list(inputs)
    events, participants = judged.events, judged.participants
    waiting = waiting_results(inputs.pool, inputs.period, rules)
    sides = player_games.add_ratings(judged.sides, participants)
    sides = player_games.add_reasons(sides, events, participants, judged.duplicate_sides)
    tranches = player_games.sum_tranches(sides, events, participants)
    tranches = player_games.judge_tranches(tranches, waiting, rules)
    sides = player_games.refuse_tranches(sides, tranches, participants)
    k = player_games.limit_coefficients(player_games.coefficients(sides, events, participants, rules), rules)
    sides = player_games.rate_by_coefficients(sides, events, participants, k, inputs.rules)
    sums = sum_rated_sides(sides, events, participants)
    lists = rate_lists(
        rules, inputs.rules, inputs.period, inputs.players, _newest_lists(inputs), sums, waiting, tranches
    )

    new_lists = lists.values()
    return MonthResult(
        events=published_events(events, inputs),
        sides=stored_sides(sides, participants),
        changes=CHANGE.sorted(pl.concat([CHANGE.empty(), *(of_list.changes for of_list in new_lists)])),
        entries=ENTRY.sorted(pl.concat([ENTRY.empty(), *(of_list.entries for of_list in new_lists)])),
        pool=POOL.sorted(pl.concat([POOL.empty(), *(of_list.pool for of_list in new_lists)])),
        list_state=LIST_STATE.sorted(pl.concat([LIST_STATE.empty(), *(of_list.list_state for of_list in new_lists)])),
        coincidences=judged.coincidences,
    )


def _newest_lists(inputs: MonthInputs) -> dict[str, pl.DataFrame]:
    """Return the newest list before of each time control that is calculated (``LIST_STATE``)."""
    return {time_control: newest_list(inputs.lists, time_control) for time_control in rules_of_list(inputs)}
