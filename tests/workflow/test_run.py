"""The whole line on the sample federation: what comes in, what comes out, and that nothing else can."""

from __future__ import annotations

import json
import os
import pty
import random
import shutil
import signal
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.reports.encoding import decode
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, publish, run
from ratinglist.workflows.run import RunPreview
from tests.command_line import environment, ratinglist_process
from tests.conftest import MONTHS, SAMPLE, copied, office, published_bytes
from tests.stores import open_store

pytestmark = pytest.mark.asks_only()


def test_birth_dates_stay_in_the_store(rated: Settings) -> None:
    with open_store(rated.store) as store:
        born = store.read("select birth_date from registered_person where birth_date is not null")
    assert len(born) > 10
    everything = published_bytes(rated.home)
    for birth_date in born["birth_date"]:
        assert not any(str(birth_date).encode() in content for content in everything.values())
    for name, content in everything.items():
        if name.endswith(".parquet"):
            dates = [column for column, dtype in pl.read_parquet(content).schema.items() if dtype == pl.Date]
            of_events = {"date", "start_date", "end_date", "received_on", "registered_on", "rateable_until"}
            assert set(dates) <= of_events, name


@pytest.mark.parametrize("months", [2, pytest.param(4, marks=pytest.mark.long)])
def test_order_of_delivery_never_matters(months: int, homes: Path, tmp_path: Path) -> None:
    """Everything at once, in another order, then step by step: the same bytes as month by month in one run."""
    settings = copied(homes / "2025-08", tmp_path)
    folders = [SAMPLE / "reports" / month for month in MONTHS[:months]]
    random.Random(3).shuffle(folders)
    for folder in folders:
        load.load(settings, [folder])
    for month in MONTHS[:months]:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            import_files.import_players(settings, players)
        run.rate(settings, Period.parse(month))
        publish.publish(settings, Period.parse(month))
    assert published_bytes(settings.home) == published_bytes(homes / MONTHS[months - 1])


@pytest.mark.parametrize(
    ("threads", "months"),
    [
        # Another number than `make test` runs with.
        ("3", 1),
        pytest.param("3", 2, marks=pytest.mark.long),
        pytest.param("1", 4, marks=pytest.mark.long),
        pytest.param("2", 4, marks=pytest.mark.long),
    ],
)
def test_number_of_threads_never_matters(
    threads: str, months: int, homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(shutil.copytree(homes / "2025-08", tmp_path / "home"))
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    for month in MONTHS[:months]:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            import_files.import_players(office(home), players)
        assert ratinglist_process("run", month, SAMPLE / "reports" / month, home=home).returncode == 0
    assert published_bytes(home) == published_bytes(homes / MONTHS[months - 1])


def test_a_published_game_is_walked_back_to_its_line(rated: Settings) -> None:
    with open_store(rated.store) as store:
        walked = store.read(
            """
            with line_of as (
                select report_no, round, white_id as fide_id, white_line as line from current_report_game
                union all
                select report_no, round, black_id, black_line from current_report_game
            )
            select report.sha256, line_of.line, 92 + 10 * (side.round - 1) as cell_column
            from side join event using (month, event_no) join report using (report_id)
            join line_of using (report_no, round, fide_id)
            where event.month = '2025-11' order by all limit 50
            """
        ).to_dicts()
    for row in walked:
        text = decode((rated.home / "reports" / row["sha256"]).read_bytes()).text
        line = text.splitlines()[row["line"] - 1]
        assert line.startswith("001 ")
        cell = line[row["cell_column"] - 1 :][:8]
        assert cell[7] in "1=0", (row, cell)


def test_a_repeated_load_keeps_the_earliest_day_of_receipt(tmp_path: Path) -> None:
    settings = office(tmp_path / "home")
    report = tmp_path / "open.trf"
    report.write_text(SMALL_REPORT)
    for day in (date(2025, 11, 3), date(2025, 10, 20), date(2025, 11, 9)):
        load.load(settings, [report], day)
    with open_store(settings.store) as store:
        assert store.read("select received_on from report")["received_on"].to_list() == [date(2025, 10, 20)]


def test_manifest_names_rules_inputs_and_files(published: Path) -> None:
    manifest = json.loads((published / "2025-11" / "r1" / "manifest.json").read_text())
    assert [rule_set["name"] for rule_set in manifest["rule_sets"]] == [
        "fide/standard/2024-03-01",
        "fide/standard/2025-10-01",
    ]
    assert manifest["inputs"]["reports"] == sorted(manifest["inputs"]["reports"])
    assert set(manifest["files"]) == {path.name for path in (published / "2025-11" / "r1").iterdir()} - {
        "manifest.json"
    }


SMALL_REPORT = """\
012 Small Open
032 SOL
042 2025/10/10
052 2025/10/11
102 Arbiter
122 90 minutes + 30 seconds a move
001    1 m    One, Player                       1800 SOL    99900901 1980/01/01  1.0    1     2 w 1
001    2 m    Two, Player                       1800 SOL    99900902 1980/01/01  0.0    2     1 b 0
"""


# ----------------------------------------------------------------------------------------------- the page of the sample


@pytest.mark.parametrize(
    ("month", "event_id", "status"),
    [
        ("2025-10", "KEL25084", "duplicate same_games"),
        ("2025-10", "ORV25093", "refused report_refused"),
        ("2025-10", "ORV25094", "refused unknown_player"),
        ("2025-11", "ORV25094", "rated "),
        ("2025-10", "ORV25095", "deferred received_after_closing"),
        ("2025-11", "ORV25104", "deferred received_after_closing"),
        ("2025-12", "ORV25086", "late third_list_limit"),
        ("2025-12", "ORV25115", "rated "),
        ("2025-12", "ORV25117", "rated "),
    ],
)
def test_each_scene_ends_as_the_page_of_the_sample_says(
    published: Path, month: str, event_id: str, status: str
) -> None:
    events = pl.read_parquet(published / month / "r1" / "events.parquet").filter(event_id=event_id)
    assert [f"{event['status']} {event['reason']}" for event in events.to_dicts()] == [status]


@pytest.mark.parametrize(
    ("month", "fide_id", "expected"),
    [
        ("2025-09", 99900502, ("rated", 20, 2391)),
        ("2025-09", 99900305, ("rated", 35, 1741)),
        ("2025-09", 99900539, ("delisted", 20, 1409)),
        ("2025-10", 99900610, ("entered", None, None)),
        ("2025-11", 99900447, ("entered", None, None)),
    ],
)
def test_each_of_the_cast_fares_as_the_page_of_the_sample_says(
    published: Path, month: str, fide_id: int, expected: tuple[object, ...]
) -> None:
    changes = pl.read_parquet(published / month / "r1" / "changes.parquet").filter(fide_id=fide_id)
    assert changes.select("status", "k", "old_rating").rows() == [expected]


# -------------------------------------------------------------------------------------------------------- on a terminal


NOVEMBER = Period.parse("2025-11")
REPORT, RECEIVED = SAMPLE / "reports" / "2025-11" / "afternoon-open.trf", date(2025, 10, 23)


@pytest.fixture
def settings(homes: Path, tmp_path: Path) -> Settings:
    """An office that is about to run November."""
    shutil.copytree(homes / "2025-10", tmp_path / "home")
    import_files.import_players(office(tmp_path / "home"), SAMPLE / "players-2025-11.csv")
    return office(tmp_path / "home")


def on_terminal(answer: bytes, *words: str, home: Path) -> tuple[int, str]:
    """Give a command on a terminal of its own, with an answer to its question; return its exit code and its output."""
    process, terminal = pty.fork()
    if process == 0:
        env = {**environment(home), "TERM": "dumb"}
        os.execve(sys.executable, [sys.executable, "-m", "ratinglist", *words], env)
    output = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end was closed
            break
        output += part
        if part and b"[y/N]" in output and answer:
            os.write(terminal, answer)
            answer = b""
        if not part:
            break
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), output.decode().replace("\r", "")


