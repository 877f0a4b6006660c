"""The command line as a stranger types it: exit codes, where things are printed, and what the messages say."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist import office as office_choices
from ratinglist.workflows import import_files
from tests.command_line import Shown, did, environment, ratinglist, ratinglist_process, stopped
from tests.conftest import ROOT, SAMPLE, office
from tests.workflow.test_run import SMALL_REPORT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="module")
def _empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    (folder / "players.csv").write_text('fide_id,name,federation,sex\n99900900,"Zero, Player",SOL,M\n')
    import_files.import_players(office(folder / "home"), folder / "players.csv")
    return folder / "home"


@pytest.fixture
def empty(_empty_home: Path, home: Path) -> Path:
    """The home of an office that knows a player and has received no list and no report."""
    return Path(shutil.copytree(_empty_home, home))


def test_the_program_alone_shows_the_office_or_how_to_begin(empty: Path, tmp_path: Path) -> None:
    assert ratinglist(home=empty).stdout.startswith(f"{empty} on 2025-12-01\n")
    shown = ratinglist(home=tmp_path / "none")
    assert (shown.returncode, "ratinglist init" in shown.stdout) == (0, True)
    assert not (tmp_path / "none").exists()


def test_json_is_one_document_on_stdout(homes: Path, home: Path) -> None:
    shutil.copytree(homes / "2025-09", home)
    for arguments in (
        ["load", SAMPLE / "reports" / "2025-10" / "vale-weekend.trf"],
        ["quarantine", "2025-09"],
        ["rules", "--on", "2025-11-01"],
    ):
        shown = ratinglist(*arguments, "--json", home=home)
        assert shown.returncode == 0, shown.stderr
        json.loads(shown.stdout)


@pytest.mark.parametrize(
    ("give", "arguments", "code", "says"),
    [
        (ratinglist, ["rate", "2025-13"], 2, "write YYYY-MM"),
        (ratinglist, ["load", "not-there.trf"], 3, "ratinglist: not-there.trf does not exist"),
        (ratinglist_process, ["rate", "2025-13"], 2, "write YYYY-MM"),
    ],
)
def test_a_command_ends_with_the_code_and_the_message(
    give: Callable[..., Shown], arguments: list[str], code: int, says: str, empty: Path
) -> None:
    for flags in ([], ["--json"]):
        ended = give(*arguments, *flags, home=empty)
        assert (ended.returncode, says in ended.stderr) == (code, True)
        assert json.loads(ended.stdout)["exit_code"] == code if flags else ended.stdout == ""


@pytest.mark.parametrize(
    ("command", "stream", "code"),
    [
        ("rules --json", "> /dev/full", 3),
        ("rules", "> /dev/full", 3),
        ("rules", ">&-", 0),
        ("sql 'select 1' --json", "2>&-", 0),
        ("run 2030-01", "<&-", 2),
        ("rate 2025-13 --json", "> /dev/full", 2),
    ],
)
def test_a_full_or_closed_stream_ends_without_a_traceback(command: str, stream: str, code: int, homes: Path) -> None:
    words = f"{shlex.quote(sys.executable)} -m ratinglist {command} {stream}"
    ended = subprocess.run(
        ["sh", "-c", words], env=environment(homes / "2025-09"), capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False), ended.stderr


def test_home_flag_goes_before_the_environment(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    ratinglist("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08", "--home", other, home=home)
    assert (other / "ratinglist.duckdb").exists()
    assert not home.exists()


def test_a_refused_report_does_not_fail_the_load_unless_strict(empty: Path, tmp_path: Path) -> None:
    report = tmp_path / "broken.trf"
    report.write_text(SMALL_REPORT.replace("2 w 1", "2 w x"))
    for flags, code in (([], 0), (["--strict"], 3)):
        result = ratinglist("load", report, *flags, home=empty)
        assert result.returncode == code
        assert "1 refused" in result.stdout
        assert "line 7, column 99" in result.stdout


def test_help_is_quick_because_nothing_heavy_is_imported(home: Path) -> None:
    heavy = "('polars', 'duckdb', 'pyarrow', 'pydantic', 'cryptography', 'jinja2')"
    code = f"import sys; import ratinglist.cli.main; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


_INTERRUPTED = """
import importlib, os, signal, sys

class Interrupting:
    def find_spec(name, *_):
        if name == interrupted_at:
            os.kill(os.getpid(), signal.SIGINT)

interrupted_at, module, function = sys.argv[1:]
sys.argv[1:] = ["status"]
sys.meta_path.insert(0, Interrupting)
getattr(importlib.import_module(module), function)()
"""
"""The installed command, which gets Ctrl-C when it imports a module."""


@pytest.mark.parametrize("module", ["ratinglist.cli.main", "click", "ratinglist.cli.upkeep", "polars"])
def test_an_interrupt_while_the_program_starts_ends_it_with_a_sentence(module: str) -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    words = [sys.executable, "-c", _INTERRUPTED, module, *project["scripts"]["ratinglist"].split(":")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    sentence = "ratinglist: interrupted. Run the command again: what was decided is finished first.\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", sentence)


# --------------------------------------------------------------------------------------------------------- a new office


LIST = ROOT / "data" / "sample" / "list-2025-08.csv"


def test_a_new_office_has_its_list_and_its_choices(tmp_path):
    home = tmp_path / "office"
    shown = did(home, "init", LIST, "--month", "2025-08")
    assert "standard list of 2025-08: 116 rated" in shown
    assert f"ratinglist run 2025-09 --home {home}" in shown
    # Every choice that it states is the default of the program.
    assert office_choices.read(home) == office_choices.Office()
    example = (home / "office.toml").read_text(encoding="utf-8").replace("# [[", "[[").replace("# name", "name")
    assert [person.name for person in office_choices.parse(example).approvers] == ["Anna Adams"]


@pytest.mark.parametrize("command", [("init", LIST, "--month", "2025-08"), ("demo",)], ids=lambda command: command[0])
def test_an_office_that_is_there_is_left_alone(published, command):
    home = published.parent
    before = sorted(path.name for path in home.iterdir())
    assert "is an office already" in stopped(home, 2, *command, "--home", home)
    assert sorted(path.name for path in home.iterdir()) == before


@pytest.mark.long
def test_the_demonstration_publishes_the_lists_of_the_documents_and_their_site(tmp_path, published):
    done = json.loads(did(tmp_path, "demo", "--home", tmp_path / "office", "--out", tmp_path / "site", "--json"))
    months = sorted(path.parent.name for path in (tmp_path / "office" / "published").glob("*/latest"))
    assert months == ["2025-09", "2025-10", "2025-11", "2025-12"]
    for month in months:
        of_demo = tmp_path / "office" / "published" / month / "r1" / "standard.csv"
        assert of_demo.read_bytes() == (published / month / "r1" / "standard.csv").read_bytes()
    assert (tmp_path / "site" / "index.html").is_file()
    assert len(done) == 10
