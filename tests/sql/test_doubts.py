"""What stops a publication finds nothing in the sample, and a planted fault in its tables."""

from __future__ import annotations

import re
from datetime import date

import polars as pl
import pytest

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication.doubts import Query, doubts_about, named, queries
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import published_table
from ratinglist.workflows import publish
from tests.conftest import MONTHS
from tests.stores import open_store

NOVEMBER = Period.parse("2025-11")
NOVEMBERS = "month = '2025-11'"
RATED = f"{NOVEMBERS} and status = 'rated'"
UNPUBLISHED = f"delete from current_revision where {NOVEMBERS}"
ONE_EVENT = f"(select min(event_no) from side where k is not null and {NOVEMBERS})"
ONE_PLAYER = f"(select min(fide_id) from side where k is not null and {NOVEMBERS} and event_no = {ONE_EVENT})"
ONE_SIDE = f"{NOVEMBERS} and event_no = {ONE_EVENT} and fide_id = {ONE_PLAYER}"
IDLE = (
    f"fide_id = (select min(fide_id) from list_state where {NOVEMBERS} and games = 0 and rating is not null "
    "and not reached_2300)"
)


FAULTS = {
    "change_is_the_sum_of_its_games": [
        f"update side set change_hundredths = 100 * k + 1 where {NOVEMBERS} and k is not null",
        f"update side set change_hundredths = change_hundredths + 1 where {ONE_SIDE}",
        f"update change set change_hundredths = change_hundredths + 1 where {RATED}",
        f"update change set change = change_hundredths // 100 where {RATED}",
        f"update change set k = 5 where {NOVEMBERS} and k = 20",
        f"update change set games = 0 where {RATED}",
        f"update side set change_hundredths = null where {NOVEMBERS}",
    ],
    "counts_add_up": [
        f"delete from side where {NOVEMBERS} and is_white and round = 1",
        f"update event set games = games + 1 where {RATED}",
        f"insert into side select * from side where {NOVEMBERS} limit 1",
    ],
    "entries_are_on_the_list": [
        f"update entry set published = false where {NOVEMBERS}",
        f"update entry set computed_rating = computed_rating + 1 where {NOVEMBERS} and published",
        f"update entry set games = 4 where {NOVEMBERS} and published",
        f"update entry set computed_rating = 2201 where {NOVEMBERS} and published; "
        f"update change set new_rating = 2201 where {NOVEMBERS} and status = 'entered'",
    ],
    "games_are_those_reported": [
        "update report_game set white_halves = 2 - white_halves, black_halves = 2 - black_halves "
        "where white_halves <> 1 and round = 1 and report_no = "
        f"(select min(report_no) from event join report using (report_id) where {RATED})",
        f"update side set is_white = not is_white where {NOVEMBERS} and round = 1",
    ],
    "k_is_in_the_rule_set": [
        f"update side set k = 15 where {NOVEMBERS} and k = 20",
        f"update side set k = 10 where {NOVEMBERS} and k = 20 and round = 1",
        f"update list_state set k = 15 where {NOVEMBERS} and k = 20",
        f"update list_state set k = null where {NOVEMBERS} and {IDLE}",
    ],
    "calculated_before_undone": [
        f"{UNPUBLISHED}; update event set report_id = 'another' where month = '2025-11'",
        f"{UNPUBLISHED}; update calculation_input set digest = 'another' where month = '2025-11' and kind = 'players'",
    ],
    "list_before_is_current": ["update calculation set calculation_id = 'another' where month = '2025-10'"],
    "list_before_was_withdrawn": [
        "insert into withdrawn_month select '2025-10', 1, 1, 'a wrong result', '2025-11-02'; "
        "update calculation set is_standing = false where month = '2025-10'"
    ],
    "list_follows_from_the_changes": [
        f"update change set old_rating = old_rating + 1, new_rating = new_rating + 1 where {RATED}",
        f"update change set new_rating = new_rating - 1 where {RATED}",
        f"update change set status = 'delisted' where {RATED}",
        f"delete from change where {NOVEMBERS} and change > 0",
        f"delete from change where {NOVEMBERS} and status = 'entered'",
        f"update list_state set rating = rating + 1 where {NOVEMBERS}",
        f"update list_state set rating = 1399 where {NOVEMBERS} and {IDLE}",
        f"delete from list_state where {NOVEMBERS} and {IDLE}",
        f"update list_state set games = 99 where {NOVEMBERS} and {IDLE}",
        f"update list_state set games_played = games_played + 1 where {NOVEMBERS} and {IDLE}",
        f"update list_state set reached_2300 = true where {NOVEMBERS} and {IDLE}",
        f"update entry set games = games + 1 where {NOVEMBERS}",
    ],
    "list_was_withdrawn": [
        "insert into withdrawn_month select '2025-11', 1, 1, 'a wrong result', '2025-12-02'; "
        "update calculation set is_standing = false where month = '2025-11'"
    ],
    "no_game_rated_twice": [
        "insert into event select '2025-11' as month, * exclude (month) from event "
        "where month = '2025-10' and status = 'rated' limit 1"
    ],
    "no_list_before_was_rolled_back": [
        "insert into rolled_back values (1, '2025-10', 1, 2, '', '', 'a wrong result', '', '2025-11-02')"
    ],
    "rated_or_a_reason": [
        f"update side set reason = 'opponent_unrated' where {NOVEMBERS} and reason = ''",
        f"update side set change_hundredths = 0 where {NOVEMBERS} and reason = 'opponent_unrated' and round = 1",
        f"update event set reason = 'time_limit' where {RATED}",
    ],
    "ratings_are_of_a_list": [
        f"update side set opponent_rating = null where {ONE_SIDE}",
        f"update side set opponent_rating = opponent_rating + 1 where {ONE_SIDE}",
        f"update side set rating = rating + 100 where {ONE_SIDE}",
        # One player has another rating in an event, and the opponents agree.
        f"update side set rating = rating + (fide_id = {ONE_PLAYER})::integer, "
        f"opponent_rating = opponent_rating + (opponent_id = {ONE_PLAYER})::integer where event_no = {ONE_EVENT}",
        # The list of January 2003: games against players of no list were rated as if these had 2000.
        f"update side set opponent_rating = 2000 where {NOVEMBERS} and reason = 'opponent_unrated'",
        f"update side set opponent_rating = 2000 where {NOVEMBERS} and reason = 'counts_for_entry'",
    ],
}
"""By doubt, statements that plant what it is for. What only a second calculation finds: OTHER_FIGURES."""

