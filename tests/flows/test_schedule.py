"""When the monthly flow runs, and what a deployment to a pool of workers has besides one that is served."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.events.schemas.automations import AutomationCore, EventTrigger
from prefect.server.events.actions import SendNotification
from prefect.server.schemas.schedules import CronSchedule

from flows.deployments import deploy, deployments
from flows.schedule import SCHEDULE
from tests.conftest import ROOT

HOME = Path("/srv/offices/north")


def test_it_runs_once_a_month_on_the_last_day_in_long_and_short_months():
    clock = CronSchedule(cron=SCHEDULE, timezone="UTC")
    runs = asyncio.run(clock.get_dates(n=48, start=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [(run.year, run.month) for run in runs] == [(2025 + n // 12, n % 12 + 1) for n in range(48)]
    assert {(run + timedelta(days=1)).day for run in runs} == {1}


def test_the_names_of_an_office_s_deployments_are_its_own():
    names = [one.full_name for one in deployments(HOME, None, "fide")]
    assert names == ["monthly/closing-north", "rerate/after-a-correction-north"]
    (closing, *_) = deployments(HOME, None, "fide")
    assert (closing.tags, closing.parameters["home"]) == (["home north", "fide"], "/srv/offices/north")


def test_workers_find_the_flows_as_modules_one_run_at_a_time_and_report_no_usage():
    for one in deployments(HOME, None, "fide", "offices"):
        assert (one.work_pool_name, one.work_queue_name) == ("offices", "north")
        assert one.entrypoint in ("flows.monthly.monthly", "flows.rerate.rerate")
        assert (one.concurrency_limit, one.concurrency_options.collision_strategy) == (1, "ENQUEUE")
        assert one.job_variables["env"] == {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}


@pytest.fixture
def client(prefect_server: None) -> SyncPrefectClient:
    return get_client(sync_client=True)


def test_offices_of_one_server_have_deployments_and_a_limited_queue_each(client: SyncPrefectClient):
    for _again in range(2):
        for name in ("north", "south"):
            deploy(client, Path("/srv/offices") / name, None, "fide", "offices")
    for name in ("north", "south"):
        there = client.read_deployment_by_name(f"monthly/closing-{name}")
        assert (there.parameters["home"], there.work_queue_name) == (f"/srv/offices/{name}", name)
        assert [one.schedule.cron for one in there.schedules] == [SCHEDULE]
        assert client.read_work_queue_by_name(name, work_pool_name="offices").concurrency_limit == 1


def test_a_second_office_of_the_same_name_is_refused(client: SyncPrefectClient):
    deploy(client, Path("/srv/offices/east"), None, "fide", "offices")
    with pytest.raises(SystemExit, match="has an office of this name, /srv/offices/east: give one of the folders"):
        deploy(client, Path("/home/of/another/east"), None, "fide", "offices")


def test_the_automation_that_the_documents_give_is_one_of_prefect():
    page = (ROOT / "docs" / "how-to" / "schedule-the-month.md").read_text(encoding="utf-8")
    automation = AutomationCore.model_validate(yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0]))
    (send,) = automation.actions
    assert SendNotification.model_validate(send.model_dump()).type == "send-notification"
    assert isinstance(automation.trigger, EventTrigger)
    states = {name.removeprefix("prefect.flow-run.") for name in automation.trigger.expect}
    assert states == {"Suspended", "Failed", "Crashed", "Cancelled", "Late"}
