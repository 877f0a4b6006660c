"""Judge the events of a month, and find their participants and the sides of their games: the same for all systems."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.rating import event_verdicts, player_games
from ratinglist.rating.duplicate_games import DuplicateGames, find_duplicate_games
from ratinglist.rating.model import MonthInputs, newest_list, newest_months, rules_of_list
from ratinglist.rating.participants import (
    GamesOfReports,
    distinct_participants,
    facts_of_reports,
    games_of,
    join_ratings,
    join_ratings_at_start,
    persons_of,
    with_report_row,
)
from ratinglist.rating.repeated_pairings import find_possible_duplicates
from ratinglist.schemas import EVENT


@dataclass(frozen=True, slots=True)
class JudgedMonth:
    """The events of a month with their verdicts, their participants and the sides of their games.

    ``events``: :func:`~ratinglist.rating.event_verdicts.judge_events`. ``participants``:
    :func:`~ratinglist.rating.participants.join_ratings`. ``sides``:
    :func:`~ratinglist.rating.player_games.sides_of_games`; ``event_row``, ``participant_row`` and ``opponent_row`` are
    rows of the other two frames. ``duplicates``: the sides that count in another report, and coincidences.
    ``newest_lists``: the newest list of every time control that is calculated (``LIST_STATE``).
    """

    events: pl.DataFrame
    participants: pl.DataFrame
    sides: pl.DataFrame
    duplicates: DuplicateGames
    newest_lists: Mapping[str, pl.DataFrame]


Share = Callable[[Hashable, Callable[[], Any]], Any]
"""Returns what a function computes, or what it computed before for an equal key.

A key states everything that the computed frames depend on.
"""


def computed_each_time(_key: Hashable, compute: Callable[[], Any]) -> Any:
    """Share nothing: return what ``compute`` returns."""
    return compute()


def judge_month(inputs: MonthInputs, share: Share = computed_each_time) -> JudgedMonth:
    """Judge every event known to the period, and find its participants' ratings and the sides of its games.

    ``share``: for several systems that judge one month with the same reports: what only the selected reports determine
    is computed once.
    """
    newest_lists = {time_control: newest_list(inputs.lists, time_control) for time_control in rules_of_list(inputs)}
    reports = event_verdicts.select_reports(inputs)
    selected = tuple(reports["report_id"])
    of_reports = share(selected, lambda: ReportRows.of(inputs, reports))
    participants = join_ratings_at_start(of_reports.participants, reports, inputs.lists)
    facts = facts_of_reports(participants, of_reports.persons, of_reports.of_games)
    judged_events = event_verdicts.judge_events(reports, facts, inputs)
    return JudgedMonth(
        events=judged_events,
        participants=join_ratings(
            participants, judged_events, newest_lists, newest_months(inputs.lists_there), of_reports.persons
        ),
        sides=share(
            (selected, tuple(judged_events["report_row"]), tuple(judged_events["status"] == "superseded")),
            lambda: player_games.sides_of_games(judged_events, of_reports.games, participants),
        ),
        duplicates=find_duplicate_games(
            _possible_duplicates(inputs, judged_events, of_reports, selected, share),
            inputs.earlier_games,
            inputs.readings,
        ),
        newest_lists=newest_lists,
    )


@dataclass(frozen=True, slots=True)
class ReportRows:
    """What the selected reports alone determine, by their ``report_row``: the same whatever the ratings.

    ``participants`` without ratings and their ``persons``; ``games`` with the participants by row number, and
    ``of_games``, what the verdicts need of them (:mod:`~ratinglist.rating.participants`).
    """

    participants: pl.DataFrame
    persons: pl.DataFrame
    games: pl.DataFrame
    of_games: GamesOfReports

    @classmethod
    def of(cls, inputs: MonthInputs, reports: pl.DataFrame) -> ReportRows:
        """Return the rows of the selected ``reports``."""
        lines = with_report_row(inputs.report_players.select("report_id", "fide_id"), reports)
        participants = distinct_participants(lines)
        games = games_of(with_report_row(inputs.report_games, reports), participants)
        return cls(
            participants, persons_of(participants, inputs.players), games, GamesOfReports.of(games, participants)
        )


def _possible_duplicates(
    inputs: MonthInputs, judged_events: pl.DataFrame, of_reports: ReportRows, selected: tuple[str, ...], share: Share
) -> pl.DataFrame:
    """Return the games to compare; those of this month's reports alone are shared."""

    def find() -> pl.DataFrame:
        return find_possible_duplicates(judged_events, of_reports.games, of_reports.participants, inputs.earlier_games)

    if inputs.earlier_games.height:
        return find()
    rated = tuple(judged_events.filter(pl.col("status") == "rated")["report_row"])
    found: pl.DataFrame = share(("possible duplicates", selected, rated), find)
    return found


def published_events(judged_events: pl.DataFrame) -> pl.DataFrame:
    """Return the events as published (``EVENT``), with ``event_no``, ``rule_set`` (null: not rated), ``report_id``.

    ``event_no`` is the row of the judged event, which the sides refer to.
    """
    return EVENT.sorted(
        EVENT.conform(judged_events).with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_no"),
            pl.when(pl.col("status") == "rated").then(judged_events["rule_set"]).alias("rule_set"),
            judged_events["report_id"],
        )
    )
