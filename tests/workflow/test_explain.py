"""`ratinglist explain`: the account adds up to the published change, and names what it leaves out."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from ratinglist.analysis.explain import Account, Sources, account
from ratinglist.analysis.explain.terms import filled, table
from ratinglist.cli.main import program
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.messages import sentences
from ratinglist.pages.document import Document, Heading, as_text
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import CHANGE, EVENT, GAME, LISTED, Table
from ratinglist.text import halves, hundredths, numbered, plus, signed
from ratinglist.workflows.explain import AS_CALCULATED, explain, explain_calculated, explain_player
from tests.conftest import MONTHS, office, unpublish

BRIGHTWATER = 99900471
NOVEMBER = Period.parse("2025-11")


def of_sample(published: Path, fide_id: int, month: str, revision: str | None = None) -> Account:
    return explain(office(published.parent), fide_id, Period.parse(month), revision)


def rows(table: Table, *given: dict[str, Any]) -> pl.DataFrame:
    """Return rows of a table, blank where no value is given."""
    blank = {
        name: None if column.null else "" if column.dtype == pl.String else False
        for name, column in table.columns.items()
        if column.dtype in (pl.String, pl.Boolean) or column.null
    }
    return table.conform(pl.DataFrame([{**blank, **one} for one in given], infer_schema_length=None))


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
    made = account(
        Sources(
            period=Period.parse(month),
            revision="r1",
            fide_id=1,
            manifest={"family": family},
            lists={time_control: rows(LISTED, {**of_list, **listed})} if listed else {},
            before={time_control: rows(LISTED, {**of_list, **before}) if before else LISTED.empty()},
            before_months={time_control: str(Period.parse(month) - 1)},
            names={},
            changes=rows(CHANGE, {**one_change, **change}) if change else CHANGE.empty(),
            games=rows(GAME, *({**one_game, **game} for game in games)) if games else GAME.empty(),
            events=rows(EVENT, event),
        ),
        rule_book(),
        sentences("explain"),
    )
    (part,) = made.content["time_controls"]
    return {**part, "text": made.text()}


def test_the_games_the_sum_the_rounding_and_the_new_rating_are_shown(published: Path) -> None:
    text = of_sample(published, BRIGHTWATER, "2025-11").text()
    assert text.startswith("Brightwater, Hugo (99900471, ORV), list of 2025-11 (r1)")
    assert "Standard: 2104 on the list of 2025-10, 2102 on this one" in text
    assert "9 games: -2.20 in all, rounded -2 (8.3.4: .5 is rounded away from zero)\n  2104 - 2 = 2102" in text


def test_a_line_of_a_game_has_every_figure(published: Path) -> None:
    line = next(one for one in of_sample(published, BRIGHTWATER, "2025-11").text().splitlines() if "Ravnik" in one)
    assert line.split() == [
        *("1", "2025-10-04", "White", "99900143", "Ravnik,", "Teodor", "2668", "2104", "-564", "-400", "½"),
        *("0.08", "20", "+8.40"),
    ]


def test_a_difference_that_was_cut_is_shown_with_its_article(published: Path) -> None:
    text = of_sample(published, BRIGHTWATER, "2025-11").text()
    assert (
        "rounds 1 and 5: a difference of more than 400 counts as 400 for a player below 2650 "
        "(8.3.1 as amended from 1 October 2025)"
    ) in text


def test_an_event_that_is_not_rated_has_its_reason_and_what_to_do(published: Path) -> None:
    text = of_sample(published, 99900121, "2025-10").text()
    assert "not rated for this list: a player's FIDE ID is not registered (Arbiters' Manual, note to B.02)" in text
    assert "what to do: register the player" in text
    late = of_sample(published, 900000113, "2025-11").text()
    assert "what to do: nothing: the next list rates it" in late


def test_a_game_that_is_not_rated_in_a_rated_event_has_its_reason(published: Path) -> None:
    text = of_sample(published, 99900046, "2025-11").text()
    assert "round 1 not rated: the thinking time is too short for this pair of players (B.02 1.1)" in text


def test_a_round_without_a_game_is_listed(published: Path) -> None:
    text = of_sample(published, 99900447, "2025-09").text()
    assert "round 3: no game over the board" in text


def test_a_player_below_the_floor_is_removed(published: Path) -> None:
    text = of_sample(published, 99900539, "2025-09").text()
    assert "Standard: 1409 on the list of 2025-08, removed: below 1400" in text
    assert "1409 - 39 = 1370\n  removed: below 1400 (the floor); the player is unrated again (7.1.2, 7.2.1)" in text


def test_an_entry_adds_the_results_of_earlier_lists_to_those_of_the_month(published: Path) -> None:
    (part,) = of_sample(published, 99900610, "2025-10").content["time_controls"]
    counted = [(one["event_id"], one["games"], one["counted_month"]) for one in part["entry"]["tranches"]]
    assert counted == [("ORV25082", 3, "2025-09"), ("ORV25096", 2, "2025-10")]
    assert part["entry"]["is_whole"]


def test_an_entry_is_calculated_step_by_step(published: Path) -> None:
    text = of_sample(published, 99900610, "2025-10").text()
    assert "Standard: first rating 1903; unrated before\n" in text
    assert "average of the opponents, two draws against opponents of 1800 added: 1745.29 (8.2.2, 8.2.3)" in text
    assert "share of the points, with the draws: 0.71, which is worth +158 (the table of 8.1.1)" in text
    assert "1745.29 + 158, rounded, at most 2200 (8.2.3): 1903" in text


def test_results_that_wait_have_the_last_list_that_counts_them(published: Path) -> None:
    (part,) = of_sample(published, 99900347, "2025-12").content["time_controls"]
    assert [(one["counted_month"], one["last_month"]) for one in part["waiting"]] == [("2025-10", "2027-11")]


def test_a_player_who_waits_sees_why_there_is_no_rating_yet(published: Path) -> None:
    text = of_sample(published, 99900347, "2025-12").text()
    assert "not listed yet: fewer games against rated opponents than an entry needs (B.02 7.1.4)" in text


def test_a_first_event_without_a_point_is_disregarded(published: Path) -> None:
    text = of_sample(published, 99900447, "2025-09").text()
    assert "rounds 1, 2 and 4 not rated: an unrated player's first event without half a point is disregarded" in text


def test_a_player_without_games_keeps_the_rating_of_the_list_before(published: Path) -> None:
    text = of_sample(published, 99900143, "2025-10").text()
    assert "Standard: 2668, as on the list of 2025-09; no game rated for this list" in text


def test_an_inactive_player_is_shown_as_such(published: Path) -> None:
    text = of_sample(published, 99900121, "2025-09").text()
    assert "Inactive: no rated game on 12 lists in a row (7.2.2); rating and place are kept" in text


def test_the_limit_on_k_times_games_is_shown_with_the_k_of_the_list_before() -> None:
    games = tuple({"round": number, "k": 35, "change_hundredths": 0} for number in range(1, 21))
    change = {"old_rating": 1741, "k": 35, "change_hundredths": 0, "change": 0, "new_rating": 1741}
    part = made_up("2025-11", change=change, games=games, listed={"rating": 1741}, before={"rating": 1741, "k": 40})
    (limited,) = [term for term in part["terms"] if term.what == "k_limited"]
    assert limited.as_dict() == {
        "what": "k_limited",
        "operands": {"k": 35, "before": "K 40 on the list before; ", "games": 20, "limit": 700},
        "result": 35,
        "article": "8.3.3",
        "text": "K 35: K 40 on the list before; the largest K with K × 20 games not above 700 (8.3.3)",
    }
    assert "K 35: K 40 on the list before; the largest K with K × 20 games not above 700 (8.3.3)" in part["text"]


def test_a_k_that_the_limit_left_alone_is_no_limit() -> None:
    games = tuple({"round": number, "k": 20, "change_hundredths": 0} for number in range(1, 36))
    change = {"old_rating": 1741, "k": 20, "change_hundredths": 0, "change": 0, "new_rating": 1741}
    part = made_up("2025-11", change=change, games=games, listed={"rating": 1741}, before={"rating": 1741, "k": 20})
    assert "k_limited" not in [term.what for term in part["terms"]]


def test_the_one_time_step_is_shown_for_a_player_without_games() -> None:
    part = made_up("2024-03", listed={"rating": 1700}, before={"rating": 1500})
    assert part["text"].endswith(
        "How the rating was calculated\n  the one-time step of this list: 1500 becomes 1700 (QC notice of 1 March 2024)"
    )


def test_a_standard_rating_used_in_rapid_is_shown() -> None:
    game = {"round": 1, "k": 20, "change_hundredths": 1000}
    change = {"old_rating": 1800, "k": 20, "change_hundredths": 1000, "change": 10, "new_rating": 1810}
    part = made_up("2025-11", change=change, games=(game,), listed={"rating": 1810}, time_control="rapid")
    assert "Rapid: no rapid rating yet; standard rating 1800 used (RB 7.2.1); 1810 on this list\n" in part["text"]


def test_a_rating_rounded_event_by_event_is_shown_so() -> None:
    game = {"round": 1, "k": 20, "change_hundredths": 1050}
    change = {"old_rating": 1800, "k": 20, "change_hundredths": 1050, "change": 11, "new_rating": 1811}
    part = made_up("2025-11", change=change, games=(game,), listed={"rating": 1811}, family="course")
    assert "1 game rated: +10.50, rounded +11" in part["text"]
    assert "rounding: each event by itself; .5 is rounded away from zero)" in part["text"]


def test_the_cut_of_2022_is_shown_as_it_was() -> None:
    game = {
        "round": 1,
        "difference": 500,
        "difference_used": 400,
        "rule_set": "fide/standard/2022-01-01",
        "rating": 2300,
        "opponent_rating": 1800,
        "expected_hundredths": 92,
        "k": 20,
        "change_hundredths": 160,
    }
    change = {"old_rating": 2300, "k": 20, "change_hundredths": 160, "change": 2, "new_rating": 2302}
    part = made_up("2022-03", change=change, games=(game,), listed={"rating": 2302})
    assert (
        "round 1: a difference of more than 400 counts as 400, in the player's favour once a tournament" in part["text"]
    )


def test_a_name_cannot_draw_lines_of_its_own() -> None:
    games = table(("name",), [["Vale\nStandard: 2900"]], ("name",))
    assert as_text(Document("Anna", [Heading("Open"), *games])) == "Anna\n\nOpen\n  name\n  Vale\\nStandard: 2900"


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


def test_an_unknown_player_is_exit_three(published: Path) -> None:
    with pytest.raises(NothingReadError, match=r"Player 5 is not on the list of 2025-11 \(r1\).*ratinglist event"):
        of_sample(published, 5, "2025-11")


def test_a_month_that_is_not_published_names_those_that_are(published: Path) -> None:
    with pytest.raises(NothingReadError, match=r"2024-01 is not published. Published are: 2025-09, 2025-10"):
        of_sample(published, BRIGHTWATER, "2024-01")


def test_a_month_before_the_first_published_list_is_not_to_be_published(published: Path) -> None:
    with pytest.raises(NothingReadError) as raised:
        of_sample(published, BRIGHTWATER, "2025-08")
    assert "ratinglist publish" not in str(raised.value)


def test_an_account_has_a_part_for_a_time_control_alone(published: Path) -> None:
    whole = of_sample(published, BRIGHTWATER, "2025-11")
    (part,) = whole.of_time_control("standard").content["time_controls"]
    assert part in whole.content["time_controls"]
    with pytest.raises(NothingReadError, match=r"no rapid rating.*it has: standard"):
        whole.of_time_control("rapid")


def test_a_revision_that_is_not_there_is_refused(published: Path) -> None:
    with pytest.raises(NothingReadError, match="no revision r7"):
        of_sample(published, BRIGHTWATER, "2025-11", revision="r7")


def test_a_text_that_is_no_revision_is_refused(published: Path) -> None:
    with pytest.raises(CommandLineError, match=r"'\.\./r1' is not a revision"):
        of_sample(published, BRIGHTWATER, "2025-11", revision="../r1")


def test_json_has_the_same_figures_as_whole_numbers(published: Path) -> None:
    command = ["explain", str(BRIGHTWATER), "2025-11", "--json", "--home", str(published.parent)]
    shown = CliRunner().invoke(program, command, catch_exceptions=False)
    content = json.loads(shown.stdout, parse_float=lambda text: pytest.fail(f"a fraction: {text}"))
    (part,) = content["time_controls"]
    assert part["change"]["change_hundredths"] == -220
    assert sum(game["change_hundredths"] for event in part["events"] for game in event["games"]) == -220


def test_a_fide_id_longer_than_a_report_allows_is_a_wrong_command(published: Path) -> None:
    shown = CliRunner().invoke(program, ["explain", "9" * 20, "2025-11", "--home", str(published.parent)])
    assert shown.exit_code == CommandLineError.exit_code
    assert "99999999999999999999" in shown.stderr


def test_it_needs_no_store(published: Path, tmp_path: Path) -> None:
    (tmp_path / "published").symlink_to(published)
    assert of_sample(tmp_path / "published", BRIGHTWATER, "2025-11").content["fide_id"] == BRIGHTWATER


@pytest.mark.parametrize(("count", "text"), [(0, "0"), (1, "½"), (2, "1"), (3, "1½"), (20, "10")])
def test_half_points(count: int, text: str) -> None:
    assert halves(count) == text


@pytest.mark.parametrize(("count", "text"), [(-60, "-0.60"), (5, "0.05"), (840, "8.40"), (-1220, "-12.20")])
def test_hundredths(count: int, text: str) -> None:
    assert hundredths(count) == text


def test_signs() -> None:
    assert (signed(3), signed(0), signed(-3), plus(3), plus(-3)) == ("+3", "0", "-3", "+ 3", "- 3")


def test_a_sentence_has_each_figure_in_its_form() -> None:
    sentence = "{a} {b:h} {b:+h} {c:t} {d:points} {e:+} {e:plus} {f:game} {f:other_game} {g:rounds} {b:d4}"
    shown = filled(sentence, a="x", b=105, c=-1500, d=3, e=-2, f=1200, g=[2, 1])
    assert shown == "x 1.05 +1.05 -1.500 1½ -2 - 2 1,200 games 1,200 other games rounds 1 and 2 0.0105"


def test_numbers_in_a_sentence() -> None:
    assert (numbered("round", [3]), numbered("round", [9, 1, 2])) == ("round 3", "rounds 1, 2 and 9")


@pytest.mark.long
@pytest.mark.parametrize("month", MONTHS)
def test_every_change_of_the_sample_is_the_sum_of_its_account(month: str, published: Path) -> None:
    changes = pl.read_parquet(published / month / "r1" / "changes.parquet")
    for change in changes.iter_rows(named=True):
        (part,) = of_sample(published, change["fide_id"], month).content["time_controls"]
        totals = [event["change_hundredths"] for event in part["events"] if event["change_hundredths"] is not None]
        assert sum(totals) == (change["change_hundredths"] or 0)
        assert change["status"] != "entered" or part["entry"]["is_whole"]


def test_the_account_of_a_calculated_list_is_that_of_the_published_one(rated: Settings) -> None:
    published = explain_player(rated, "99900046", NOVEMBER).text()
    calculated = explain_calculated(rated, "99900046", NOVEMBER).text()
    assert calculated == published.replace("(r1)", f"({AS_CALCULATED})")


def test_a_list_that_is_not_published_is_explained_by_its_calculation(rated: Settings) -> None:
    december = Period.parse("2025-12")
    published = explain_player(rated, "99900046", december).text()
    unpublish(rated, "2025-12")
    with pytest.raises(NothingReadError, match=r"2025-12 is not published.*explain 99900046 2025-12 --preview"):
        explain_player(rated, "99900046", december)
    calculated = explain_calculated(rated, "Thorbjörnsson").text()
    assert calculated == published.replace("(r1)", f"({AS_CALCULATED})")
    with pytest.raises(NothingReadError, match="was not calculated yet: ratinglist rate 2026-01"):
        explain_calculated(rated, "99900046", Period.parse("2026-01"))


def test_a_preview_has_no_revision(published: Path) -> None:
    with pytest.raises(CommandLineError, match="leave one out"):
        CliRunner().invoke(
            program,
            ["explain", "99900046", "--preview", "--revision", "r1", "--home", str(published.parent)],
            catch_exceptions=False,
        )


def test_the_command_explains_the_newest_calculated_list(published: Path) -> None:
    shown = CliRunner().invoke(program, ["explain", "99900046", "--preview", "--home", str(published.parent)])
    assert shown.stdout.startswith(f"Thorbjörnsson, Egill (99900046, ORV), list of 2025-12 ({AS_CALCULATED})")
