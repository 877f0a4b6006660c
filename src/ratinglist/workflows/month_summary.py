"""What a person reads of a calculated month: its counts, and what an officer should know of it though it succeeded."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import polars as pl

from ratinglist.analysis.event_status import pending_changes
from ratinglist.period import Period
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.text import halves, hundredths
from ratinglist.workflows import identities

_COINCIDENCES_SHOWN = 20
_TWICE_SHOWN = 10
_NEVER_RATED_SHOWN = 10


def summarized(store: Store, inputs: MonthInputs, result: MonthResult, calculation: Calculation) -> MonthSummary:
    """Count what the calculation of a month gave, and note what an officer should know of it."""
    period = inputs.period
    by_status, changes = _occurrences(result.events["status"]), _occurrences(result.changes["status"])
    events = {status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())}
    if dismissed := quarantine.dismissed_of_month(store, str(period)):
        events |= {"refused": events["refused"] - dismissed, "dismissed": dismissed}
    not_rated = _reasons_of_sides(result)
    listed = result.list_state.filter(pl.col("rating").is_not_null())["time_control"]
    of_list = rules_of_list(inputs).values()
    return MonthSummary(
        month=str(period),
        family=inputs.family,
        rule_sets=[rule_set["name"] for rule_set in calculation.rule_sets],
        events=events,
        results=result.games.height,
        results_rated=result.games.height - sum(not_rated.values()),
        results_not_rated=_most_first(not_rated),
        players={status: changes.get(status, 0) for status in _statuses(inputs.family)},
        waiting=result.pool.select("time_control", "fide_id").unique().height,
        listed=_most_first(_occurrences(listed)),
        refused=quarantine.of_month(store, period),
        notes=[*of_month(store, period, inputs), *of_coincidences(result.coincidences)],
        floors=sorted({rule_set.list.floor for rule_set in of_list if rule_set.list.floor}),
        uses_list_before=any(
            isinstance(rule_set, SystemRuleSet) and rule_set.own.list.ratings_used == "list_before"
            for rule_set in of_list
        ),
    )


def _reasons_of_sides(result: MonthResult) -> dict[str, int]:
    """Return how many sides each reason keeps from being rated, that of their event or their own."""
    not_rated = result.games.filter(~pl.col("rated"))
    by_reason = not_rated.group_by("reason").len("times")
    return dict(by_reason.iter_rows())


def _occurrences(values: pl.Series) -> dict[str, int]:
    """Return how often each text occurs."""
    return dict(values.value_counts(name="times").iter_rows())


def _statuses(family: str) -> tuple[str, ...]:
    """Return the statuses of players that a summary counts: a rating is delisted by a floor, or lapses."""
    book = rule_book()
    if not book.is_system(family):
        return ("rated", "entered", "delisted")
    may_lapse = any("lapse" in key for one in book.of(family) for key in one.values())
    return ("rated", "entered", "lapsed") if may_lapse else ("rated", "entered")


def _most_first(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the counts, most often first, then by name."""
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))


