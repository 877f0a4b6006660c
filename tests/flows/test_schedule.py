"""When the monthly flow runs, and that both ways to run it on a schedule say the same."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect.server.schemas.schedules import CronSchedule
from prefect.utilities.importtools import import_object

from flows.backfill import backfill, rerate
from flows.deployments import deployments
from flows.monthly import SCHEDULE, monthly

ROOT = Path(__file__).resolve().parents[2]
POOL = "prefect work-pool create office --type process"
LIMITED = "prefect work-pool set-concurrency-limit office 1"


@pytest.fixture
def deployment() -> dict[str, object]:
    return described()["deployments"][0]


def described() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))


def test_it_runs_once_a_month_on_the_last_day_in_long_and_short_months():
    clock = CronSchedule(cron=SCHEDULE, timezone="UTC")
    runs = asyncio.run(clock.get_dates(n=48, start=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [(run.year, run.month) for run in runs] == [(2025 + n // 12, n % 12 + 1) for n in range(48)]
    assert {(run + timedelta(days=1)).day for run in runs} == {1}


def test_the_deployment_runs_when_serve_does(deployment):
    assert deployment["schedules"] == [{"cron": SCHEDULE, "timezone": "UTC"}]


def test_every_flow_is_a_deployment_both_ways(tmp_path):
    described_ones = {one["name"]: import_object(one["entrypoint"]) for one in described()["deployments"]}
    served = {one.name: one.flow_name for one in deployments(tmp_path, None, "fide")}
    assert {name: flow.name for name, flow in described_ones.items()} == served
    assert set(described_ones.values()) == {monthly, backfill, rerate}


def test_no_path_of_the_machine_that_deploys_is_stored():
    assert described()["pull"] == []


def test_no_deployment_runs_twice_at_a_time():
    for one in described()["deployments"]:
        assert one["concurrency_limit"] == {"limit": 1, "collision_strategy": "ENQUEUE"}


def test_one_run_at_a_time_across_the_deployments_wherever_the_pool_is_made():
    paths = (ROOT / "prefect.yaml", *(ROOT / "deploy").iterdir(), *(ROOT / "docs").rglob("*.md"))
    made = 0
    for path in paths:
        lines = [line.strip("# ") for line in path.read_text(encoding="utf-8").splitlines()]
        after = [following for line, following in pairwise(lines) if line == POOL]
        assert after == [LIMITED] * len(after), path
        made += len(after)
    assert made == 3
    assert {one["work_pool"]["name"] for one in described()["deployments"]} == {"office"}


def test_a_deployment_has_the_tags_and_the_office_that_serve_gives_it():
    for one in described()["deployments"]:
        office = one["parameters"]
        (served, *_) = deployments(Path(office["home"]), None, office["rules"])
        assert (one["tags"], office) == (served.tags, {"home": "/srv/ratinglist/home", "rules": "fide"})


def test_no_deployment_reports_usage():
    for one in described()["deployments"]:
        assert one["work_pool"]["job_variables"]["env"] == {
            "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        }
