"""Corrections typed as commands: each means a corrections file, and shows what it moves before it does."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ratinglist.cli.main import program
from ratinglist.config import Settings
from ratinglist.corrections.correction_text import correction_text
from ratinglist.corrections.parser import parse
from ratinglist.errors import CommandLineError, NothingReadError
from tests.conftest import MONTHS, office, published_bytes


@pytest.fixture
def first_month(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published one month."""
    shutil.copytree(homes / MONTHS[0], tmp_path / "home")
    return office(tmp_path / "home")


WHY = ["--because", "the score sheets say so", "--by", "chief arbiter"]
RESULT = ["result", "ORV25081", "1", "99900046", "99900095", "1-0", *WHY]


def typed(settings: Settings, *arguments: str) -> Result:
    return CliRunner(env={"RATINGLIST_TODAY": str(settings.today)}).invoke(
        program, ["correct", *arguments, "--home", str(settings.home)]
    )


def everything(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.startswith(("ratinglist.duckdb", "compared.json"))
    }


def test_a_preview_shows_lists_and_players_and_changes_nothing(first_month: Settings) -> None:
    before = everything(first_month.home)
    done = typed(first_month, *RESULT, "--preview")
    assert done.exit_code == 0, done.output
    assert "2025-09  r1: 2 players differ, 1 rose, 1 fell, by at most 20" in done.output
    assert "  2025-09 standard  99900046 Thorbjörnsson, Egill: 1824 -> 1844" in done.output
    assert done.output.splitlines()[-1] == "Nothing was corrected (--preview)."
    assert everything(first_month.home) == before
    found = json.loads(typed(first_month, *RESULT, "--preview", "--json").stdout)
    assert found["players"][0] == {
        "month": "2025-09",
        "time_control": "standard",
        "fide_id": 99900046,
        "old_rating": 1824,
        "rating": 1844,
        "name": "Thorbjörnsson, Egill",
    }


def test_it_does_what_the_file_that_it_keeps_does(first_month: Settings, tmp_path: Path) -> None:
    done = typed(first_month, *RESULT)
    assert done.exit_code == 0, done.output
    kept = first_month.home / "corrections" / f"{first_month.today}-1.toml"
    assert f"{kept}: 1 correction applied" in done.output
    (correction,) = parse(kept.read_text(encoding="utf-8"), "kept")
    assert (correction.action, correction.says["result"], correction.who) == ("change_result", "1-0", "chief arbiter")
    assert correction.reported_on == first_month.today
    assert "is 1-0 already" in str(typed(first_month, *RESULT).exception)


def test_every_command_makes_its_correction(first_month: Settings) -> None:
    for arguments, sentence in (
        (["player", "99900046", "birth_year=1931", "name=Other, Name", *WHY], "99900046: name, birth corrected"),
        (["merge", "99900018", "99900121", *WHY], "99900018 merged into 99900121"),
        (["withdraw", "ORV25081", *WHY], "ORV25081: withdrawn"),
        (["undo", "1", *WHY], "correction 1 (change_data) is undone"),
    ):
        done = typed(first_month, *arguments)
        assert (done.exit_code, sentence in done.output) == (0, True), (done.output, done.exception)
    assert len(list((first_month.home / "corrections").iterdir())) == 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["player", "99900046", "k=40"], CommandLineError, "'k=40': write KEY=VALUE, the key being one of name, fed"),
        (["player", "99900046", "birth_year=x"], CommandLineError, "write a year such as birth_year=1990"),
        (["player", "99900046", "birth_date=1.2.1990"], CommandLineError, "birth_date: write YYYY-MM-DD"),
        (["player", "1", "sex=F"], NothingReadError, "^the player 1 is not registered"),
        (["withdraw", "NONE"], NothingReadError, "Nothing was corrected"),
        (["undo", "7"], NothingReadError, "^there is no correction 7"),
    ],
)
def test_what_cannot_be_corrected_is_refused_and_leaves_no_file(
    first_month: Settings, arguments: list[str], error: type[Exception], message: str
) -> None:
    done = typed(first_month, *arguments, *WHY)
    with pytest.raises(error, match=message):
        raise done.exception or AssertionError(done.output)
    assert not (first_month.home / "corrections").exists()


def test_a_file_has_a_preview_too(first_month: Settings, tmp_path: Path) -> None:
    file = tmp_path / "corrections.toml"
    match = {"event_id": "ORV25081", "round": 1, "white": 99900046, "black": 99900095}
    text = correction_text(
        "change_result", match, {"result": "1-0"}, reason='a "quoted" \\ reason', who="ä", reported_on=date(2025, 12, 9)
    )
    file.write_text(text, encoding="utf-8")
    before = published_bytes(first_month.home)
    assert "2 players differ" in typed(first_month, str(file), "--preview").output
    assert published_bytes(first_month.home) == before
    assert "1 correction applied" in typed(first_month, str(file)).output


def test_options_may_come_before_a_file_or_a_command(first_month: Settings, tmp_path: Path) -> None:
    runner, home = CliRunner(), str(first_month.home)
    missing = runner.invoke(program, ["correct", "--home", home, "result.toml"])
    assert "result.toml: there is no such file" in str(missing.exception)
    named_so = runner.invoke(program, ["correct", "--home", home, "--preview", "./result"])
    assert "there is no such file" in str(named_so.exception)
    done = runner.invoke(program, ["correct", "--home", home, "--preview", "withdraw", "ORV25081", *WHY])
    assert "ORV25081: withdrawn" in done.output
