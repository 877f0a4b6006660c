"""Describe players of the register, and tell by their data whether two of them may be one person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from ratinglist.analysis.unlike_names import unlike_names
from ratinglist.store.database import Store

MISREAD_YEARS = 10
"""By how many years a year of birth is corrected at most without a question: one digit misread is up to nine."""
_NAMES = {"name": pl.String, "birth_year": pl.Int32, "registered": pl.String, "registered_year": pl.Int32}


def person_text(player: Mapping[str, Any]) -> str:
    """Return FIDE ID, name, federation and year of birth of a player."""
    known = ", ".join(str(one) for one in (player["federation"], _year_of(player)) if one)
    return f"{player['fide_id']} {player['name']}" + (f" ({known})" if known else "")


def _year_of(player: Mapping[str, Any]) -> int | None:
    return player["birth_year"] or (player["birth_date"].year if player["birth_date"] else None)


def differences_of(store: Store, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return what tells two players apart, a sentence each; what is not known of one of them tells nothing."""
    years = (_year_of(one), _year_of(other))
    names = {"name": one["name"], "birth_year": years[0], "registered": other["name"], "registered_year": years[1]}
    known = {"the federations": (one["federation"], other["federation"]), "the sexes": (one["sex"], other["sex"])}
    pairs = {"the years of birth": years, **known}
    unlike = ["the names are not alike"] if len(unlike_names(store, pl.DataFrame([names], schema=_NAMES))) else []
    return unlike + [
        f"{what} are {before} and {after}"
        for what, (before, after) in pairs.items()
        if before and after and before != after
    ]


def signs_of_another(store: Store, before: Mapping[str, Any], corrected: Mapping[str, Any]) -> list[str]:
    """Return what of the corrected data would make another person of a player, a sentence each."""
    after = {**before, **corrected}
    name = {"name": after["name"], "birth_year": None, "registered": before["name"], "registered_year": None}
    found = []
    if len(unlike_names(store, pl.DataFrame([name], schema=_NAMES))):
        found.append(f"the names {before['name']} and {after['name']} are not alike")
    if before["sex"] and after["sex"] and before["sex"] != after["sex"]:
        found.append(f"the sex is {before['sex']}, and would be {after['sex']}")
    years = (_year_of(before), _year_of({"birth_date": None, **corrected, "birth_year": after["birth_year"]}))
    if years[0] and years[1] and abs(years[0] - years[1]) > MISREAD_YEARS:
        found.append(f"the year of birth is {years[0]}, and would be {years[1]}")
    if corrected.get("women_title") and after["sex"] == "M":
        found.append(f"{corrected['women_title']} is a title of women, and the player is a man")
    federation = corrected.get("federation")
    if federation and not store.finds_rows("select 1 from player where federation = $code limit 1", code=federation):
        found.append(f"no player of this office has the federation {federation}")
    return found
