"""No question of sql/doubts is raised by the sample and by small noise; each is raised by a planted oddity."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date
from typing import Any

import pytest

from ratinglist.office import LARGEST, Office, Thresholds
from ratinglist.period import Period
from ratinglist.publication.doubts import Doubt, doubts_about, queries
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from tests.conftest import MONTHS
from tests.parameters import long_but

NOVEMBER = Period.parse("2025-11")
DEFAULT = Thresholds()
OF_THE_OFFICE = (
    *("office_settings", "unread_file", "no_players_file", "loaded_since", "players_since"),
    *("most_refused", "most_waiting", "most_later"),
)
"""What the office has changed in its settings (tests/workflow/test_guards.py), and what was delivered
(tests/workflow/test_slips.py)."""
ASKED = {
    query.code: query
    for query in queries()
    if query.kind == "ask" and "publish" in query.when and query.code not in OF_THE_OFFICE
}
QUICK = [code for code in ASKED if code != "unlike_name"]
"""All but the comparison of names, which is half of the time and has a test of its own."""


def raised(
    store: Store,
    *codes: str,
    thresholds: Thresholds = DEFAULT,
    month: str = "2025-11",
    today: date = date(2025, 12, 1),
) -> dict[str, Doubt]:
    """What the questions of these names raise about a list, by name."""
    asked = [ASKED[code] for code in codes]
    settings = Settings(store.home, "fide", today, choices=Office(questions=thresholds))
    return {doubt.code: doubt for doubt in doubts_about(store, settings, Period.parse(month), asked=asked)}


def players(count: int, rating: int, k: int = 20, *, months: str = "['2025-11']") -> str:
    """Add ``count`` players to lists, with new FIDE IDs."""
    return f"""
        insert into list_state by name
        select month, 'standard' as time_control, 1000000 + n as fide_id, {rating} as rating, 0 as games, {k} as k,
            100 as games_played, {k == 10} as reached_2400, {k == 10} as reached_2300, '' as inferred
        from (select unnest({months}) as month) cross join range({count}) as numbers (n);
        insert into player
        select 1000000 + n, 'Player ' || n, 'ORV', 'M', '', '', '', null, 1990, '2025-08-01', 1
        from range({count}) as numbers (n);
    """


def changes(count: int, change: int, games: int = 9, k: int | str = 20, first: int = 2_000_000) -> str:
    """Add ``count`` players whose rating changed by ``change``."""
    return f"""
        insert into change by name
        select '2025-11' as month, 'standard' as time_control, {first} + n as fide_id, 1800 as old_rating,
            {games} as games, {k} as k, {100 * change} as change_hundredths, {change} as change,
            {1800 + change} as new_rating, 'rated' as status
        from range({count}) as numbers (n);
    """


def six_months_before(results: int) -> str:
    """Six lists more before the sample's own, and so many rated results on each list before November."""
    return f"""
        delete from change where month < '2025-11';
        insert into calculation
        select calculation.* replace (
            strftime('2025-09-01'::date - to_months(n::integer), '%Y-%m') as month, false as is_standing
        )
        from calculation cross join range(1, 7) as numbers (n)
        where calculation.month = '2025-09';
        insert into publication by name
        select month, 1 as revision, 0 as calculation_no, '2025-08-01' as published_on, 0 as calculations,
            0 as last_source
        from calculation anti join publication using (month) where month < '2025-11';
        insert into current_revision by name select month from publication anti join current_revision using (month);
        insert into change by name
        select month, 'standard' as time_control, 1 as fide_id, 1800 as old_rating, {results} as games,
            20 as k, 0 as change_hundredths, 0 as change, 1800 as new_rating, 'rated' as status
        from calculation where month < '2025-11';
    """


def notes(rule: str, lines: int) -> str:
    """Add notes to ``lines`` lines of the first report that November rates."""
    return f"""
        insert into finding by name
        select first.report_id, n as line, 81 as "column", '3' as value, '{rule}' as rule, '2' as detail,
            'noted' as effect
        from (
            select report_id from event where month = '2025-11' and status = 'rated' order by report_id limit 1
        ) as first cross join range({lines}) as numbers (n);
    """


