"""Every check of sql/checks passes on the sample and finds a planted fault."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CheckError
from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.publication import checks
from ratinglist.publication.checks import Offence
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.store.calculations import calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import GAME
from ratinglist.workflows import publish
from tests.conftest import MONTHS, office, rate_sample
from tests.sql.conftest import as_tables
from tests.stores import open_store

CHECKS = {path.stem: path for path in resources.sql("checks").glob("*.sql") if not path.stem.startswith("system_")}
"""Those of other systems are tested with their homes."""
PREPARED = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("checks").glob("prepared/*.sql"))
}
FIGURES = "figures_follow_from_the_games"
"""The check of the program itself: the figures calculated again."""
NOVEMBER = Period.parse("2025-11")
NOVEMBERS = "month = '2025-11'"
ONE_EVENT = f"(select min(event_no) from side where k is not null and {NOVEMBERS})"
ONE_PLAYER = f"(select min(fide_id) from side where k is not null and {NOVEMBERS} and event_no = {ONE_EVENT})"
ONE_SIDE = (
    f"{NOVEMBERS} and event_no = {ONE_EVENT} and fide_id = {ONE_PLAYER} and round = "
    f"(select min(round) from side where k is not null and {NOVEMBERS} and event_no = {ONE_EVENT} "
    f"and fide_id = {ONE_PLAYER})"
)

FAULTS = {
    "change_within_k_times_games": "update change set change_hundredths = 100 * k * games + 1 "
    "where month = '2025-11' and status = 'rated'",
    "entries_add_up": "update entry set published = false where month = '2025-11'",
    "entries_between_floor_and_cap": "update entry set computed_rating = 2201 where month = '2025-11' and published",
    "every_game_from_both_sides": f"delete from side where {NOVEMBERS} and is_white and round = 1",
    "games_received_add_up": "update event set games = games + 1 where month = '2025-11' and status = 'rated'",
    "k_is_in_the_rule_set": f"update side set k = 15 where {NOVEMBERS} and k = 20",
    "old_rating_is_on_a_list_before": "update change set old_rating = old_rating + 1 where month = '2025-11' "
    "and status = 'rated'",
    "no_change_without_games": f"update side set change_hundredths = null where {NOVEMBERS}",
    "no_list_before_was_rolled_back": "insert into rolled_back values "
    "(1, '2025-10', 1, 2, '', '', 'a wrong result', '', '2025-11-02')",
    "pool_follows_from_the_results": "delete from pool where month = '2025-11'",
    "reason_is_the_one_due": f"update side set reason = 'rating_gap' where {NOVEMBERS} and reason = 'opponent_unrated'",
    "rated_or_a_reason": f"update side set reason = 'opponent_unrated' where {NOVEMBERS} and k is not null",
    "rated_only_against_rated": f"update side set opponent_rating = null where {NOVEMBERS} and k is not null",
    "new_rating_is_on_the_list": "update list_state set rating = rating + 1 where month = '2025-11'",
    "rating_without_games_is_unchanged": "delete from change where month = '2025-11' and change > 0",
    "score_is_the_one_reported": "update report_game set white_halves = 0, black_halves = 2 where report_no in "
    "(select report_no from event join report using (report_id) where month = '2025-11')",
    "players_add_up": "delete from list_state where month = '2025-11' and rating = "
    "(select max(rating) from list_state where month = '2025-11')",
    "one_row_each": "insert into list_state select * from list_state where month = '2025-11' limit 1",
    "no_game_rated_twice": "insert into event select '2025-11' as month, * exclude (month) from event "
    "where month = '2025-10' and status = 'rated' limit 1",
    "state_follows_from_the_list_before": "update list_state set games_played = games_played + 1 "
    "where month = '2025-11' and games > 0",
    "list_before_is_current": "update standing_calculation set calculation_id = 'another' where month = '2025-10'",
    "every_listed_player_is_known": "delete from player where fide_id in "
    "(select fide_id from list_state where month = '2025-11' and rating > 2600)",
}


FIGURES_READ = ("earlier", "earlier_list", "entry_counted", "in_event", "player_totals", "tranche")
"""The prepared tables that :func:`checks.differing_figures` reads, and those that they are made from."""


def tables_of(text: str) -> set[str]:
    """Return the prepared tables that a query reads, and those that they are made from."""
    named = {name for name in re.findall(r"\w+", text) if name in PREPARED}
    return named.union(*(tables_of(PREPARED[name]) for name in named if PREPARED[name] != text))


def offences(store: Store, *names: str, month: Period = NOVEMBER, players: pl.DataFrame | None = None) -> list[Offence]:
    queries = [CHECKS[name] for name in names if name != FIGURES]
    only = {table for query in queries for table in tables_of(query.read_text(encoding="utf-8"))}
    if FIGURES in names:
        only |= {table for name in FIGURES_READ for table in {name, *tables_of(PREPARED[name])}}
    with checks.prepared(store, month, players, only=only if names else None):
        figures = checks.differing_figures(store, month) if FIGURES in names or not names else []
        return [*figures, *(checks.offences(store, month, queries) if queries or not names else [])]


@pytest.fixture(scope="module")
def november_players(whole: Store) -> pl.DataFrame:
    """The players as the list of November knows them; they are read again where a fault changes them."""
    return players_of(whole, NOVEMBER)


def planted(store: Store, check: str, fault: str, players: pl.DataFrame) -> Offence:
    """Plant a fault, and return what the one check finds that finds it."""
    store.execute(fault)
    (offence,) = offences(store, check, players=None if re.search(r"\bplayer\b", fault) else players)
    assert offence.check == check
    return offence


def test_every_check_has_a_planted_fault() -> None:
    assert set(FAULTS) == set(CHECKS)
    assert FIGURES in {check for check, _ in MORE_FAULTS.values()}


@pytest.mark.parametrize("month", MONTHS)
def test_every_check_passes_on_the_sample(month: str, store: Store) -> None:
    assert offences(store, month=Period.parse(month)) == []


@pytest.mark.parametrize("check", sorted(FAULTS))
def test_a_planted_fault_is_found(check: str, store: Store, november_players: pl.DataFrame) -> None:
    offence = planted(store, check, FAULTS[check], november_players)
    assert offence.count >= 1
    assert offence.why


def test_a_fault_stops_the_publication_and_says_what_it_found(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(rated.store) as store:
        found = calculation(store, NOVEMBER)
        assert found is not None
        games = found.folder.path / "games.parquet"
    games.chmod(0o644)
    write_parquet(games, GAME, pl.read_parquet(games, glob=False).with_columns(pl.col("k").replace(40, 10)))
    # As if the program had calculated it so.
    monkeypatch.setattr(CalculationFolder, "check_unaltered", lambda _: None)
    with pytest.raises(
        CheckError, match=r"figures_follow_from_the_games \([\d,]+ rows\): Every rating, and every figure"
    ):
        publish.publish(rated, NOVEMBER)


QUERIES = sorted(path for kind in ("checks", "questions") for path in resources.sql(kind).glob("*.sql"))
ENGINEERING = re.compile(
    r"\b(bits?|hash\w*|digest\w*|summed|sorted|join\w*|nulls?|prepared|rows?|columns?|slices?)\b|\w_\w"
)


def test_the_first_sentence_of_a_comment_is_what_an_officer_reads() -> None:
    text = "-- K is the one due: half up,\n-- for 2.5 too. Hashes are summed.\n-- Rows are sorted.\nselect 1"
    assert checks.first_sentence(text) == "K is the one due: half up, for 2.5 too."
    assert checks.first_sentence("-- Where are they? Not here.\nselect 1") == "Where are they?"


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_an_officer_reads_one_plain_sentence(path: Path) -> None:
    sentence = checks.first_sentence(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"[A-Z].*[^.?][.?]", sentence)
    assert sentence.endswith("?" if path.parent.name == "questions" else ".")
    assert len(sentence) <= 200
    # A question names its thresholds, which are filled in.
    assert ENGINEERING.findall(re.sub(r"\{\w+\}", "2", sentence)) == []


MORE_FAULTS = {
    "a change that is not K times the score beyond the expected score": (
        FIGURES,
        f"update side set change_hundredths = change_hundredths + k where {NOVEMBERS} and k is not null",
    ),
    "one game changes by a hundredth more": (
        FIGURES,
        f"update side set change_hundredths = change_hundredths + 1 where {NOVEMBERS} and k is not null and {ONE_SIDE}",
    ),
    "a change that is not the sum of the games": (
        FIGURES,
        "update change set change_hundredths = change_hundredths + 1 where month = '2025-11' and status = 'rated'",
    ),
    "a change rounded to another number": (
        FIGURES,
        "update change set change = change + 1 where month = '2025-11' and status = 'rated'",
    ),
    "a new rating that is not the old one and the change": (
        FIGURES,
        "update change set new_rating = new_rating - 1 where month = '2025-11' and status = 'rated'",
    ),
    "delisted above the floor": (
        FIGURES,
        "update change set status = 'delisted' where month = '2025-11' and status = 'rated'",
    ),
    "an entry of more games": (FIGURES, "update entry set games = games + 1 where month = '2025-11'"),
    "an entry by another share of the points": (
        FIGURES,
        "update entry set dp = dp + 100, p_hundredths = 99 where month = '2025-11' and published",
    ),
    "an entry with another reason": (
        FIGURES,
        "update entry set reason = 'below_floor' where month = '2025-11' and reason = 'too_few_games'",
    ),
    "a difference that was cut": (
        FIGURES,
        f"update side set difference_used = 0 where {NOVEMBERS} and reason = ''",
    ),
    "a K of a master for juniors": (FIGURES, f"update side set k = 10 where {NOVEMBERS} and k = 40"),
    "the K published is another's": (
        FIGURES,
        "update change set k = 5 where month = '2025-11' and k = 20",
    ),
    "the games shown of one player are others": (
        "state_follows_from_the_list_before",
        "update list_state set games = 99 where month = '2025-11' and fide_id = "
        "(select min(fide_id) from list_state where month = '2025-11' and rating is not null)",
    ),
    "a result waits with more games": (
        "pool_follows_from_the_results",
        "update pool set games = games + 3 where month = '2025-11'",
    ),
    "a result waits too long": (
        "pool_follows_from_the_results",
        "update pool set expires_month = '2030-01' where month = '2025-11'",
    ),
    "a result counted earlier waits no longer": (
        "pool_follows_from_the_results",
        "delete from pool where month = '2025-11' and counted_month < '2025-11'",
    ),
    "a result waits under another player": (
        "pool_follows_from_the_results",
        "update pool set fide_id = fide_id + 1 where month = '2025-11'",
    ),
    "one result of a report is another": (
        "score_is_the_one_reported",
        "update report_game set white_halves = 2 - white_halves, black_halves = 2 - black_halves "
        "where white_halves <> 1 and round = 1 and report_no = "
        "(select min(report_no) from event join report using (report_id) where month = '2025-11' and status = 'rated')",
    ),
    "an expected score that is not the table's": (
        FIGURES,
        f"update side set expected_hundredths = expected_hundredths - 1 where {NOVEMBERS} and difference_used > 0",
    ),
    "a reason though both are rated": (
        "reason_is_the_one_due",
        f"update side set reason = 'opponent_unrated' where {NOVEMBERS} and reason = ''",
    ),
    "entered by another method": (
        FIGURES,
        "update entry set computed_rating = computed_rating + 1 where month = '2025-11' and published",
    ),
    "who entered has games of the pool in this period": (
        "entries_add_up",
        "update change set games = games + 1 where month = '2025-11' and status = 'entered'",
    ),
    "more than K for one game": (
        "change_within_k_times_games",
        f"update side set change_hundredths = 100 * k + 1 where {NOVEMBERS} and k is not null",
    ),
    "two K in one event": (
        "k_is_in_the_rule_set",
        f"update side set k = 10 where {NOVEMBERS} and k = 20 and round = 1",
    ),
    "a K of the list that is none": (
        "k_is_in_the_rule_set",
        "update list_state set k = 15 where month = '2025-11' and k = 20",
    ),
    "the K of the list is another's": (
        FIGURES,
        "update list_state set k = 10 where month = '2025-11' and k = 40",
    ),
    "2400 was never reached": (
        "state_follows_from_the_list_before",
        "update list_state set reached_2400 = true where month = '2025-11'",
    ),
    "2300 was reached by one who did not play": (
        "state_follows_from_the_list_before",
        "update list_state set reached_2300 = true where month = '2025-11' and fide_id = "
        "(select min(fide_id) from list_state where month = '2025-11' and games = 0 and not reached_2300)",
    ),
    "a game played went from one who did not play to another": (
        "state_follows_from_the_list_before",
        "update list_state set games_played = games_played + case when fide_id % 2 = 0 then 1 else -1 end "
        "where month = '2025-11' and games = 0 and rating is not null and fide_id in ("
        "select min(fide_id) from list_state where month = '2025-11' and games = 0 and rating is not null "
        "group by fide_id % 2)",
    ),
    "a new player lost a game of the initial rating": (
        "state_follows_from_the_list_before",
        "update list_state set games_played = games_played - 1 where month = '2025-11' and fide_id = "
        "(select min(fide_id) from change where month = '2025-11' and status = 'entered')",
    ),
    "the K of one player of the list is another's": (
        FIGURES,
        "update list_state set k = case when k = 20 then 40 else 20 end where month = '2025-11' and fide_id = "
        "(select min(fide_id) from list_state where month = '2025-11' and k is not null)",
    ),
    "two who did not play have each other's rating": (
        "rating_without_games_is_unchanged",
        "update list_state set rating = (select min(rating) + max(rating) from list_state where month = '2025-11' "
        "and games = 0) - rating where month = '2025-11' and fide_id in (select unnest([arg_min(fide_id, rating), "
        "arg_max(fide_id, rating)]) from list_state where month = '2025-11' and games = 0 and rating is not null)",
    ),
    "one who did not play is gone from the list": (
        "rating_without_games_is_unchanged",
        "delete from list_state where month = '2025-11' and fide_id = "
        "(select min(fide_id) from list_state where month = '2025-11' and games = 0 and rating is not null)",
    ),
    "one new rating is another on the list": (
        "new_rating_is_on_the_list",
        "update list_state set rating = rating + 1 where month = '2025-11' and fide_id = "
        "(select min(fide_id) from change where month = '2025-11' and status = 'rated')",
    ),
    "rounded towards zero": (
        FIGURES,
        "update change set change = change_hundredths // 100 where month = '2025-11' and status = 'rated'",
    ),
    "added to another rating": (
        "old_rating_is_on_a_list_before",
        "update change set old_rating = old_rating + 1, new_rating = new_rating + 1 "
        "where month = '2025-11' and status = 'rated'",
    ),
    "listed below the floor": (
        "entries_between_floor_and_cap",
        "update list_state set rating = 1399 where month = '2025-11' and rating is not null",
    ),
    "entered with too few games": (
        "entries_between_floor_and_cap",
        "update entry set games = 4 where month = '2025-11' and published",
    ),
    "entered with another rating": (
        "entries_add_up",
        "update change set new_rating = new_rating + 1 where month = '2025-11' and status = 'entered'",
    ),
    "entered without an entry": (
        "entries_add_up",
        "update entry set published = false where month = '2025-11' and published",
    ),
    "an average of other opponents": (
        FIGURES,
        "update entry set opponent_average = opponent_average + 1 where month = '2025-11'",
    ),
    "a rated player without games": (
        "no_change_without_games",
        "update change set games = 0 where month = '2025-11' and status = 'rated'",
    ),
    "one opponent was counted with another rating": (
        "rated_only_against_rated",
        f"update side set opponent_rating = opponent_rating + 1 where {NOVEMBERS} and k is not null and {ONE_SIDE}",
    ),
    "one opponent was counted with none": (
        "rated_only_against_rated",
        f"update side set opponent_rating = null where {NOVEMBERS} and k is not null and {ONE_SIDE}",
    ),
    "one player has another rating in an event, and the opponents agree": (
        "rated_only_against_rated",
        f"update side set rating = rating + (fide_id = {ONE_PLAYER})::integer, "
        f"opponent_rating = opponent_rating + (opponent_id = {ONE_PLAYER})::integer where event_no = {ONE_EVENT}",
    ),
    "one listed player is not registered": (
        "every_listed_player_is_known",
        "delete from player where fide_id = (select max(fide_id) from list_state where month = '2025-11' "
        "and rating is not null)",
    ),
    "one player changed by more than K times the games": (
        "change_within_k_times_games",
        "update change set change_hundredths = 100 * k * games + 1 where month = '2025-11' and fide_id = "
        "(select min(fide_id) from change where month = '2025-11' and status = 'rated' and k is not null)",
    ),
    "a new player is missing in the changes": (
        "state_follows_from_the_list_before",
        "delete from change where month = '2025-11' and fide_id = "
        "(select min(fide_id) from change where month = '2025-11' and status = 'entered')",
    ),
    "a rating without K": (
        "k_is_in_the_rule_set",
        "update list_state set k = null where month = '2025-11' and fide_id = "
        "(select min(fide_id) from list_state where month = '2025-11' and rating is not null)",
    ),
    "an opponent too far away, both rated": (
        FIGURES,
        f"update side set rating = opponent_rating + 900, difference_used = 900 where {NOVEMBERS} and k is not null "
        f"and {ONE_SIDE}",
    ),
    "one side changed though it has a reason": (
        "rated_or_a_reason",
        f"update side set change_hundredths = 0 where {NOVEMBERS} and reason = 'opponent_unrated' and round = 1",
    ),
    "rated with another rating of the player": (
        "rated_only_against_rated",
        f"update side set rating = rating + 100 where {NOVEMBERS} and k is not null",
    ),
}


@pytest.mark.parametrize("fault", MORE_FAULTS)
def test_another_fault_is_found(fault: str, store: Store, november_players: pl.DataFrame) -> None:
    check, statement = MORE_FAULTS[fault]
    assert planted(store, check, statement, november_players).check == check


def test_unrated_opponents_counted_as_2000_are_found(store: Store) -> None:
    """The list of January 2003: games against players of no list were rated as if these had 2000."""
    store.execute(
        f"""
        update side set opponent_rating = 2000, reason = '', k = 20, difference_used = 0, expected_hundredths = 50,
            change_hundredths = 20 * (50 * score_halves - 50)
        where {NOVEMBERS} and reason = 'opponent_unrated' and rating is not null
        """
    )
    (offence,) = offences(store, "rated_only_against_rated")
    assert offence.count > 0
    assert {row["counted_with"] for row in offence.rows} == {2000}
    assert {row["rating_at_the_start"] for row in offence.rows} == {None}


def test_unrated_opponents_counted_as_2000_for_an_entry_are_found(store: Store) -> None:
    """The same list: unrated players entered by results against players taken for 2000."""
    store.execute(f"update side set opponent_rating = 2000 where {NOVEMBERS} and reason = 'counts_for_entry'")
    found = {one.check: one.count for one in offences(store, "rated_only_against_rated", FIGURES)}
    assert sorted(found) == [FIGURES, "rated_only_against_rated"]


QUARTER = [
    "update side set k = 10, change_hundredths = 10 * (50 * score_halves - expected_hundredths) "
    f"where {NOVEMBERS} {{}}",
    """
    update change set k = summed.k, change_hundredths = summed.hundredths,
        change = sign(summed.hundredths) * ((abs(summed.hundredths) + 50) // 100),
        new_rating = old_rating + sign(summed.hundredths) * ((abs(summed.hundredths) + 50) // 100)
    from (
        select fide_id, sum(change_hundredths)::bigint as hundredths, case when min(k) = max(k) then min(k) end as k
        from side join event using (month, event_no)
        where event.month = '2025-11' and change_hundredths is not null
        group by fide_id
    ) as summed
    where change.month = '2025-11' and change.fide_id = summed.fide_id and status <> 'entered'
    """,
    """
    update list_state set rating = change.new_rating from change
    where list_state.month = '2025-11' and change.month = '2025-11' and change.fide_id = list_state.fide_id
    """,
]


def divide_k_by_four(store: Store, whom: str) -> None:
    """A K four times too small, and every sum after it made to fit."""
    for statement in QUARTER:
        store.execute(statement.format(whom))


def test_a_k_four_times_too_small_is_found_though_every_sum_fits(store: Store) -> None:
    divide_k_by_four(store, "and k = 40")
    assert [one.check for one in offences(store)] == [FIGURES]


def test_a_k_four_times_too_small_is_found_where_all_players_have_it(store: Store) -> None:
    divide_k_by_four(store, "and k is not null")
    store.execute("update list_state set k = 10 where rating is not null")
    found = {one.check: one for one in offences(store)}
    assert sorted(found) == [FIGURES]
    assert {(row["figure"], row["published"]) for row in found[FIGURES].rows} == {("k", 10)}


TWICE = {
    "side": f"insert into side select * from side where {NOVEMBERS} limit 1",
    "side, out of the order they are kept in": f"insert into side select * from side where {NOVEMBERS} "
    "order by event_no desc, round desc, fide_id desc limit 1",
    "change": "insert into change select * from change where month = '2025-11' limit 1",
    "pool": "insert into pool select * from pool where month = '2025-11' limit 1",
}


@pytest.mark.parametrize("table", TWICE)
def test_a_repeated_row_is_found_in_every_table(table: str, store: Store) -> None:
    store.execute(TWICE[table])
    (offence,) = offences(store, "one_row_each")
    assert (offence.count, offence.rows[0]["rows"]) == (1, 2)


def test_rows_in_another_order_pass(store: Store) -> None:
    for table, key in (("side", "event_no, round, fide_id"), ("list_state", "month, time_control, fide_id")):
        store.execute(f"create table kept as select * from {table} order by ({key}) desc")
        store.execute(f"delete from {table}")
        store.execute(f"insert into {table} select * from kept")
        store.execute("drop table kept")
    assert offences(store) == []


def test_a_game_with_two_white_players_is_found(store: Store) -> None:
    store.execute(
        f"update side set is_white = true where {NOVEMBERS} and round = 1 and fide_id = "
        f"(select min(fide_id) from side where {NOVEMBERS} and round = 1 and not is_white)"
    )
    (offence,) = offences(store, "every_game_from_both_sides")
    assert offence.count == 2


def test_the_checks_follow_the_rules_of_the_list(tmp_path: Path) -> None:
    """By the rules of the course a change is rounded event by event, and a junior judged on each event's first day."""
    settings = office(tmp_path / "home", "course")
    rate_sample(settings, MONTHS[:1])
    fault = "update side set k = 20 where k = 40"
    with open_store(settings.store) as course, course.trial():
        as_tables(course)
        september = Period.parse("2025-09")
        assert offences(course, FIGURES, month=september) == []
        course.execute(fault)
        (offence,) = offences(course, FIGURES, month=september)
    assert offence.count > 1
