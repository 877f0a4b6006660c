"""Our own reading reproduces our own ratings; an alternative changes one thing and no more."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.alternatives import alternatives
from ratinglist.analysis.entry_alternatives import entry_alternatives
from ratinglist.analysis.our_month import OurMonth, select_sides
from ratinglist.period import Period
from ratinglist.store import rule_files
from tests.months import Event, Office, Player
from tests.unit.test_list_comparison import our_month

BOOK = rule_files.rule_book()


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
