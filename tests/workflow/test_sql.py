"""SQL over the published files: what an analyst sees, and what no statement can reach."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.workflows import sql as query
from tests.command_line import did, ratinglist
from tests.published_sample import (
    ANNA,
    BRUNO,
    CARLA,
    ELSA,
    FACTS,
    NOVEMBER,
    november,
    october,
    publish_both,
    publish_tables,
)

EXAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("examples").glob("*.sql"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "ratinglist.duckdb").write_text("the store")
    publish_both(home / "published")
    return home / "published"


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    return tmp_path_factory.mktemp("empty") / "published"


@pytest.fixture(scope="module")
def sessions() -> Callable[[Path], duckdb.DuckDBPyConnection]:
    """One session for each folder."""
    session = cache(query.connect)
    return lambda folder: session(folder).cursor()


@pytest.fixture
def in_one_session(sessions: Callable[[Path], duckdb.DuckDBPyConnection], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all statements over a folder be those of one session, with the same views, limits and locks."""
    monkeypatch.setattr(query, "connect", sessions)


def refused(folder: Path, sql: str) -> str:
    with pytest.raises(CommandLineError) as error:
        query.run(folder, sql)
    return str(error.value)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_whose_name_is_a_pattern_is_read_and_none_that_fits_it(folder: Path, tmp_path: Path) -> None:
    for name in ("office [ab]", "office a"):
        shutil.copytree(folder, tmp_path / name)
    shutil.rmtree(tmp_path / "office a" / "2025-10")
    statement = "select count(distinct list_month) as months from lists"
    assert query.run(tmp_path / "office [ab]", statement).equals(query.run(folder, statement))


# ------------------------------------------------------------------------------------------------- the base views


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize("name", query.BASE_VIEWS)
def test_a_base_view_leads_with_month_and_revision_and_has_the_columns_of_its_table(folder, nothing, name):
    own = {column: dtype for column, dtype in query.BASE_VIEWS[name].schema.items() if column != "list_month"}
    expected = {"list_month": pl.String(), "revision": pl.Int32(), **own}
    assert dict(query.run(folder, f"from {name}").schema) == expected
    assert dict(query.run(nothing, f"from {name}").schema) == expected


def test_only_the_current_revision_of_a_month_is_seen(tmp_path):
    publish_both(tmp_path)
    publish_tables(tmp_path, NOVEMBER, {**november(), "pool": october()["pool"]}, FACTS)
    seen = "select distinct list_month, revision from lists order by all"
    assert query.run(tmp_path, seen).rows() == [("2025-10", 1), ("2025-11", 2)]
    (tmp_path / "2025-11" / "latest").write_text("r1\n")
    assert query.run(tmp_path, seen).rows() == [("2025-10", 1), ("2025-11", 1)]


def plan_of(folder: Path, sql: str) -> str:
    with query.connect(folder) as connection:
        return str(connection.execute(f"explain analyze {sql}").fetchall()[0][1])


def test_a_condition_on_the_month_opens_only_its_files(folder, nothing):
    assert "Scanning Files: 1/2" in plan_of(folder, "select * from games where list_month = '2025-10'")
    assert "Scanning Files: 2/4" in plan_of(folder, "from federation_top where list_month = newest_list()")
    assert [query.run(home, "select newest_list()").item() for home in (folder, nothing)] == ["2025-11", None]


def test_a_column_that_an_older_file_lacks_is_empty(tmp_path):
    publish_both(tmp_path)
    older = tmp_path / "2025-10" / "r1" / "events.parquet"
    frame = pl.read_parquet(older).drop("reason")
    older.unlink()
    frame.write_parquet(older)
    seen = query.run(tmp_path, "select list_month, reason from events order by list_month, event_id")
    assert seen.rows() == [("2025-10", None), ("2025-11", ""), ("2025-11", "third_list")]


# ------------------------------------------------------------------------------------------------- the named views


