"""No idiom is written where people read, and the search for idioms finds one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import prose


@pytest.mark.thorough
def test_no_idiom_is_written() -> None:
    assert prose.offences() == []


@pytest.mark.parametrize(
    "text",
    [
        "def rate(asked):",
        "asked_before = 1",
        "class PlayersTold:",
        "NOUGHT = 0",
        '"""Read it anew."""',
        "# What is left\n# over goes last.",
        "left_over = []",
        "f'Mend {file}'",
        "-- words of few values",
        "To count them is dear.",
    ],
)
def test_an_idiom_is_found_in_any_form(text: str) -> None:
    assert len(list(prose.idioms(text))) == 1


@pytest.mark.parametrize(
    "text", ["Reading ahead saves a second.", "recommended", "what is left of it", "the questions, and ask_for()"]
)
def test_nothing_else_is_found(text: str) -> None:
    assert list(prose.idioms(text)) == []


def test_an_idiom_is_reported_with_its_line_and_a_plain_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "planted.py").write_text("text = ''\ntold = text\n", encoding="utf-8")
    (tmp_path / "src" / "plain.py").write_text("text = ''\n", encoding="utf-8")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "BEING_REWRITTEN", {})
    assert prose.offences() == [f"src/planted.py:2: 'told': {prose.IDIOMS['told']}"]
    monkeypatch.setattr(prose, "BEING_REWRITTEN", {"src/planted.py": "", "src/plain.py": "", "src/gone.py": ""})
    plain, gone = prose.offences()
    assert plain.startswith("src/plain.py: no idiom is left")
    assert gone.startswith("src/gone.py: does not exist")


@pytest.mark.parametrize(
    ("subject", "wrong"),
    [("Round once", ""), ("x" * 72, ""), ("x" * 73, "73 characters; at most 72"), ("Round.", "ends with a full stop")],
)
def test_the_first_line_of_a_commit_is_short_and_has_no_full_stop(subject: str, wrong: str) -> None:
    assert prose.subject_offence(subject) == wrong
