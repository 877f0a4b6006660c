"""No question of sql/doubts is raised by the sample and by small noise; each is raised by a planted oddity."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date

import pytest

from ratinglist.office import LARGEST, Office, Thresholds
from ratinglist.period import Period
from ratinglist.publication.doubts import Doubt, doubts_about, queries
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from tests.conftest import MONTHS

NOVEMBER = Period.parse("2025-11")
DEFAULT = Thresholds()
OF_THE_OFFICE = (
    *("office_settings", "unread_file", "no_players_file", "loaded_since"),
    *("most_refused", "most_waiting", "most_later"),
)
"""What the office has changed in its settings (tests/workflow/test_office_guard.py), and what was delivered
(tests/workflow/test_wrong_deliveries.py)."""
ASKED = [one for one in queries() if one.kind == "ask" and "publish" in one.when and one.code not in OF_THE_OFFICE]


def raised(
    store: Store,
    thresholds: Thresholds = DEFAULT,
    month: Period = NOVEMBER,
    today: date = date(2025, 12, 1),
    *,
    with_names: bool = False,
) -> dict[str, Doubt]:
    # Without the comparison of names, which is half of the time and has a test of its own.
    asked = [query for query in ASKED if with_names or query.code != "unlike_name"]
    settings = Settings(store.home, "fide", today, choices=Office(questions=thresholds))
    return {doubt.code: doubt for doubt in doubts_about(store, settings, month, asked=asked)}


def add_players(store: Store, count: int, rating: int, k: int = 20, *, months: str = "('2025-11')") -> None:
    """Add ``count`` players to lists, with new FIDE IDs."""
    store.execute(
        f"""
        insert into list_state by name
        select month, 'standard' as time_control, 1000000 + n as fide_id, {rating} as rating, 0 as games, {k} as k,
            100 as games_played, {str(k == 10).lower()} as reached_2400, {str(k == 10).lower()} as reached_2300,
            '' as inferred
        from (select unnest({months}) as month) cross join range({count}) as numbers (n)
        """
    )
    store.execute(
        f"""
        insert into player
        select 1000000 + n, 'Player ' || n, 'ORV', 'M', '', '', '', null, 1990, '2025-08-01', 1
        from range({count}) as numbers (n)
        """
    )


def add_changes(store: Store, count: int, change: int, games: int = 9, k: int | str = 20) -> None:
    """Add ``count`` players whose rating changed by ``change``."""
    store.execute(
        f"""
        insert into change by name
        select '2025-11' as month, 'standard' as time_control, 2000000 + n as fide_id, 1800 as old_rating,
            {games} as games, {k} as k, {100 * change} as change_hundredths, {change} as change,
            {1800 + change} as new_rating, 'rated' as status
        from range({count}) as numbers (n)
        """
    )


def add_six_months_before(store: Store, results: int) -> None:
    """Six lists more before the sample's own, and so many rated results on each list before November."""
    store.execute("delete from change where month < '2025-11'")
    store.execute(
        """
        insert into calculation
        select calculation.* replace (strftime('2025-09-01'::date - to_months(n::integer), '%Y-%m') as month)
        from calculation cross join range(1, 7) as numbers (n)
        where calculation.month = '2025-09'
        """
    )
    store.execute(
        """
        insert into publication by name
        select month, 1 as revision, 0 as calculation_no, '2025-08-01' as published_on, 0 as calculations,
            0 as last_source
        from calculation anti join publication using (month) where month < '2025-11'
        """
    )
    store.execute(
        "insert into current_revision by name select month from publication anti join current_revision using (month)"
    )
    store.execute(
        f"""
        insert into change by name
        select month, 'standard' as time_control, 1 as fide_id, 1800 as old_rating, {results} as games,
            20 as k, 0 as change_hundredths, 0 as change, 1800 as new_rating, 'rated' as status
        from calculation where month < '2025-11'
        """
    )


def test_every_question_is_tested_here() -> None:
    tried = {
        "large_change",
        "mean_change",
        "fewer_players",
        "unusual_counts",
        "many_masters",
        "early_list",
        "missing_month",
        "no_events",
        "other_family",
        "unlike_name",
        "pending_correction",
        "points_differ",
        "same_games",
        "fewer_games",
        "unfinished_event",
        "unplayed_games",
        "other_ratings",
        "other_days",
    }
    assert {query.code for query in ASKED} == tried


