"""When the monthly flow runs, and that both ways to run it on a schedule say the same."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from prefect.server.schemas.schedules import CronSchedule

from flows.monthly import SCHEDULE, monthly

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def deployment() -> dict[str, object]:
    (only,) = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    return only


def test_it_runs_once_a_month_on_the_last_day_in_long_and_short_months():
    clock = CronSchedule(cron=SCHEDULE, timezone="UTC")
    runs = asyncio.run(clock.get_dates(n=48, start=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [(run.year, run.month) for run in runs] == [(2025 + n // 12, n % 12 + 1) for n in range(48)]
    assert {(run + timedelta(days=1)).day for run in runs} == {1}


def test_the_deployment_runs_when_serve_does(deployment):
    assert deployment["schedules"] == [{"cron": SCHEDULE, "timezone": "UTC"}]


def test_the_deployment_starts_the_monthly_flow(deployment):
    file, _, name = str(deployment["entrypoint"]).partition(":")
    assert ROOT / file == Path(monthly.fn.__code__.co_filename)
    assert name == monthly.fn.__name__


def test_the_deployment_never_runs_twice_at_a_time(deployment):
    assert deployment["concurrency_limit"] == {"limit": 1, "collision_strategy": "ENQUEUE"}


def test_the_deployment_reports_no_usage(deployment):
    assert deployment["work_pool"]["job_variables"]["env"] == {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    }
