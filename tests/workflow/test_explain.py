"""`ratinglist explain`: the account adds up to the published change, and names what it leaves out."""

from __future__ import annotations

import json
import re
import shutil
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.analysis.explain import Account, Sources, account
from ratinglist.analysis.explain.terms import filled
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import CHANGE, ENTRY, EVENT, GAME, LISTED, POOL, UNRATED, Table
from ratinglist.workflows.explain import AS_CALCULATED, explain, explain_calculated, explain_player
from tests.command_line import did, ratinglist
from tests.conftest import MONTHS, office, unpublish

BRIGHTWATER = 99900471


def of_sample(published: Path, fide_id: int, month: str, revision: str | None = None) -> Account:
    return explain(office(published.parent), fide_id, Period.parse(month), revision)


def rows(table: Table, *stated: dict[str, Any]) -> pl.DataFrame:
    """Return rows of a table, blank where no value is given."""
    blank = {
        name: None if column.null else "" if column.dtype == pl.String else False
        for name, column in table.columns.items()
        if column.dtype in (pl.String, pl.Boolean) or column.null
    }
    return table.conform(pl.DataFrame([{**blank, **row} for row in stated], infer_schema_length=None))


def made_up(
    month: str,
    *,
    change: dict[str, Any] | None = None,
    games: tuple[dict[str, Any], ...] = (),
    listed: dict[str, Any] | None = None,
    before: dict[str, Any] | None = None,
    time_control: str = "standard",
    family: str = "fide",
) -> dict[str, Any]:
    """Return the account of one player and time control, from made-up rows."""
    of_list = {"time_control": time_control, "fide_id": 1, "name": "Vale, Noor", "games": 0, "k": 20}
    one_game = {
        "time_control": time_control,
        "event_id": "E1",
        "fide_id": 1,
        "opponent_id": 2,
        "colour": "w",
        "score_halves": 2,
        "rated": True,
    }
    one_change = {"time_control": time_control, "fide_id": 1, "games": len(games), "status": "rated"}
    event = {
        "event_id": "E1",
        "name": "Open",
        "time_control": time_control,
        "status": "rated",
        "version": 1,
        "received_on": date(2025, 1, 1),
        "players": 2,
        "games": 1,
    }
    in_force = rule_book().in_force(family, Period.parse(month).first_day)
    used = [{"name": rule_set.name, "sha256": rule_set.digest} for rule_set in in_force]
    explanation = account(
        Sources(
            period=Period.parse(month),
            revision="r1",
            fide_id=1,
            manifest={"family": family, "rule_sets": used},
            lists={time_control: rows(LISTED, {**of_list, **listed})} if listed else {},
            before={time_control: rows(LISTED, {**of_list, **before}) if before else LISTED.empty()},
            before_months={time_control: str(Period.parse(month) - 1)},
            names={},
            changes=rows(CHANGE, {**one_change, **change}) if change else CHANGE.empty(),
            games=rows(GAME, *({**one_game, **game} for game in games)) if games else GAME.empty(),
            entries=ENTRY.empty(),
            pool=POOL.empty(),
            earlier_pool=POOL.empty(),
            events=rows(EVENT, event),
            unrated=UNRATED.empty(),
            left_out={},
        ),
        rule_book(),
    )
    (part,) = explanation.content["time_controls"]
    return {**part, "text": explanation.text()}


