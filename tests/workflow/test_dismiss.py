"""A refused report that is set aside: no count has it, no list changes, and it can be taken up again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import load, publish, quarantine, replay, run, status, undo
from tests.command_line import ratinglist
from tests.conftest import SAMPLE, copied, published_bytes
from tests.stores import open_store

OCTOBER = Period.parse("2025-10")
JUNK, EVENT = "vale-weekend.trf", "ORV25093"
WHY = "a test file of the arbiter"


@pytest.fixture
def settings(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published October, with one refused report."""
    return copied(homes / "2025-10", tmp_path)


def refused(settings: Settings) -> list[object]:
    return [row["event_id"] for row in quarantine.quarantined(settings) if row["status"] == "refused"]


def test_no_count_has_it_and_no_list_changes(settings: Settings) -> None:
    before = published_bytes(settings.home)
    assert refused(settings) == [EVENT]
    done = undo.dismiss(settings, JUNK, WHY)
    assert (done.values["event_id"], done.values["reason"], done.values["already"]) == (EVENT, WHY, False)
    assert refused(settings) == []
    assert EVENT not in [one.event_id for one in status.status(settings).waiting]
    assert quarantine.event(settings, EVENT).notes == [f"{done.values['file']} was set aside on 2025-12-01: {WHY}"]
    counted = run.rate(settings, OCTOBER)
    assert (counted.events["refused"], counted.events["dismissed"]) == (1, 1)
    assert EVENT not in str(counted.refused)
    assert EVENT not in str(quarantine.quarantined(settings, OCTOBER))
    assert not publish.publish(settings, OCTOBER).is_new
    assert published_bytes(settings.home) == before


def test_it_stays_aside_when_its_folder_is_delivered_again_and_after_a_rebuild(settings: Settings) -> None:
    undo.dismiss(settings, JUNK, WHY)
    loaded = load.load(settings, [SAMPLE / "reports" / "2025-10"])
    assert (loaded.refused_reports, loaded.refused) == (0, [])
    rebuild.rebuild(settings)
    assert refused(settings) == []
    with open_store(settings.store) as store:
        assert store.read("select reason, known_on::varchar from dismissal").rows() == [(WHY, "2025-12-01")]


def test_it_can_be_taken_up_again(settings: Settings) -> None:
    done = undo.dismiss(settings, EVENT, WHY)
    assert undo.dismiss(settings, JUNK, WHY).values["already"]
    command = ratinglist("dismiss", done.values["report_sha256"][:12], "--undo", "--json", home=settings.home)
    assert json.loads(command.stdout)["undone"] is True
    assert refused(settings) == [EVENT]
    with pytest.raises(CommandLineError, match="was not set aside"):
        undo.dismiss(settings, JUNK, None)


def test_the_command_takes_a_reason_or_undo(settings: Settings) -> None:
    assert ratinglist("dismiss", JUNK, home=settings.home).returncode == 2
    assert ratinglist("dismiss", JUNK, "--because", WHY, "--undo", home=settings.home).returncode == 2
