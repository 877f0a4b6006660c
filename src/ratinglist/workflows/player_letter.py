"""The letter to a player who requests it: what the office holds of the player, and every change of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.letter import LetterTemplate, PlayerFacts, player_letter_text
from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.files.atomic_file import check_output_folder, write_text_atomically
from ratinglist.store.birth_dates import without_dates
from ratinglist.store.calculation_log import describe_corrections
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import open_to_read

_SHOWN = ("name", "federation", "sex", "title", "women_title", "other_titles", "birth_year")
_MEMBERSHIP = ("club", "member_until")
_DAY_OF_BIRTH = "birth_date"


@dataclass(frozen=True, slots=True)
class PlayerLetterSummary(Summary):
    """The letter that was written. ``name``: of the player."""

    fide_id: int
    name: str
    file: str

    def text(self) -> str:
        """Return the summary as one line."""
        return f"{self.file}: what the office holds of the player {self.fide_id} {self.name}"


def player_letter(settings: Settings, fide_id: int, template: LetterTemplate, out: Path | None) -> PlayerLetterSummary:
    """Write the letter to a player as a text file in ``out``, by default the current folder.

    Raises :class:`NothingReadError` where the player is not registered, :class:`CommandLineError` where the folder
    cannot be used. Nothing is sent: the office makes sure first that it is the player who requests it.
    """
    folder = out or Path()
    check_output_folder(folder, settings.home)
    with open_to_read(settings) as store:
        facts = _facts(store, settings, fide_id)
    folder.mkdir(exist_ok=True)
    file = folder / f"player-{fide_id}.txt"
    write_text_atomically(file, player_letter_text(facts, template))
    return PlayerLetterSummary(fide_id, facts.held.get("name", ""), str(file))


def _facts(store: Store, settings: Settings, fide_id: int) -> PlayerFacts:
    """Return what the store holds of a player; the day of birth stays in it, only that it is known is said."""
    versions = store.read("select * from player where fide_id = $id order by source_no", id=fide_id)
    now = store.read("select * from registered_person where fide_id = $id", id=fide_id)
    if now.is_empty():
        raise NothingReadError(
            f"No player with the FIDE ID {fide_id} is registered: there is no letter to write. To look a player up: "
            "ratinglist find NAME"
        )
    held = now.row(0, named=True)
    club = store.read("select club, member_until from membership_now where fide_id = $id", id=fide_id).to_dicts()
    memberships = store.read(_MEMBERSHIPS, id=fide_id)
    lists = store.read(
        """
        select month, time_control, rating, games from list_to_stand_on
        where basis = 'corrected' and fide_id = $id order by month desc, time_control
        """,
        id=fide_id,
    )
    reports = store.read(
        """
        select report.report_id, report.name, report.event_id, report.start_date, report.end_date
        from current_report_player join current_report as report using (report_no)
        where fide_id = $id and report.accepted group by all order by start_date, event_id
        """,
        id=fide_id,
    )
    corrections = [one for one in describe_corrections(store) if fide_id in one["fide_ids"]]  # type: ignore[operator] # a list
    return PlayerFacts(
        day=str(settings.today),
        fide_id=fide_id,
        held={name: str(held[name]) for name in _SHOWN if held[name] not in (None, "")}
        | ({"birth_year": str(held[_DAY_OF_BIRTH].year)} if held[_DAY_OF_BIRTH] else {})
        | {name: str(one[name]) for one in club for name in _MEMBERSHIP if one[name]},
        day_of_birth_is_held=held[_DAY_OF_BIRTH] is not None,
        changes=sorted(_changes(versions, _SHOWN) + _changes(memberships, _MEMBERSHIP), key=lambda change: change[0]),
        lists=list(lists.iter_rows(named=True)),
        events=list(without_dates(store, reports).iter_rows(named=True)),
        corrections=corrections,
    )


_MEMBERSHIPS = """
select club, member_until, known_on from (
    -- Before the first version of a membership there was none.
    select '' as club, null as member_until, null as known_on, 0 as source_no
    union all
    select club, member_until, known_on, source_no from membership where fide_id = $id
)
order by source_no
"""


def _changes(versions: pl.DataFrame, shown: Collection[str]) -> list[tuple[str, dict[str, tuple[str, str]]]]:
    """Return the days on which the data of a player changed, and for each value that did the old and the new one."""
    rows: list[dict[str, Any]] = versions.to_dicts()
    found = []
    for before, after in pairwise(rows):
        differs = [name for name in shown if (before[name] or "") != (after[name] or "")]
        if differs:
            changed = {name: (str(before[name] or ""), str(after[name] or "")) for name in differs}
            found.append((str(after["known_on"]), changed))
    return found