ACCOUNTS: dict[str, tuple[int, str, list[str]]] = {
    "the games, the sum, the rounding and the new rating": (
        BRIGHTWATER,
        "2025-11",
        [
            "Brightwater, Hugo (99900471, ORV), list of 2025-11 (r1)",
            "Standard: 2104 on the list of 2025-10, 2102 on this one",
            "9 games: -2.20 in all, rounded -2 (8.3.4: .5 is rounded away from zero)\n  2104 - 2 = 2102",
        ],
    ),
    "a difference that was cut, with its article": (
        BRIGHTWATER,
        "2025-11",
        [
            "rounds 1 and 5: a difference of more than 400 counts as 400 for a player below 2650 "
            "(8.3.1 as amended from 1 October 2025)"
        ],
    ),
    "an event that waits": (
        99900121,
        "2025-10",
        [
            "not rated for this list: a player's FIDE ID is not registered (Arbiters' Manual, note to B.02)",
            "what to do: register the player",
        ],
    ),
    "an event of the next list": (900000113, "2025-11", ["what to do: nothing: the next list rates it"]),
    "a game that is not rated in a rated event": (
        99900046,
        "2025-11",
        ["round 1 not rated: the thinking time is too short for this pair of players (B.02 1.1)"],
    ),
    "a player below the floor": (
        99900539,
        "2025-09",
        [
            "Standard: 1409 on the list of 2025-08, removed: below 1400",
            "1409 - 39 = 1370\n  removed: below 1400 (the floor); the player is unrated again (7.1.2, 7.2.1)",
        ],
    ),
    "an entry, step by step": (
        99900610,
        "2025-10",
        [
            "Standard: first rating 1903; unrated before\n",
            "average of the opponents, two draws against opponents of 1800 added: 1745.29 (8.2.2, 8.2.3)",
            "share of the points, with the draws: 0.71, which is worth +158 (the table of 8.1.1)",
            "1745.29 + 158, rounded, at most 2200 (8.2.3): 1903",
        ],
    ),
    "why there is no rating yet": (
        99900347,
        "2025-12",
        ["not listed yet: fewer games against rated opponents than an entry needs (B.02 7.1.4)"],
    ),
    "a first event without a point, and a round without a game": (
        99900447,
        "2025-09",
        [
            "rounds 1, 2 and 4 not rated: an unrated player's first event without half a point is disregarded",
            "round 3: no game over the board",
        ],
    ),
    "no games": (99900143, "2025-10", ["Standard: 2668, as on the list of 2025-09; no game rated for this list"]),
    "an inactive player": (
        99900121,
        "2025-09",
        ["Inactive: no rated game on 12 lists in a row (7.2.2); rating and place are kept"],
    ),
}


@pytest.mark.parametrize(("fide_id", "month", "sentences"), ACCOUNTS.values(), ids=ACCOUNTS)
def test_an_account_says_how_the_rating_came_about(
    published: Path, fide_id: int, month: str, sentences: list[str]
) -> None:
    text = of_sample(published, fide_id, month).text()
    assert [sentence for sentence in sentences if sentence not in text] == []


def test_a_line_of_a_game_has_every_figure(published: Path) -> None:
    line = next(row for row in of_sample(published, BRIGHTWATER, "2025-11").text().splitlines() if "Ravnik" in row)
    assert line.split() == [
        *("1", "2025-10-04", "White", "99900143", "Ravnik,", "Teodor", "2668", "2104", "-564", "-400", "½"),
        *("0.08", "20", "+8.40"),
    ]


def test_results_of_earlier_lists_are_added_to_an_entry_or_wait(published: Path) -> None:
    (part,) = of_sample(published, 99900610, "2025-10").content["time_controls"]
    counted = [
        (tranche["event_id"], tranche["games"], tranche["counted_month"]) for tranche in part["entry"]["tranches"]
    ]
    assert counted == [("ORV25082", 3, "2025-09"), ("ORV25096", 2, "2025-10")]
    assert part["entry"]["is_whole"]
    (part,) = of_sample(published, 99900347, "2025-12").content["time_controls"]
    assert [(result["counted_month"], result["last_month"]) for result in part["waiting"]] == [("2025-10", "2027-11")]


def changed(old: int, new: int, hundredths: int, k: int = 20) -> dict[str, Any]:
    figures = {"old_rating": old, "k": k, "change_hundredths": hundredths, "change": new - old, "new_rating": new}
    return {"change": figures, "listed": {"rating": new}}


def game(**figures: Any) -> dict[str, Any]:
    return {"round": 1, "k": 20, **figures}


