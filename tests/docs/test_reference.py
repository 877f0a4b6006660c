"""Printed queries and values are those of the files, the changelog has its form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ratinglist
from ratinglist.workflows import sql as query
from tests.docs.session import ROOT, fences

EXAMPLES = sorted((ROOT / "sql" / "examples").glob("*.sql"))


def test_the_values_quoted_are_those_of_the_file() -> None:
    ((_, quoted),) = fences(ROOT / "docs" / "explanation" / "rules-as-data.md", "toml")
    newest = ROOT / "data" / "rules" / "fide" / "standard" / "2025-10-01.toml"
    lines = [" ".join(line.split()) for line in newest.read_text(encoding="utf-8").splitlines()]
    assert [line for line in quoted.splitlines() if " ".join(line.split()) not in lines] == []


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_answers_over_the_sample(example: Path, published: Path) -> None:
    # A player and a list of the sample with something to explain.
    sql = example.read_text(encoding="utf-8").replace("1234567", "99900502")
    if example.stem == "who_entered":
        sql = sql.replace("newest_list()", "'2025-11'")
    assert len(query.run(published, sql)) > 0


def test_the_changelog_begins_with_this_version_and_the_ratings_that_it_affects() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    release = changelog.partition("\n## ")[2]
    assert re.match(
        rf"\[{ratinglist.__version__}\] - (unreleased|\d{{4}}-\d\d-\d\d)\n\n\*Ratings affected\*: \S", release
    )
