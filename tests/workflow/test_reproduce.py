"""Reproducing a list from the published folder and the office's files, whatever their names."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import AlteredError, NothingReadError, RatinglistError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import manifest, revisions as released
from ratinglist.settings import Settings
from ratinglist.summaries import Facts
from ratinglist.workflows import correct, import_files, rerate
from ratinglist.workflows.replay import reproduce
from tests.conftest import SAMPLE, office, run_sample
from tests.published_sample import publish_tables

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
    return copy_inputs(tmp_path / "inputs")


def copy_inputs(folder: Path) -> Path:
    folder.mkdir()
    given = [*sorted(SAMPLE.glob("*.csv")), *sorted(path for path in (SAMPLE / "reports").rglob("*") if path.is_file())]
    for number, path in enumerate(reversed(given)):
        shutil.copyfile(path, folder / f"file {number}")
    return folder


def find_by_digest(folder: Path, sha256: str) -> Path:
    (found,) = {path for path in folder.iterdir() if hashlib.sha256(path.read_bytes()).hexdigest() == sha256}
    return found


def sha256_of_report(published: Path, event_id: str) -> str:
    """Return the digest of the report of an event of September or October."""
    events = pl.concat(pl.read_parquet(published / month / "r1" / "events.parquet") for month in ("2025-09", "2025-10"))
    return str(events.filter(event_id=event_id)["report_sha256"][0])


def read_manifest(revision: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((revision / "manifest.json").read_bytes())
    return content


def rewritten(published: Path, to: Path, change: dict[str, object]) -> Path:
    """September as it was published, its manifest changed, with a correct digest."""
    revision = to / "published" / "2025-09" / "r1"
    shutil.copytree(published / "2025-09" / "r1", revision)
    path = revision / "manifest.json"
    content = manifest.read(path.read_bytes())
    path.chmod(0o644)
    path.write_bytes(
        manifest.encode(Period.parse(content.month), content.revision, {**content.facts, **change}, content.files)
    )
    return revision


@pytest.fixture(scope="module")
def third_month(published, tmp_path_factory):
    """November reproduced, and what it left in the folder for temporary files."""
    inputs, temporary = (
        copy_inputs(tmp_path_factory.mktemp("given") / "inputs"),
        tmp_path_factory.mktemp("left"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        done = reproduce(published / "2025-11" / "r1", inputs, SETTINGS)
    return done, list(temporary.iterdir())


def test_the_third_month_is_reproduced_from_the_first(published, third_month):
    done, _ = third_month
    assert done.values["digest"] == read_manifest(published / "2025-11" / "r1")["digest"]
    assert (done.values["months"], done.values["taken_over"]) == (["2025-09", "2025-10", "2025-11"], [])


def test_a_missing_input_is_named(published, inputs):
    sha256 = sha256_of_report(published, "ORV25081")
    find_by_digest(inputs, sha256).unlink()
    with pytest.raises(NothingReadError, match=rf"1 of the inputs are not here:\n  {sha256}  the report .*\.trf"):
        reproduce(published / "2025-09" / "r1", inputs, SETTINGS)


def test_a_list_with_other_values_is_not_reproduced(published, inputs, tmp_path):
    revision = published / "2025-09" / "r1"
    frames = released.read_tables(revision)
    frames["standard"] = frames["standard"].with_columns(k=frames["standard"]["k"] * 2)
    facts = manifest.read((revision / "manifest.json").read_bytes()).facts
    forged = publish_tables(tmp_path / "published", Period.parse("2025-09"), frames, facts).folder
    for name in ("log", "originals"):
        shutil.copytree(published.parent / name, tmp_path / name)
    with pytest.raises(AlteredError, match="made again, the list is different") as refused:
        reproduce(forged, inputs, SETTINGS)
    assert str(refused.value).splitlines()[1:] == [
        "  standard.csv: has other rows or other values",
        "  standard.parquet: has other rows or other values",
    ]


def test_a_list_that_no_command_published_is_not_reproduced(published, inputs, tmp_path):
    facts = manifest.read((published / "2025-09" / "r1" / "manifest.json").read_bytes()).facts
    frames = released.read_tables(published / "2025-09" / "r1")
    forged = publish_tables(tmp_path / "published", Period.parse("2026-07"), frames, facts).folder
    shutil.copytree(published.parent / "log", tmp_path / "log")
    with pytest.raises(AlteredError, match="has no entry that published r1 of 2026-07"):
        reproduce(forged, inputs, SETTINGS)


def test_a_list_of_another_version_of_the_program_names_the_version(published, inputs, tmp_path):
    revision = rewritten(published, tmp_path, {"code_version": "9.9"})
    with pytest.raises(AlteredError, match=r"made by version 9\.9 of ratinglist"):
        reproduce(revision, inputs, SETTINGS)


def test_a_missing_log_is_named(published, inputs, tmp_path):
    shutil.copytree(published / "2025-10", tmp_path / "published" / "2025-10")
    with pytest.raises(NothingReadError, match=r"log is missing.* Ask the office for its home, such as a backup of it"):
        reproduce(tmp_path / "published" / "2025-10" / "r1", inputs, SETTINGS)


def test_a_damaged_revision_is_not_reproduced(published, inputs, tmp_path):
    shutil.copytree(published / "2025-09", tmp_path / "published" / "2025-09")
    (tmp_path / "published" / "2025-09" / "r1" / "standard.csv").unlink()
    with pytest.raises(AlteredError, match=r"standard\.csv: is missing"):
        reproduce(tmp_path / "published" / "2025-09" / "r1", inputs, SETTINGS)


@pytest.mark.parametrize("named", ["2025-09", "nothing"])
def test_the_path_must_be_one_revision(published, inputs, named):
    with pytest.raises(NothingReadError):
        reproduce(published / named, inputs, SETTINGS)


def test_the_provenance_has_no_date_of_birth(published):
    content = json.dumps([read_manifest(path)["provenance"] for path in published.glob("*/r1")])
    born = [line.split(",")[11] for line in (SAMPLE / "list-2025-08.csv").read_text().splitlines()[1:]]
    assert [day for day in born if len(day) == 10 and day in content] == []


# ----------------------------------------------------------------------------------------------------- corrections


def result_or_error(revision: Path, inputs: Path) -> Facts | str:
    try:
        return reproduce(revision, inputs, SETTINGS)
    except RatinglistError as error:
        return str(error)


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
    failed = [error for path in revisions if isinstance(error := result_or_error(path, inputs), str)]
    assert failed == []


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
    run_sample(settings, "2025-09")
    assert reproduce(settings.published / "2025-09" / "r1", inputs, SETTINGS).values["reports"]