@pytest.mark.parametrize("month", MONTHS)
def test_the_sample_raises_no_question(month: str, store: Store) -> None:
    assert raised(store, month=Period.parse(month), with_names=True) == {}


def test_every_threshold_is_used_by_a_question_and_none_is_written_in_one() -> None:
    texts = "".join(query.text for query in ASKED)
    assert [name for name in asdict(DEFAULT) if f"${name}" not in texts] == []


@pytest.mark.parametrize(
    ("k", "games", "usual"), [(20, 9, 120), (40, 9, 240), (10, 9, 60), (35, 20, 313), (40, 4, 160), ("null", 9, 200)]
)
def test_a_change_beyond_what_k_and_games_give_is_a_question(
    store: Store, k: int | str, games: int, usual: int
) -> None:
    add_changes(store, 1, usual, games, k)
    assert raised(store) == {}
    add_changes(store, 1, -usual - 1, games, k)
    (one,) = raised(store).values()
    assert (one.code, one.count, one.rows[0]["change"]) == ("large_change", 1, -usual - 1)
    assert one.rows[0]["usual_up_to"] == usual
    assert one.sentence.endswith("gives: 4 standard deviations, or where K is not known 200 points?")


def test_a_large_change_is_shown_with_its_games(store: Store) -> None:
    found = raised(store, replace(DEFAULT, change_deviations=1))["large_change"].lines()
    assert found[1].strip() == (
        "time control standard, FIDE ID 900000129, name Ibarård, Wendel, federation ORV, old rating 1590, games 6, "
        "K 40, change 63, new rating 1653, usual up to 48, points 3.5 of 6, expected 1.92, events ORV25105 Afternoon "
        "Open, most unexpected round 4 of ORV25105, 1.0 where 0.17 was expected, opponent 900000044, opponent name "
        "Tärnerson, Quentin, opponent rating 1867"
    )


def test_one_large_change_among_ten_thousand_players_is_no_question(store: Store) -> None:
    add_changes(store, 10_000, 0)
    change_one = "update change set change = 201 where fide_id = 2000000 + $n"
    store.execute(change_one, n=1)
    assert "large_change" not in raised(store)
    store.execute(change_one, n=2)
    assert "large_change" in raised(store)


def test_the_threshold_of_the_office_counts(store: Store) -> None:
    add_changes(store, 1, 150)
    assert raised(store, replace(DEFAULT, change_deviations=5)) == {}
    assert "large_change" in raised(store, replace(DEFAULT, change_deviations=4))


@pytest.mark.parametrize("threshold", [1, LARGEST])
def test_the_largest_threshold_does_not_overflow(threshold: int, store: Store) -> None:
    add_changes(store, 1000, 0)
    raised(store, Thresholds(**dict.fromkeys(asdict(DEFAULT), threshold)))


def test_a_mean_change_beyond_3_is_a_question(store: Store) -> None:
    add_changes(store, 1000, -4)
    (one,) = raised(store).values()
    assert one.code == "mean_change"
    assert one.rows[0]["players"] > 1000
    assert one.rows[0]["mean_change_hundredths"] < -300


def test_a_mean_change_with_few_players_is_no_question(store: Store) -> None:
    add_changes(store, 60, -40)
    assert raised(store) == {}


@pytest.mark.parametrize(("half", "is_raised"), [(100, False), (300, False), (500, True)])
def test_a_mean_change_that_chance_gives_is_no_question(half: int, is_raised: bool, store: Store) -> None:
    """Half won 50, half lost 40: a mean of 5, and for 200, 600 and 1,000 players 1.6, 2.7 and 3.5 standard errors."""
    store.execute("update change set games = 1, k = null where month = '2025-11'")
    add_changes(store, half, 50)
    store.execute("update change set fide_id = fide_id + 1000000 where fide_id >= 2000000")
    add_changes(store, half, -40)
    assert ("mean_change" in raised(store)) == is_raised