# The event with the most games among those that November rates.
LARGEST_EVENT = """
    select event.event_id, report_no, report.games from event join report using (report_id)
    where month = '2025-11' and status = 'rated' order by report.games desc, event.event_id limit 1
"""
NUMBER = f"(select report_no from ({LARGEST_EVENT}))"
CODE = f"(select event_id from ({LARGEST_EVENT}))"


def again(
    other_results: int,
    games: int = 1000,
    event_id: str = "'ORV25001'",
    month: str = "2025-10",
    start: str = "2025-09-02",
    games_digest: str = "'others'",
) -> str:
    """Let another list rate the event that November rates too, under the code ``event_id``.

    ``other_results``: of how many games the results are others; ``games``: how many of the games the other has. The
    colours are exchanged, and the rounds have other numbers.
    """
    return f"""
        create temp table chosen as {LARGEST_EVENT};
        insert into report by name
        select report.* replace ('again' as report_id, 90000 as report_no, {event_id} as event_id,
            least(games, {games})::integer as games, {games_digest} as games_digest,
            '{start}'::date as start_date, '{start}'::date + 2 as end_date)
        from report where report_no = (select report_no from chosen);
        insert into report_game by name
        select game.* exclude (number) replace (
            90000 as report_no, round + 20 as round, black_id as white_id, white_id as black_id,
            case when number <= {other_results} then 7 else black_halves end as white_halves,
            case when number <= {other_results} then 7 else white_halves end as black_halves)
        from (
            select *, row_number() over (order by round, white_id) as number
            from report_game where report_no = (select report_no from chosen)
        ) as game where number <= {games};
        insert into event by name
        select event.* replace ('{month}' as month, {event_id} as event_id, 'again' as report_id, 90000 as event_no)
        from event where month = '2025-11' and event_id = (select event_id from chosen);
    """


NOVEMBER_DAYS = "update report set start_date = '2025-11-01', end_date = '2025-11-03';"
PLAYERS = "(select unnest([white_id, black_id]) from report_game where report_no = 90000)"
OF_CHOSEN = "event_no = (select event_no from event join chosen using (event_id) where month = '2025-11')"
# A match of four games: the two players of one game meet in four rounds.
MATCH = f"""
    {again(0, games=1)} {NOVEMBER_DAYS}
    delete from side where {OF_CHOSEN} and not (fide_id in {PLAYERS} and opponent_id in {PLAYERS});
    insert into side by name select game.* replace (round + n as round) from side as game
    cross join range(1, 4) as games (n) where {OF_CHOSEN};
    insert into report_game by name select game.* replace (round + n as round) from report_game as game
    cross join range(1, 4) as games (n) where report_no = 90000;
"""


def version_before(more_games: int) -> str:
    """Add an accepted version before that of the largest report, with so many games more in its last round."""
    return f"""
        create temp table chosen as {LARGEST_EVENT};
        insert into report by name
        select report.* replace ('before' as report_id, 90000 as report_no, 0 as version, games + {more_games} as games)
        from report where report_no = (select report_no from chosen);
        insert into report_game by name
        select game.* replace (90000 as report_no) from report_game as game
        where report_no = (select report_no from chosen)
        union all
        select 90000, last_round, null, 700 + n, 800 + n, 2, 0, 1, 1
        from range({more_games}) as numbers (n) join report on report_no = (select report_no from chosen);
    """


def announced(facts: str) -> str:
    """Let the largest report say other things of its event, which ends two days later."""
    return f"update report set {facts}, end_date = end_date + 2 where report_no = {NUMBER};"


def correction(number: int, action: str, first_month: str, undoes: str = "null") -> str:
    """Add a correction that no list was calculated with."""
    return f"""
        insert into correction by name
        select {number} as correction_no, 0 as source_no, '{action}' as action, 'ORV25081' as event_id, 1 as round,
            11 as white_id, 12 as black_id, '1-0' as result, {undoes} as undoes, 'why' as reason, 'who' as who,
            '2025-12-01'::date as reported_on, '2025-12-01'::date as known_on, '{first_month}' as first_month;
    """


