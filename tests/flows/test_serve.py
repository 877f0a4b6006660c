"""How the schedule is served: of offices that exist, for a server that answers."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

from flows import serve
from tests.flows.served_office import free_port


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a home, in which the commands are given."""
    (tmp_path / "office" / "published").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--home", "nohome"], "the home nohome does not exist"),
        (["--home", "office", "--rules", "fied"], "There is no rule family 'fied': choose one of "),
        (["--home", "office", "--reports", "inbx"], "--reports inbx does not exist: make the folder"),
        (["--home", "office", "--home", "office", "--reports", "."], "--reports is of one office: serve each"),
        (["--home", "office"], "PREFECT_API_URL is not set: start a server, prefect server start, and name it, "),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_is_made(office, monkeypatch, capsys, arguments, sentence):
    monkeypatch.setattr(sys, "argv", ["serve", *arguments])
    monkeypatch.setattr(serve, "serve", lambda *_: pytest.fail("it was served"))
    with temporary_settings({PREFECT_API_URL: None}), pytest.raises(SystemExit) as refused:
        serve.main()
    assert refused.value.code == 2
    assert capsys.readouterr().err.startswith(sentence)
    assert [path.name for path in office.rglob("*")] == ["office", "published"]


def test_a_server_that_does_not_answer_is_named_in_one_sentence(office, monkeypatch, capsys):
    url = f"http://127.0.0.1:{free_port()}/api"
    monkeypatch.setattr(sys, "argv", ["serve", "--home", "office"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with temporary_settings({PREFECT_API_URL: url, PREFECT_CLIENT_MAX_RETRIES: 0}), pytest.raises(SystemExit) as ended:
        serve.main()
    assert str(ended.value.code).startswith(f"The server at {url} could not be used: ")
    assert len(str(ended.value.code).splitlines()) == 1
    assert capsys.readouterr().err == ""
