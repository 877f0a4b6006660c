"""Runs without a process: ended as crashed, and made again once for the same list."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import DeploymentStatus, FlowRun, StateType
from prefect.states import Cancelled, Crashed, Failed, Late, Pending, Running, Scheduled, Suspended

from flows import service
from flows.deployments import deployments
from flows.service import (
    cancel_undecided,
    continue_published,
    start_interrupted_again,
    tell_ended,
    tell_late,
)
from flows.telling import NOTIFIED
from ratinglist.config import Settings


@pytest.fixture
def client(prefect_server: None) -> SyncPrefectClient:
    return get_client(sync_client=True)


def new_run(client: SyncPrefectClient, home: Path, due: datetime) -> FlowRun:
    """A run of the monthly list that was due on a day."""
    closing, *_ = deployments(home, None, "fide")
    number = closing.apply()
    return client.create_flow_run_from_deployment(number, state=Scheduled(scheduled_time=due))


def runs_of(client: SyncPrefectClient, home: Path) -> list[FlowRun]:
    tagged = FlowRunFilter(tags={"all_": [f"home {home.name}"]})
    return sorted(client.read_flow_runs(flow_run_filter=tagged), key=lambda run: run.created)


def test_a_run_whose_process_is_gone_is_made_again_for_its_month(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "gone"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Pending(), force=True)
    client.set_flow_run_state(run.id, Running(), force=True)

    assert start_interrupted_again(client, home, at_start=False) == [], "it has only just begun"
    assert start_interrupted_again(client, home, at_start=True) == ["The list of 2025-11"]
    assert start_interrupted_again(client, home, at_start=True) == []

    old, new = runs_of(client, home)
    assert old.state is not None
    assert (old.id, old.state.name) == (run.id, "Crashed")
    assert new.state is not None
    assert (new.expected_start_time, new.state.is_scheduled()) == (old.expected_start_time, True)

    client.set_flow_run_state(new.id, Running(), force=True)
    start_interrupted_again(client, home, at_start=True)
    assert len(runs_of(client, home)) == 2, "a run made again is not made a third time"


def test_people_are_notified_of_a_crash_with_what_becomes_of_the_list(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    run = new_run(client, tmp_path, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Crashed(message="killed"), force=True)
    for _ in range(2):
        start_interrupted_again(client, tmp_path, at_start=False)
    (notification,) = (tmp_path / "notifications").glob("*.json")
    content = json.loads(notification.read_text(encoding="utf-8"))
    assert content["subject"] == "The list of 2025-11 was interrupted"
    assert content["text"].startswith(
        "Its process ended without a word: killed, or the machine stopped. It was started"
    )


@pytest.mark.thorough
def test_a_run_with_a_process_is_left_alone(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "alive"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(command, env={**os.environ, "PREFECT__FLOW_RUN_ID": str(run.id)}) as process:
        assert start_interrupted_again(client, home, at_start=True) == []
        process.kill()
    assert start_interrupted_again(client, home, at_start=True) == ["The list of 2025-11"]


@pytest.mark.thorough
def test_a_run_of_another_office_on_the_server_is_left_alone(client: SyncPrefectClient, tmp_path: Path) -> None:
    run = new_run(client, tmp_path / "other", datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    assert start_interrupted_again(client, tmp_path / "ours", at_start=True) == []


def test_people_are_notified_of_a_run_that_does_not_begin(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "late"
    home.mkdir()
    (home / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    now = datetime.now(UTC)
    for minutes in (10, 20):
        run = new_run(client, home, now - timedelta(minutes=minutes))
        late = Late(scheduled_time=now - timedelta(minutes=minutes))
        client.set_flow_run_state(run.id, late, force=True)
    new_run(client, home, now + timedelta(days=1))
    for _ in range(2):
        tell_late(client, home)
    (notification,) = (home / "notifications").glob("*.json")
    assert notification.name == f"{run.id}-late.json"


@pytest.mark.thorough
def test_a_run_that_waits_for_another_one_of_the_office_is_not_late(client: SyncPrefectClient, tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    due = datetime.now(UTC) - timedelta(minutes=20)
    before, run = (new_run(client, tmp_path, due) for _ in range(2))
    client.set_flow_run_state(before.id, Running(), force=True)
    client.set_flow_run_state(run.id, Late(scheduled_time=due), force=True)
    tell_late(client, tmp_path)
    assert not (tmp_path / "notifications").exists()
    client.set_flow_run_state(before.id, Crashed(), force=True)
    tell_late(client, tmp_path)
    assert len([*(tmp_path / "notifications").glob("*-late.json")]) == 1


def test_a_run_that_waits_for_a_worker_which_makes_lists_of_other_offices_is_not_late(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    due = datetime.now(UTC) - timedelta(minutes=20)
    run = new_run(client, tmp_path, due)
    client.set_flow_run_state(run.id, Late(scheduled_time=due), force=True)
    assert run.deployment_id is not None
    # As a process does that looks for runs.
    client.request("POST", "/deployments/get_scheduled_flow_runs", json={"deployment_ids": [str(run.deployment_id)]})
    give_up = time.monotonic() + 60
    while client.read_deployment(run.deployment_id).status != DeploymentStatus.READY:
        assert time.monotonic() < give_up
        time.sleep(0.1)
    tell_late(client, tmp_path)
    assert not (tmp_path / "notifications").exists()


@pytest.mark.thorough
def test_people_are_notified_of_a_failure_that_its_run_kept(client: SyncPrefectClient, tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    untold, known = (new_run(client, tmp_path, datetime(2025, 10, 31, 20, tzinfo=UTC)) for _ in range(2))
    client.update_flow_run(known.id, tags=[*known.tags, NOTIFIED])
    for run in (untold, known):
        client.set_flow_run_state(run.id, Failed(message="No space left on device"), force=True)
    for _ in range(2):
        tell_ended(client, tmp_path, yesterday)
    (notification,) = (tmp_path / "notifications").glob("*.json")
    assert notification.name == f"{untold.id}-failed.json"
    assert "No space left on device" in notification.read_text(encoding="utf-8")


def waiting(client: SyncPrefectClient, home: Path, *, for_a_form: bool, key: str = "2025-11-0") -> FlowRun:
    """A run that was suspended, by the flow or by a person on the dashboard."""
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    state = Suspended(pause_key=key)
    state.state_details.run_input_keyset = {"schema": "form-schema"} if for_a_form else None
    client.set_flow_run_state(run.id, state, force=True)
    return run


def test_a_run_that_waits_longer_than_the_office_allows_is_cancelled_with_the_reason(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    home = tmp_path / "undecided"
    home.mkdir()
    (home / "office.toml").write_text(
        '[publication]\nwait_days = 3\n[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8"
    )
    run, other = (waiting(client, home, for_a_form=form) for form in (True, False))
    today = datetime.now(UTC)
    settings = Settings.read(home=home, environment={})
    cancel_undecided(client, settings, today + timedelta(days=3, minutes=-1))
    assert client.read_flow_run(run.id).state_type == StateType.PAUSED
    for _ in range(2):
        cancel_undecided(client, settings, today + timedelta(days=3, minutes=1))
    ended = client.read_flow_run(run.id).state
    assert ended is not None
    assert (ended.name, ended.message) == (
        "Cancelled",
        "The list of 2025-11: there was no decision in 3 days. It was not published; the next run takes it up again.",
    )
    paused = client.read_flow_run(other.id).state
    assert paused is not None
    assert paused.is_paused(), "a person paused it, and it asks nothing"
    (notification,) = (home / "notifications").glob("*.json")
    assert notification.name == f"{run.id}-cancelled.json"


def test_a_run_whose_list_is_published_by_hand_goes_on(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "by-hand"
    run = waiting(client, home, for_a_form=True)
    client.create_flow_run_input(run.id, "form-schema", "{}")
    latest = home / "published" / "2025-11" / "latest"
    latest.parent.mkdir(parents=True)
    latest.write_text("r1\n", encoding="utf-8")
    an_hour_ago = time.time() - 3600
    os.utime(latest, (an_hour_ago, an_hour_ago))
    continue_published(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.PAUSED, "it was published before the run waited"
    os.utime(latest)
    for _ in range(2):
        continue_published(client, home)
        assert client.read_flow_run(run.id).state_type == StateType.SCHEDULED


@pytest.mark.thorough
def test_lists_calculated_again_and_published_by_hand_go_on(client: SyncPrefectClient, tmp_path: Path) -> None:
    run = waiting(client, tmp_path, for_a_form=True, key="again-2025-10-0")
    client.create_flow_run_input(run.id, "form-schema", "{}")
    before, after = (tmp_path / "published" / month / "latest" for month in ("2025-09", "2025-11"))
    for latest in (before, after):
        latest.parent.mkdir(parents=True)
    before.write_text("r2\n", encoding="utf-8")
    continue_published(client, tmp_path)
    assert client.read_flow_run(run.id).state_type == StateType.PAUSED, "it does not wait with this list"
    after.write_text("r2\n", encoding="utf-8")
    continue_published(client, tmp_path)
    assert client.read_flow_run(run.id).state_type == StateType.SCHEDULED


@pytest.mark.thorough
def test_people_are_notified_once_of_a_run_cancelled_on_the_dashboard(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    run = waiting(client, tmp_path, for_a_form=True)
    client.set_flow_run_state(run.id, Cancelled(), force=True)
    now = datetime.now(UTC)
    tell_ended(client, tmp_path, now + timedelta(hours=1))
    assert not (tmp_path / "notifications").exists(), "it was long ago"
    for _ in range(2):
        tell_ended(client, tmp_path, now - timedelta(hours=1))
    (notification,) = (tmp_path / "notifications").glob("*.json")
    assert notification.name == f"{run.id}-cancelled.json"


def test_the_service_looks_after_no_home_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["flows.service", "--home", str(tmp_path / "typo")])
    with pytest.raises(SystemExit) as ended:
        service.main()
    assert ended.value.code == 2
    assert "typo" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_killed_run_that_was_answered_is_started_again_with_its_answers(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    home = tmp_path / "answered"
    home.mkdir()
    (home / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    run = waiting(client, home, for_a_form=True)
    client.create_flow_run_input(run.id, "suspended-2025-11-0-response", "{}")
    client.set_flow_run_state(run.id, Pending(), force=True)
    assert start_interrupted_again(client, home, at_start=True) == ["The list of 2025-11"]
    (same,) = runs_of(client, home)
    assert (same.id, same.state_type, "again" in same.tags) == (run.id, StateType.SCHEDULED, True)
    client.set_flow_run_state(run.id, Running(), force=True)
    start_interrupted_again(client, home, at_start=True)
    (same,) = runs_of(client, home)
    assert same.state_type == StateType.CRASHED, "a run is made again once"
    kept = [json.loads(one.read_text(encoding="utf-8")) for one in (home / "notifications").glob("*.json")]
    texts = sorted(one["text"].rpartition("stopped. ")[2].splitlines()[0] for one in kept if one["event"] == "crashed")
    assert texts == [
        "It had been made again once, and is not a second time: start the deployment yourself.",
        "It was started again.",
    ]


def test_a_run_that_was_killed_before_its_form_was_saved_is_made_again(
    client: SyncPrefectClient, tmp_path: Path
) -> None:
    lost, whole, paused = (waiting(client, tmp_path, for_a_form=form) for form in (True, True, False))
    client.create_flow_run_input(whole.id, "form-schema", "{}")
    assert len(start_interrupted_again(client, tmp_path, at_start=True)) == 1
    states = [client.read_flow_run(run.id).state for run in (lost, whole, paused)]
    assert [state.name for state in states if state is not None] == ["Crashed", "Suspended", "Suspended"]
