"""The generated pages are current, printed queries are those of the files, the changelog has its form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ratinglist
from ratinglist.cli.main import program
from ratinglist.findings import RULES
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import sql as query
from tests.docs.session import ROOT, fences, module_of

REFERENCE = ROOT / "docs" / "reference"
EXAMPLES = sorted((ROOT / "sql" / "examples").glob("*.sql"))


WRITTEN = {"worked-examples.md", "imports.md", "families.md", "office.md", "promise.md"}
"""What no data of the program states; `test_office_choices.py` compares the keys and defaults of `office.md`."""


MADE: dict[str, str] = module_of(REFERENCE / "make.py").pages()
"""Every generated page as it would be made now: made before any test runs."""


def test_every_generated_page_is_current() -> None:
    old = [page for page, text in MADE.items() if (REFERENCE / page).read_text(encoding="utf-8") != text]
    assert old == [], "run: python docs/reference/make.py"


def test_every_page_of_the_reference_is_generated() -> None:
    assert {path.name for path in REFERENCE.glob("*.md")} == set(MADE) | WRITTEN


def test_every_published_table_and_column_is_described() -> None:
    tables = [*ratinglist.schemas.PUBLISHED.values(), ratinglist.schemas.BOTH_NUMBERS, ratinglist.schemas.EVENT_STATUS]
    for table in tables:
        assert f"One row per {table.one_row_per}." in MADE["tables.md"]
        assert all(
            f"| `{name}` |" in MADE["tables.md"] and column.description in MADE["tables.md"]
            for name, column in table.columns.items()
        )


def test_the_published_tables_stand_first() -> None:
    titles = re.findall(r"^###? (.+)$", MADE["tables.md"], re.MULTILINE)
    assert titles[:2] == ["Published", "`standard`, `rapid`, `blitz` (view `lists`)"]


def test_every_command_is_described() -> None:
    described = re.findall(r"^## `(.+)`$", MADE["command-line.md"], re.MULTILINE)
    assert described == sorted(program.commands)


def test_every_rule_of_a_report_is_described_once() -> None:
    described = re.findall(r"^\| `(\w+)` \|", MADE["reports.md"], re.MULTILINE)
    assert sorted(described) == sorted(RULES)


def test_every_rule_set_is_named() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| `([\d-]+)` \|", MADE["rules.md"], re.MULTILINE)
    assert {"/".join(row) for row in rows} == {one.name for one in rule_book().rule_sets}


def test_the_readme_says_where_the_rules_begin() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    book = rule_book()
    first = min(one.effective_from for one in book.of("fide"))
    assert f"the first rule sets of `fide` are of {first}." in readme
    others = [family for family in book.families if family != "fide"]
    assert "The families `course` and `course-tranche` know standard chess only, and so do those" in readme
    assert {control for family in others for control in book.time_controls(family)} == {"standard"}
    for family in others:
        assert f"`{family}`" in readme


def test_the_values_quoted_are_those_of_the_file() -> None:
    ((_, quoted),) = fences(ROOT / "docs" / "explanation" / "rules-as-data.md", "toml")
    newest = ROOT / "data" / "rules" / "fide" / "standard" / "2025-10-01.toml"
    lines = [" ".join(line.split()) for line in newest.read_text(encoding="utf-8").splitlines()]
    assert [line for line in quoted.splitlines() if " ".join(line.split()) not in lines] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_printed_as_it_is(example: Path) -> None:
    printed = [content for _, content in fences(ROOT / "docs" / "how-to" / "ask-with-sql.md", "sql")]
    assert example.read_text(encoding="utf-8").rstrip("\n") + "\n" in printed


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_answers_over_the_sample(example: Path, published: Path) -> None:
    # A player and a list of the sample with something to explain.
    sql = example.read_text(encoding="utf-8").replace("1234567", "99900502")
    if example.stem == "who_entered":
        sql = sql.replace("newest_list()", "'2025-11'")
    assert len(query.run(published, sql)) > 0


def test_every_release_says_first_which_ratings_it_affects() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *releases = re.split(r"^## ", changelog, flags=re.MULTILINE)
    assert releases[0].startswith(f"[{ratinglist.__version__}] - ")
    for release in releases:
        assert re.match(r"\[[^\]]+\] - (unreleased|\d{4}-\d\d-\d\d)\n\n\*Ratings affected\*: \S", release)
