"""Reproducing a list from the published folder and the office's files, whatever their names."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import AlteredError, NothingReadError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import manifest, revisions as released
from ratinglist.settings import Settings
from ratinglist.workflows import correct, import_files, rerate, run
from ratinglist.workflows.replay import reproduce
from tests.conftest import SAMPLE, office
from tests.published_sample import publish_tables

pytestmark = pytest.mark.asks_only("older_list")

SETTINGS = Settings(home=Path("unused"), family="fide", today=date(2031, 5, 17))
CORRECTIONS = """
[[correction]]
action = "change_result"
match = { event_id = "ORV25081", round = 1, white = 99900046, black = 99900095 }
result = "1-0"
reason = "the score sheets say so"
who = "chief arbiter of the event"
reported_on = 2025-12-01

[[correction]]
action = "replace_report"
match = { event_id = "ORV25092" }
file = "better.trf"
reason = "a board was wrong"
who = "chief arbiter of the event"
reported_on = 2025-12-01
"""


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The files the sample federation's office was given, each under another name."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    files = [*sorted(SAMPLE.glob("*.csv")), *sorted(path for path in (SAMPLE / "reports").rglob("*") if path.is_file())]
    for number, path in enumerate(reversed(files)):
        shutil.copyfile(path, folder / f"file {number}")
    return folder


def find_by_digest(folder: Path, sha256: str) -> Path:
    (file,) = {path for path in folder.iterdir() if hashlib.sha256(path.read_bytes()).hexdigest() == sha256}
    return file


def sha256_of_report(published: Path, event_id: str) -> str:
    """Return the digest of the report of an event of September or October."""
    events = pl.concat(pl.read_parquet(published / month / "r1" / "events.parquet") for month in ("2025-09", "2025-10"))
    return str(events.filter(event_id=event_id)["report_sha256"][0])


def read_manifest(revision: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((revision / "manifest.json").read_bytes())
    return content


def test_the_second_month_is_reproduced_from_the_first(published, inputs):
    done = reproduce(published / "2025-10" / "r1", inputs, SETTINGS)
    assert done.values["digest"] == read_manifest(published / "2025-10" / "r1")["digest"]
    assert (done.values["months"], done.values["taken_over"]) == (["2025-09", "2025-10"], [])


def test_a_missing_input_is_named(published, inputs):
    sha256 = sha256_of_report(published, "ORV25081")
    find_by_digest(inputs, sha256).unlink()
    with pytest.raises(NothingReadError, match=rf"1 of the inputs are not here:\n  {sha256}  the report .*\.trf"):
        reproduce(published / "2025-09" / "r1", inputs, SETTINGS)


def forged(published: Path, to: Path, month: str, k: int = 1) -> Path:
    """September as another month or with another K, published by nobody, with the log of the office."""
    revision = published / "2025-09" / "r1"
    frames = released.read_tables(revision)
    frames["standard"] = frames["standard"].with_columns(k=frames["standard"]["k"] * k)
    facts = manifest.read((revision / "manifest.json").read_bytes()).facts
    for name in ("log", "originals"):
        shutil.copytree(published.parent / name, to / name)
    return publish_tables(to / "published", Period.parse(month), frames, facts).folder


def copied_alone(published: Path, to: Path, name: str = "") -> Path:
    """September in a folder of its own, without a file."""
    revision = Path(shutil.copytree(published / "2025-09", to / "published" / "2025-09")) / "r1"
    if name:
        (revision / name).unlink()
    return revision


def of_another_version(published: Path, to: Path) -> Path:
    """September with another version of the program in its manifest."""
    path = copied_alone(published, to) / "manifest.json"
    content = manifest.read(path.read_bytes())
    path.chmod(0o644)
    facts = {**content.facts, "code_version": "9.9"}
    path.write_bytes(manifest.encode(Period.parse(content.month), content.revision, facts, content.files))
    return path.parent


REFUSED: dict[str, tuple[Callable[[Path, Path], Path], type[Exception], str]] = {
    "other values": (
        partial(forged, month="2025-09", k=2),
        AlteredError,
        r"made again, the list is different.*\n  standard\.csv: has other rows.*\n  standard\.parquet: has other rows",
    ),
    "published by no command": (
        partial(forged, month="2026-07"),
        AlteredError,
        "has no entry that published r1 of 2026-07",
    ),
    "another version": (of_another_version, AlteredError, r"made by version 9\.9 of ratinglist"),
    "no log": (copied_alone, NothingReadError, r"log is missing.* Ask the office for its home, such as a backup of it"),
    "damaged": (partial(copied_alone, name="standard.csv"), AlteredError, r"standard\.csv: is missing"),
    "a month": (lambda published, _: published / "2025-09", NothingReadError, ""),
    "nothing": (lambda published, _: published / "nothing", NothingReadError, ""),
}


@pytest.mark.parametrize(("revision_of", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_a_list_of_this_office_is_not_reproduced(
    published: Path,
    inputs: Path,
    tmp_path: Path,
    revision_of: Callable[[Path, Path], Path],
    error: type[Exception],
    says: str,
) -> None:
    with pytest.raises(error, match=f"(?s){says}"):
        reproduce(revision_of(published, tmp_path), inputs, SETTINGS)


# ----------------------------------------------------------------------------------------------------- corrections


@pytest.mark.long
def test_every_revision_is_reproduced_after_corrections(rated, inputs):
    sha256 = sha256_of_report(rated.published, "ORV25092")
    text = find_by_digest(inputs, sha256).read_bytes()
    (inputs / "better.trf").write_bytes(text.replace(b"012 ", b"012 The ", 1))
    (inputs / "corrections.toml").write_text(CORRECTIONS, encoding="utf-8")
    correct.correct(rated, inputs / "corrections.toml")
    rerate.rerate(rated, Period.parse("2025-09"))
    revisions = sorted(rated.published.glob("*/r*"))
    assert [path.name for path in revisions] == ["r1", "r2"] * 4
    assert all(reproduce(path, inputs, SETTINGS).values["reports"] for path in revisions)


def test_a_list_that_stands_on_an_import_with_an_answer_is_reproduced(tmp_path: Path, inputs: Path) -> None:
    settings = office(tmp_path / "home")
    older = SAMPLE / "list-2025-08.csv"
    import_files.import_list(settings, older, Period.parse("2025-08"))
    rows = older.read_text(encoding="utf-8").splitlines()
    shorter = inputs / "shorter.csv"
    shorter.write_text("\n".join(rows[:-20]) + "\n", encoding="utf-8")
    why = {"older_list": "a club has left the federation"}
    with pytest.raises(UnansweredError):
        import_files.import_list(settings, shorter, Period.parse("2025-08"))
    import_files.import_list(settings, shorter, Period.parse("2025-08"), because=why)
    revision = Path(run.run(settings, Period.parse("2025-09")).published.path)
    assert reproduce(revision, inputs, SETTINGS).values["digest"] == read_manifest(revision)["digest"]