def test_a_mean_change_of_players_with_few_games_is_no_question(store: Store) -> None:
    add_changes(store, 1000, -4, games=8)
    assert raised(store) == {}


def test_a_list_1_percent_smaller_is_a_question(store: Store) -> None:
    add_players(store, 1000, 1800, months="['2025-10']")
    (one,) = raised(store).values()
    assert (one.code, one.rows[0]["fewer"]) == ("fewer_players", 994)


def test_a_list_smaller_by_a_few_is_no_question(store: Store) -> None:
    add_players(store, 9, 1800, months="['2025-10']")
    assert raised(store) == {}


def test_a_list_smaller_by_half_a_percent_is_no_question(store: Store) -> None:
    add_players(store, 2000, 1800, months="['2025-10', '2025-11']")
    store.execute("delete from list_state where month = '2025-11' and fide_id between 1000000 and 1000012")
    assert raised(store) == {}


@pytest.mark.parametrize(("results", "is_raised"), [(2000, True), (10, True), (1000, False), (400, False)])
def test_counts_far_from_those_of_the_months_before_are_a_question(results: int, is_raised: bool, store: Store) -> None:
    """November has 676 results."""
    add_six_months_before(store, results)
    found = raised(store)
    assert ("unusual_counts" in found) == is_raised
    if is_raised:
        assert found["unusual_counts"].rows[0]["what"] == "results_rated"


def test_counts_are_compared_with_published_lists_only(store: Store) -> None:
    add_six_months_before(store, 2000)
    store.execute("delete from current_revision where month = '2025-04'")
    assert "unusual_counts" in raised(store, replace(DEFAULT, unusual_months=5))
    store.execute("delete from current_revision where month < '2025-09'")
    assert "unusual_counts" not in raised(store, replace(DEFAULT, unusual_months=5))


def test_counts_are_not_compared_with_fewer_than_six_months(store: Store) -> None:
    store.execute("update change set games = 100 * games where month = '2025-11' and status = 'rated'")
    assert "unusual_counts" not in raised(store)


def test_an_import_with_the_k_of_a_master_for_all_players_is_a_question(store: Store) -> None:
    add_players(store, 200, 1800, k=10, months="['2025-10', '2025-11']")
    (one,) = raised(store).values()
    assert (one.code, one.rows[0]["masters_far_below"]) == ("many_masters", 200)


def test_a_few_masters_whose_rating_fell_are_no_question(store: Store) -> None:
    add_players(store, 9, 2000, k=10, months="['2025-10', '2025-11']")
    assert raised(store) == {}


@pytest.mark.parametrize(("today", "is_early"), [("2025-10-28", True), ("2025-10-29", True), ("2025-10-30", False)])
def test_a_list_before_the_closing_date_has_passed_is_a_question(today: str, is_early: bool, store: Store) -> None:
    """The list of 2025-11 closes on 2025-10-29."""
    found = raised(store, today=date.fromisoformat(today))
    assert set(found) == ({"early_list"} if is_early else set())
    if is_early:
        assert found["early_list"].rows[0] == {"time_control": "blitz", "closing_date": "2025-10-29"}


def test_the_reason_for_an_early_list_answers_on_any_day(store: Store) -> None:
    first, second = (raised(store, today=date(2025, 10, day))["early_list"].digest for day in (20, 28))
    assert first == second


def test_a_month_before_that_is_not_published_is_a_question(store: Store) -> None:
    store.execute("delete from current_revision where month = '2025-10'")
    assert raised(store)["missing_month"].rows == [{"missing": "2025-10", "newest_before": "2025-09"}]


def test_an_imported_month_counts_as_published(store: Store) -> None:
    store.execute("delete from publication where month = '2025-10'")
    store.execute("update imported_list set month = '2025-10'")
    assert raised(store) == {}


def test_the_first_list_of_a_home_misses_no_month(store: Store) -> None:
    store.execute("delete from publication")
    store.execute("delete from imported_list")
    assert "missing_month" not in raised(store)


