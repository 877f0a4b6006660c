"""The demonstration as a stranger runs it, and the server it brings along."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.demo import first_lines
from flows.server import LocalServer
from tests.flows.served_office import with_variables

ROOT = Path(__file__).resolve().parents[2]


def test_the_head_of_a_list_is_an_aligned_table(tmp_path):
    published = tmp_path / "standard.csv"
    published.write_text(
        "list_month,time_control,fide_id,name,federation,sex,title,women_title,other_titles,rating,games,k,birth_year,flag\n"
        '2025-09,standard,1,"Ænima, Bo",ORV,F,,,,2001,11,20,1990,w\n'
        '2025-09,standard,2,"Li, C",ORV,M,FM,,,987,3,40,,\n',
        encoding="utf-8",
    )
    assert first_lines(published).splitlines() == [
        "rating  name       federation  title  games   k  birth_year  flag",
        "  2001  Ænima, Bo  ORV                   11  20        1990  w",
        "   987  Li, C      ORV         FM         3  40",
    ]


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


@pytest.fixture
def demo(tmp_path: Path) -> subprocess.Popen[str]:
    """The demonstration, started in a folder that holds nothing but the sample."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", "TEST_DEMO": str(tmp_path)}
    for name in ("PREFECT_HOME", "PREFECT_API_URL"):
        environment.pop(name, None)
    command = [sys.executable, "-u", "-m", "flows.demo"]
    return subprocess.Popen(
        command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.long
def test_the_demonstration_shows_a_list_and_leaves_no_server(demo):
    said, _ = demo.communicate(timeout=600)
    assert demo.returncode == 0, said
    assert "List of 2025-12 published as r1" in said
    assert re.search(r"^rating  name ", said, re.MULTILINE)
    assert "Traceback" not in said
    assert not answers(int(re.search(r"127\.0\.0\.1:(\d+)/runs", said)[1]))


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_demonstration_interrupted_leaves_no_server(demo, tmp_path, ending):
    home = tmp_path / "demo-home" / "prefect"
    give_up = time.monotonic() + 300
    while not (home / "prefect.db").exists():
        assert time.monotonic() < give_up
        time.sleep(0.1)
    demo.send_signal(ending)
    said, _ = demo.communicate(timeout=120)
    assert demo.returncode in (128 + ending, -ending)
    assert "Traceback" not in said
    assert with_variables(f"TEST_DEMO={tmp_path}") == []