CUT_ONCE = game(
    difference=500,
    difference_used=400,
    rule_set="fide/standard/2022-01-01",
    rating=2300,
    opponent_rating=1800,
    expected_hundredths=92,
    change_hundredths=160,
)
EIGHTEEN = "the end of the year of the 18th birthday"
MADE_UP: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "the limit on K times games": (
        "2025-11",
        {
            **changed(1741, 1741, 0, 35),
            "before": {"rating": 1741, "k": 40},
            "games": tuple(game(round=number, k=35, change_hundredths=0) for number in range(1, 21)),
        },
        ["K 35: K 40 on the list before; the largest K with K × 20 games not above 700 (8.3.3)"],
    ),
    **{
        f"the K of a new player born in {year}": (
            "2025-11",
            {
                **changed(1800, 1820, 2000, 40),
                "listed": {"rating": 1820, "birth_year": year},
                "games": (game(k=40, change_hundredths=2000),),
            },
            [f"K 40: fewer than 30 games counted so far{or_junior} ("],
        )
        for year, or_junior in ((1980, ""), (2010, f", or up to {EIGHTEEN}, never 2300 or more"))
    },
    "the one-time step": (
        "2024-03",
        {"listed": {"rating": 1700}, "before": {"rating": 1500}},
        ["\n  the one-time step of this list: 1500 becomes 1700 (QC notice of 1 March 2024)"],
    ),
    "a standard rating used in rapid": (
        "2025-11",
        {**changed(1800, 1810, 1000), "games": (game(change_hundredths=1000),), "time_control": "rapid"},
        ["Rapid: no rapid rating yet; standard rating 1800 used (RB 7.2.1); 1810 on this list\n"],
    ),
    "rounded event by event": (
        "2025-11",
        {**changed(1800, 1811, 1050), "games": (game(change_hundredths=1050),), "family": "course"},
        ["1 game rated: +10.50, rounded +11", "rounding: each event by itself; .5 is rounded away from zero)"],
    ),
    "the cut of 2022": (
        "2022-03",
        {**changed(2300, 2302, 160), "games": (CUT_ONCE,)},
        ["round 1: a difference of more than 400 counts as 400, in the player's favour once a tournament"],
    ),
}


@pytest.mark.parametrize(("month", "rows_of_player", "sentences"), MADE_UP.values(), ids=MADE_UP)
def test_a_rule_that_the_sample_does_not_show_is_in_the_account(
    month: str, rows_of_player: dict[str, Any], sentences: list[str]
) -> None:
    part = made_up(month, **rows_of_player)
    assert [sentence for sentence in sentences if sentence not in part["text"]] == []


def test_a_k_is_limited_or_left_alone() -> None:
    _, limited, _ = MADE_UP["the limit on K times games"]
    (term,) = [term for term in made_up("2025-11", **limited)["terms"] if term.what == "k_limited"]
    assert (term.result, term.article, term.operands["games"], term.operands["limit"]) == (35, "8.3.3", 20, 700)
    games = tuple(game(round=number, change_hundredths=0) for number in range(1, 36))
    part = made_up("2025-11", **changed(1741, 1741, 0), games=games, before={"rating": 1741, "k": 20})
    assert "k_limited" not in [term.what for term in part["terms"]]


def test_games_that_do_not_add_up_are_no_account(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path / "published")
    path = tmp_path / "published" / "2025-11" / "r1" / "changes.parquet"
    changed = pl.read_parquet(path).with_columns(pl.col("change_hundredths") + 1)
    write_parquet(path, CHANGE, changed)
    with pytest.raises(CheckError, match=r"add up to -220 hundredths, but changes.parquet has -219.*verify"):
        of_sample(tmp_path / "published", BRIGHTWATER, "2025-11")


def test_a_column_that_the_office_leaves_out_is_named(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path / "published")
    path = tmp_path / "published" / "2025-11" / "r1" / "standard.parquet"
    pl.read_parquet(path).drop("federation", "birth_year").write_parquet(path)
    text = of_sample(tmp_path / "published", BRIGHTWATER, "2025-11").text()
    assert text.endswith(
        "This office does not publish lists.birth_year, lists.federation: these figures are missing above."
    )
    assert "2104 - 2 = 2102" in text


