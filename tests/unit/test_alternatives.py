"""Our own reading reproduces our own ratings; an alternative changes one thing and no more."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.analysis.alternatives import alternatives, our_reading, recompute
from ratinglist.analysis.entry_alternatives import entry_alternatives
from ratinglist.analysis.our_month import OurMonth, select_sides
from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.store import rule_files
from ratinglist.workflows.reconcile import _our_months
from tests.conftest import MONTHS
from tests.months import Event, Office, Player
from tests.stores import open_store
from tests.unit.test_list_comparison import our_month

BOOK = rule_files.rule_book()


def recomputed_changes(ours: OurMonth) -> pl.DataFrame:
    """Return the changes of the month, with ``new_rating`` as calculated and ``rating`` as recomputed."""
    rule_set = BOOK.on(ours.family, ours.time_control, ours.period.first_day)
    assert rule_set is not None
    changed = ours.changes.filter(pl.col("status") != "entered")
    players = changed.select("fide_id", "old_rating", pl.lit("").alias("detail"), pl.lit("").alias("inferred"))
    sides = select_sides(ours, BOOK, players)
    reading = our_reading(rule_set, str(ours.lists["month"].max()))
    recomputed = recompute(sides, reading, players, BOOK, rule_set, ours.period).drop("detail")
    return changed.join(recomputed.rename({"games": "recomputed_games"}), on="fide_id", how="left")


@pytest.mark.thorough
@pytest.mark.parametrize("month", MONTHS)
def test_our_own_reading_gives_every_number_of_the_sample(month: str, rated: Settings) -> None:
    with open_store(rated.store) as store:
        _, (ours,) = _our_months(store, rated, Period.parse(month), BOOK)
    recomputed = recomputed_changes(ours)
    assert len(recomputed) > 30
    assert recomputed.filter(pl.col("rating").ne_missing(pl.col("new_rating"))).is_empty()
    assert recomputed.filter(pl.col("recomputed_games") != pl.col("games")).is_empty()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("month", "on", "start", "family", "time_control"),
    [
        ("2016-03", "2016-02", "2016-02-06", "fide", "standard"),
        ("2019-03", "2019-02", "2019-02-09", "fide", "standard"),
        ("2022-05", "2022-04", "2022-04-09", "fide", "standard"),
        ("2022-05", "2022-04", "2022-04-09", "fide", "rapid"),
        ("2024-03", "2024-02", "2024-02-10", "fide", "standard"),
        ("2025-11", "2025-10", "2025-10-11", "fide", "blitz"),
        ("2025-11", "2025-10", "2025-10-11", "course", "standard"),
    ],
)
def test_our_own_reading_gives_our_numbers_under_every_text(
    month: str, on: str, start: str, family: str, time_control: str
) -> None:
    players = [
        Player("Anna", 1402, games=12),
        Player("Bert", 2690, ever_2400=True),
        Player("Cora", 2310, born=int(month[:4]) - 17, ever_2300=True),
        Player("Dora", 1811, born=int(month[:4]) - 12, games=3),
        Player("Emil", 1777),
    ]
    office = Office(*players, family=family, on=on)
    if time_control != "standard":
        office.add_list(on, *players, time_control=time_control)
    games = (
        "1. Anna 0-1 Bert, Cora ½-½ Dora; 2. Bert ½-½ Dora, Anna 0-1 Emil; 3. Emil 1-0 Bert, Anna ½-½ Cora; "
        "4. Emil ½-½ Cora, Dora 1-0 Anna; 5. Bert 1-0 Cora, Dora ½-½ Emil"
    )
    more = "Dora: " + ", ".join(["1 1795"] * 20) + "; Bert: " + ", ".join(["½ 2280"] * 5)
    received = f"{start[:8]}{int(start[8:]) + 3:02d}"
    for code, played in (("Open", games), ("League", more)):
        office.receive(Event(code, played, start=start, end=start, received=received, time_control=time_control))
    ours = our_month(office.rate(month).of(time_control))
    recomputed = recomputed_changes(ours)
    assert len(recomputed) == 7
    assert recomputed.filter(pl.col("rating").ne_missing(pl.col("new_rating"))).is_empty()
    assert recomputed.filter(pl.col("recomputed_games") != pl.col("games")).is_empty()


def test_a_player_is_computed_once_by_each_reading_and_once_for_each_event() -> None:
    office = Office(Player("Anna", 1800))
    office.receive(Event("Open", "Anna: 1 1800"), Event("Cup", "Anna: 1 1700", start="2025-10-18", end="2025-10-19"))
    ours = our_month(office.rate("2025-11"))
    players = ours.listed.filter(pl.col("rating") == 1800 + 17).select("fide_id")
    assert len(players) == 1
    found = alternatives(ours, select_sides(ours, BOOK, players), players, BOOK)
    assert not found.select("cause", "detail").is_duplicated().any()
    assert set(found.filter(pl.col("cause") == "extra_event")["detail"]) == {"Open", "Cup"}
    assert found.filter(pl.col("cause") == "k_inferred").is_empty()


def test_a_player_without_games_keeps_the_rating_by_every_reading() -> None:
    ours = our_month(Office(Player("Anna", 1800)).rate("2025-11"))
    players = ours.listed.select("fide_id")
    found = alternatives(ours, select_sides(ours, BOOK, players), players, BOOK)
    assert set(found["rating"]) == {1800}
    assert set(found["games"]) == {0}


def test_without_a_rule_set_there_is_no_alternative() -> None:
    office = Office(Player("Anna", 1800), Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    ours = our_month(office.rate("2025-11"))
    early = OurMonth(**{name: getattr(ours, name) for name in ours.__slots__} | {"period": Period.parse("2010-01")})
    players = pl.DataFrame({"fide_id": [101, 102]})
    sides = select_sides(ours, BOOK, players)
    assert alternatives(early, sides, players, BOOK).is_empty()
    assert entry_alternatives(early, sides, players, BOOK).is_empty()


def test_an_event_that_is_not_rated_has_the_ratings_that_would_have_counted() -> None:
    office = Office(Player("Anna", 1800), Player("Nora"))
    late = Event("Cup", "1. Anna 1-0 1700; 2. Anna 1-0 Nora", received="2025-10-31")
    office.receive(late)
    ours = our_month(office.rate("2025-11"))
    sides = select_sides(ours, BOOK, pl.DataFrame({"fide_id": [101, 102]})).sort("fide_id", "round")
    assert sides["status"].unique().to_list() == ["deferred"]
    assert sides.select("rating", "opponent_rating").rows() == [(1800, 1700), (1800, None), (None, 1800)]