def test_a_list_that_rates_no_event_is_a_question_that_counts_the_others(store: Store) -> None:
    assert "no_events" not in raised(store)
    store.execute("update event set status = 'deferred' where status = 'rated' and month = '2025-11'")
    found = raised(store)
    (row,) = found["no_events"].rows
    assert row["deferred"] > 0
    assert row["events_known"] >= row["deferred"] + row["refused"]


def test_a_list_of_another_family_than_the_one_before_is_a_question(store: Store) -> None:
    store.execute("update calculation set family = 'course' where month = '2025-11'")
    (one,) = raised(store).values()
    assert one.code == "other_family"
    assert one.rows == [{"list_before": "2025-10", "family_before": "fide", "family": "course"}]


def test_an_imported_list_has_no_family(store: Store) -> None:
    store.execute("update calculation set family = 'course' where month = '2025-09'")
    assert raised(store, month=Period.parse("2025-09"), today=date(2025, 10, 1)) == {}


def test_a_name_that_is_not_the_registered_one_is_a_question(store: Store) -> None:
    assert "unlike_name" not in raised(store, with_names=True)
    (first,) = store.rows(
        "select any_value(report_no), min(line) from report_player semi join "
        "(select report_no from event join report using (report_id) "
        "where month = '2025-11' and status = 'rated' limit 1) using (report_no) "
        "where fide_id is not null"
    )
    store.execute(
        "update report_player set name = 'Quux, Ib' where report_no = $one and line = $line",
        one=first[0],
        line=first[1],
    )
    one = raised(store, with_names=True)["unlike_name"]
    assert (one.count, one.rows[0]["line"], one.rows[0]["name"]) == (1, first[1], "Quux, Ib")
    # What names a person, or says when they were born, stays in the office.
    assert set(one.as_fact()["found"]["rows"][0]) == {"event_id", "line", "fide_id", "fits"}  # type: ignore[index]  # JSON


def add_notes(store: Store, rule: str, lines: int) -> None:
    """Add notes to ``lines`` lines of the first report that November rates."""
    store.execute(
        """
        insert into finding by name
        select first.report_id, n as line, 81 as "column", '3' as value, $rule as rule, '2' as detail, 'noted' as effect
        from (
            select report_id from event where month = '2025-11' and status = 'rated' order by report_id limit 1
        ) as first cross join range($lines) as numbers (n)
        """,
        rule=rule,
        lines=lines,
    )


@pytest.mark.parametrize(("lines", "is_raised"), [(2, False), (300, True)])
def test_points_of_many_players_that_are_not_their_results_are_a_question(
    lines: int, is_raised: bool, store: Store
) -> None:
    add_notes(store, "points_differ", lines)
    assert ("points_differ" in raised(store)) == is_raised
    assert "points_differ" not in raised(store, replace(DEFAULT, points_percent=100_000))


def play_again(
    store: Store, event_id: str | None, month: str, other_results: int, games: int = 1000, start: str = "2025-09-02"
) -> tuple[str, int]:
    """Let another list rate an event that November rates too; return November's code and its games.

    ``event_id``: the other code; None: the same. ``other_results``: of how many games the results are others;
    ``games``: how many of the games the other has. The colours are exchanged, and the rounds have other numbers.
    """
    code, report_no, played = store.read(
        """
        select event.event_id, report_no, report.games from event join report using (report_id)
        where month = '2025-11' and status = 'rated' order by report.games desc, event.event_id limit 1
        """
    ).row(0)
    event_id = event_id or code
    store.execute(
        """
        insert into report by name
        select report.* replace ('again' as report_id, 90000 as report_no, $event as event_id,
            least(games, $games)::integer as games, $start::date as start_date, $start::date + 2 as end_date)
        from report where report_no = $report
        """,
        event=event_id,
        report=report_no,
        games=games,
        start=start,
    )
    store.execute(
        """
        insert into report_game by name
        select game.* exclude (number) replace (
            90000 as report_no, round + 20 as round, black_id as white_id, white_id as black_id,
            case when number <= $other then 7 else black_halves end as white_halves,
            case when number <= $other then 7 else white_halves end as black_halves)
        from (
            select *, row_number() over (order by round, white_id) as number from report_game where report_no = $report
        ) as game where number <= $games
        """,
        report=report_no,
        other=other_results,
        games=games,
    )
    store.execute(
        """
        insert into event by name
        select event.* replace ($month as month, $event as event_id, 'again' as report_id, 90000 as event_no)
        from event where month = '2025-11' and event_id = $code
        """,
        month=month,
        event=event_id,
        code=code,
    )
    return code, played