def of_month(store: Store, period: Period, inputs: MonthInputs) -> list[str]:
    """Return what an officer should know of a calculation that succeeded."""
    notes = []
    newest = inputs.lists.group_by("time_control").agg(pl.col("month").max()).sort("time_control")
    in_force = rules_of_list(inputs)
    for time_control, month in newest.iter_rows():
        if time_control not in in_force:
            notes.append(f"no {time_control} list: the family '{inputs.family}' has no rule set for it on that day")
        elif month != str(period - 1) and in_force[time_control].months is None:
            notes.append(f"the {time_control} list before is that of {month}: the months between have no list")
    if inputs.rules.reads_references(inputs.family) and inputs.references.is_empty():
        ends = any("lapse.lapses_with" in one.values() for one in in_force.values())
        effect = "no rating ends with this list" if ends else "nobody enters with a FIDE rating"
        notes.append(
            f"no reference list is imported, so {effect}. Import one before the next list is "
            f"calculated: ratinglist import-list --reference FILE --month {period + 1}"
        )
    if later := calculations.received_later(store, period):
        notes.append(
            f"{later:,} {'event was' if later == 1 else 'events were'} received on or after {period.first_day} and "
            f"{'counts' if later == 1 else 'count'} for a later list; if that is wrong, load again with --received "
            "YYYY-MM-DD"
        )
    history = store.log.history
    month_before = str(newest["month"].max()) if len(newest) else ""
    before = history.standing_calculations().get(month_before)
    if before is not None and before.facts["family"] != inputs.family:
        family = before.facts["family"]
        notes.append(f"the list before was calculated by the family '{family}', this one by '{inputs.family}'")
    if before is not None and before is not history.newest_calculations()[month_before]:
        notes.append(
            f"this list starts from that of {month_before} as it is published, r{history.current[month_before]}; what "
            f"was calculated for {month_before} since is not published: ratinglist rerate --from {month_before}"
        )
    if withdrawn := calculations.withdrawal(store, period):
        notes.append(f"these are the figures that were taken back, and they are not published. {withdrawn}")
    notes += [*_never_rated(store, period), *_of_withdrawn(store, period), *_improbable(store, period)]
    notes += _nobody_rated(store, period)
    later_months = ", ".join(map(str, calculations.months_from(store, period + 1)))
    if str(period) in history.current:
        notes.append(
            f"the list of {period} is published as r{history.current[str(period)]}. Later lists start from what is "
            f"published; to publish what changed: ratinglist rerate --from {period}"
        )
    elif later_months:
        notes.append(f"later lists were calculated from the earlier figures: run {later_months} again")
    notes += [
        f"event {row['event_id']}: version {row['version']}, from {row['start_date']} on, counts as a further slice "
        f"with version {row['version_before']}, from {row['start_date_before']} on; if it is a correction of that one, "
        f"let it replace that one (replace_report with start_date = {row['start_date_before']} in match)"
        for row in calculations.slices_of_other_versions(store, period).iter_rows(named=True)
    ]
    notes += [
        f"event {row['event_id']} is published with its code in the place of its name, which has a date of birth "
        f"({row['file_name']}). To publish a name, load the report again with another one (record 012) and version "
        f"{row['version'] + 1}"
        for row in calculations.named_by_code(store, period).iter_rows(named=True)
    ]
    unrated = store.read("select distinct fide_id from side where month = $month and rating is null", month=str(period))
    twice = identities.registered_twice(store, unrated["fide_id"])
    more = [f"and {len(twice) - _TWICE_SHOWN:,} more: ratinglist identities"] if len(twice) > _TWICE_SHOWN else []
    return [*notes, *pending_changes(store, inputs.rules, period), *twice[:_TWICE_SHOWN], *more]


def _nobody_rated(store: Store, period: Period) -> list[str]:
    """Return a sentence where no player of any rated event had a rating; none where one had."""
    reasons = store.read(
        "select distinct reason from side where month = $month and reason is not null", month=str(period)
    )
    if reasons["reason"].to_list() != ["opponent_unrated"]:
        return []
    return [
        "no result is rated, because no player of these events had a rating, and ratinglist import-players registers "
        "players without one. If they have one, begin again in a new home, from a list that has it: ratinglist "
        f"import-list FILE --month {period - 1}"
    ]


def _never_rated(store: Store, period: Period) -> list[str]:
    """Return a sentence for each report that this list finds late, or newer than what an earlier list has rated."""
    rows = _never_rated_reports(store, period).to_dicts()
    notes = [
        f"event {row['event_id']}: version {row['version']} ({row['file_name']}) changes nothing, because the list of "
        f"{row['rated_in']} has rated the event already. If this version is right: ratinglist correct report "
        f"{row['event_id']} --file {shlex.quote(row['file_name'])}"
        if row["status"] == "superseded"
        else f"event {row['event_id']}, from {row['start_date']} to {row['end_date']}, was received on "
        f"{row['received_on']}: it was not in time for the third list after its end, and is never rated. If one of "
        "these days is wrong, correct it in manifest.csv or in the report, and load it again with the next version"
        for row in rows[:_NEVER_RATED_SHOWN]
    ]
    more = len(rows) - _NEVER_RATED_SHOWN
    return [*notes, f"and {more:,} more that are never rated: ratinglist quarantine {period}"] if more > 0 else notes


def _never_rated_reports(store: Store, period: Period) -> pl.DataFrame:
    """Return the reports that this list finds late, or a new version of what an earlier list has rated.

    No later list looks at them again. Out: ``status``, ``event_id``, ``version``, ``file_name``, ``start_date``,
    ``end_date``, ``received_on``, ``rated_in`` (the newest list that rated the event).
    """
    return store.read(
        """
        select event.status, report.event_id, report.version, report.file_name, report.start_date, report.end_date,
            report.received_on, (
                select max(earlier.month)
                from event as earlier join report as rated using (report_id)
                where earlier.status = 'rated' and earlier.month < $month and rated.event_id = report.event_id
            ) as rated_in
        from event join current_report as report using (report_id)
        where event.month = $month and event.status in ('late', 'superseded')
        order by event.status, report.event_id, report.version, report.report_id
        """,
        month=str(period),
    )


