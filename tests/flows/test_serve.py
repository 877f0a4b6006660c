"""How the schedule is served: of an office that exists, by one process, and by no second one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from flows import serve
from flows.server import LocalServer
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--home", "nohome"], "the home nohome does not exist. Nothing was made. Did you mean office?"),
        (["--home", "office", "--rules", "fied"], "There is no rule family 'fied': choose one of "),
        (["--home", "office", "--reports", "inbx"], "--reports inbx does not exist: make the folder"),
    ],
)
def test_a_mistyped_home_family_or_folder_is_refused_before_anything_is_made(
    tmp_path, monkeypatch, capsys, arguments, sentence
):
    (tmp_path / "office" / "published").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["serve", *arguments])
    monkeypatch.setattr(serve, "LocalServer", lambda *_, **__: pytest.fail("a server was started"))
    with pytest.raises(SystemExit) as refused:
        serve.main()
    assert refused.value.code == 2
    assert capsys.readouterr().err.startswith(sentence)
    assert [path.name for path in tmp_path.rglob("*")] == ["office", "published"]


def test_a_taken_port_is_named_before_anything_starts(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "prefect", raising=False)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SystemExit, match=f"Port {port} is in use"):
            LocalServer(tmp_path / "prefect", port)


def test_a_server_started_too_late_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "prefect", sys)
    with pytest.raises(RuntimeError, match="Prefect was imported before"):
        LocalServer(tmp_path / "prefect")


def test_a_server_that_ends_at_once_is_named_with_its_reason(tmp_path):
    words = (
        "import sys; from pathlib import Path; from flows.server import LocalServer; server = LocalServer(Path('p'))\n"
    )
    words += "import uvicorn; uvicorn.Server.run = lambda *_: print('no memory', file=sys.stderr)\n"
    # To import the server takes longer than all the rest, and nothing of it runs here.
    words += "sys.modules['prefect.server.api.server'] = type('Module', (), {'create_app': None})\n"
    words += "server.__enter__()"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    ended = subprocess.run(
        [sys.executable, "-c", words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == ["no memory", "The Prefect server ended at once; the reason is above."]