def test_an_event_that_an_earlier_list_has_rated_under_another_code_is_a_question(store: Store) -> None:
    code, games = play_again(store, "ORV25001", "2025-10", other_results=2)
    one = raised(store)["same_games"]
    assert one.rows[0] | {"days": ""} == {
        "event_id": code,
        "days": "",
        "games": games,
        "same_pairs": games,
        "same_games": games - 2,
        "other_event": "ORV25001",
        "other_days": "2025-09-02 to 2025-09-04",
        "rated_in": "2025-10",
    }
    assert "same_games" not in raised(store, month=Period.parse("2025-10"))


@pytest.mark.parametrize(
    ("event_id", "month", "other_results", "games", "start"),
    [
        pytest.param(
            "ORV25001", "2025-10", 30, 1000, "2025-09-02", id="the same pairings on other days, other results"
        ),
        pytest.param("ORV25001", "2025-10", 0, 3, "2025-09-02", id="three games"),
        pytest.param("ORV25001", "2025-12", 0, 1000, "2025-09-02", id="a later list"),
        pytest.param("ORV25001", "2025-10", 0, 1000, "2025-05-02", id="more than sixty days before"),
        pytest.param(None, "2025-10", 0, 1000, "2025-09-02", id="the same code, a slice"),
    ],
)
def test_what_may_be_two_events_is_no_question(
    event_id: str | None, month: str, other_results: int, games: int, start: str, store: Store
) -> None:
    play_again(store, event_id, month, other_results, games, start)
    assert "same_games" not in raised(store)


def test_games_that_count_in_another_report_are_no_question(store: Store) -> None:
    play_again(store, "ORV25001", "2025-10", other_results=0)
    store.execute("update side set reason = 'same_game' where month = '2025-11'")
    assert "same_games" not in raised(store)


@pytest.mark.parametrize("other_results", [50, 1000])
def test_the_pairs_of_an_event_of_the_same_days_are_a_question_whatever_the_results(
    other_results: int, store: Store
) -> None:
    store.execute("update report set start_date = '2025-11-01', end_date = '2025-11-03'")
    _, games = play_again(store, "ORV25001", "2025-10", other_results, start="2025-11-02")
    (event,) = raised(store)["same_games"].rows
    assert (event["same_pairs"], event["same_games"]) == (games, max(0, games - other_results))
    store.execute("update event set time_control = 'blitz' where report_id = 'again'")
    assert "same_games" not in raised(store)


def test_a_match_of_two_players_that_came_twice_is_a_question(store: Store) -> None:
    code, _ = play_again(store, "ORV25001", "2025-10", other_results=0, games=1)
    store.execute("update report set start_date = '2025-11-01', end_date = '2025-11-03'")
    players = "(select unnest([white_id, black_id]) from report_game where report_no = 90000)"
    event = "event_no = (select event_no from event where event_id = $code and month = '2025-11')"
    store.execute(
        f"delete from side where {event} and not (fide_id in {players} and opponent_id in {players})", code=code
    )
    for table, match in (("side", event), ("report_game", "report_no = 90000 or $code is null")):
        store.execute(
            f"insert into {table} by name select game.* replace (round + n as round) from {table} as game "
            f"cross join range(1, 4) as games (n) where {match}",
            code=code,
        )
    assert raised(store)["same_games"].rows[0]["same_pairs"] == 4


def test_part_of_an_event_under_another_code_is_a_question(store: Store) -> None:
    play_again(store, "ORV25001", "2025-10", other_results=0, games=4)
    assert raised(store)["same_games"].rows[0]["same_games"] == 4


def largest_report(store: Store) -> int:
    """The number of the report with the most games among those that November rates."""
    query = (
        "select report_no from event join report using (report_id) where month = '2025-11' and status = 'rated' "
        "order by report.games desc, report_no limit 1"
    )
    return int(store.read(query).item())


