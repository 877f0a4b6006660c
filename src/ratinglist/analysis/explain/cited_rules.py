"""The values of a rule set as an account has them, each with the article that its sentence cites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Values = Mapping[str, Any]


class CitedRules:
    """The values of a rule set by key, with their articles."""

    def __init__(self, rules: Mapping[str, Values]) -> None:
        self._rules = rules

    def __getitem__(self, key: str) -> Any:
        return self._rules[key]["value"]

    def text(self, sentence: str, key: str) -> str:
        """Return a sentence with the article of a rule."""
        return f"{sentence} ({self._rules[key]['article']})"
