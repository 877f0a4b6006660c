"""When the monthly flow runs, and the automation that the documents give."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import yaml
from prefect.events.schemas.automations import AutomationCore, EventTrigger
from prefect.server.events.actions import SendNotification
from prefect.server.schemas.schedules import CronSchedule

from flows.schedule import SCHEDULE
from tests.conftest import ROOT


def test_it_runs_once_a_month_on_the_last_day_in_long_and_short_months():
    clock = CronSchedule(cron=SCHEDULE, timezone="UTC")
    runs = asyncio.run(clock.get_dates(n=48, start=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [(run.year, run.month) for run in runs] == [(2025 + n // 12, n % 12 + 1) for n in range(48)]
    assert {(run + timedelta(days=1)).day for run in runs} == {1}


def test_the_automation_that_the_documents_give_is_one_of_prefect():
    page = (ROOT / "docs" / "how-to" / "schedule-the-month.md").read_text(encoding="utf-8")
    automation = AutomationCore.model_validate(yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0]))
    (send,) = automation.actions
    assert SendNotification.model_validate(send.model_dump()).type == "send-notification"
    assert isinstance(automation.trigger, EventTrigger)
    states = {name.removeprefix("prefect.flow-run.") for name in automation.trigger.expect}
    assert states == {"Suspended", "Failed", "Crashed", "Cancelled", "Late"}
