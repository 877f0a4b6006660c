"""The page of ``office.toml`` has every key of the sections that it describes itself, with its default."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

import pytest

from ratinglist.office import NotificationPolicy, Office, PublicationPolicy
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "reference" / "office.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("section", "policy"),
    [("publication", PublicationPolicy), ("notify", NotificationPolicy)],
)
def test_every_key_is_there_with_its_default(section: str, policy: type[Any]) -> None:
    text = PAGE.partition(f"## `[{section}]`\n")[2].partition("\n## ")[0]
    described = dict(re.findall(r"^\| `(\w+)` \| `(.+?)` \|", text, re.MULTILINE))
    # Such values JSON writes as TOML does.
    assert described == {choice.name: json.dumps(choice.default) for choice in fields(policy)}


def test_every_section_is_named() -> None:
    sections = set(re.findall(r"`\[+(\w+)[\w.]*\]+`", PAGE))
    assert {section.name for section in fields(Office)} == {"name", *sections}
    assert "## `name`\n" in PAGE
