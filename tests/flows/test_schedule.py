"""When the monthly flow runs, and what its deployments have."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from prefect.client.orchestration import get_client
from prefect.events.schemas.automations import AutomationCore, EventTrigger
from prefect.server.events.actions import SendNotification
from prefect.server.schemas.schedules import CronSchedule

from flows.schedule import SCHEDULE
from flows.serve import check_name, deployment_of
from ratinglist.errors import CommandLineError
from tests.conftest import ROOT


def test_it_runs_once_a_month_on_the_last_day_in_long_and_short_months():
    clock = CronSchedule(cron=SCHEDULE, timezone="UTC")
    runs = asyncio.run(clock.get_dates(n=48, start=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [(run.year, run.month) for run in runs] == [(2025 + n // 12, n % 12 + 1) for n in range(48)]
    assert {(run + timedelta(days=1)).day for run in runs} == {1}


def test_offices_of_one_server_have_deployments_each_and_none_takes_those_of_another(prefect_server: None) -> None:
    for _again in range(2):
        for name in ("north", "south"):
            home = Path("/srv/offices") / name
            deployment = deployment_of(home, None, "fide")
            check_name(deployment.name, home)
            deployment.apply()
    with get_client(sync_client=True) as client:
        for name in ("north", "south"):
            there = client.read_deployment_by_name(f"monthly/closing-{name}")
            assert (there.tags, there.parameters["home"]) == ([f"home {name}", "fide"], f"/srv/offices/{name}")
            assert [one.schedule.cron for one in there.schedules] == [SCHEDULE]
    with pytest.raises(CommandLineError, match="has an office of this name, /srv/offices/south: give one of the"):
        check_name("closing-south", Path("/home/of/another/south"))


def test_the_automation_that_the_documents_give_is_one_of_prefect():
    page = (ROOT / "docs" / "how-to" / "schedule-the-month.md").read_text(encoding="utf-8")
    automation = AutomationCore.model_validate(yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0]))
    (send,) = automation.actions
    assert SendNotification.model_validate(send.model_dump()).type == "send-notification"
    assert isinstance(automation.trigger, EventTrigger)
    states = {name.removeprefix("prefect.flow-run.") for name in automation.trigger.expect}
    assert states == {"Suspended", "Failed", "Crashed", "Cancelled", "Late"}
