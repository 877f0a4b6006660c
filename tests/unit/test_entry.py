"""How unrated players enter: which results count, how long they wait, and the initial rating."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.entry import compute_entries, is_expired, judge_tranches
from ratinglist.rating.rules import RuleSet
from ratinglist.store import rule_files
from ratinglist.tables import POOL
from tests.months import Event, Month, Office, Player, Row


def rule_set(family: str) -> RuleSet:
    rules = rule_files.rule_book().on(family, "standard", date(2025, 10, 1))
    assert rules is not None
    return rules


COURSE = rule_set("course")


def computed(family: str, games: int, halves: int, rating_sum: int) -> Row:
    """Return the entry of one player from the player's results in the pool."""
    rules = rule_set(family)
    waiting = ("standard", 7, "Open", games, halves, rating_sum, "2025-11", "2028-01")
    pool = pl.DataFrame([waiting], schema=POOL.schema, orient="row")
    performance = rule_files.rule_book().tables[rules.entry.performance_table]
    (row,) = compute_entries(pool, rules.entry, performance, rules.list.floor).to_dicts()
    return row


def newcomer(games: str, *, family: str = "fide", **event: str) -> Month:
    """Return the list of November 2025 with Nora, unrated, and her ``games``."""
    office = Office(Player("Nora"), family=family)
    office.receive(Event("Open", f"Nora: {games}", **event))
    return office.rate("2025-11")


# ------------------------------------------------------------------------------------------- the initial rating

# Of the course, +20 for each half point; of the text of 2024, two draws at 1800: games, half points, sum of the
# opponents' ratings, and what the entry has. The French ones are the worked examples of its arbiters' book.
ENTRIES: list[tuple[str, int, int, int, dict[str, object]]] = [
    *(
        ("course", 6, halves, 6 * 1810, {"computed_rating": rating})
        for halves, rating in [(6, 1810), (7, 1830), (12, 1930), (4, 1685), (5, 1753)]
    ),
    *(
        ("course", 11, halves, 11 * 1950, {"computed_rating": rating})
        for halves, rating in [(11, 1950), (13, 1990), (9, 1885), (15, 2030), (7, 1817)]
    ),
    ("course", 6, 4, 6 * 1810, {"p_hundredths": 33, "dp": -125}),
    # No upper limit by the course, and 2200 from 2024.
    ("course", 5, 10, 5 * 2400, {"computed_rating": 2500}),
    *(
        ("fide", 5, 10, rating_sum, {"computed_rating": rating})
        for rating_sum, rating in [(9630, 2199), (9637, 2200), (9644, 2200), (5 * 2400, 2200)]
    ),
    ("fide", 5, 6, 9507, {"p_hundredths": 57, "dp": 50, "opponent_average": "1872.43", "computed_rating": 1922}),
    *(
        (
            *("fide", len(opponents), halves, sum(opponents)),
            {"opponent_average": average, "p_hundredths": p, "dp": dp, "computed_rating": rating},
        )
        for opponents, halves, average, p, dp, rating in [
            ([1400, 1500, 1550, 1600, 1820, 1770, 1550, 1430], 8, "1622.00", 50, 0, 1622),
            ([1600, 1700, 1940, 2100, 2150, 2430], 10, "1940.00", 75, 193, 2133),
            ([1830, 1840, 1810, 1850, 1820, 1836, 1834, 1850], 6, "1827.00", 40, -72, 1755),
        ]
    ),
    # The share of the points is rounded half up to hundredths: 5½ of 8 with the two draws is .6875, 2½ of 8 .3125.
    ("fide", 6, 9, 6 * 1800, {"p_hundredths": 69}),
    ("fide", 6, 3, 6 * 1800, {"p_hundredths": 31}),
    *(("course", 4, halves, 4 * 1800, {"p_hundredths": p}) for halves, p in [(1, 13), (3, 38), (5, 63), (7, 88)]),
    # The rating is rounded half up once; the average is shown with two places.
    *(
        ("course", 6, 6, rating_sum, {"computed_rating": rating})
        for rating_sum, rating in [(10_804, 1801), (10_803, 1801), (10_802, 1800)]
    ),
    *(
        ("course", 6, 6, rating_sum, {"opponent_average": shown})
        for rating_sum, shown in [(10_801, "1800.17"), (10_804, "1800.67"), (10_800, "1800.00")]
    ),
    # Of thousands of games it is exact; of too few there is none.
    ("course", 9_999, 9_999, 9_999 * 2400 + 1234, {"opponent_average": "2400.12", "computed_rating": 2400}),
    ("course", 4, 8, 8000, {"published": False, "computed_rating": None}),
    # The floor.
    *(
        (
            family,
            5,
            5,
            5 * average,
            {"computed_rating": rating, "published": is_published, "reason": "" if is_published else "below_floor"},
        )
        for family, average, rating, is_published in [
            *(("fide", 1239, 1399, False), ("fide", 1240, 1400, True)),
            *(("course", 999, 999, False), ("course", 1000, 1000, True)),
        ]
    ),
]


