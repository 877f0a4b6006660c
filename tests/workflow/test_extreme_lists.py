"""Lists of extreme ratings and results in every system pass their checks: a check reckons as exactly as the program."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from random import Random

import pytest

from ratinglist.period import Period
from ratinglist.publication.doubts import doubts_about
from ratinglist.settings import Settings
from ratinglist.store import rule_files
from ratinglist.workflows import import_files, load, run
from ratinglist.workflows.opening import open_to_read
from tests.conftest import asks_nothing

RATINGS = (1, 2, 3, 13, 60, 350, 351, 700, 999, 1401, 1749, 2100, 2300, 2401, 2899, 3999, None, None, None, None)
"""Of the players 101, 102 and so on; the last ones are unlisted."""
PERIODS = ("2026-01", "2026-05", "2026-07")
BOOK = rule_files.rule_book()
FAMILIES = [family for family in BOOK.families if BOOK.is_system(family)]


def write_list(folder: Path) -> Path:
    file = folder / "list.csv"
    rows = [
        f"{101 + number},Player {number},ORV,standard,{rating or ''},{40 * number if rating else 0}"
        for number, rating in enumerate(RATINGS)
    ]
    file.write_text("\n".join(["fide_id,name,federation,time_control,rating,games_played", *rows, ""]), "utf-8")
    return file


def write_events(folder: Path, month: str, random: Random) -> Path:
    """Events in which the weak beat the strong, somebody loses every game, and some play a hundred."""
    inbox = folder / f"inbox-{month}"
    inbox.mkdir()
    start = date.fromisoformat(f"{Period.parse(month) - 2}-03")
    events, games = [], []
    for number in range(6):
        code = f"E{month}{number}"
        events.append(
            f"{code},Event {number},{start},{start.replace(day=20)},{start.replace(day=21)},swiss,standard,ORV,90"
        )
        for round_ in range(1, 26):
            ids = [101 + one for one in range(len(RATINGS))]
            random.shuffle(ids)
            for white, black in zip(ids[::2], ids[1::2], strict=True):
                loser = max(white, black) if number % 3 == 0 else min(white, black)
                results = ("0", "1") if loser == white else ("1", "0")
                if random.random() < 1 / 50:
                    results = ("=", "=")
                games.append(
                    f"{code},{round_},{start.replace(day=3 + round_ % 17)},{white},{black},{','.join(results)}"
                )
    head = "event_id,name,start_date,end_date,received_on,event_type,time_control,federation,minutes_per_60_moves"
    (inbox / "events.csv").write_text("\n".join([head, *events, ""]), "utf-8")
    head = "event_id,round,date,white_id,black_id,white_result,black_result"
    (inbox / "games.csv").write_text("\n".join([head, *games, ""]), "utf-8")
    return inbox


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_no_check_stops_a_right_list_of_extreme_values(family: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", family=family, today=date(2027, 1, 2))
    asks_nothing(settings.home)
    import_files.import_list(settings, write_list(tmp_path), Period.parse("2025-09"))
    random, changes, ratings = Random(7), set[int](), set[int]()
    months = [month for month in PERIODS if BOOK.publishes_in(family, Period.parse(month))]
    for month in months:
        load.load(settings, [write_events(tmp_path, month, random)], None)
        run.rate(settings, Period.parse(month))
        with open_to_read(settings) as store:
            raised = doubts_about(store, settings, Period.parse(month))
            of_month = "select max(abs(change)), min(new_rating) from change where month = $month"
            ((largest, lowest),) = store.rows(of_month, month=month)
        found = [(doubt.code, doubt.rows) for doubt in raised if doubt.kind == "stop"]
        assert found == []
        changes.add(largest)
        ratings.add(lowest)
    assert max(changes) > 200
    assert family != "ffe" or min(ratings) < 0