VIEWS: dict[str, tuple[str, list[tuple[object, ...]]]] = {
    "lists have every month and time control": (
        "select list_month, time_control, count(*) from lists group by all order by all",
        [("2025-10", "blitz", 1), ("2025-10", "standard", 4), ("2025-11", "blitz", 1), ("2025-11", "standard", 4)],
    ),
    "player_history compares with the list before": (
        "select list_month, previous_month, previous_rating, difference, rating from player_history "
        f"where fide_id = {ANNA} and time_control = 'standard' order by list_month",
        [("2025-10", None, None, None, 2000), ("2025-11", "2025-10", 2000, 8, 2008)],
    ),
    "movers are the listed players with rated games": (
        "select fide_id, old_rating, change_hundredths, change, new_rating from movers order by 1",
        [(ANNA, 2000, 760, 8, 2008), (BRUNO, 1900, -720, -7, 1893)],
    ),
    "entered has the results behind a first rating": (
        "select list_month, fide_id, name, games, score_halves, opponent_average, dp, rating from entered",
        [("2025-11", ELSA, "Elmi, Elsa", 5, 5, Decimal("1841.43"), 0, 1841)],
    ),
    "a player removed from the list keeps the last name": (
        "select list_month, fide_id, name, last_listed, old_rating, change from left_the_list",
        [("2025-11", CARLA, "Corti, Carla", "2025-10", 1402, -3)],
    ),
    "not_rated counts results by reason": (
        "select list_month, reason, results, players, events from not_rated order by reason",
        [("2025-11", "entry", 1, 1, 1), ("2025-11", "opponent_unrated", 1, 1, 1)],
    ),
    "the results of an event add up to twice its games": (
        "select event_id, status, games, results_rated, results_not_rated from event_results "
        "where list_month = '2025-11' order by event_id",
        [("200", "rated", 3, 4, 2), ("300", "late", 2, 0, 0)],
    ),
    "federation_top places active players": (
        "select federation, federation_place, place, fide_id from federation_top "
        "where list_month = '2025-11' and time_control = 'standard' order by place",
        [("ITA", 1, 1, ANNA), ("ITA", 2, 2, BRUNO), ("ITA", 3, 3, ELSA)],
    ),
    "federations are counted": (
        "select federation, players, active, women, played, games, highest_rating from federations "
        "where list_month = '2025-11' and time_control = 'standard' order by federation",
        [("ITA", 3, 3, 2, 3, 5, 2008), ("SMR", 1, 0, 0, 0, 0, 2000)],
    ),
}


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize(("sql", "rows"), VIEWS.values(), ids=VIEWS)
def test_a_view_has_its_rows(folder, sql, rows):
    assert query.run(folder, sql).rows() == rows


def test_equal_ratings_share_a_place(tmp_path):
    equal = november()["standard"].with_columns(rating=pl.lit(2000, pl.Int32), flag=pl.lit(""))
    publish_tables(tmp_path, NOVEMBER, {**november(), "standard": equal}, FACTS)
    read = query.run(tmp_path, "select distinct place from federation_top where time_control = 'standard'")
    assert read.rows() == [(1,)]


# ------------------------------------------------------------------------------------------------------- examples


FOUND: dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]] = {
    "top_ten": (
        ("time_control", "place", "name"),
        [
            ("blitz", 1, "Àlba, Anna"),
            ("standard", 1, "Àlba, Anna"),
            ("standard", 2, 'Bassi, Bruno "Bobo"'),
            ("standard", 3, "Elmi, Elsa"),
        ],
    ),
    "biggest_gains": (("name", "change", "exact_change"), [("Àlba, Anna", 8, Decimal("7.60"))]),
    "who_entered": (("name", "points", "events_of_the_month"), [("Elmi, Elsa", Decimal("2.5"), "Open 200")]),
    "games_not_rated": (("reason",), [("entry",), ("opponent_unrated",)]),
    "k_distribution": (
        ("list_month", "time_control", "k", "players", "played"),
        [("2025-11", "standard", 40, 1, 1), ("2025-11", "standard", 20, 3, 2)],
    ),
    "one_players_games": (
        ("event", "round", "opponent", "change_hundredths"),
        [("Open 200", 1, 'Bassi, Bruno "Bobo"', 720), ("Open 200", 2, "", 40)],
    ),
    "one_players_history": (("time_control", "rating"), [("standard", 2000), ("standard", 2008)]),
    "events_without_rating": (("event_id",), [("300",)]),
}
"""By example, some columns, and all rows of a time control or month that it finds."""


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_describes_its_result_and_finds_its_rows(folder, name):
    assert EXAMPLES[name].startswith("-- ")
    result = query.run(folder, EXAMPLES[name])
    assert result.height > 0
    columns, rows = FOUND.get(name, ((), []))
    if columns:
        assert [row for row in result.select(columns).rows() if row in rows] == rows