@pytest.mark.parametrize(("family", "games", "halves", "rating_sum", "expected"), ENTRIES)
def test_the_initial_rating_is_that_of_the_text(family, games, halves, rating_sum, expected):
    row = computed(family, games, halves, rating_sum)
    figures = {name: str(row[name]) if name == "opponent_average" else row[name] for name in expected}
    assert figures == expected


# ----------------------------------------------------------------------------------------------- enough games


def test_a_newcomer_shows_the_games_of_the_month_and_starts_with_all_of_them_counted():
    office = Office(Player("Nora"))
    office.wait("Nora", "Spring", "1½", [1700, 1700, 1700], counted="2025-05")
    office.receive(Event("Open", "Nora: 1 1800, ½ 1800b"))
    november = office.rate("2025-11")
    assert (november.change("Nora")["games"], november.state("Nora")["games"]) == (2, 2)
    assert november.state("Nora")["games_played"] == 5


def test_a_newcomer_is_rated_on_the_next_list():
    office = Office(Player("Nora"))
    office.receive(Event("A", "Nora: 1 1800, ½ 1800b, ½ 1800c, ½ 1800d, 0 1800e"))
    office.rate("2025-11")
    office.receive(Event("B", "Nora: 1 1800", start="2025-11-02", end="2025-11-09", received="2025-11-10"))
    december = office.rate("2025-12")
    assert (december.rating("Nora"), december.change("Nora")["k"]) == (1820, 40)
    assert december.rating("1800") == 1790


# ------------------------------------------------------------------------------------------ zero in the first


def test_a_zero_is_a_first_one_again_when_the_counted_results_are_too_old():
    office = Office(Player("Nora"))
    office.wait("Nora", "Long ago", "1", [1700], counted="2023-09")
    office.receive(Event("Open", "Nora: 0 1800"))
    assert office.rate("2025-11").reasons("Nora") == ["zero_first_event"]


def test_a_half_point_against_an_unrated_player_does_not_save_a_zero():
    office = Office(Player("Nora"), Player("Olaf"))
    office.receive(Event("Open", "Nora: 0 1800, 1 Olaf"))
    assert office.rate("2025-11").reasons("Nora") == ["opponent_unrated", "zero_first_event"]


# --------------------------------------------------------------------------------------------------- 26 lists


@pytest.mark.parametrize(
    ("counted", "too_old"),
    [("2019-12", True), ("2023-08", True), ("2023-09", True), ("2023-10", False), ("2025-10", False)],
)
@pytest.mark.parametrize("family", ["fide", "course"])
def test_a_result_counts_for_26_lists_the_one_being_computed_included(family, counted, too_old):
    rules = rule_set(family).entry
    assert pl.select(is_expired(pl.lit(counted), Period.parse("2025-11"), rules)).item() is too_old


def test_the_pool_has_the_month_a_result_was_counted_and_the_month_it_expires():
    pool = newcomer("½ 1800").result.pool
    assert pool.select("counted_month", "expires_month").row(0) == ("2025-11", "2028-01")


# ---------------------------------------------------------------------------------- types, large sums, ties


def test_the_results_of_a_player_rated_on_the_list_before_wait_no_longer():
    office = Office(Player("Nora", 1900))
    office.wait("Nora", "Spring", "3", [1700] * 5, counted="2025-05")
    november = office.rate("2025-11")
    assert (november.rating("Nora"), november.change("Nora"), november.waiting("Nora")) == (1900, None, [])


@pytest.mark.parametrize(
    ("tranches", "least_games", "reasons"),
    [
        # Of two events that began together the one that ended sooner was the first, then the code decides.
        ([("A", 1, 5, 4, 0), ("B", 1, 2, 4, 3)], 0, {"A": "counts_for_entry", "B": "counts_for_entry"}),
        ([("B", 1, 5, 4, 3), ("A", 1, 5, 4, 0)], 0, {"A": "zero_first_event", "B": "counts_for_entry"}),
        # A point in an event that is too small does not make the next one count.
        ([("A", 1, 2, 2, 4), ("B", 3, 5, 4, 0)], 3, {"A": "tranche_too_small", "B": "zero_first_event"}),
    ],
)
def test_the_events_of_a_newcomer_go_in_their_order(tranches, least_games, reasons):
    rules = replace(COURSE.entry, tranche_min_games=least_games, tranche_min_halves=0)
    rows = [(7, code, date(2025, 11, first), date(2025, 11, last), *result) for code, first, last, *result in tranches]
    columns = ["fide_id", "pool_id", "start_date", "end_date", "games", "score_halves"]
    waiting = pl.DataFrame(schema={"fide_id": pl.Int64()})
    judged = judge_tranches(pl.DataFrame(rows, schema=columns, orient="row"), waiting, rules)
    assert dict(judged.select("pool_id", "reason").iter_rows()) == reasons