@pytest.mark.parametrize(
    ("fide_id", "month", "revision", "error", "says"),
    [
        (5, "2025-11", None, NothingReadError, r"Player 5 is not on the list of 2025-11 \(r1\).*ratinglist event"),
        (BRIGHTWATER, "2024-01", None, NothingReadError, r"2024-01 is not published. Published are: 2025-09, 2025-10"),
        (BRIGHTWATER, "2025-08", None, NothingReadError, r"2025-08((?!ratinglist publish).)*$"),
        (BRIGHTWATER, "2025-11", "r7", NothingReadError, "no revision r7"),
        (BRIGHTWATER, "2025-11", "../r1", CommandLineError, r"'\.\./r1' is not a revision"),
    ],
)
def test_what_is_not_there_is_refused(
    published: Path, fide_id: int, month: str, revision: str | None, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        of_sample(published, fide_id, month, revision)


def test_an_account_has_a_part_for_a_time_control_alone(published: Path) -> None:
    whole = of_sample(published, BRIGHTWATER, "2025-11")
    (part,) = whole.of_time_control("standard").content["time_controls"]
    assert part in whole.content["time_controls"]
    with pytest.raises(NothingReadError, match=r"no rapid rating.*it has: standard"):
        whole.of_time_control("rapid")


def test_json_has_the_same_figures_as_whole_numbers(published: Path) -> None:
    shown = did(published.parent, "explain", str(BRIGHTWATER), "2025-11", "--json")
    content = json.loads(shown, parse_float=lambda text: pytest.fail(f"a fraction: {text}"))
    (part,) = content["time_controls"]
    assert part["change"]["change_hundredths"] == -220
    assert sum(game["change_hundredths"] for event in part["events"] for game in event["games"]) == -220


def test_the_page_has_every_word_of_the_command_and_is_one_file(published: Path) -> None:
    text, page = (did(published.parent, "explain", "900000113", *option) for option in ([], ["--html"]))
    assert set(text.split()) <= set(unescape(re.sub(r"<[^>]*>", " ", page)).split())
    assert re.findall(r"<script|<link|<img|\ssrc=|\shref=", page) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("9" * 20, "2025-11"), "99999999999999999999"),
        (("99900046", "--preview", "--revision", "r1"), "leave one out"),
        (("99900046", "--html", "--json"), "leave one of them out"),
    ],
)
def test_a_wrong_command_line_is_exit_2(published: Path, words: tuple[str, ...], says: str) -> None:
    shown = ratinglist("explain", *words, home=published.parent)
    assert (shown.returncode, says in shown.stderr) == (2, True)


def test_it_needs_no_store(published: Path, tmp_path: Path) -> None:
    (tmp_path / "published").symlink_to(published)
    assert of_sample(tmp_path / "published", BRIGHTWATER, "2025-11").content["fide_id"] == BRIGHTWATER


def test_a_sentence_has_each_figure_in_its_form() -> None:
    sentence = "{a} {b:h} {b:+h} {c:t} {d:points} {e:+} {e:plus} {f:game} {f:other_game} {g:rounds} {b:d4}"
    shown = filled(sentence, a="x", b=105, c=-1500, d=3, e=-2, f=1200, g=[2, 1])
    assert shown == "x 1.05 +1.05 -1.500 1½ -2 - 2 1,200 games 1,200 other games rounds 1 and 2 0.0105"


@pytest.mark.long
@pytest.mark.parametrize("month", MONTHS)
def test_every_change_of_the_sample_is_the_sum_of_its_account(month: str, published: Path) -> None:
    changes = pl.read_parquet(published / month / "r1" / "changes.parquet")
    for change in changes.iter_rows(named=True):
        (part,) = of_sample(published, change["fide_id"], month).content["time_controls"]
        totals = [event["change_hundredths"] for event in part["events"] if event["change_hundredths"] is not None]
        assert sum(totals) == (change["change_hundredths"] or 0)
        assert change["status"] != "entered" or part["entry"]["is_whole"]


def test_a_list_that_is_not_published_is_explained_by_its_calculation(rated: Settings) -> None:
    december = Period.parse("2025-12")
    published = explain_player(rated, 99900046, december).text()
    unpublish(rated, "2025-12")
    with pytest.raises(NothingReadError, match=r"2025-12 is not published.*explain 99900046 2025-12 --preview"):
        explain_player(rated, 99900046, december)
    calculated = explain_calculated(rated, 99900046).text()
    assert calculated == published.replace("(r1)", f"({AS_CALCULATED})")
    with pytest.raises(NothingReadError, match="was not calculated yet: ratinglist rate 2026-01"):
        explain_calculated(rated, 99900046, Period.parse("2026-01"))


def test_the_command_explains_the_newest_calculated_list(published: Path) -> None:
    shown = did(published.parent, "explain", "99900046", "--preview")
    assert shown.startswith(f"Thorbjörnsson, Egill (99900046, ORV), list of 2025-12 ({AS_CALCULATED})")
