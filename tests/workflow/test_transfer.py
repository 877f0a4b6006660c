"""A transfer: a federation that counts from a day on, and published lists stay as they are."""

from __future__ import annotations

import re
from datetime import date

import pytest

from ratinglist.errors import CommandLineError, UnansweredError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.inputs import players_of
from ratinglist.workflows import import_files, replay, undo
from ratinglist.workflows.correct import type_correction
from ratinglist.workflows.opening import open_to_read
from tests.command_line import stopped
from tests.conftest import MONTHS

PLAYER = 99900046
PUBLISHED, NEXT, LATER = map(Period.parse, MONTHS[:3])


def transferred(settings: Settings, start: date | None, into: str = "FRA") -> import_files.ImportSummary:
    file = settings.home.parent / f"transfers-{into}.csv"
    with open_to_read(settings) as store:
        name = store.read("select name from player_now where fide_id = $id", id=PLAYER).item()
    file.write_text(f'fide_id,name,federation\n{PLAYER},"{name}",{into}\n', encoding="utf-8")
    return import_files.import_players(settings, file, start=start)


def federations(settings: Settings) -> list[str]:
    """The player's federation as the published list, the next one and the one after it know it."""
    with open_to_read(settings) as store:
        lists = [players_of(store, period) for period in (PUBLISHED, NEXT, LATER)]
    return [str(players.filter(fide_id=PLAYER)["federation"].item()) for players in lists]


@pytest.mark.parametrize(
    ("start", "first", "known"),
    [
        (None, None, ["FRA", "FRA", "FRA"]),
        (date(2025, 11, 1), "2025-11", ["ORV", "ORV", "FRA"]),
        (date(2025, 10, 2), "2025-11", ["ORV", "ORV", "FRA"]),
        (date(2025, 10, 1), "2025-10", ["ORV", "FRA", "FRA"]),
        (date(2025, 3, 1), "2025-10", ["ORV", "FRA", "FRA"]),
    ],
    ids=str,
)
def test_a_transfer_counts_from_the_first_list_of_its_day_that_is_not_published(first_month, start, first, known):
    assert transferred(first_month, start).first_list == first
    assert federations(first_month) == known


def test_a_transfer_is_recorded_with_its_list_and_found_again(first_month: Settings) -> None:
    with pytest.raises(CommandLineError, match="look at the year"):
        transferred(first_month, date(2052, 11, 1))
    transferred(first_month, date(2025, 11, 1))
    replay.rebuild(first_month)
    assert "2025-11" in undo.changes_text(undo.changes(first_month)).splitlines()[-1]
    assert federations(first_month) == ["ORV", "ORV", "FRA"]


@pytest.mark.parametrize(
    ("later", "earlier", "into", "says"),
    [
        (date(2025, 11, 1), date(2025, 10, 1), "FRA", ""),
        (date(2025, 11, 1), date(2025, 10, 1), "GER", f"{PLAYER} .* later day has to be imported last"),
        (date(2025, 12, 1), date(2025, 10, 20), "GER", f"{PLAYER} .* later day has to be imported last"),
        (date(2026, 1, 1), date(2025, 3, 1), "GER", f"{PLAYER} .* later day has to be imported last"),
    ],
    ids=str,
)
def test_of_two_transfers_the_one_with_the_later_day_is_recorded_last(
    first_month: Settings, later: date, earlier: date, into: str, says: str
) -> None:
    """The same file with another day is recorded once the first is undone, and so is another one of an earlier day."""
    transferred(first_month, later)
    assert transferred(first_month, later).already
    with pytest.raises(CommandLineError, match=rf"(?s){says}.*ratinglist retract \d+") as refused:
        transferred(first_month, earlier, into)
    (entry,) = re.findall(r"ratinglist retract (\d+)", str(refused.value))
    undo.retract(first_month, int(entry))
    transferred(first_month, earlier, into)
    if into == "GER":
        transferred(first_month, later)
    with open_to_read(first_month) as store:
        known = [
            players_of(store, Period.of(day) + (day.day > 1)).filter(fide_id=PLAYER)["federation"].item()
            for day in (max(earlier, date(2025, 10, 1)), later)
        ]
    assert known == [into, "FRA"]


def test_a_transfer_of_a_player_after_an_earlier_one_of_another_is_recorded(first_month: Settings) -> None:
    transferred(first_month, date(2025, 11, 1))
    file = first_month.home.parent / "other.csv"
    file.write_text('fide_id,name,federation\n99900027,"Castellane, Emile",GER\n', encoding="utf-8")
    assert import_files.import_players(first_month, file, start=date(2025, 10, 1)).first_list == "2025-10"


def correction(more: str = "") -> str:
    return (
        f'[[correction]]\naction = "change_data"\nmatch = {{ fide_id = {PLAYER} }}\nfederation = "FRA"\n{more}'
        'reason = "the card of the federation"\nwho = "M. Rossi"\nreported_on = 2025-10-02\n'
    )


def test_a_correction_of_a_federation_asks_where_published_lists_would_change(first_month: Settings) -> None:
    with pytest.raises(UnansweredError, match="import-players FILE --from") as asked:
        type_correction(first_month, correction())
    (doubt,) = asked.value.doubts
    assert (doubt["code"], doubt["rows"]) == ("past_federation", [{"month": MONTHS[0]}])
    type_correction(first_month, correction('past_federation = "it was typed wrong in the first list"\n'))
    assert federations(first_month) == ["FRA", "FRA", "FRA"]
    # One who is on no published list is corrected at once.
    file = first_month.home.parent / "new.csv"
    file.write_text('fide_id,name,federation\n99909999,"New, Nora",ITA\n', encoding="utf-8")
    import_files.import_players(first_month, file)
    type_correction(first_month, correction().replace(str(PLAYER), "99909999"))
    with open_to_read(first_month) as store:
        assert store.read("select federation from player_now where fide_id = 99909999").item() == "FRA"


@pytest.mark.parametrize(
    ("typed", "is_transfer"),
    [
        (("--federation", "FRA"), True),
        (("--federation=FRA",), True),
        (("title=GM", "--federation", "FRA"), True),
        (("--title", "GM"), False),
    ],
    ids=str,
)
def test_an_option_for_a_federation_names_the_way_of_a_transfer(
    first_month: Settings, typed: tuple[str, ...], is_transfer: bool
) -> None:
    said = stopped(
        first_month.home, 2, "correct", "player", str(PLAYER), *typed, "--because", "he has moved", "--by", "M. Rossi"
    )
    assert typed[-2 if is_transfer and len(typed) > 1 else 0] in said
    assert ("import-players FILE --from" in said) == is_transfer
