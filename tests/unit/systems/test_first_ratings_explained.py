"""The accounts of first ratings: an entry of the French Elo and a promotion of the Italian Elo of 1998."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from ratinglist.analysis.explain import Account, FigureTable, Sources, account
from ratinglist.publication.account_files import sentences
from tests.months import Event, Month, Office, Player


def explained(month: Month, name: str, before: Month | None = None) -> Account:
    """The account of a player; ``before``: the list before, whose pool has the results that waited."""
    number, inputs, result = month.numbers[name], month.inputs, month.result
    is_player = pl.col("fide_id") == number
    listed = dict(result.list_state.select("fide_id", "rating").iter_rows())
    judged = result.games.filter(pl.col("reason").is_in(["", "counts_for_promotion"]), pl.col("rating").is_not_null())
    more: dict[str, Any] = {} if before is None else {"earlier_pool": before.result.pool.filter(is_player)}
    return account(
        Sources(
            period=inputs.period,
            revision="r1",
            fide_id=number,
            manifest={"family": inputs.family},
            lists={},
            before={},
            before_months={},
            names={one: name for name, one in month.numbers.items()},
            changes=result.changes.filter(is_player),
            games=result.games.filter(is_player),
            events=result.events,
            listed_ratings={"standard": listed},
            listed_events=frozenset(judged["event_id"].unique()),
            **more,
        ),
        inputs.rules,
        sentences(),
    )


def term(explanation: Account, what: str) -> dict[str, Any]:
    """The operands of a term of the calculation, with its ``result``."""
    (part,) = explanation.content["time_controls"]
    (found,) = [one for one in part["terms"] if getattr(one, "what", "") == what]
    return {**found.operands, "result": found.result}


def figures(explanation: Account) -> dict[str, Any]:
    (part,) = explanation.content["time_controls"]
    found: dict[str, Any] = part["system"]["figures"]
    return found


def test_an_entry_of_the_french_elo_shows_the_division():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(
        Event("Open", "Nora: ½ 1400a, ½ 1402b, 1 1401c, 1 1399d, ½ 1400e, ½ 1400f, 0 1400g, ½ 1400h, 1 1400i")
    )
    month = office.rate("2026-01")
    shown = explained(month, "Nora")
    x = term(shown, "update.points")
    # 12602 + 400 × (2 × 5½ - 9) is 13402.
    assert (x["opponents"], x["result"]) == (12602, 13402)
    assert "other game" not in shown.text()
    assert term(shown, "update.halves")["result"] == month.rating("Nora") == 1489
    assert "12602 + 400 × (2 × 5½ - 9) = 13402" in shown.text()
    assert "X / 9 = 1489.111, rounded 1489" in shown.text()
    assert "B.02" not in shown.text()


def test_an_entry_counts_the_games_that_waited_before():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "Nora: " + ", ".join(f"½ 1400{letter}" for letter in "abcdefg")))
    january = office.rate("2026-01")
    office.receive(Event("Next", "Nora: 1 1400h", start="2026-02-01", end="2026-02-02", received="2026-02-03"))
    shown = explained(office.rate("2026-05"), "Nora", january)
    assert term(shown, "other_games") == {"games": 7, "result": 9800}
    assert term(shown, "update.halves")["result"] == 1450
    assert "7 other games of earlier lists" in shown.text()


def test_an_opponent_who_enters_has_the_new_rating_as_value():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"), Player("Olga"))
    draws = [", ".join(f"½ {rating}{letter}" for letter in "abcdefgh") for rating in (1400, 1500)]
    office.receive(Event("Open", f"1. Nora 1-0 Olga\nNora: {draws[0]}\nOlga: {draws[1]}"))
    month = office.rate("2026-01")
    shown = explained(month, "Nora")
    (part,) = shown.content["time_controls"]
    (values,) = [one for one in part["terms"] if isinstance(one, FigureTable)]
    at = values.header.index("value")
    (met,) = [row for row in values.rows if row[-1] == "the last round: enters with it"]
    assert met[at] == str(month.rating("Olga"))
    assert sum(int(row[at]) for row in values.rows) == term(shown, "update.points")["opponents"]
    assert abs(term(shown, "update.halves")["result"] - (month.rating("Nora") or 0)) < 20


def test_a_promotion_names_the_event_and_the_performance():
    office = Office(family="fsi-1998")
    office.register(Player("Nora"))
    office.receive(
        Event("Third", "Nora: ½ 1450a, ½ 1450b, ½ 1450c, ½ 1450d, ½ 1450e", end="2025-10-12"),
        Event("Second", "Nora: 1 1550a, 0 1552b, ½ 1550c, ½ 1550d, ½ 1550e", end="2025-10-13"),
    )
    shown = explained(office.rate("2026-01"), "Nora")
    (event,) = figures(shown)["promotions"]
    assert (event["event_id"], event["games"], event["score_halves"], event["performance_sum"]) == (
        "Second",
        5,
        5,
        7752,
    )
    assert "(7752 + 0) / 5 = 1550.400; 1550 is needed" in shown.text()


def test_a_promotion_among_unlisted_players_shows_the_share():
    office = Office(Player("Listed", 1500), family="fsi-1998")
    others = [Player(f"Other{number}") for number in range(5)]
    office.register(Player("Nora"), *others)
    against = ", ".join(f"{half} {other.name}" for half, other in zip("1110½", others, strict=True))
    office.receive(Event("Open", f"Nora: {against}"))
    shown = explained(office.rate("2026-01"), "Nora")
    assert "all players are unlisted; 3½ of 5 points, 0.70 of them; 0.70 is needed" in shown.text()


@pytest.mark.parametrize("family", ["uscf", "ffe"])
def test_an_unlisted_opponent_is_one_of_the_list_before(family: str):
    office = Office(Player("Anna", 1500), family=family, on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    shown = explained(office.rate("2026-01"), "Anna").text()
    assert "the opponent had no rating on the list before" in shown
    assert "B.02" not in shown
