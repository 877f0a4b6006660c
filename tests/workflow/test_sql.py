"""SQL over the published files: what an analyst sees, and what no statement can reach."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.workflows import sql as query
from tests.command_line import ratinglist
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
VIEW_FILES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("published").glob("*.sql"))}
SQL_FILES = {**{f"examples/{name}": text for name, text in EXAMPLES.items()}, **VIEW_FILES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "ratinglist.duckdb").write_text("the store")
    publish_both(home / "published")
    return home / "published"


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    return tmp_path_factory.mktemp("empty") / "published"


def refused(folder: Path, sql: str) -> str:
    with pytest.raises(CommandLineError) as error:
        query.run(folder, sql)
    return str(error.value)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ------------------------------------------------------------------------------------------------- the base views


@pytest.mark.parametrize("name", query.BASE_VIEWS)
def test_a_base_view_leads_with_month_and_revision_and_has_the_columns_of_its_table(folder, nothing, name):
    own = {column: dtype for column, dtype in query.BASE_VIEWS[name].schema.items() if column != "list_month"}
    expected = {"list_month": pl.String(), "revision": pl.Int32(), **own}
    assert dict(query.run(folder, f"from {name}").schema) == expected
    assert dict(query.run(nothing, f"from {name}").schema) == expected


def test_lists_hold_every_month_and_time_control(folder):
    counted = query.run(folder, "select list_month, time_control, count(*) from lists group by all order by all")
    assert counted.rows() == [
        ("2025-10", "blitz", 1),
        ("2025-10", "standard", 4),
        ("2025-11", "blitz", 1),
        ("2025-11", "standard", 4),
    ]


def test_only_the_newest_revision_of_a_month_is_seen(tmp_path):
    publish_both(tmp_path)
    publish_tables(tmp_path, NOVEMBER, {**november(), "pool": october()["pool"]}, FACTS)
    seen = query.run(tmp_path, "select distinct list_month, revision from lists order by all")
    assert seen.rows() == [("2025-10", 1), ("2025-11", 2)]


def test_a_revision_that_is_not_current_yet_is_not_seen(tmp_path):
    publish_both(tmp_path)
    publish_tables(tmp_path, NOVEMBER, {**november(), "pool": october()["pool"]}, FACTS)
    (tmp_path / "2025-11" / "latest").write_text("r1\n")
    assert query.run(tmp_path, "select max(revision) from lists").item() == 1


def plan_of(folder: Path, sql: str) -> str:
    with query.connect(folder) as connection:
        return str(connection.execute(f"explain analyze {sql}").fetchall()[0][1])


def test_a_condition_on_the_month_opens_only_its_files(folder):
    plan = plan_of(folder, "select * from games where list_month = '2025-10'")
    assert "Scanning Files: 1/2" in plan


def test_the_newest_list_is_known_and_opens_only_its_files(folder, nothing):
    assert query.run(folder, "select newest_list()").item() == "2025-11"
    assert query.run(nothing, "select newest_list()").item() is None
    plan = plan_of(folder, "from federation_top where list_month = newest_list()")
    assert "Scanning Files: 2/4" in plan


def test_a_column_that_an_older_file_lacks_is_empty(tmp_path):
    publish_both(tmp_path)
    older = tmp_path / "2025-10" / "r1" / "events.parquet"
    frame = pl.read_parquet(older).drop("reason")
    older.unlink()
    frame.write_parquet(older)
    seen = query.run(tmp_path, "select list_month, reason from events order by list_month, event_id")
    assert seen.rows() == [("2025-10", None), ("2025-11", ""), ("2025-11", "third_list")]


def test_a_relative_folder_is_the_same_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert query.run(Path("published"), "select count(*) from lists").item() == 10


def test_the_comment_of_a_view_describes_a_row(folder):
    comments = dict(query.run(folder, "select view_name, comment from duckdb_views() where not internal").rows())
    assert set(comments) == {*query.BASE_VIEWS, "both_numbers", "event_status", *VIEW_FILES}
    assert all(text.startswith("One row per ") for text in comments.values())


# ------------------------------------------------------------------------------------------------- the named views


def test_player_history_compares_with_the_list_before(folder):
    read = query.run(
        folder,
        "select list_month, previous_month, previous_rating, difference, rating from player_history "
        f"where fide_id = {ANNA} and time_control = 'standard' order by list_month",
    )
    assert read.rows() == [("2025-10", None, None, None, 2000), ("2025-11", "2025-10", 2000, 8, 2008)]


def test_movers_are_the_listed_players_with_rated_games(folder):
    read = query.run(folder, "select fide_id, old_rating, change_hundredths, change, new_rating from movers order by 1")
    assert read.rows() == [(ANNA, 2000, 760, 8, 2008), (BRUNO, 1900, -720, -7, 1893)]


def test_entered_has_the_results_behind_a_first_rating(folder):
    read = query.run(
        folder, "select list_month, fide_id, name, games, score_halves, opponent_average, dp, rating from entered"
    )
    assert read.rows() == [("2025-11", ELSA, "Elmi, Elsa", 5, 5, Decimal("1841.43"), 0, 1841)]


def test_a_player_removed_from_the_list_keeps_the_last_name(folder):
    read = query.run(folder, "select list_month, fide_id, name, last_listed, old_rating, change from left_the_list")
    assert read.rows() == [("2025-11", CARLA, "Corti, Carla", "2025-10", 1402, -3)]


def test_not_rated_counts_results_by_reason(folder):
    read = query.run(folder, "select list_month, reason, results, players, events from not_rated order by reason")
    assert read.rows() == [("2025-11", "entry", 1, 1, 1), ("2025-11", "opponent_unrated", 1, 1, 1)]


def test_the_results_of_an_event_add_up_to_twice_its_games(folder):
    read = query.run(
        folder,
        "select event_id, status, games, results_rated, results_not_rated from event_results "
        "where list_month = '2025-11' order by event_id",
    )
    assert read.rows() == [("200", "rated", 3, 4, 2), ("300", "late", 2, 0, 0)]


def test_federation_top_places_active_players(folder):
    read = query.run(
        folder,
        "select federation, federation_place, place, fide_id from federation_top "
        "where list_month = '2025-11' and time_control = 'standard' order by place",
    )
    assert read.rows() == [("ITA", 1, 1, ANNA), ("ITA", 2, 2, BRUNO), ("ITA", 3, 3, ELSA)]


def test_equal_ratings_share_a_place(tmp_path):
    equal = november()["standard"].with_columns(rating=pl.lit(2000, pl.Int32), flag=pl.lit(""))
    publish_tables(tmp_path, NOVEMBER, {**november(), "standard": equal}, FACTS)
    read = query.run(tmp_path, "select distinct place from federation_top where time_control = 'standard'")
    assert read.rows() == [(1,)]


def test_federations_are_counted(folder):
    read = query.run(
        folder,
        "select federation, players, active, women, played, games, highest_rating from federations "
        "where list_month = '2025-11' and time_control = 'standard' order by federation",
    )
    assert read.rows() == [("ITA", 3, 3, 2, 3, 5, 2008), ("SMR", 1, 0, 0, 0, 0, 2000)]


@pytest.mark.parametrize("name", VIEW_FILES)
def test_a_view_file_describes_a_row_and_ends_with_its_select(name):
    lines = VIEW_FILES[name].splitlines()
    assert lines[0].startswith("-- One row per ")
    assert lines[0].endswith(".")
    assert lines[-1].startswith("select * from ")


@pytest.mark.parametrize("name", SQL_FILES)
def test_sql_is_written_in_lower_case_within_the_line_length(name):
    lines = SQL_FILES[name].splitlines()
    code = [line for line in lines if not line.lstrip().startswith("--")]
    assert [line for line in code if line != line.lower() and "'" not in line] == []
    assert [line for line in lines if len(line) > 120 or line != line.rstrip()] == []


# ------------------------------------------------------------------------------------------------------- examples


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_describes_its_result_and_finds_rows(folder, name):
    assert EXAMPLES[name].startswith("-- ")
    assert query.run(folder, EXAMPLES[name]).height > 0


def test_example_top_ten(folder):
    read = query.run(folder, EXAMPLES["top_ten"])
    assert read.select("time_control", "place", "name").rows() == [
        ("blitz", 1, "Àlba, Anna"),
        ("standard", 1, "Àlba, Anna"),
        ("standard", 2, 'Bassi, Bruno "Bobo"'),
        ("standard", 3, "Elmi, Elsa"),
    ]


def test_example_biggest_gains(folder):
    read = query.run(folder, EXAMPLES["biggest_gains"])
    assert read.select("name", "change", "exact_change").rows() == [("Àlba, Anna", 8, Decimal("7.60"))]


def test_example_who_entered(folder):
    read = query.run(folder, EXAMPLES["who_entered"])
    assert read.select("name", "points", "events_of_the_month").rows() == [("Elmi, Elsa", Decimal("2.5"), "Open 200")]


def test_example_games_not_rated(folder):
    assert query.run(folder, EXAMPLES["games_not_rated"])["reason"].to_list() == ["entry", "opponent_unrated"]


def test_example_k_distribution(folder):
    read = query.run(folder, EXAMPLES["k_distribution"]).filter(list_month="2025-11", time_control="standard")
    assert read.select("k", "players", "played").rows() == [(40, 1, 1), (20, 3, 2)]


def test_example_one_players_games(folder):
    read = query.run(folder, EXAMPLES["one_players_games"])
    assert read.select("event", "round", "opponent", "change_hundredths").rows() == [
        ("Open 200", 1, 'Bassi, Bruno "Bobo"', 720),
        ("Open 200", 2, "", 40),
    ]


def test_example_one_players_history(folder):
    read = query.run(folder, EXAMPLES["one_players_history"]).filter(time_control="standard")
    assert read["rating"].to_list() == [2000, 2008]


def test_example_events_without_rating(folder):
    assert query.run(folder, EXAMPLES["events_without_rating"])["event_id"].to_list() == ["300"]


# ------------------------------------------------------------------------------------------- what a statement may


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


@pytest.mark.parametrize("sql", ["", "  ", ";", "-- nothing", "select 1; select 2", "select 1; drop view lists"])
def test_exactly_one_statement_is_taken(folder, sql):
    assert "write exactly one" in refused(folder, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "select * from read_blob('{home}/ratinglist.duckdb')",
        "select * from read_text('{home}/published/2025-11/r1/../../../ratinglist.duckdb')",
        "select * from glob('{home}/*')",
        "select * from read_parquet('https://example.org/list.parquet')",
    ],
)
def test_nothing_outside_the_published_files_can_be_read(folder, sql):
    assert "file system operations are disabled by configuration" in refused(folder, sql.format(home=folder.parent))


@pytest.mark.parametrize("sql", ["select * from '/etc/passwd'", "select getenv('HOME')"])
def test_names_reach_neither_files_nor_the_environment(folder, sql):
    assert "does not exist" in refused(folder, sql)


def test_a_name_reaches_no_variable_of_the_program(folder):
    frame = pl.DataFrame({"secret": [1]})
    with query.connect(folder.resolve()) as connection, pytest.raises(duckdb.CatalogException, match="frame"):
        connection.sql("select * from frame")
    assert frame.height == 1


def test_the_session_itself_can_create_no_file(folder):
    there = folder / "2025-11" / "r1"
    with query.connect(folder.resolve()) as connection, pytest.raises(duckdb.PermissionException):
        connection.execute(f"copy (select 1) to '{there}/new.parquet'")
    assert not (there / "new.parquet").exists()


def test_the_session_itself_cannot_be_unlocked(folder):
    with query.connect(folder.resolve()) as connection:
        for option in ("enable_external_access = true", "allowed_directories = ['/']", "temp_directory = '/tmp'"):
            with pytest.raises(duckdb.InvalidInputException, match="locked"):
                connection.execute(f"set {option}")


def test_the_session_never_fetches_an_extension(folder):
    options = query.run(
        folder,
        "select current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')",
    )
    assert options.row(0) == (False, False)


def test_a_damaged_file_is_named(tmp_path):
    publish_both(tmp_path)
    file = tmp_path / "2025-11" / "r1" / "games.parquet"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(NothingReadError, match=r"2025-11/r1/games\.parquet"):
        query.run(tmp_path, "select 1")


# -------------------------------------------------------------------------------------------------------- results


def test_a_wrong_statement_keeps_the_position_and_names_the_views(folder):
    message = refused(folder, "select name\nform lists")
    assert "LINE 2: form lists" in message
    assert "^" in message
    assert "player_history" in message


def test_an_unknown_view_gets_a_hint(folder):
    assert 'Did you mean "events"?' in refused(folder, "from event")


def test_sums_of_whole_numbers_are_whole_numbers(folder):
    read = query.run(folder, "select sum(rating) as total, sum(change) as change from changes full join lists on false")
    assert read.schema == {"total": pl.Int64(), "change": pl.Int64()}


def test_a_sum_too_large_for_64_bits_stays_exact(folder):
    read = query.run(folder, "select 9223372036854775807::hugeint * 4 as total")
    assert read.item() == Decimal(9223372036854775807 * 4)


def test_a_column_that_cannot_be_shown_is_refused(folder):
    assert "cannot be shown" in refused(folder, "select interval 1 month")


@pytest.mark.parametrize("day", ["date '99999-01-01'", "[date '99999-01-01']", "timestamp '99999-01-01'"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--csv"]])
def test_a_day_that_no_calendar_has_is_refused_with_a_sentence(published, day, options):
    shown = ratinglist("sql", f"select {day} as day", *options, home=published.parent)
    if not day.startswith("[") and "--csv" in options:
        # Polars writes it.
        assert shown.returncode == 0
        return
    assert shown.returncode == 2
    assert "cannot be shown, cast its column to text" in shown.stdout + shown.stderr


def test_columns_of_one_name_are_refused(folder):
    assert "have the same name, a: name each with AS" in refused(folder, "select 1 as a, 2 as a, 3 as b")


# ---------------------------------------------------------------------------------------------------------- limits

LONG = "select count(*) from range(1000000) a, range(1000000) b where (a.range * b.range) % 7 = 1"


def test_a_query_is_stopped_after_the_seconds_that_are_given(published: Path) -> None:
    with pytest.raises(NothingReadError, match=r"The query was stopped after 1 second: select fewer months"):
        query.run(published, LONG, 1)


def test_a_query_that_is_stopped_ends_with_3(published: Path) -> None:
    shown = ratinglist("sql", LONG, "--timeout", "1", home=published.parent)
    assert (shown.returncode, "--timeout SECONDS" in shown.stderr) == (3, True)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1.5", "9999999999"])
def test_a_time_that_is_none_is_refused(published: Path, seconds: str) -> None:
    assert ratinglist("sql", "select 1", "--timeout", seconds, home=published.parent).returncode == 2


def test_a_query_has_a_limit_of_memory(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "SQL_MEMORY_BYTES", 300 * 2**20)
    with pytest.raises(NothingReadError, match="needs more than 300 MiB of memory, and was stopped"):
        query.run(published, "select list(range) from range(100000000)", 20)


def test_a_query_that_is_stopped_leaves_the_next_one_alone(published: Path) -> None:
    with pytest.raises(NothingReadError, match="was stopped"):
        query.run(published, LONG, 1)
    assert query.run(published, "select 1 as one", 20).item() == 1


def test_a_result_has_a_limit_of_rows(published: Path) -> None:
    with pytest.raises(NothingReadError, match="The result has more than 5,000,000 rows or 512 MiB, and was stopped"):
        query.run(published, "select * from range(10000000000)")


def test_a_result_has_a_limit_of_bytes(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "SQL_RESULT_BYTES", 2**20)
    with pytest.raises(NothingReadError, match="more than 5,000,000 rows or 1 MiB"):
        query.run(published, "select repeat('a', 1000) from range(10000)")


def test_a_file_that_is_damaged_in_the_middle_is_named(published: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    path = folder / "2025-12" / "r1" / "games.parquet"
    path.chmod(0o644)
    data = path.read_bytes()
    path.write_bytes(data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :])
    with pytest.raises(NothingReadError, match="A published file is damaged") as error:
        query.run(folder, "select * from games")
    assert "Put back a copy" in str(error.value)


def test_an_error_after_the_first_rows_is_one_of_the_statement(published: Path) -> None:
    with pytest.raises(CommandLineError, match="Could not convert"):
        query.run(published, "select (case when range = 500000 then 'x' else '1' end)::integer from range(600000)")
