"""Systems of other Python packages: one is installed, trusted, used, published and reproduced, or refused."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError, RulesError
from ratinglist.period import Period
from ratinglist.rating.systems import registry
from ratinglist.settings import Settings
from ratinglist.store import rule_files
from ratinglist.workflows import explain, import_files, replay, run
from ratinglist.workflows.systems import installed_systems, systems_text
from ratinglist_world import testing as command
from ratinglist_world.testing import broken_promises, make_office
from tests.command_line import did, entered, ratinglist
from tests.conftest import ROOT, SAMPLE, made_once
from tests.stores import open_store
from tests.workflow.test_other_systems import received

pytestmark = pytest.mark.asks_only()

__all__ = ["received"]

EXAMPLE = Path(__file__).resolve().parents[2] / "data" / "systems" / "plain-elo"
SEPTEMBER = Period.parse("2025-09")


class Package:
    """The example of a package, installed in a folder of its own; its files are there to be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(EXAMPLE / "plain_elo", folder / "plain_elo")
        self.state("1.0")

    @property
    def source(self) -> Path:
        return self.folder / "plain_elo" / "__init__.py"

    def state(self, version: str, name: str = "plain-elo") -> None:
        """Write what an installer writes of the package."""
        facts = self.folder / "plain_elo.dist-info"
        facts.mkdir(exist_ok=True)
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: Plain_Elo\nVersion: {version}\n", "utf-8")
        (facts / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = plain_elo:SYSTEM\n", "utf-8")
        forget()

    def change(self, text: str, by: str) -> None:
        """Write another text into its module."""
        source = self.source.read_text("utf-8")
        assert text in source
        self.source.write_text(source.replace(text, by), "utf-8")
        forget()


def forget() -> None:
    """Let the next command import the package as a process of its own would."""
    for name in [name for name in sys.modules if name == "plain_elo"]:
        del sys.modules[name]
    for function in (registry._plug_ins, registry._loaded, rule_files._rule_book):
        function.cache_clear()


@pytest.fixture
def package(homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """The package, installed beside the home of an office that has its first list."""
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Package(folder)
    registry.trust(())
    forget()


def office(tmp_path: Path, *trusted: str) -> Settings:
    """That office, which trusts packages."""
    settings = Settings(home=tmp_path / "home", family="plain-elo", today=date(2025, 12, 1))
    (settings.home / "office.toml").write_text(f"[systems]\ntrusted = {json.dumps(trusted)}\n", encoding="utf-8")
    return settings


def published(settings: Settings) -> Path:
    import_files.import_players(settings, SAMPLE / "players-2025-09.csv")
    run.run(settings, SEPTEMBER, [SAMPLE / "reports" / "2025-09"], because={})
    return settings.published / "2025-09" / "r1"


def test_a_package_that_is_not_trusted_is_listed_and_never_imported(package, tmp_path):
    package.source.write_text("raise SystemExit('imported')", "utf-8")
    settings = office(tmp_path)
    (row,) = [system for system in installed_systems(settings) if system["package"] == "plain-elo"]
    assert row == {
        "system": "plain-elo",
        "families": [],
        "package": "plain-elo",
        "version": "1.0",
        "state": "not used: office.toml does not trust the package",
    }
    with pytest.raises(CommandLineError, match=r"There is no rule family 'plain-elo': .*, wcc\.$"):
        run.rate(settings, SEPTEMBER)
    assert "plain_elo" not in sys.modules


def test_every_system_is_listed_with_its_package_and_version(package, tmp_path):
    settings = office(tmp_path, "plain_elo", "no-such-package")
    rows = installed_systems(settings)
    assert {system["system"] for system in rows} == {"fide", "", *registry.SYSTEMS}
    (own,) = [system for system in rows if system["system"] == "plain-elo"]
    assert (own["families"], own["version"], own["state"]) == (["plain-elo"], "1.0", "used")
    missing = {"package": "no-such-package", "state": "not installed: office.toml trusts the package"}
    assert {name: rows[-1][name] for name in missing} == missing
    assert systems_text(rows).splitlines()[2].split()[:3] == ["fide", "course,", "course-tranche,"]
    shown = entered("ratinglist", "systems", "--home", str(settings.home), "--json")
    assert json.loads(shown.stdout) == rows


def test_its_list_is_published_explained_and_reproduced(package, tmp_path):
    settings = office(tmp_path, "Plain_Elo")
    revision = published(settings)
    stated = json.loads((revision / "manifest.json").read_bytes())["inputs"]["systems"]
    assert [line.split()[:3] for line in stated] == [["plain-elo", "plain-elo", "1.0"]]
    played = pl.read_parquet(revision / "changes.parquet")["fide_id"][0]
    (part,) = explain.explain(settings, played, SEPTEMBER).content["time_controls"]
    assert [term.result for term in part["terms"] if term.what == "development_coefficient.k"] == [20]
    summary = replay.reproduce(revision, SAMPLE, settings)
    assert summary.values["month"] == "2025-09"
    # A package that is missing, or another one, is named.
    elsewhere = replace(settings, home=tmp_path / "none")
    with pytest.raises(NothingReadError, match=r'is not trusted here.* \[systems\] trusted = \["plain-elo"\]'):
        replay.reproduce(revision, SAMPLE, elsewhere)
    package.change("the same for all players", "one for all players")
    with pytest.raises(AlteredError, match=r"the package plain-elo 1.0. That package has other files here"):
        replay.reproduce(revision, SAMPLE, settings)
    package.state("1.1")
    with pytest.raises(AlteredError, match=r"other files here, of the version 1.1. Install 1.0"):
        replay.reproduce(revision, SAMPLE, settings)
    shutil.rmtree(package.folder / "plain_elo.dist-info")
    forget()
    with pytest.raises(
        NothingReadError, match=r"is not installed here. Install it: python3 -m pip install plain-elo==1.0"
    ):
        replay.reproduce(revision, SAMPLE, settings)


def promise_points(package: Package) -> None:
    """Let the example say that it returns points of its own, one for each game, and return them in no game."""
    package.change(
        "SYSTEM = RatingSystem(",
        "from ratinglist.tables import Column\n\n"
        'OWN = {"points": Column(pl.Int32(), "one for each game", null=True)}\nSYSTEM = RatingSystem(',
    )
    package.change("PlainRules, rate,", "PlainRules, rate, change_columns=OWN, game_columns=OWN,")
    package.change("changes_of(month, computed)", 'changes_of(month, computed.with_columns(points="games"), OWN)')


FAILURES = [
    (
        "    k, entry =",
        "    1 // 0\n    k, entry =",
        r"for the list of 2025-09 \(ZeroDivisionError.*__init__.py, line 44\)",
    ),
    (
        "    return SystemResult(",
        "    raise SystemExit\n    return SystemResult(",
        r" for the list of 2025-09 \(SystemExit: ;",
    ),
    (
        "changes=changes_of(month, computed)",
        'changes=computed.drop("change")',
        "its changes lack the column 'time_control'",
    ),
]


def test_a_system_that_fails_or_returns_no_column_of_its_own_is_named(package, tmp_path):
    settings = office(tmp_path, "plain-elo")
    of_package = "^The system 'plain-elo' of the package plain-elo 1.0 failed.*"
    right = package.source.read_text("utf-8")
    promise_points(package)
    with pytest.raises(RulesError, match=f"{of_package}its sides lack the column 'points', or have it with"):
        published(settings)
    for text, by, message in FAILURES:
        package.source.write_text(right, "utf-8")
        package.change(text, by)
        with pytest.raises(RulesError, match=of_package + message):
            run.rate(settings, SEPTEMBER)
    assert not (settings.published / "2025-09").exists()
    with open_store(settings.store) as store:
        assert store.read("select count(*) as n from report").item() > 0


REFUSED = [
    ("SYSTEM = RatingSystem(", "SYSTEM = (lambda *given, **named: named)(", "is no RatingSystem"),
    ('SYSTEM: ClassVar = "plain-elo"', 'SYSTEM: ClassVar = "other"', "its rules are of a system 'other'"),
    ('rules=files(__name__) / "rules"', "rules=None", "has no folder of rule files"),
    ("SYSTEM = RatingSystem(", "raise SystemExit(3)\nSYSTEM = RatingSystem(", r"cannot be imported \(SystemExit: 3\)"),
]


@pytest.mark.parametrize(("text", "by", "message"), REFUSED)
def test_what_is_no_system_is_refused(package, tmp_path, text, by, message):
    settings = office(tmp_path)
    package.change(text, by)
    (settings.home / "office.toml").write_text('[systems]\ntrusted = ["plain-elo"]\n', "utf-8")
    with pytest.raises(RulesError, match=f"The system 'plain-elo' of the package plain-elo 1.0.*{message}"):
        run.rate(settings, SEPTEMBER)


def test_a_system_or_family_of_a_taken_name_is_refused(package, tmp_path):
    settings = office(tmp_path, "plain-elo")
    package.state("1.0", name="club")
    with pytest.raises(RulesError, match="has a system 'club', and so has ratinglist"):
        run.rate(settings, SEPTEMBER)
    package.state("1.0")
    rules = package.folder / "plain_elo" / "rules"
    (rules / "plain-elo").rename(rules / "club")
    forget()
    with pytest.raises(RulesError, match="has a family 'club', and so has ratinglist"):
        run.rate(settings, SEPTEMBER)


# ------------------------------------------------------------------------------------------- what every system promises


@pytest.fixture(scope="session")
def made_up(for_all_workers: Path) -> Path:
    return made_once(for_all_workers / "made-up-federation", make_office)


@pytest.mark.long
@pytest.mark.parametrize("system", list(registry.SYSTEMS))
def test_a_system_keeps_every_promise(system: str, made_up: Path) -> None:
    assert broken_promises(system, made_up=made_up) == []


def test_a_package_that_breaks_promises_learns_which(
    package: Package, made_up: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package.change("next_state(month, computed, k)", "next_state(month, computed, k).filter(pl.col('games') > 0)")
    monkeypatch.setattr(command, "make_office", lambda _: made_up)
    kept, broken = "the order of events, games and players does not matter", "a month without games moves no rating"
    monkeypatch.setattr(command, "PROMISES", {promise: command.PROMISES[promise] for promise in (kept, broken)})
    assert command.main(["plain-elo"]) == 1
    shown = capsys.readouterr().out
    assert f"ok     plain-elo: {kept}" in shown
    assert f"FAILED plain-elo: {broken}\n         the change of player 9000000" in shown


def test_a_system_that_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert [command.main(words) for words in (["no-such"], [], ["--slow"])] == [2, 2, 2]
    assert "There is no rating system 'no-such'. There are club, dwz, ecf, ffe, fsi," in capsys.readouterr().err


# ---------------------------------------------------------------------------------------- rule files of an office's own


FIRST, SECOND = "2025-09", "2025-10"


def rules_of(folder: Path, family: str, normal_k: int, name: str = "hill-club") -> Path:
    """Write the rule files of a family, with another K of most players, into a folder of another name."""
    copied = folder / name
    shutil.copytree(ROOT / "data" / "rules" / family, copied, dirs_exist_ok=True)
    for path in copied.rglob("*.toml"):
        text = re.sub(r'(?m)^family = ".*"$', f'family = "{name}"', path.read_text("utf-8"))
        path.write_text(re.sub(r"(?m)^(normal *= \{ value = )\d+", rf"\g<1>{normal_k}", text), "utf-8")
    return copied


@pytest.fixture
def home(received: Path, tmp_path: Path) -> Iterator[Path]:
    """An office with its first list that has received the players and the reports of two months."""
    yield Path(shutil.copytree(received, tmp_path / "home"))
    rule_files.use_own(tmp_path)


def test_an_account_is_by_the_rules_of_its_list_whatever_text_came_since(home: Path) -> None:
    texts = rules_of(home / "rules", "club", 24) / "standard"
    did(home, "run", FIRST, "--rules", "hill-club", "--yes")
    account = did(home, "explain", "99900046", FIRST)
    (text,) = texts.iterdir()
    later = re.sub(r"(?m)^effective_from = .*$", "effective_from = 2025-08-01", text.read_text("utf-8"))
    (texts / "2025-08-01.toml").write_text(later, "utf-8")
    assert "by hill-club/standard/2000-01-01" in account
    assert did(home, "explain", "99900046", FIRST) == account


def test_an_own_family_is_used_month_after_month_and_a_changed_file_is_named(home: Path, tmp_path: Path) -> None:
    rules_of(home / "rules", "club", 24)
    did(home, "run", FIRST, "--rules", "hill-club", "--yes")
    # One that is still being written is none.
    (home / "rules" / "hill-club" / "standard" / ".2025-10-01.toml").write_text("family =", "utf-8")
    assert json.loads(did(home, "rate", SECOND, "--json"))["family"] == "hill-club"
    revision = home / "published" / FIRST / "r1"
    assert json.loads((revision / "manifest.json").read_bytes())["family"] == "hill-club"
    changes = "select count(*) as n from changes where k = 24"
    (row,) = json.loads(did(home, "sql", changes, "--json"))
    assert row["n"] > 0
    did(home, "backup", tmp_path / "backup")
    did(tmp_path / "again", "restore", tmp_path / "backup")
    did(tmp_path / "again", "doctor", "--rebuild")
    rules_of(home / "rules", "club", 25)
    assert "which changed since: ratinglist rerate --from 2025-09" in did(home, "status")
    did(home, "reproduce", revision, "--inputs", SAMPLE)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("hill-club/standard/2025-01-01.toml", b"family = 1\n", "hill-club/standard/2025-01-01"),
        ("hill-club/standard/2025-01-01.toml", b"# \xe9\n", "is not UTF-8"),
        ("hill-club/notes.txt", b"nothing", "There is no rule family 'hill-club'"),
        ("club/standard/2025-01-01.toml", b"family = 'club'\n", "comes with the program"),
    ],
)
def test_nothing_is_calculated_by_a_wrong_file_of_rules(name: str, content: bytes, says: str, home: Path) -> None:
    file = home / "rules" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    shown = ratinglist("rate", FIRST, "--rules", "hill-club", home=home)
    assert shown.returncode in (2, 3), shown
    assert says in shown.stderr
    assert not (home / "calculations").exists()
