"""What installs, installs exactly; what is built, holds everything the program reads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

from tests.docs.session import fences, module_of

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LOCK_OF_THE_IMAGE, LOCK_OF_ITS_BUILD = (
    (ROOT / "deploy" / name).read_text(encoding="utf-8") for name in ("requirements.lock", "build.lock")
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIRED = PROJECT["project"]["dependencies"]
OF_EXTRAS = [requirement for extra in PROJECT["project"]["optional-dependencies"].values() for requirement in extra]
WANTED = [
    *REQUIRED,
    *OF_EXTRAS,
    *(requirement for requirement in PROJECT["dependency-groups"]["dev"] if isinstance(requirement, str)),
    *PROJECT["build-system"]["requires"],
]
CARRIED = list(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].items())


@pytest.fixture(scope="module")
def locked() -> dict[str, list[str]]:
    """Every package of the lock and what stands with it: its version, its marker and its digests."""
    return packages(LOCK)


def packages(lock: str) -> dict[str, list[str]]:
    """Return the packages of a lock by name."""
    joined = lock.replace("\\\n", " ").splitlines()
    lines = [line.split() for line in joined if line.strip() and not line.startswith("#")]
    return {words[0].partition("==")[0]: [words[0].partition("==")[2], *words[1:]] for words in lines}


def test_the_image_has_what_the_program_asks_for_in_the_tested_versions_and_no_tools(locked):
    of_image = packages(LOCK_OF_THE_IMAGE)
    needed = {Requirement(text).name for text in (*REQUIRED, *OF_EXTRAS)}
    assert needed <= of_image.keys()
    assert {name: words for name, words in of_image.items() if locked[name][0] != words[0]} == {}
    assert not {"pytest", "mypy", "ruff", "hypothesis"} & of_image.keys()


def test_the_wheel_of_an_image_is_built_by_the_tested_versions_and_all_that_they_need(locked):
    of_build = packages(LOCK_OF_ITS_BUILD)
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]
    assert {name: words for name, words in of_build.items() if locked[name][0] != words[0]} == {}
    needed = [Requirement(text) for text in (*PROJECT["build-system"]["requires"], *(requires("hatchling") or ()))]
    assert {
        requirement.name for requirement in needed if requirement.marker is None or requirement.marker.evaluate()
    } <= of_build.keys()


def test_every_package_is_locked_to_one_version_and_its_digests(locked):
    loose = [
        name
        for name, (version, *rest) in locked.items()
        if not version or not any(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", word) for word in rest)
    ]
    assert loose == []


def test_the_lock_names_no_index_and_no_address():
    assert (
        re.findall(
            r"://|--index|--extra-index|--find-links|--trusted-host| @ ", LOCK + LOCK_OF_THE_IMAGE + LOCK_OF_ITS_BUILD
        )
        == []
    )


@pytest.mark.parametrize("wanted", WANTED)
def test_the_lock_holds_what_the_project_asks_for(locked, wanted):
    requirement = Requirement(wanted)
    assert requirement.name in locked
    assert requirement.specifier.contains(locked[requirement.name][0])


PINNED_FOR_PREFECT = {"fastapi", "sqlalchemy"}
"""Prefect bounds them from below, and the project from above alone."""


@pytest.mark.parametrize(
    "wanted",
    [requirement for requirement in (*REQUIRED, *OF_EXTRAS) if Requirement(requirement).name not in PINNED_FOR_PREFECT],
)
def test_an_installation_without_the_lock_takes_no_version_of_another_series_than_the_tested_one(locked, wanted):
    requirement = Requirement(wanted)
    major, minor, *_ = map(int, locked[requirement.name][0].split("."))
    by_minor = major == 0 or requirement.name in ("duckdb", "polars", "prefect")
    assert not requirement.specifier.contains(f"{major}.{minor + 1}.0" if by_minor else f"{major + 1}.0.0")


def installed_with(*wanted: str) -> set[str]:
    """Return the packages that an installation of ``wanted`` brings here."""
    brought: set[str] = set()
    open_ = [Requirement(text) for text in wanted]
    while open_:
        requirement = open_.pop()
        if requirement.name.lower() not in brought:
            brought.add(requirement.name.lower())
            stated = [Requirement(text) for text in requires(requirement.name) or ()]
            open_ += [needed for needed in stated if needed.marker is None or needed.marker.evaluate({"extra": ""})]
    return brought


def test_an_installation_without_extras_brings_few_packages():
    brought = installed_with(*REQUIRED)
    assert len(brought) <= 40
    assert not {Requirement(text).name for text in OF_EXTRAS} & brought


WITHOUT = """
import sys
sys.modules[{package!r}] = None
sys.argv = {command!r}
from ratinglist.cli.main import main
main()
"""


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_the_desk_without_its_extra_is_listed_and_names_the_line_that_installs_it(package, tmp_path):
    def without(*command: str) -> subprocess.CompletedProcess[str]:
        code = WITHOUT.format(package=package, command=["ratinglist", *command])
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert re.search(r"^  desk +Open the office in the browser", without("--help").stdout, re.MULTILINE)
    ended = without("--home", str(tmp_path / "home"), "desk", "--new")
    assert ended.returncode == 2
    assert re.search(rf"needs {package}[\w.]*, which is not installed: pip install 'ratinglist\[desk\]'", ended.stderr)


def test_the_flows_without_their_extra_name_the_line_that_installs_it():
    code = (
        "import importlib.util, runpy\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'prefect' else find(name, *more)\n"
        "runpy.run_module('flows.serve', run_name='__main__')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stderr) == (
        2,
        "ratinglist: this needs prefect, which is not installed: pip install 'ratinglist[flows]'\n",
    )


def test_a_wheel_carries_the_rules_the_tables_and_the_sql(tmp_path):
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    carried = set(ZipFile(wheel).namelist())
    expected = {
        f"{inside}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, inside in CARRIED
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert expected >= {"ratinglist/_data/tables/expected_score.csv"}
    assert expected - carried == set()
    assert "ratinglist/cli/main.py" in carried


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed here")
def test_a_reader_checks_a_signed_release_with_the_commands_of_the_page(tmp_path: Path) -> None:
    """A file that was altered is found, and so are sums that were made again for it."""
    dist = tmp_path / "dist"
    dist.mkdir()
    wheel, sums = dist / "ratinglist.whl", dist / "SHA256SUMS"
    wheel.write_bytes(b"a wheel")
    ((_, commands),) = fences(ROOT / "SECURITY.md", "sh")
    of_signature, of_files = commands.splitlines()

    def ends(command: str) -> int:
        return subprocess.run(["sh", "-c", command], cwd=dist, capture_output=True, check=False).returncode

    assert ends("sha256sum * > SHA256SUMS") == 0
    assert ends(f"ssh-keygen -q -t ed25519 -N '' -f {tmp_path}/key") == 0
    assert ends(f"make -C {ROOT} sign-release KEY={tmp_path}/key DIST={dist}") == 0
    assert (ends(of_signature), ends(of_files)) == (0, 0)
    wheel.write_bytes(b"another wheel")
    assert (ends(of_signature), ends(of_files)) == (0, 1)
    sums.write_text(sums.read_text(encoding="utf-8").replace("0", "1"), encoding="utf-8")
    assert ends(of_signature) != 0


def test_every_package_of_a_release_states_its_licence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    licences = module_of(ROOT / "deploy" / "licences.py")
    bill = tmp_path / "bill.json"
    two = [
        {"name": "pair", "version": "2", "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "OSI :: BSD"}}]},
        {"name": "one", "version": "1", "licenses": [{"expression": "MIT OR Apache-2.0"}]},
    ]
    bill.write_text(json.dumps({"components": two}), encoding="utf-8")
    licences.main(str(bill))
    assert capsys.readouterr().out == "package,version,licence\none,1,MIT OR Apache-2.0\npair,2,BSD\npair,2,MIT\n"
    bill.write_text(json.dumps({"components": [{"name": "bare", "version": "1"}]}), encoding="utf-8")
    with pytest.raises(SystemExit, match="no licence is stated by bare"):
        licences.main(str(bill))