def add_version_before(store: Store, more_games: int) -> None:
    """Add an accepted version before that of the largest report, with so many games more in its last round."""
    report_no = largest_report(store)
    store.execute(
        "insert into report by name select report.* replace ('before' as report_id, 90000 as report_no, 0 as version, "
        "games + $more as games) from report where report_no = $report",
        more=more_games,
        report=report_no,
    )
    store.execute(
        """
        insert into report_game by name
        select game.* replace (90000 as report_no) from report_game as game where report_no = $report
        union all
        select 90000, last_round, null, 700 + n, 800 + n, 2, 0, 1, 1
        from range($more) as numbers (n) join report on report_no = $report
        """,
        more=more_games,
        report=report_no,
    )


@pytest.mark.parametrize("more_games", [0, 3])
def test_a_new_version_with_fewer_games_is_a_question_with_the_games_that_are_gone(
    more_games: int, store: Store
) -> None:
    add_version_before(store, more_games)
    doubt = raised(store).get("fewer_games")
    assert (doubt.count if doubt else 0) == more_games
    if doubt:
        assert doubt.rows[0]["games_before"] - doubt.rows[0]["games"] == more_games
        assert {row["white_id"] for row in doubt.rows} == {700, 701, 702}


def test_a_new_version_with_fewer_rounds_is_a_question(store: Store) -> None:
    add_version_before(store, 0)
    store.execute("update report set last_round = last_round + 1 where report_no = 90000")
    assert raised(store)["fewer_games"].count == 1


def test_a_version_that_was_refused_or_set_aside_is_not_compared(store: Store) -> None:
    add_version_before(store, 3)
    store.execute("update report set accepted = false where report_no = 90000")
    assert "fewer_games" not in raised(store)


@pytest.mark.parametrize(
    ("change", "announced_more"),
    [
        ("rounds = last_round", 0),
        ("rounds = last_round + 2", 2),
        ("event_type = 'roundrobin', players = last_round + 1 + (last_round + 1) % 2", 0),
        ("event_type = 'roundrobin', players = last_round + 5", None),
        ("event_type = 'double_roundrobin', players = last_round + 2", None),
    ],
)
def test_an_event_with_games_in_fewer_rounds_than_announced_is_a_question(
    change: str, announced_more: int | None, store: Store
) -> None:
    store.execute(f"update report set {change}, end_date = end_date + 2 where report_no = {largest_report(store)}")
    doubt = raised(store).get("unfinished_event")
    if announced_more == 0:
        assert doubt is None
        return
    assert doubt is not None
    (row,) = doubt.rows
    more = row["rounds_announced"] - row["rounds_with_games"]
    assert more == announced_more or (announced_more is None and more > 0)


@pytest.mark.parametrize(("games", "forfeits", "is_raised"), [(4, 5, True), (5, 5, False), (0, 3, False)])
def test_an_event_of_which_more_games_are_decided_without_play_than_played_is_a_question(
    games: int, forfeits: int, is_raised: bool, store: Store
) -> None:
    number = largest_report(store)
    store.execute(f"update report set games = {games}, forfeits = {forfeits} where report_no = {number}")
    assert ("unplayed_games" in raised(store)) == is_raised


def test_a_slice_that_ends_with_its_last_game_is_no_question(store: Store) -> None:
    number = f"report_no = {largest_report(store)}"
    store.execute(f"update report set rounds = last_round + 2, end_date = end_date + 2 where {number}")
    assert "unfinished_event" in raised(store)
    store.execute(f"update report_game set date = date + 2 where {number}")
    assert "unfinished_event" not in raised(store)


def test_the_rounds_of_an_event_in_slices_are_counted_together(store: Store) -> None:
    code, _ = play_again(store, None, "2025-10", other_results=0)
    store.execute(
        "update report set rounds = 2 * last_round, end_date = end_date + 2 where event_id = $code", code=code
    )
    # The other slice has as many rounds, with other numbers.
    assert "unfinished_event" not in raised(store)
    store.execute("delete from report_game where report_no = 90000")
    assert raised(store)["unfinished_event"].rows[0]["event_id"] == code