WITHDRAWN = f"""
    {correction(1, "withdraw_event", "2025-11")}
    update correction set first_month = '';
    insert into corrected_report by name
    select 1 as correction_no, report_id, true as withdrawn from event join ({LARGEST_EVENT}) using (event_id)
    where month = '2025-11';
"""
# Half of so many players won 50, half lost 40: a mean of 5, and for 200, 600 and 1,000 players 1.6, 2.7 and 3.5 errors.
CHANCE = "update change set games = 1, k = null where month = '2025-11';"
TWO_SLICES = f"""
    {again(0, event_id=CODE)}
    update report set rounds = 2 * last_round, end_date = end_date + 2 where event_id = (select event_id from chosen);
"""
EACH_WAY = [(20, 9, 120), (40, 9, 240), (10, 9, 60), (35, 20, 313), (40, 4, 160), ("null", 9, 200)]
OTHER_DAYS = f"""
    {notes("dates_outside", 1)}
    update finding set value = event.start_date || ' to ' || event.end_date, detail = '2025-08-01 to 2025-08-03'
    from event where event.report_id = finding.report_id and rule = 'dates_outside';
"""
INCLUDING = {"to_include_it": "ratinglist rerate --from 2025-10"}
INCLUDED = "update calculation set last_correction = 1 where month = '{}';"
NOT_PUBLISHED = "delete from publication; delete from imported_list;"

