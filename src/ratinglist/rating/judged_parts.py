"""Judge the events of a month whose games are too many for the memory: some reports after the others.

The verdict on an event depends on all events, but on few facts of their players and games. So every part is read
twice: once for these facts and the keys of its pairings, once for the sides of its games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.rating import event_verdicts, player_games
from ratinglist.rating.duplicate_games import DuplicateGames, find_duplicate_games
from ratinglist.rating.judged_month import JudgedMonth
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
from ratinglist.rating.repeated_pairings import games_of_keys, pairing_keys

ReadRows = Callable[[str, pl.Series], pl.DataFrame]
"""Returns the rows of ``report_players`` or ``report_games`` of some reports."""


Each = Callable[[Callable[[pl.Series], "_Part"], Sequence[pl.Series]], Iterable["_Part"]]
"""Calls a function for each of some values, as ``map`` does, and returns the results in their order."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is kept of the reports of a part: participants, persons, facts, and the keys of the pairings."""

    participants: pl.DataFrame
    persons: pl.DataFrame
    facts: pl.DataFrame
    keys: pl.Series


def judge_in_parts(
    inputs: MonthInputs, parts: Sequence[pl.Series], read: ReadRows, each: Each = map
) -> Iterator[JudgedMonth]:
    """Yield the judged month with the participants and sides of one part after the other; the events are always all.

    In: ``inputs``: the games of reports that share a code with another one, and no other rows of reports; ``parts``:
    every report ID in one of them; ``each``: may describe two parts at once. The rows are those that
    :func:`~ratinglist.rating.judged_month.judge_month` finds.
    """
    newest_lists = {time_control: newest_list(inputs.lists, time_control) for time_control in rules_of_list(inputs)}
    reports = event_verdicts.select_reports(inputs)

    def describe(part: pl.Series) -> _Part:
        lines = with_report_row(read("report_players", part).select("report_id", "fide_id"), reports)
        participants = join_ratings_at_start(distinct_participants(lines), reports, inputs.lists)
        games = games_of(with_report_row(read("report_games", part), reports), participants)
        persons = persons_of(participants, inputs.players)
        facts = facts_of_reports(participants, persons, GamesOfReports.of(games, participants))
        return _Part(participants, persons, facts, pairing_keys(games, participants)["key"])

    described = list(each(describe, parts))
    participants = [one.participants for one in described]
    persons = [one.persons for one in described]
    facts = [one.facts for one in described]
    keys = [one.keys for one in described]
    del described
    judged_events = event_verdicts.judge_events(reports, pl.concat(facts), inputs)
    repeated = _repeated(keys)
    has_repeated = [bool(key.is_in(repeated.implode()).any()) for key in keys]
    del keys

    def games_of_part(number: int) -> pl.DataFrame:
        return games_of(with_report_row(read("report_games", parts[number]), reports), participants[number])

    duplicates = _duplicates(inputs, judged_events, participants, has_repeated, repeated, games_of_part)
    for number, of_part in enumerate(participants):
        yield JudgedMonth(
            events=judged_events,
            participants=join_ratings(
                of_part, judged_events, newest_lists, newest_months(inputs.lists_there), persons[number]
            ),
            sides=player_games.sides_of_games(judged_events, games_of_part(number), of_part),
            duplicates=duplicates,
            newest_lists=newest_lists,
        )


def _repeated(keys: Sequence[pl.Series]) -> pl.Series:
    """Return the keys that occur more than once; sorted neighbours are compared in a fraction of the memory."""
    ordered = pl.concat(keys).sort()
    return ordered.filter(ordered == ordered.shift(1)).unique()


def _duplicates(
    inputs: MonthInputs,
    judged_events: pl.DataFrame,
    participants: Sequence[pl.DataFrame],
    has_repeated: Sequence[bool],
    repeated: pl.Series,
    games_of_part: Callable[[int], pl.DataFrame],
) -> DuplicateGames:
    """Find the games that two reports contain, among those of earlier lists and those whose pairing occurs twice."""
    # Where nothing is to be compared, one part gives the columns.
    compared = [number for number, found in enumerate(has_repeated) if found or len(inputs.earlier_games)] or [0]
    possible = [
        games_of_keys(judged_events, games_of_part(number), participants[number], repeated, inputs.earlier_games)
        for number in compared
    ]
    return find_duplicate_games(pl.concat(possible), inputs.earlier_games, inputs.readings)
