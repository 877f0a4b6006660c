"""What the service of an office leaves in the home, and what `status` says of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ratinglist.workflows import service_trace
from tests.conftest import ROOT

HOLDING = """
import sys, time
from pathlib import Path
from ratinglist.workflows import service_trace
with service_trace.working(Path(sys.argv[1])):
    service_trace.note_round(Path(sys.argv[1]), "2025-11-30 20:01 UTC", sys.argv[2:])
    print("there", flush=True)
    time.sleep(60)
"""


def holding(home: Path, *problems: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDING, str(home), *problems]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


def test_a_service_that_was_killed_is_named_and_one_that_was_stopped_is_not(tmp_path: Path) -> None:
    assert service_trace.text(tmp_path) == ""
    with holding(tmp_path) as process:
        assert service_trace.text(tmp_path) == ""
        process.kill()
    assert service_trace.text(tmp_path) == (
        "The office's service ended without being stopped; its last round was at 2025-11-30 20:01 UTC. Start it."
    )
    with service_trace.working(tmp_path):
        service_trace.note_round(tmp_path, "2025-11-30 20:02 UTC", [])
    assert service_trace.text(tmp_path) == ""


def test_what_a_service_cannot_do_is_named_since_its_first_round(tmp_path: Path) -> None:
    with holding(tmp_path, "The server could not be reached: refused") as process:
        service_trace.note_round(tmp_path, "2025-11-30 20:05 UTC", ["The server could not be reached: no route"])
        assert service_trace.text(tmp_path) == (
            "The office's service cannot do all of its work since 2025-11-30 20:01 UTC: "
            "The server could not be reached: no route"
        )
        service_trace.note_round(tmp_path, "2025-11-30 20:06 UTC", [])
        assert service_trace.text(tmp_path) == ""
        process.kill()


def test_a_trace_that_cannot_be_read_or_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "notifications").write_text("a file in the place of the folder", encoding="utf-8")
    with service_trace.working(tmp_path):
        assert service_trace.text(tmp_path) == ""
    (tmp_path / "notifications").unlink()
    (tmp_path / "notifications").mkdir()
    (tmp_path / "notifications" / "service").write_text("{", encoding="utf-8")
    assert service_trace.text(tmp_path) == ""