# What is planted, how it is asked for, and what is raised: the first row of the question, or what matters of it.
CASES: dict[str, list[tuple[str, dict[str, Any], dict[str, Any] | None]]] = {
    # A change beyond what K and the games give.
    "large_change": [
        *((changes(1, usual, games, k), {}, None) for k, games, usual in EACH_WAY),
        *(
            (changes(1, -usual - 1, games, k), {}, {"change": -usual - 1, "usual_up_to": usual})
            for k, games, usual in EACH_WAY
        ),
        # One large change among ten thousand players is none.
        *(
            (
                changes(10_000, 0)
                + f"update change set change = 201 where fide_id between 2000001 and 2000000 + {large}",
                {},
                expected,
            )
            for large, expected in ((1, None), (2, {"change": 201}))
        ),
        (changes(1, 150), {"thresholds": replace(DEFAULT, change_deviations=5)}, None),
        (changes(1, 150), {"thresholds": replace(DEFAULT, change_deviations=4)}, {"change": 150}),
    ],
    # Beyond 3, of enough players with enough games, and not by chance.
    "mean_change": [
        (changes(1000, -4), {}, {"players": 1032, "mean_change_hundredths": -403}),
        (changes(60, -40), {}, None),
        (changes(1000, -4, games=8), {}, None),
        *(
            (CHANCE + changes(half, 50, first=3_000_000) + changes(half, -40), {}, expected)
            for half, expected in ((100, None), (300, None), (500, {"mean_change_hundredths": 500}))
        ),
    ],
    "fewer_players": [
        (players(1000, 1800, months="['2025-10']"), {}, {"fewer": 994}),
        (players(9, 1800, months="['2025-10']"), {}, None),
        (
            players(2000, 1800, months="['2025-10', '2025-11']")
            + "delete from list_state where month = '2025-11' and fide_id between 1000000 and 1000012",
            {},
            None,
        ),
    ],
    # The counts of the months before, of published lists alone, at least six: November has 676 results.
    "unusual_counts": [
        (six_months_before(2000), {}, {"what": "results_rated", "count": 676, "smallest": 2000}),
        (six_months_before(10), {}, {"what": "results_rated", "count": 676, "largest": 10}),
        (six_months_before(1000), {}, None),
        (six_months_before(400), {}, None),
        *(
            (
                six_months_before(2000) + f"delete from current_revision where {which}",
                {"thresholds": replace(DEFAULT, unusual_months=5)},
                expected,
            )
            for which, expected in (("month = '2025-04'", {"months": 7}), ("month < '2025-09'", None))
        ),
        ("update change set games = 100 * games where month = '2025-11' and status = 'rated'", {}, None),
    ],
    # An import with the K of a master for all players.
    "many_masters": [
        (players(200, 1800, k=10, months="['2025-10', '2025-11']"), {}, {"masters_far_below": 200}),
        (players(9, 2000, k=10, months="['2025-10', '2025-11']"), {}, None),
    ],
    # The list of November closes on 29 October.
    "early_list": [
        *(
            ("", {"today": date(2025, 10, day)}, {"time_control": "blitz", "closing_date": "2025-10-29"})
            for day in (28, 29)
        ),
        ("", {"today": date(2025, 10, 30)}, None),
    ],
    # An imported list counts as published, and the first list of a home misses none.
    "missing_month": [
        (
            "delete from current_revision where month = '2025-10'",
            {},
            {"missing": "2025-10", "newest_before": "2025-09"},
        ),
        ("delete from publication where month = '2025-10'; update imported_list set month = '2025-10'", {}, None),
        (NOT_PUBLISHED, {}, None),
    ],
    # What was calculated from something that counts no more; the list itself is another question.
    "outdated_lists_before": [
        (
            "update calculation set calculation_id = 'another' where month = '2025-09'",
            {},
            {"list": "2025-10", "another_list_before": "2025-09"},
        ),
        (
            "update calculation set before_id = '' where month = '2025-10'",
            {},
            {"list": "2025-10", "another_list_before": "2025-09"},
        ),
        ("update event set report_id = 'another' where month = '2025-10'", {}, {"from_what_was_undone": True}),
        ("update event set report_id = 'another' where month = '2025-11'", {}, None),
    ],
    "no_events": [
        (
            "update event set status = 'deferred' where status = 'rated' and month = '2025-11'",
            {},
            {"events_known": 13, "refused": 1, "dismissed": 0, "deferred": 11},
        ),
        (
            "update event set status = 'refused' where status = 'rated' and month = '2025-11';"
            "create or replace temp view dismissed_report as "
            "select distinct report_id from event where reason <> 'report_refused'",
            {},
            {"events_known": 13, "refused": 1, "dismissed": 10, "deferred": 1},
        ),
    ],
    # An imported list has no family.
    "other_family": [
        (
            "update calculation set family = 'course' where month = '2025-11'",
            {},
            {"list_before": "2025-10", "family_before": "fide", "family": "course"},
        ),
        (
            "update calculation set family = 'course' where month = '2025-09'",
            {"month": "2025-09", "today": date(2025, 10, 1)},
            None,
        ),
    ],
    # The points of many players are not their results.
    "points_differ": [
        (notes("points_differ", 2), {}, None),
        (notes("points_differ", 300), {}, {"players_with_other_points": 300}),
        (notes("points_differ", 300), {"thresholds": replace(DEFAULT, points_percent=100_000)}, None),
    ],
    # An event that an earlier list has rated under another code.
    "same_games": [
        (
            again(2),
            {},
            {
                "event_id": "ORV25102",
                "days": "2025-10-04 to 2025-10-12",
                "games": 90,
                "same_pairs": 90,
                "same_games": 88,
                "other_event": "ORV25001",
                "other_days": "2025-09-02 to 2025-09-04",
                "rated_in": "2025-10",
            },
        ),
        (again(2), {"month": "2025-10"}, None),
        # What may be two events: the same pairings on other days with other results, three games, a later list, more
        # than sixty days before, a slice of the same code.
        (again(30), {}, None),
        (again(0, games=3), {}, None),
        (again(0, month="2025-12"), {}, None),
        (again(0, start="2025-05-02"), {}, None),
        # Exactly the same games, however long ago.
        (again(0, start="2025-05-02", games_digest="games_digest"), {}, {"same_games": 90}),
        (again(0, event_id=CODE), {}, None),
        # Games that count in another report.
        (again(0) + "update side set reason = 'same_game' where month = '2025-11'", {}, None),
        # The pairs of an event of the same days, whatever the results, and of the same time control.
        *(
            (
                NOVEMBER_DAYS + again(other_results, start="2025-11-02"),
                {},
                {"same_pairs": 90, "same_games": max(0, 90 - other_results)},
            )
            for other_results in (50, 1000)
        ),
        (
            NOVEMBER_DAYS
            + again(50, start="2025-11-02")
            + "update event set time_control = 'blitz' where report_id = 'again'",
            {},
            None,
        ),
        (MATCH, {}, {"same_pairs": 4}),
        (again(0, games=4), {}, {"same_games": 4}),
    ],
    # A version that was refused or set aside is not compared.
    "fewer_games": [
        (version_before(0), {}, None),
        (version_before(3), {}, {"games": 90, "games_before": 93, "white_id": 700}),
        (
            version_before(0) + "update report set last_round = last_round + 1 where report_no = 90000",
            {},
            {"games_before": 90},
        ),
        (version_before(3) + "update report set accepted = false where report_no = 90000", {}, None),
    ],
    # Games in fewer rounds than announced, by a record or by a round robin's number of players.
    "unfinished_event": [
        (announced("rounds = last_round"), {}, None),
        (announced("rounds = last_round + 2"), {}, {"rounds_with_games": 9, "rounds_announced": 11}),
        (announced("event_type = 'roundrobin', players = last_round + 1 + (last_round + 1) % 2"), {}, None),
        (announced("event_type = 'roundrobin', players = last_round + 5"), {}, {"rounds_announced": 13}),
        (announced("event_type = 'double_roundrobin', players = last_round + 2"), {}, {"rounds_announced": 22}),
        # A slice that ends with its last game; the rounds of an event in slices are counted together.
        (
            announced("rounds = last_round + 2") + f"update report_game set date = date + 2 where report_no = {NUMBER}",
            {},
            None,
        ),
        (TWO_SLICES, {}, None),
        (
            TWO_SLICES + "delete from report_game where report_no = 90000",
            {},
            {"event_id": "ORV25102", "rounds_announced": 18},
        ),
    ],
    # More games are decided without play than played.
    "unplayed_games": [
        (f"update report set games = {games}, forfeits = {forfeits} where report_no = {NUMBER}", {}, expected)
        for games, forfeits, expected in ((4, 5, {"forfeits": 5, "games": 4}), (5, 5, None), (0, 3, None))
    ],
    # The days of a manifest are not those of the report.
    "other_days": [
        (notes("dates_outside", 1), {}, None),
        (OTHER_DAYS, {}, {"starts": "2025-08-01", "ends": "2025-08-03"}),
    ],
    # Ratings of another list in the reports.
    "other_ratings": [
        (f"update report_player set rating = rating + {points} where rating > 0 and {of_whom}", {}, expected)
        for points, of_whom, expected in (
            (30, "true", None),
            (-300, "true", {"players": 8, "differing": 8, "mean_difference": -287}),
            (-300, "fide_id % 3 = 0", {"players": 8, "differing": 3, "mean_difference": -100}),
            (-300, "fide_id % 12 = 0", None),
        )
    ],
    # A correction that is not in the list: later ones are concerned, until it is undone or a list has it.
    "event_withdrawn_before": [
        (WITHDRAWN, {}, {"reported_on": date(2025, 12, 1), "games": 90, "same": 90}),
        # It was withdrawn after this report had come: then no list rates it.
        (WITHDRAWN + "update correction set source_no = 1000;", {}, None),
    ],
    "pending_correction": [
        (correction(1, "change_result", "2025-10"), {"month": "2025-09"}, None),
        *(
            (
                correction(1, "change_result", "2025-10"),
                {"month": month},
                {
                    "correction": 1,
                    "what": "change result ORV25081 round 1 11 - 12 1-0",
                    "made_on": "2025-12-01",
                    "first_list": "2025-10",
                    "to_include_it": "ratinglist rerate --from 2025-10",
                },
            )
            for month in ("2025-10", "2025-11")
        ),
        (correction(1, "change_result", "2025-10") + correction(2, "undo", "2025-10", undoes="1"), {}, None),
        (correction(1, "change_result", "2025-10") + INCLUDED.format("2025-10"), {}, None),
        # Corrected data are on every list that is calculated since.
        (correction(1, "change_data", "2025-10"), {}, INCLUDING),
        (correction(1, "change_data", "2025-10") + INCLUDED.format("2025-11"), {}, None),
        (correction(1, "change_data", "2025-10") + INCLUDED.format("2025-11"), {"month": "2025-10"}, INCLUDING),
    ],
}


