"""Faults that were found once, each in the state in which it was found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.workflows import correct, doctor, load, publish, rate, rebuild, rerate, rollback, status
from tests.conftest import CORRECTION, MONTHS, SAMPLE, copied, published_bytes

FIRST, OCTOBER, NOVEMBER, DECEMBER = map(Period.parse, MONTHS)


@pytest.mark.parametrize("damage", ["altered", "missing", "a folder"])
def test_a_rollback_of_a_damaged_revision_keeps_its_digest_and_can_be_rebuilt(
    corrected_home: Path, tmp_path: Path, damage: str
) -> None:
    settings = copied(corrected_home, tmp_path)
    manifest = settings.published / str(FIRST) / "r2" / "manifest.json"
    digest = manifest.read_text(encoding="utf-8").split('"digest": "')[1].partition('"')[0]
    data = manifest.read_bytes()
    manifest.unlink()
    if damage == "altered":
        manifest.write_bytes(data[: len(data) // 2])
    elif damage == "a folder":
        manifest.mkdir()
    rollback.rollback(settings, FIRST, "its manifest is gone")
    assert digest in (settings.published / str(FIRST) / "rollbacks.csv").read_text(encoding="utf-8")
    after = published_bytes(settings.home)
    shutil.rmtree(settings.published / str(FIRST) / "r2")
    rebuild.rebuild(settings)
    assert published_bytes(settings.home) == {**after, f"{FIRST}/r2/manifest.json": data}
    assert doctor.check(settings).problems == []


def test_months_that_were_calculated_out_of_order_end_in_a_remedy_that_works(homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / MONTHS[1], tmp_path)
    load.load(settings, [SAMPLE / "reports" / MONTHS[3]])
    rate.rate(settings, DECEMBER)
    load.load(settings, [SAMPLE / "reports" / MONTHS[2]])
    rate.rate(settings, NOVEMBER)
    with pytest.raises(CheckError) as stopped:
        publish.publish(settings, NOVEMBER)
    message = str(stopped.value)
    assert "changed by hand" not in message
    assert "The list of 2025-12 was calculated before this one" in message
    assert "ratinglist rate 2025-12" in message
    rate.rate(settings, DECEMBER)
    assert publish.publish(settings, NOVEMBER).revision == "r1"
    assert publish.publish(settings, DECEMBER).revision == "r1"


def test_after_a_rerating_that_changes_no_list_nothing_is_demanded(rated: Settings) -> None:
    file = rated.home.parent / "correction.toml"
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(rated, file)
    assert any("rerate" in one for one in status.status(rated).to_do)
    rerate.rerate(rated, FIRST)
    assert status.status(rated).to_do == []
    rerate.rerate(rated, FIRST)
    found = status.status(rated)
    assert (found.to_do, found.open_months) == ([], [])