def test_days_of_a_manifest_that_are_not_those_of_the_report_are_a_question(store: Store) -> None:
    add_notes(store, "dates_outside", 1)
    assert "other_days" not in raised(store)
    store.execute(
        """
        update finding set value = event.start_date || ' to ' || event.end_date, detail = '2025-08-01 to 2025-08-03'
        from event where event.report_id = finding.report_id and rule = 'dates_outside'
        """
    )
    (row,) = raised(store)["other_days"].rows
    assert (row["starts"], row["ends"]) == ("2025-08-01", "2025-08-03")


@pytest.mark.parametrize(
    ("points", "of_whom", "is_raised"),
    [(30, "true", False), (-300, "true", True), (-300, "fide_id % 3 = 0", True), (-300, "fide_id % 12 = 0", False)],
)
def test_ratings_of_another_list_in_the_reports_are_a_question(
    points: int, of_whom: str, is_raised: bool, store: Store
) -> None:
    store.execute(f"update report_player set rating = rating + {points} where rating > 0 and {of_whom}")
    assert ("other_ratings" in raised(store)) == is_raised


def exchanged(store: Store) -> list[dict[str, object]]:
    asked = [query for query in queries() if query.code == "exchanged_ratings"]
    settings = Settings(store.home, "fide", date(2025, 12, 1))
    return [row for doubt in doubts_about(store, settings, NOVEMBER, asked=asked) for row in doubt.rows]


def test_ratings_of_two_players_that_are_exchanged_are_noted(store: Store) -> None:
    assert exchanged(store) == []
    report_no = largest_report(store)
    lines = store.rows(
        "select line, fide_id, rating from report_player where report_no = $report and rating > 0 "
        "order by rating, line",
        report=report_no,
    )
    (line, fide_id, rating), (other_line, other_id, other_rating) = lines[0], lines[-1]
    for changed, written in ((line, other_rating), (other_line, rating)):
        store.execute(
            "update report_player set rating = $rating where report_no = $report and line = $line",
            rating=written,
            report=report_no,
            line=changed,
        )
    (row,) = exchanged(store)
    assert {row["fide_id"], row["other_id"]} == {fide_id, other_id}


def add_correction(store: Store, number: int, action: str, first_month: str, undoes: int | None = None) -> None:
    """Add a correction that no list was calculated with."""
    store.execute(
        """
        insert into correction by name
        select $number as correction_no, 0 as source_no, $action as action, 'ORV25081' as event_id, 1 as round,
            11 as white_id, 12 as black_id, '1-0' as result, $undoes as undoes, 'why' as reason, 'who' as who,
            '2025-12-01'::date as reported_on, '2025-12-01'::date as known_on, $first_month as first_month
        """,
        number=number,
        action=action,
        first_month=first_month,
        undoes=undoes,
    )


def test_a_correction_that_is_not_in_the_list_is_a_question(store: Store) -> None:
    add_correction(store, 1, "change_result", "2025-10")
    assert raised(store, month=Period.parse("2025-09")) == {}
    for month in ("2025-10", "2025-11"):
        (one,) = raised(store, month=Period.parse(month)).values()
        assert one.lines()[1].strip() == (
            "correction 1, what change result ORV25081 round 1 11 - 12 1-0, made on 2025-12-01, first list 2025-10, "
            "to include it ratinglist rerate --from 2025-10"
        )
    add_correction(store, 2, "undo", "2025-10", undoes=1)
    assert raised(store) == {}


def test_a_correction_that_the_list_was_calculated_with_is_no_question(store: Store) -> None:
    add_correction(store, 1, "change_result", "2025-10")
    store.execute("update calculation_made set last_correction = 1 where month = '2025-10'")
    assert raised(store) == {}


def test_corrected_data_are_on_every_list_that_is_calculated_since(store: Store) -> None:
    add_correction(store, 1, "change_data", "2025-10")
    assert "to include it ratinglist rerate --from 2025-10" in raised(store)["pending_correction"].lines()[1]
    store.execute("update calculation_made set last_correction = 1 where month = '2025-11'")
    assert raised(store) == {}
    assert "pending_correction" in raised(store, month=Period.parse("2025-10"))
