"""Runs without a process: ended as crashed, and started again once for the same list."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.states import Crashed, Pending, Running, Scheduled, Suspended

from flows import serve
from flows.serve import continue_published, deployment_of, start_interrupted_again


@pytest.fixture
def client(prefect_server: None) -> SyncPrefectClient:
    return get_client(sync_client=True)


def new_run(client: SyncPrefectClient, home: Path, due: datetime) -> FlowRun:
    """A run of the monthly list that was due on a day."""
    closing = deployment_of(home, None, "fide")
    number = closing.apply()
    return client.create_flow_run_from_deployment(number, state=Scheduled(scheduled_time=due))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run that begins or runs be looked for at once."""
    monkeypatch.setattr(serve, "SETTLED", timedelta(0))


def test_a_run_whose_process_is_gone_is_started_again_once_for_its_month(
    client: SyncPrefectClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "gone"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Pending(), force=True)
    client.set_flow_run_state(run.id, Running(), force=True)

    start_interrupted_again(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.RUNNING, "it has only just begun"
    monkeypatch.setattr(serve, "SETTLED", timedelta(0))
    for _ in range(2):
        start_interrupted_again(client, home)
        again = client.read_flow_run(run.id)
        assert (again.state_type, again.expected_start_time) == (StateType.SCHEDULED, run.expected_start_time)

    client.set_flow_run_state(run.id, Running(), force=True)
    start_interrupted_again(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.CRASHED, "it is not started a third time"


def test_a_run_with_a_process_or_of_another_office_is_left_alone_and_a_crashed_one_starts_again(
    client: SyncPrefectClient, settled: None, tmp_path: Path
) -> None:
    home = tmp_path / "alive"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    other = new_run(client, tmp_path / "other", datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(other.id, Running(), force=True)
    crashed = new_run(client, home, datetime(2025, 9, 30, 20, tzinfo=UTC))
    client.set_flow_run_state(crashed.id, Crashed(), force=True)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(command, env={**os.environ, "PREFECT__FLOW_RUN_ID": str(run.id)}) as process:
        start_interrupted_again(client, home)
        assert client.read_flow_run(run.id).state_type == StateType.RUNNING
        process.kill()
    start_interrupted_again(client, home)
    assert [client.read_flow_run(one.id).state_type for one in (run, crashed, other)] == [
        *(StateType.SCHEDULED, StateType.SCHEDULED, StateType.RUNNING)
    ]


def waiting(client: SyncPrefectClient, home: Path, key: str) -> FlowRun:
    """A run that the flow suspended until a form."""
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    state = Suspended(pause_key=key)
    state.state_details.run_input_keyset = {"schema": "form-schema"}
    client.set_flow_run_state(run.id, state, force=True)
    return run


def test_a_run_whose_list_is_published_by_hand_goes_on(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "by-hand"
    run = waiting(client, home, "2025-11-0")
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
