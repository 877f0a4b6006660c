"""Describe players of the register, and tell by their data whether two of them may be one person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from ratinglist.analysis.unlike_names import other_day, unlike_names
from ratinglist.number_text import counted
from ratinglist.store.database import Store

_NAMES = {
    "name": pl.String,
    "birth_year": pl.Int32,
    "birth_date": pl.Date,
    "registered": pl.String,
    "registered_year": pl.Int32,
    "registered_date": pl.Date,
}


def person_text(player: Mapping[str, Any]) -> str:
    """Return FIDE ID, name, federation and year of birth of a player."""
    known = ", ".join(str(one) for one in (player["federation"], _year_of(player)) if one)
    return f"{player['fide_id']} {player['name']}" + (f" ({known})" if known else "")


def _year_of(player: Mapping[str, Any]) -> int | None:
    return player["birth_year"] or (player["birth_date"].year if player["birth_date"] else None)


def received_otherwise(store: Store, fide_id: int, corrected: Mapping[str, Any]) -> list[str]:
    """Return where the newest file with a player, and reports, have other data than the ``corrected``: a text each.

    Dates of birth are not compared; the year is. A man's title of women is named too.
    """
    newest = store.read(
        """
        select player.*, file_name from player join source_file using (source_no)
        where fide_id = $id order by source_no desc limit 1
        """,
        id=fide_id,
    ).to_dicts()
    in_reports = store.read(
        """
        select birth_year, sex, count(distinct event_id) as events
        from current_report_player as player join current_report as report using (report_no)
        where player.fide_id = $id group by all order by all
        """,
        id=fide_id,
    )
    found = []
    is_womens = str(corrected.get("title", "")).startswith("W") or corrected.get("women_title")
    if is_womens and corrected.get("sex", "") != "F":
        found += [f"sex {one['sex']} in the register" for one in newest if one["sex"] == "M"]
    for key, cell in corrected.items():
        if key == "birth_date":
            continue
        what = key.replace("_", " ")
        found += [f"{what} {one[key]} in {one['file_name']}" for one in newest if one[key] not in (None, "", cell)]
        if key in in_reports.columns:
            stated = (
                in_reports.filter(~pl.col(key).cast(pl.String).is_in(["", "0"])).group_by(key).agg(pl.sum("events"))
            )
            found += [
                f"{what} {other} in {counted(events, 'report')}"
                for other, events in stated.filter(pl.col(key).ne_missing(pl.lit(cell)))
                .sort("events", descending=True)
                .iter_rows()
            ]
    return found


def differences_of(store: Store, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return what tells two players apart, a sentence each; what is not known of one of them tells nothing."""
    years = (_year_of(one), _year_of(other))
    row = (one["name"], years[0], one["birth_date"], other["name"], years[1], other["birth_date"])
    named = pl.DataFrame([row], schema=_NAMES, orient="row").with_columns(
        is_other_day=other_day(pl.col("birth_date"), pl.col("registered_date"))
    )
    known = {"the federations": (one["federation"], other["federation"]), "the sexes": (one["sex"], other["sex"])}
    pairs = {"the years of birth": years, **known}
    unlike = ["the names are not alike"] if len(unlike_names(store, named)) else []
    if named["is_other_day"].item() and years[0] == years[1]:
        unlike.append("the days of birth differ")
    return unlike + [
        f"{what} are {before} and {after}"
        for what, (before, after) in pairs.items()
        if before and after and before != after
    ]
