"""The page of a site that asks the lists with SQL: its questions, its tables, and what is put into the site for it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import sha256_of
from ratinglist.pages import html_pages
from ratinglist.site import ask_page, months_of_site, parse_texts
from ratinglist.site.pages import Frame
from ratinglist.workflows.site import site
from tests.conftest import copied, office
from tests.sites import decoded

PROGRAM = "duckdb-browser-eh.worker.js"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like that of DuckDB-WASM."""
    dist = tmp_path_factory.mktemp("package") / "dist"
    dist.mkdir()
    for name in (PROGRAM, "duckdb-eh.wasm"):
        (dist / name).write_text(f"{name}\n", encoding="utf-8")
    return dist.parent


@pytest.fixture
def trusted(package: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, with the digests of its files among those that are known."""
    digests = {path.name: sha256_of(path) for path in (package / "dist").iterdir()}
    monkeypatch.setattr(ask_page, "known_files", lambda: {"9.0.0": digests})
    return package


@pytest.fixture(scope="module")
def made(corrected_home: Path, package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with the page; look, do not touch."""
    with pytest.MonkeyPatch.context() as patch:
        digests = {path.name: sha256_of(path) for path in (package / "dist").iterdir()}
        patch.setattr(ask_page, "known_files", lambda: {"9.0.0": digests})
        folder = tmp_path_factory.mktemp("made") / "site"
        site(office(corrected_home), folder, sql=package)
    return folder


def connection(made: Path) -> duckdb.DuckDBPyConnection:
    connected = duckdb.connect()
    for statement in decoded(made, "ask")["setup"]:
        connected.execute(statement.replace("{site}", f"{made}/"))
    return connected


def test_each_of_twenty_questions_finds_rows(made):
    duck = connection(made)
    rows = {name: len(duck.execute(sql).fetchall()) for name, _, sql in decoded(made, "ask")["questions"]}
    assert len(rows) == 20
    assert [name for name, count in rows.items() if not count] == ["first_time_over_2000"]


def test_the_tables_have_every_list_of_the_site_and_the_games_of_each(made, corrected_home):
    duck = connection(made)
    months = [f"2025-{month:02}" for month in (9, 10, 11, 12)]
    for table in decoded(made, "ask")["tables"]:
        assert duck.execute(f"select distinct list_month from {table} order by 1").fetchall() == [(m,) for m in months]
    (current,) = [p for p in (corrected_home / "published/2025-12").glob("r*") if f"{p.name}\n" == latest(p)]
    published = duckdb.sql(f"select count(*) from '{current}/games.parquet'").fetchall()
    assert duck.execute("select count(*) from games where list_month = '2025-12'").fetchall() == published


def latest(folder: Path) -> str:
    return folder.with_name("latest").read_text(encoding="utf-8").strip() + "\n"


def test_only_the_page_may_run_a_program_that_is_compiled_and_none_may_ask_another_host(made):
    assert "wasm-unsafe-eval" in (made / "ask.html").read_text(encoding="utf-8")
    pages = {path.name for path in made.glob("*.html") if "wasm-unsafe-eval" in path.read_text(encoding="utf-8")}
    assert pages == {"ask.html"}
    assert "connect-src &#39;self&#39;" in (made / "ask.html").read_text(encoding="utf-8")
    assert '<a href="ask.html">' in (made / "index.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_site_without_the_program_has_neither_page_nor_link(corrected_home, tmp_path):
    site(office(corrected_home), tmp_path / "site")
    assert not (tmp_path / "site" / "ask.html").exists()
    assert "ask.html" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_a_program_with_another_digest_is_refused_and_the_site_stays(corrected_home, package, tmp_path):
    with pytest.raises(CommandLineError, match=r"is not DuckDB-WASM 1\.28\.0"):
        site(office(corrected_home), tmp_path / "site", sql=package)
    assert not (tmp_path / "site").exists()


def test_a_folder_without_the_program_is_refused(corrected_home, tmp_path):
    with pytest.raises(CommandLineError, match=f"has no {PROGRAM}"):
        site(office(corrected_home), tmp_path / "site", sql=tmp_path)


def test_a_site_without_years_of_birth_has_no_files_to_ask(corrected_home, trusted, tmp_path):
    with pytest.raises(CommandLineError, match="years of birth"):
        site(office(corrected_home), tmp_path / "site", sql=trusted, birth_years=False)


def test_the_office_names_the_program_once(homes, trusted, tmp_path):
    settings = copied(homes / "2025-12", tmp_path / "office")
    shutil.copytree(trusted, settings.home.parent / "duckdb")
    (settings.home / "office.toml").write_text('[site]\nsql = "../duckdb"\n', encoding="utf-8")
    site(office(settings.home), tmp_path / "site")
    assert (tmp_path / "site" / "sql" / "9.0.0" / PROGRAM).is_file()


def test_a_question_on_a_column_that_the_office_leaves_out_is_not_offered(corrected_home):
    months = months_of_site(corrected_home / "published")
    texts = parse_texts((html_pages.folder() / "en.toml").read_text(encoding="utf-8"))
    frame = Frame(texts, "", "0", months[-1].name)
    without = [*months[:-1], replace(months[-1], left_out={"lists": ["sex"]})]
    names = [[name for name, *_ in ask_page.questions(frame, each)] for each in (months, without)]
    assert set(names[0]) - set(names[1]) == {"girls_under_14", "women"}