def test_an_interrupt_at_the_question_ends_the_command_and_no_answer_is_a_no(settings: Settings) -> None:
    code, output = on_terminal(b"\x03", "run", "2025-11", str(REPORT), "--received", str(RECEIVED), home=settings.home)
    assert (code, "publish? [y/N]" in output) == (-signal.SIGINT, True)
    assert revisions.latest(settings.published, NOVEMBER) is None
    code, output = on_terminal(b"\n", "run", "2025-11", home=settings.home)
    assert code == 4
    assert "largest  standard: +63 Ibarård, Wendel (1653)" in output
    assert "publish? [y/N]" in output
    assert "Nothing was published: the answer was no." in output
    assert "To publish it as it is: ratinglist publish 2025-11\n" in output
    assert revisions.latest(settings.published, NOVEMBER) is None
    assert (settings.previews / "2025-11" / "REPORT.md").is_file()
    assert publish.publish(settings, NOVEMBER).revision == "r1"


def test_a_yes_publishes_what_was_shown(settings: Settings) -> None:
    shown: list[RunPreview] = []

    def agrees(preview: RunPreview) -> bool:
        shown.append(preview)
        return True

    done = run.run(settings, NOVEMBER, [REPORT], RECEIVED, confirm=agrees)
    assert (done.published.is_new, done.published.digest) == (True, shown[0].preview.digest)


@pytest.mark.asks_only("unlike_name")
def test_the_store_is_free_while_the_person_thinks_and_another_list_is_not_published(settings: Settings) -> None:
    def changes(_: RunPreview) -> bool:
        players = settings.home.parent / "players.csv"
        players.write_text('fide_id,name,federation\n900000113,"Berg, Changed",ORV\n', encoding="utf-8")
        import_files.import_players(settings, players, because={"unlike_name": "the player has another name now"})
        return True

    with pytest.raises(CheckError, match="was changed by another command since it was shown"):
        run.run(settings, NOVEMBER, [REPORT], RECEIVED, confirm=changes)
    assert revisions.latest(settings.published, NOVEMBER) is None


@pytest.mark.long
def test_with_yes_a_terminal_gets_no_question(settings: Settings) -> None:
    code, output = on_terminal(b"", "run", "2025-11", str(REPORT), "--yes", home=settings.home)
    assert (code, "[y/N]" in output, "published as r1" in output) == (0, False, True)