OTHER_FIGURES = {
    "changes": pl.col("k").replace(40, 20),
    "entries": pl.col("opponent_average") + 1,
    "games": pl.col("difference_used") * 0,
    "pool": pl.col("expires_month").str.replace("2", "3"),
    "state": pl.col("k").replace(40, 20),
}
"""By table, a figure that no sum shows to be wrong: a second calculation does."""


def raised(store: Store, code: str, month: Period = NOVEMBER) -> list[str]:
    settings = Settings(store.home, "fide", date(2025, 12, 1))
    return [doubt.code for doubt in doubts_about(store, settings, month, asked=[named(code)])]


def test_every_doubt_that_stops_has_a_planted_fault() -> None:
    of_systems = {"reference_list_is_current"}
    assert {query.code for query in queries() if query.kind == "stop"} == set(FAULTS) | of_systems


@pytest.mark.parametrize("month", MONTHS)
def test_nothing_stops_the_sample(month: str, store: Store) -> None:
    assert [code for code in FAULTS if raised(store, code, Period.parse(month))] == []


@pytest.mark.parametrize(("code", "fault"), [(code, fault) for code, faults in FAULTS.items() for fault in faults])
def test_a_planted_fault_is_found(code: str, fault: str, store: Store) -> None:
    for statement in fault.split("; "):
        store.execute(statement)
    assert raised(store, code) == [code]


def altered(folder: CalculationFolder, table: str, figure: pl.Expr) -> None:
    """Change a figure in a file of a calculation."""
    path = folder.private("state") if table == "state" else folder.path / f"{table}.parquet"
    rows = folder.read_state().drop("month") if table == "state" else folder.read_table(table)
    path.chmod(0o644)
    if table == "state":
        rows.with_columns(figure).write_parquet(path)
    else:
        write_parquet(path, published_table(table, rows.schema), rows.with_columns(figure))


@pytest.mark.asks_only("same_again")
@pytest.mark.parametrize("table", OTHER_FIGURES)
def test_another_process_that_calculated_another_figure_is_found(
    table: str, rated: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(rated.store) as store:
        folder = current_calculation(store, NOVEMBER).folder
    altered(folder, table, OTHER_FIGURES[table])
    # As if the program had calculated it so.
    monkeypatch.setattr(CalculationFolder, "check_unaltered", lambda _: None)
    with pytest.raises(CheckError, match=rf"same_again: [^\n]+\n +table {table}"):
        publish.publish(rated, NOVEMBER)


def test_a_header_says_kind_sentence_time_and_remedy() -> None:
    text = "-- ask: Is it right\n-- that {n} are?\n-- when: import-list publish\n-- remedy: ratinglist rate {month}\n"
    query = Query.parse("much", f"{text}--\n-- For engineers.\nselect 1")
    assert (query.kind, query.sentence, query.when) == ("ask", "Is it right that {n} are?", ("import-list", "publish"))
    doubt = query.doubt([{"n": 2}], {"month": "2025-11"}, lambda code, _: f"{code} because")
    assert (doubt.sentence, doubt.remedy) == ("Is it right that 2 are?", "ratinglist rate 2025-11")
    assert doubt.as_dict() == {
        "code": "much",
        "kind": "ask",
        "sentence": doubt.sentence,
        "rows": [{"n": 2}],
        "count": 1,
        "remedy": {"command": "rate", "arguments": ["2025-11"]},
        "answer": "much because",
    }


@pytest.mark.parametrize("query", [query for query in queries() if query.kind != "note"], ids=lambda query: query.code)
def test_an_officer_reads_one_plain_sentence(query: Query) -> None:
    assert query.sentence[-1] == {"stop": ".", "ask": "?"}[query.kind] or query.sentence.endswith("{why}")
    words = re.sub(r"\{[^}]+\}|office\.toml|manifest\.csv|event_id", "2", query.sentence)
    assert re.findall(r"\b(?:bits?|hash\w*|digest\w*|join\w*|nulls?|rows?|columns?)\b|\w_\w", words) == []
    assert len(query.sentence) <= 250