@pytest.mark.parametrize(
    ("code", "planted", "options", "expected"), [(code, *case) for code, cases in CASES.items() for case in cases]
)
def test_a_planted_oddity_raises_its_question_and_usual_figures_do_not(
    code: str, planted: str, options: dict[str, Any], expected: dict[str, Any] | None, store: Store
) -> None:
    store.execute(planted or "select 1")
    doubt = raised(store, code, **options).get(code)
    assert (doubt and {name: doubt.rows[0][name] for name in expected or ()}) == expected


@pytest.mark.parametrize("code", CASES)
def test_a_planted_oddity_raises_no_other_question(code: str, store: Store) -> None:
    planted, options = next((planted, options) for planted, options, expected in CASES[code] if expected)
    store.execute(planted or "select 1")
    assert raised(store, *QUICK, **options).keys() == {code}


def test_every_question_is_tested_here() -> None:
    assert ASKED.keys() == CASES.keys() | {"unlike_name"}


@pytest.mark.parametrize("month", long_but(MONTHS, MONTHS[0], MONTHS[-1]))
def test_the_sample_raises_no_question(month: str, store: Store) -> None:
    assert raised(store, *ASKED, month=month) == {}


def test_every_threshold_is_used_by_a_question_and_none_is_written_in_one() -> None:
    texts = "".join(query.text for query in ASKED.values())
    assert [name for name in asdict(DEFAULT) if f"${name}" not in texts] == []