# ------------------------------------------------------------------------------------------- what a statement may


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "select 1;",
        "-- counted\nselect count(*) from lists",
        "from lists",
        "table lists",
        "values (1), (2)",
        "with one as (select 1 as n) select * from one union all select 2",
        "with recursive up (n) as (select 1 union all select n + 1 from up where n < 3) select * from up",
        "describe lists",
        "show tables",
        "summarize lists",
        "select * from range(3), unnest([1, 2])",
        "select column_name from duckdb_columns()",
        "select 'copy', 'insert into x' as \"update\"",
    ],
)
def test_a_reading_statement_is_taken(folder, sql):
    assert query.run(folder, sql).width > 0


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize(
    "sql",
    [
        "copy lists to '{there}/new.csv'",
        "copy lists to '{there}/standard.parquet'",
        "copy lists to '{there}/standard.parquet' (use_tmp_file false)",
        "with x as (copy lists to '{there}/standard.parquet' (use_tmp_file false)) select 1",
        "select * from (with x as (copy lists to '{there}/standard.parquet' (use_tmp_file false)) select 1)",
        "describe (with x as (copy lists to '{there}/standard.parquet' (use_tmp_file false)) select 1)",
        "with x as (copy lists to '{there}/standard.csv' (use_tmp_file false)) pivot lists on k using count(*)",
        "explain analyze copy lists to '{there}/standard.parquet' (use_tmp_file false)",
        "explain (analyze, format json) copy lists to '{there}/standard.parquet' (use_tmp_file false)",
        "explain /* */ analyze copy lists to '{there}/standard.parquet' (use_tmp_file false)",
        "with x as (copy events to '{there}/standard.parquet' (use_tmp_file false)) pivot lists on k using count(*)",
        "select * from json_execute_serialized_sql(json_serialize_sql("
        "'with x as (copy events to ''{there}/standard.parquet'' (use_tmp_file false)) select 1'))",
        "pivot (from json_execute_serialized_sql(json_serialize_sql("
        "'with x as (co' || 'py events to ''{there}/standard.parquet'' (use_tmp_file false)) select 1 as k'))) on k",
        "from \"JSON_Execute_Serialized_SQL\"('')",
        "select * from query('select 1')",
        "select * from arrow_scan(1, 2, 3)",
        "select (select count(*) from checkpoint())",
        "copy (pivot lists on k using count(*)) to '{there}/standard.parquet' (use_tmp_file false)",
        "create table t as pivot lists on k using count(*)",
        "pivot lists on k using count(*) group by time_control",
        "explain select * from lists",
        "create table t as select 1",
        "create or replace view lists as select 1",
        "drop view lists",
        "insert into lists values (1)",
        "with x as (insert into lists values (1) returning *) select * from x",
        "update lists set rating = 3000",
        "delete from lists",
        "attach '{there}/x.duckdb'",
        "export database '{there}'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "reset allowed_paths",
        "pragma enable_profiling",
        "call pragma_version()",
        "prepare p as select 1",
        "use main",
        "begin",
        "checkpoint",
        "connect 'x'",
    ],
)
def test_any_other_statement_is_refused_and_nothing_is_written(folder, sql):
    before = bytes_of(folder.parent)
    message = refused(folder, sql.format(there=folder / "2025-11" / "r1"))
    assert message.startswith("Only statements that read are taken")
    assert "Views: lists, changes, games" in message
    assert bytes_of(folder.parent) == before


OUTSIDE = "file system operations are disabled by configuration"
REFUSED = {
    **dict.fromkeys(
        ("", "  ", ";", "-- nothing", "select 1; select 2", "select 1; drop view lists"), "write exactly one"
    ),
    "select * from read_csv('/etc/passwd')": OUTSIDE,
    "select * from read_text('/etc/passwd')": OUTSIDE,
    "select * from read_blob('{home}/ratinglist.duckdb')": OUTSIDE,
    "select * from read_text('{home}/published/2025-11/r1/../../../ratinglist.duckdb')": OUTSIDE,
    "select * from glob('{home}/*')": OUTSIDE,
    "select * from read_parquet('https://example.org/list.parquet')": OUTSIDE,
    "select * from '/etc/passwd'": "does not exist",
    "select getenv('HOME')": "does not exist",
    "select name\nform lists": "LINE 2: form lists\n",
    "from event": 'Did you mean "events"?',
    "select interval 1 month": "cannot be shown",
    "select 1 as a, 2 as a, 3 as b": "have the same name, a: name each with AS",
    "select (case when range = 500000 then 'x' else '1' end)::integer from range(600000)": "Could not convert",
}


@pytest.mark.usefixtures("in_one_session")
@pytest.mark.parametrize("sql", REFUSED)
def test_a_statement_that_is_wrong_or_reaches_elsewhere_is_refused(folder, sql):
    assert REFUSED[sql] in refused(folder, sql.format(home=folder.parent))


