"""Reproducing a list from the published folder and the office's files, whatever their names."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import AlteredError, NothingReadError, RatinglistError
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.publication import revisions as released
from ratinglist.settings import Settings
from ratinglist.workflows import correct, load, publish, rerate
from ratinglist.workflows.reproduce import ReproduceSummary, reproduce
from tests.conftest import SAMPLE
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
    assert done.digest == read_manifest(published / "2025-11" / "r1")["digest"]
    assert (done.months, done.taken_over) == (["2025-09", "2025-10", "2025-11"], [])


def test_a_missing_input_is_named(published, inputs):
    first = read_manifest(published / "2025-09" / "r1")["provenance"]["reports"][0]
    find_by_digest(inputs, first.split()[0]).unlink()
    with pytest.raises(NothingReadError, match=rf"1 of the inputs are not here:\n  {first.split()[0]}  report ORV"):
        reproduce(published / "2025-09" / "r1", inputs, SETTINGS)


def test_a_list_with_other_values_is_not_reproduced(published, inputs, tmp_path):
    revision = published / "2025-09" / "r1"
    frames = released.read_tables(revision)
    frames["standard"] = frames["standard"].with_columns(k=frames["standard"]["k"] * 2)
    facts = manifest.read((revision / "manifest.json").read_bytes()).facts
    forged = publish_tables(tmp_path / "published", Period.parse("2025-09"), frames, facts).folder
    with pytest.raises(AlteredError, match="calculated again, the list is different") as refused:
        reproduce(forged, inputs, SETTINGS)
    assert str(refused.value).splitlines()[1:] == [
        "  standard.csv: has other rows or other values",
        "  standard.parquet: has other rows or other values",
    ]


def test_a_list_of_another_version_of_the_program_names_the_version(published, inputs, tmp_path):
    revision = rewritten(published, tmp_path, {"code_version": "9.9"})
    with pytest.raises(AlteredError, match=r"made by version 9\.9 of ratinglist"):
        reproduce(revision, inputs, SETTINGS)


def test_a_missing_earlier_list_is_named(published, inputs, tmp_path):
    shutil.copytree(published / "2025-10", tmp_path / "published" / "2025-10")
    with pytest.raises(NothingReadError, match="was calculated on that of 2025-09, which is not published here"):
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


def test_the_inputs_must_be_a_folder(published, tmp_path):
    with pytest.raises(NothingReadError, match="there is no such folder"):
        reproduce(published / "2025-09" / "r1", tmp_path / "nothing", SETTINGS)


def test_the_provenance_has_no_date_of_birth(published):
    content = json.dumps([read_manifest(path)["provenance"] for path in published.glob("*/r1")])
    born = [line.split(",")[11] for line in (SAMPLE / "list-2025-08.csv").read_text().splitlines()[1:]]
    assert [day for day in born if len(day) == 10 and day in content] == []


# ----------------------------------------------------------------------------------------------------- corrections


def result_or_error(revision: Path, inputs: Path) -> ReproduceSummary | str:
    try:
        return reproduce(revision, inputs, SETTINGS)
    except RatinglistError as error:
        return str(error)


def sha256_of_report(rated, event_id):
    """Return the digest of the report of an event that October's list was calculated from."""
    reports = read_manifest(rated.published / "2025-10" / "r1")["provenance"]["reports"]
    return next(line.split()[0] for line in reports if line.endswith(f" {event_id}"))


@pytest.mark.long
def test_every_revision_is_reproduced_after_corrections(rated, inputs):
    sha256 = sha256_of_report(rated, "ORV25092")
    text = find_by_digest(inputs, sha256).read_bytes()
    (inputs / "better.trf").write_bytes(text.replace(b"012 ", b"012 The ", 1))
    (inputs / "corrections.toml").write_text(CORRECTIONS, encoding="utf-8")
    correct.correct(rated, inputs / "corrections.toml")
    rerate.rerate(rated, Period.parse("2025-09"))
    revisions = sorted(rated.published.glob("*/r*"))
    assert [path.name for path in revisions] == ["r1", "r2"] * 4
    failed = [error for path in revisions if isinstance(error := result_or_error(path, inputs), str)]
    assert failed == []


@pytest.mark.long
def test_a_month_calculated_again_with_the_same_result_is_reproduced(rated, inputs):
    (inputs / "corrections.toml").write_text(CORRECTIONS.split("\n\n")[0], encoding="utf-8")
    correct.correct(rated, inputs / "corrections.toml")
    rerate.rerate(rated, Period.parse("2025-11"))
    publish.publish(rated, Period.parse("2025-12"))
    assert reproduce(rated.published / "2025-12" / "r2", inputs, SETTINGS).months[-1] == "2025-12"


@pytest.mark.long
def test_a_report_that_was_refused_for_its_times_stays_refused(rated, inputs):
    sha256 = sha256_of_report(rated, "ORV25092")
    text = find_by_digest(inputs, sha256).read_text(encoding="utf-8").replace("012 ", "012 Another ", 1)
    lines = [line for line in text.splitlines() if line[:3] not in ("092", "122", "222")]
    (inputs / "unequal.trf").write_text("\n".join([lines[0], "222 W900-B660", *lines[1:], ""]), encoding="utf-8")
    load.load(rated, [inputs / "unequal.trf"], date(2025, 9, 20))
    rerate.rerate(rated, Period.parse("2025-10"))
    publish.publish(rated, Period.parse("2025-10"))
    last = max((rated.published / "2025-10").glob("r*"))
    assert len(read_manifest(last)["provenance"]["unstated_times"]) == 1
    assert reproduce(last, inputs, SETTINGS).digest == read_manifest(last)["digest"]


@pytest.mark.long
def test_a_report_that_a_manifest_refused_stays_refused(rated, inputs):
    sha256 = sha256_of_report(rated, "ORV25092")
    given = find_by_digest(inputs, sha256).read_bytes()
    folder = inputs / "cells"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / f"{name}.trf").write_bytes(given.replace(b"012 ", f"012 The {name} ".encode(), 1))
    rows = "file,event_id,event_type\nfirst.trf,TYPE1,swis\nsecond.trf,ROW1,swiss\nsecond.trf,ROW2,swiss\n"
    (folder / "manifest.csv").write_text(rows, encoding="utf-8")
    load.load(rated, [folder], date(2025, 9, 20))
    rerate.rerate(rated, Period.parse("2025-10"))
    publish.publish(rated, Period.parse("2025-10"))
    last = max((rated.published / "2025-10").glob("r*"))
    assert len(read_manifest(last)["provenance"]["refused_by_manifest"]) == 2
    assert reproduce(last, inputs, SETTINGS).digest == read_manifest(last)["digest"]
