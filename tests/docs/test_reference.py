"""Printed values are those of the files, the changelog has its form."""

from __future__ import annotations

import re

import ratinglist
from tests.docs.session import ROOT, fences


def test_the_values_quoted_are_those_of_the_file() -> None:
    ((_, quoted),) = fences(ROOT / "docs" / "explanation" / "rules-as-data.md", "toml")
    newest = ROOT / "data" / "rules" / "fide" / "standard" / "2025-10-01.toml"
    lines = [" ".join(line.split()) for line in newest.read_text(encoding="utf-8").splitlines()]
    assert [line for line in quoted.splitlines() if " ".join(line.split()) not in lines] == []


def test_the_changelog_begins_with_this_version_and_the_ratings_that_it_affects() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    release = changelog.partition("\n## ")[2]
    assert re.match(
        rf"\[{ratinglist.__version__}\] - (unreleased|\d{{4}}-\d\d-\d\d)\n\n\*Ratings affected\*: \S", release
    )
