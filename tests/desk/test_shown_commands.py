"""The commands that the forms of the desk give."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError
from ratinglist_desk.orders import FORMS, ORDERS
from ratinglist_desk.work import Command, Form

ANSWERED = {"because": "the score sheet", "by": "Ada Lind"}
BY = "--because 'the score sheet' --by 'Ada Lind'"
GIVEN = [
    ("load", {"file": "-x.trf", "received": "2025-10-01"}, "load --json --received 2025-10-01 -- -x.trf"),
    ("import-players", {"file": "players.csv"}, "import-players players.csv --preview"),
    ("import-list", {"file": "a b.xml", "month": "2025-08"}, "import-list 'a b.xml' --month 2025-08 --preview"),
    ("dismiss", {"event": "ORV1", "because": "dissolved"}, "dismiss ORV1 --because dissolved"),
    (
        *(
            "correct-result",
            {"event": "ORV1", "round": "1", "white": "7", "black": "Bo B", "result": "1-0", **ANSWERED},
        ),
        f"correct result ORV1 1 7 'Bo B' 1-0 --json {BY} --preview",
    ),
    (
        "correct-id",
        {"event": "O", "wrong": "7", "right": "8", **ANSWERED},
        f"correct report O --id=7=8 --json {BY} --preview",
    ),
    (
        *("correct-report", {"event": "ORV1", "end_date": "2025-10-02", "official": "0", **ANSWERED}),
        f"correct report ORV1 --json --field=end_date=2025-10-02 --field=official=0 {BY} --preview",
    ),
    (
        *("correct-player", {"fide_id": "7", "name": "B, Bo", "birth_date": "1961-04-05", **ANSWERED}),
        f"correct player 7 'name=B, Bo' birth_date=1961-04-05 --json {BY} --preview",
    ),
    ("merge", {"old": "7", "new": "8", **ANSWERED}, f"correct merge 7 8 --json {BY} --preview"),
    ("withdraw", {"event": "ORV1", **ANSWERED}, f"correct withdraw ORV1 --json {BY} --preview"),
    ("undo-correction", {"number": "3", **ANSWERED}, f"correct undo 3 --json {BY} --preview"),
    ("rerate", {"month": "2025-09"}, "rerate --from=2025-09 --preview"),
    (
        *("approve", {"month": "2025-10", "by": "Vera", "digest": "ab", "key": "k.pem"}),
        "approve 2025-10 --by Vera --digest ab --key k.pem",
    ),
    ("publish", {"month": "2025-10"}, "publish 2025-10 --json"),
    ("rollback", {"month": "2025-10", "because": "wrong", "to": "r1"}, "rollback 2025-10 --because wrong --to r1"),
    ("sign", {"month": "2025-10"}, "sign 2025-10"),
    (
        *("export", {"month": "2025-10", "format": "xlsx", "time_control": "rapid"}),
        "export 2025-10 --format xlsx --time-control rapid",
    ),
    ("letters", {"month": "2025-10", "language": "it"}, "letters 2025-10 --language it"),
    ("retract", {"entry": "12", "because": "--"}, "retract 12 --because --"),
    ("verify", {}, "verify published"),
    ("site", {}, "site"),
    ("backup", {"folder": "/media/disk"}, "backup /media/disk"),
]


def form_of(place: Path, fields: dict[str, str]) -> Form:
    form = Form(place)
    form.update(fields)
    return form


@pytest.mark.parametrize(("name", "fields", "typed"), GIVEN, ids=[name for name, _, _ in GIVEN])
def test_a_form_gives_its_command(tmp_path: Path, name: str, fields: dict[str, str], typed: str):
    order = FORMS[name](None, form_of(tmp_path / "form", fields))  # type: ignore[arg-type]
    assert [shlex.join(command.typed()) for command in order.given()] == [typed]
    # What is shown first is then applied without the preview.
    assert [command.options for command in order.applies] == [
        tuple(dict.fromkeys((*(option for option in command.options if option != "--preview"), "--json")))
        for command in order.commands
        if FORMS[name].is_shown_first
    ]


def test_every_form_is_tried():
    assert [name for name, _, _ in GIVEN] == list(FORMS)


@pytest.mark.parametrize("name", ["load", "dismiss", "correct-result", "approve", "backup", "register"])
def test_a_form_without_what_its_command_needs_is_refused(tmp_path: Path, name: str):
    with pytest.raises(CommandLineError, match="nothing was filled in"):
        ORDERS[name](None, form_of(tmp_path, {"event": "ORV1", "month": "2025-10", "by": "Ada"}))  # type: ignore[arg-type]


def test_a_date_of_birth_is_not_in_a_command_that_is_shown():
    command = Command(("correct", "player"), ("99900027", "title=GM", "birth_date=1983-11-02"), ("--json",))
    assert command.shown() == "ratinglist correct player 99900027 title=GM birth_date=YYYY-MM-DD"
