"""Describe what a correction of a player's data changes, without a date of birth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.corrections.parser import DATA


def data_changed(before: Mapping[str, Any], corrected: Mapping[str, Any]) -> list[str]:
    """Return what changes of a player's data, a text each. Of a date of birth only the year is shown."""
    found = [
        f"{key.replace('_', ' ')} corrected from {before[key] or 'none'} to {corrected[key] or 'none'}"
        for key in DATA
        if key != "birth_date" and key in corrected and corrected[key] != before[key]
    ]
    is_another_year = corrected.get("birth_year", before["birth_year"]) != before["birth_year"]
    if not is_another_year and "birth_date" in corrected and corrected["birth_date"] != before["birth_date"]:
        found.append(f"day of birth corrected, in {before['birth_year']}")
    return found
