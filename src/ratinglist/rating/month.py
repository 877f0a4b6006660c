"""Calculate a month: from the reports received to the new lists, in the order of the regulations.

No paths, no clock, no database. The same inputs give the same rows, in whatever order they come.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import polars as pl

from ratinglist.rating.duplicate_games import each_game_once
from ratinglist.rating.entry import waiting_results
from ratinglist.rating.event_verdicts import judge_events, published_events
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list, system_of
from ratinglist.rating.participants import games_of, participants, ratings_used
from ratinglist.rating.player_games import (
    add_changes,
    add_expected_scores,
    add_reasons,
    judge_tranches_by_control,
    published_games,
    rate_players,
    sides_of_games,
    sum_tranches,
)
from ratinglist.rating.rating_list import new_list
from ratinglist.rating.report_versions import newest_versions
from ratinglist.rating.system_list import rate_system
from ratinglist.tables import CHANGE, ENTRY, LIST_STATE, POOL


class Judged(NamedTuple):
    """The first three steps of a month.

    ``events`` and ``games``, each game once, and ``coincidences``:
    :func:`~ratinglist.rating.duplicate_games.each_game_once`. ``players``:
    :func:`~ratinglist.rating.participants.participants`.
    """

    events: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    coincidences: pl.DataFrame


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Calculate the list of ``inputs.period`` for every time control with an earlier list and a rule set in force."""
    return rate_judged(judge_month(inputs), inputs)


def judge_month(inputs: MonthInputs) -> Judged:
    """Judge every event that the list of ``inputs.period`` knows: the first three steps of a list."""
    # 1. The newest version of each report, who plays in it with which rating in force, and the games played.
    reports = newest_versions(inputs)
    players = participants(reports, inputs)
    games = games_of(reports, inputs)
    # 2. Each event is rated, or there is a reason why not.
    events = judge_events(reports, players, games, inputs)
    # 3. Each game counts once, whatever reports contain it.
    events, games, coincidences = each_game_once(events, games, inputs.earlier_games)
    return Judged(events, players, games, coincidences)


def rate_judged(judged: Judged, inputs: MonthInputs) -> MonthResult:
    """Rate the games of a judged month by FIDE's rules or by another system: the other steps of a list."""
    events, players, games, coincidences = judged
    rule_set = system_of(inputs)
    if rule_set is None:
        result = rate_by_fide(events, players, games, inputs)
    else:
        result = rate_system(events, players, games, inputs, rule_set)
    return replace(result, coincidences=coincidences)


def rate_by_fide(events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, inputs: MonthInputs) -> MonthResult:
    """Rate the games of the judged ``events`` by FIDE's rules, and calculate the new lists."""
    list_rules = rules_of_list(inputs)
    event_rules = {name: inputs.rules.named(name) for name in events["rule_set"].unique().drop_nulls().sort()}
    # 4. Who is rated, by which rating; each player in each game is rated, or there is a reason why not.
    players = ratings_used(players, events)
    sides = add_reasons(sides_of_games(events, games, players), event_rules)
    # 5. The results of unrated players: what counts now, and what waits since earlier lists.
    waiting = waiting_results(inputs.pool, inputs.period, list_rules)
    tranches = judge_tranches_by_control(sum_tranches(sides, events), waiting, list_rules)
    counted = tranches.filter(pl.col("reason") == "counts_for_entry")
    # 6. Expected score of each rated game; K and change of each player in each event.
    sides = add_expected_scores(sides, event_rules, inputs.rules.expected_score)
    rated_players = rate_players(sides, players, list_rules)
    sides = add_changes(sides, rated_players, tranches)
    # 7. The new lists: changes summed and rounded once, initial ratings, floor, state for K.
    lists = []
    for time_control, rule_set in list_rules.items():
        is_own = pl.col("time_control") == time_control
        of_control = (frame.filter(is_own) for frame in (rated_players, waiting, counted))
        lists.append(new_list(inputs, rule_set, *of_control))
    changes, entries, pool, list_state = (
        table.sorted(pl.concat([table.empty(), *of_lists]))
        for table, *of_lists in zip((CHANGE, ENTRY, POOL, LIST_STATE), *lists, strict=True)
    )
    return MonthResult(
        events=published_events(events, inputs),
        games=published_games(sides),
        changes=changes,
        entries=entries,
        pool=pool,
        list_state=list_state,
    )