def test_the_session_itself_reaches_no_variable_creates_no_file_and_cannot_be_unlocked(folder):
    there = folder / "2025-11" / "r1" / "new.parquet"
    secret = pl.DataFrame({"secret": [1]})
    with query.connect(folder.resolve()) as connection:
        for statement, error in (
            ("select * from secret", duckdb.CatalogException),
            (f"copy (select 1) to '{there}'", duckdb.PermissionException),
            ("set enable_external_access = true", duckdb.InvalidInputException),
            ("set allowed_directories = ['/']", duckdb.InvalidInputException),
            ("set temp_directory = '/tmp'", duckdb.InvalidInputException),
        ):
            with pytest.raises(error, match=r"(?i)secret|permission|locked"):
                connection.execute(statement)
        settings = (
            "select current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        )
        assert connection.execute(settings).fetchone() == (False, False)
    assert (secret.height, there.exists()) == (1, False)


# -------------------------------------------------------------------------------------------------------- results


def test_sums_of_whole_numbers_are_whole_numbers(folder):
    read = query.run(folder, "select sum(rating) as total, sum(change) as change from changes full join lists on false")
    assert read.schema == {"total": pl.Int64(), "change": pl.Int64()}


def test_a_sum_too_large_for_64_bits_stays_exact(folder):
    read = query.run(folder, "select 9223372036854775807::hugeint * 4 as total")
    assert read.item() == Decimal(9223372036854775807 * 4)


@pytest.mark.parametrize("day", ["date '99999-01-01'", "[date '99999-01-01']", "timestamp '99999-01-01'"])
def test_a_day_that_no_calendar_has_is_refused_with_a_sentence(folder, day):
    for option in ([], ["--json"]):
        shown = ratinglist("sql", f"select {day} as day", *option, home=folder.parent)
        assert (shown.returncode, "cannot be shown, cast its column" in shown.stdout + shown.stderr) == (2, True)


# ---------------------------------------------------------------------------------------------------------- limits


def test_a_query_has_a_limit_of_memory(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "SQL_MEMORY_BYTES", 300 * 2**20)
    with pytest.raises(NothingReadError, match="needs more than 300 MiB of memory, and was stopped"):
        query.run(published, "select list(range) from range(100000000)")


def test_a_result_has_a_limit_of_rows_and_of_bytes(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NothingReadError, match="The result has more than 5,000,000 rows or 512 MiB, and was stopped"):
        query.run(published, "select * from range(10000000000)")
    monkeypatch.setattr(query, "SQL_RESULT_BYTES", 2**20)
    with pytest.raises(NothingReadError, match="more than 5,000,000 rows or 1 MiB"):
        query.run(published, "select repeat('a', 1000) from range(10000)")


@pytest.mark.parametrize(
    ("sql", "damage", "message"),
    [
        ("select 1", lambda data: data[:-20], "2025-12/r1/games.parquet"),
        (
            "select * from games",
            lambda data: data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :],
            "A published file is damaged",
        ),
    ],
    ids=["at the end", "in the middle"],
)
def test_a_damaged_file_is_named(
    published: Path, tmp_path: Path, sql: str, damage: Callable[[bytes], bytes], message: str
) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    path = folder / "2025-12" / "r1" / "games.parquet"
    path.chmod(0o644)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(NothingReadError, match=message):
        query.run(folder, sql)


# ------------------------------------------------------------------------------------------------------- in each form


def test_csv_and_json_of_what_they_have_no_value_for(folder):
    sql = "select 'x,\"y\"' as b, 'nan'::double as c, null as d, date '2025-11-01' as e"
    assert did(folder.parent, "sql", sql, "--csv").splitlines() == ["b,c,d,e", '"x,""y""",NaN,,2025-11-01']
    assert json.loads(did(folder.parent, "sql", sql, "--json"))[0]["c"] is None
    nested = "select {'day': date '2025-11-01', 'c': 'nan'::double, 'n': 1.50::decimal(5, 2)} as a, time '10:30' as b"
    assert json.loads(did(folder.parent, "sql", nested, "--json")) == [
        {"a": {"day": "2025-11-01", "c": None, "n": "1.50"}, "b": "10:30:00"}
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("select [1, 2] as a", "--csv"), "cast its column to text"),
        (("not even SQL", "--csv", "--json"), "both want standard output"),
    ],
)
def test_what_has_no_form_is_refused(folder, words, says):
    shown = ratinglist("sql", *words, home=folder.parent)
    assert (shown.returncode, says in shown.stderr) == (2, True)
