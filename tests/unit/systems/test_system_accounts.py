"""The one account of all systems but FIDE's: the figures of the change, the columns of the games, the rules."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from ratinglist.analysis.explain import Account, Sources, account
from ratinglist.tables import ENTRY, POOL, UNRATED
from tests.months import Event, Month, Office, Player


def explained(month: Month, name: str, before: Month | None = None) -> Account:
    """The account of a player; ``before``: the list before, whose pool has the results that waited."""
    number, inputs, result = month.numbers[name], month.inputs, month.result
    is_player = pl.col("fide_id") == number
    return account(
        Sources(
            period=inputs.period,
            revision="r1",
            fide_id=number,
            manifest={"family": inputs.family},
            lists={},
            before={},
            before_months={},
            names={fide_id: name for name, fide_id in month.numbers.items()},
            changes=result.changes.filter(is_player),
            games=result.games.filter(is_player),
            entries=ENTRY.empty(),
            pool=POOL.empty(),
            earlier_pool=before.result.pool.filter(is_player) if before else POOL.empty(),
            events=result.events,
            unrated=UNRATED.empty(),
            left_out={},
        ),
        inputs.rules,
    )


def terms_of(explanation: Account) -> dict[str, Any]:
    """The terms of the calculation by name: figures of the change, and values of the rules."""
    (part,) = explanation.content["time_controls"]
    return {term.what: term for term in part["terms"]}


def test_an_account_has_every_figure_of_the_change_with_what_it_is():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(
        Event("Open", "Nora: ½ 1400a, ½ 1402b, 1 1401c, 1 1399d, ½ 1400e, ½ 1400f, 0 1400g, ½ 1400h, 1 1400i")
    )
    month = office.rate("2026-01")
    shown = explained(month, "Nora")
    (change,) = month.result.changes.filter(fide_id=month.numbers["Nora"]).to_dicts()
    terms = terms_of(shown)
    assert terms["new_rating"].result == month.rating("Nora") == 1489
    assert terms["performance_sum"].result == 13402
    for name, value in change.items():
        if value is not None and name not in ("time_control", "fide_id"):
            assert terms[name].result == value
    assert "performance_sum 13402: sum of the performances of these games" in shown.text()
    assert "of a game, opponent_value: of a game that waits: the value of the opponent" in shown.text()


def test_an_account_has_every_value_of_the_rules_and_the_columns_that_a_system_adds_to_a_game():
    office = Office(Player("Anna", 1500), family="glicko")
    office.receive(Event("Open", "Anna: 1 1600a"))
    month = office.rate("2025-11")
    shown = explained(month, "Anna")
    terms, rule_set = terms_of(shown), month.inputs.rules.on("glicko", "standard", month.inputs.period.first_day)
    assert rule_set is not None
    for key, value in rule_set.values().items():
        assert (terms[key].result, terms[key].article) == (value, rule_set.articles[key])
    (part,) = shown.content["time_controls"]
    names = ["rating_hundredths", "deviation_hundredths", "opponent_rating_hundredths", "opponent_deviation_hundredths"]
    assert part["system"] == {"name": "glicko", "game_columns": names, "waited": []}
    (game,) = part["events"][0]["games"]
    assert all(game[name] is not None and str(game[name]) in shown.text() for name in names)


def test_an_entry_shows_the_results_that_waited_before():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "Nora: " + ", ".join(f"½ 1400{letter}" for letter in "abcdefg")))
    january = office.rate("2026-01")
    office.receive(Event("Next", "Nora: 1 1400h", start="2026-02-01", end="2026-02-02", received="2026-02-03"))
    (part,) = explained(office.rate("2026-05"), "Nora", january).content["time_controls"]
    (waited,) = part["system"]["waited"]
    assert (waited["event_id"], waited["games"], waited["score_halves"], waited["opponent_rating_sum"]) == (
        "Open",
        7,
        7,
        9800,
    )


@pytest.mark.parametrize("family", ["uscf", "ffe"])
def test_an_unlisted_opponent_is_one_of_the_list_before(family: str):
    office = Office(Player("Anna", 1500), family=family, on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    shown = explained(office.rate("2026-01"), "Anna").text()
    assert "the opponent had no rating on the list before" in shown
    assert "B.02" not in shown