def _of_withdrawn(store: Store, period: Period) -> list[str]:
    """Return a sentence for each rated event that has most games of a withdrawn one, and was loaded after that."""
    rows = store.read(
        """
        with withdrawn as (
            select report.*, correction.reported_on, correction.source_no
            from corrected_report join report using (report_id) join correction_now as correction using (correction_no)
            where corrected_report.withdrawn
        ),
        pair as (
            select event.event_id, report.report_no, withdrawn.event_id as other_id, withdrawn.report_no as other_no,
                withdrawn.reported_on, withdrawn.games
            from event join report using (report_id)
            join withdrawn on report.loaded_no > withdrawn.source_no
            where event.month = $month and event.status = 'rated'
        )
        select event_id, other_id, reported_on, games, count(*) as same
        from pair
        join report_game as game on game.report_no = pair.report_no
        join report_game as other on other.report_no = other_no
            and (other.round, other.white_id, other.black_id) = (game.round, game.white_id, game.black_id)
        group by all
        having 2 * same > games
        order by event_id, other_id
        """,
        month=str(period),
    )
    return [
        f"event {row['event_id']} has {row['same']:,} of the {row['games']:,} games of {row['other_id']}, which was "
        f"withdrawn on {row['reported_on']}. If it is that event, withdraw it too: ratinglist correct withdraw "
        f"{row['event_id']}"
        for row in rows.iter_rows(named=True)
    ]


_IMPROBABLE = 5
"""Standard deviations, of half a point a game at most, that stronger players stay below what is expected of them."""


def _improbable(store: Store, period: Period) -> list[str]:
    """Return a sentence for each event whose stronger players have so few points that results may be exchanged."""
    rows = store.read(
        """
        select event_id, count(*) as games, sum(score_halves)::integer as halves,
            sum(expected_hundredths)::integer as expected
        from side join event using (month, event_no)
        where month = $month and rating > opponent_rating and side.reason = '' and expected_hundredths is not null
        group by event_id
        having expected > 50 * halves
            and (expected - 50 * halves) * (expected - 50 * halves) > 2500 * $far * $far * games
        order by event_id
        """,
        month=str(period),
        far=_IMPROBABLE,
    )
    return [
        f"event {row['event_id']}: in {row['games']:,} games the players with the higher ratings have "
        f"{halves(row['halves'])} points, where {hundredths(row['expected'])} were expected; are the results those of "
        "the other players?"
        for row in rows.iter_rows(named=True)
    ]


def of_coincidences(coincidences: pl.DataFrame) -> list[str]:
    """Return a sentence for each two events with games which look alike and count in both, or with two results."""
    events = ["event_code", "name", "event_code_first", "name_first"]
    every = coincidences.group_by(*events, "both_count", maintain_order=True).agg(
        pl.len().alias("games"), pl.all().first()
    )
    pairs = every.filter("both_count")
    notes = [
        f"events {row['event_code']} ({row['name']}) and {row['event_code_first']} ({row['name_first']}) are one "
        f"event, which counts once, under {row['event_code_first']}: the code that was received first. "
        + _what_differs(row)
        + f". If {row['event_code']} is right, correct it under {row['event_code_first']}"
        for row in every.filter(~pl.col("both_count")).head(_COINCIDENCES_SHOWN).iter_rows(named=True)
    ]
    notes += [
        f"events {row['event_code']} ({row['name']}) and {row['event_code_first']} ({row['name_first']}) both have "
        + ("a game" if row["games"] == 1 else f"{row['games']:,} games, the first")
        + f" of {row['white_id']} and {row['black_id']} in round {row['round']} on {row['date']}, with one result: "
        "they have too little in common to be one event, so both count. If they are one, withdraw either "
        "(ratinglist correct withdraw)"
        for row in pairs.head(_COINCIDENCES_SHOWN).iter_rows(named=True)
    ]
    if len(pairs) > _COINCIDENCES_SHOWN:
        notes.append(f"and {len(pairs) - _COINCIDENCES_SHOWN:,} more pairs of events with games that look alike")
    return notes


def _what_differs(row: Mapping[str, Any]) -> str:
    """Return in how many games an event differs from the one that counts, and the first of them."""
    how_many = "A game differs" if row["games"] == 1 else f"{row['games']:,} games differ, the first"
    there = "no such game" if row["white_halves_first"] is None else _result(row, "_first")
    game = f"{row['white_id']} against {row['black_id']} in round {row['round']}"
    return f"{how_many}: {game}, {there} there and {_result(row, '')} under {row['event_code']}"


def _result(row: Mapping[str, Any], of: str) -> str:
    """Return the result of a game as White's and Black's score: ``1-0``, ``½-½``."""
    return "-".join(halves(row[f"{side}_halves{of}"]) for side in ("white", "black"))