def test_a_large_change_is_shown_with_its_games(store: Store) -> None:
    lines = raised(store, "large_change", thresholds=replace(DEFAULT, change_deviations=1))["large_change"].lines()
    assert lines[1].strip() == (
        "time control standard, FIDE ID 900000129, name Ibarård, Wendel, federation ORV, old rating 1590, games 6, "
        "K 40, change 63, new rating 1653, usual up to 48, points 3.5 of 6, expected 1.92, events ORV25105 Afternoon "
        "Open, most unexpected round 4 of ORV25105, 1.0 where 0.17 was expected, opponent 900000044, opponent name "
        "Tärnerson, Quentin, opponent rating 1867"
    )


@pytest.mark.parametrize("threshold", [1, LARGEST])
def test_the_largest_threshold_does_not_overflow(threshold: int, store: Store) -> None:
    store.execute(changes(1000, 0))
    raised(store, *QUICK, thresholds=Thresholds(**dict.fromkeys(asdict(DEFAULT), threshold)))


def test_the_reason_for_an_early_list_answers_on_any_day(store: Store) -> None:
    first, second = (raised(store, "early_list", today=date(2025, 10, day))["early_list"].digest for day in (20, 28))
    assert first == second


def test_every_game_that_is_gone_is_named(store: Store) -> None:
    store.execute(version_before(3))
    assert {row["white_id"] for row in raised(store, "fewer_games")["fewer_games"].rows} == {700, 701, 702}


def test_a_name_that_is_not_the_registered_one_is_a_question(store: Store) -> None:
    first = f"report_no = {NUMBER} and line = (select min(line) from report_player where report_no = {NUMBER})"
    store.execute(f"update report_player set name = 'Quux, Ib' where {first}")
    doubt = raised(store, "unlike_name")["unlike_name"]
    assert (doubt.count, doubt.rows[0]["name"]) == (1, "Quux, Ib")
    # What names a person, or says when they were born, stays in the office.
    assert set(doubt.as_fact()["found"]["rows"][0]) == {"event_id", "line", "fide_id", "fits"}  # type: ignore[index]  # JSON


def test_ratings_of_two_players_that_are_exchanged_are_noted(store: Store) -> None:
    asked = [query for query in queries() if query.code == "exchanged_ratings"]
    settings = Settings(store.home, "fide", date(2025, 12, 1))
    assert doubts_about(store, settings, NOVEMBER, asked=asked) == []
    rated = f"from report_player where report_no = {NUMBER} and rating > 0"
    ((lowest, highest, low, high),) = store.rows(
        f"select arg_min(fide_id, rating), arg_max(fide_id, rating), min(rating), max(rating) {rated}"
    )
    store.execute(
        f"update report_player set rating = case fide_id when {lowest} then {high} when {highest} then {low} "
        f"else rating end where report_no = {NUMBER}"
    )
    (doubt,) = doubts_about(store, settings, NOVEMBER, asked=asked)
    assert [{row["fide_id"], row["other_id"]} for row in doubt.rows] == [{lowest, highest}]
    assert doubt.sentence.endswith('--because "..." --by NAME')
