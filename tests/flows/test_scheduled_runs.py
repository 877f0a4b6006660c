"""What the schedule comes to on a real server: runs on the last evenings of the coming months, which a stop keeps."""

from __future__ import annotations

import calendar
import signal
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.flows.served_office import ServedOffice, ended

REFUSED = "Can't evaluate bulk DML"
"""What the server logs when SQLAlchemy refuses the scheduler's runs, as 2.1 does."""

QUICK = {
    "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "1",
    "PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS": "1",
}


def last_evenings(first: datetime, months: int) -> list[datetime]:
    """20:00 UTC on the last day of as many months, from that of ``first`` on."""
    numbered = [divmod(12 * first.year + first.month - 1 + n, 12) for n in range(months)]
    return [
        datetime(year, month + 1, calendar.monthrange(year, month + 1)[1], 20, tzinfo=UTC) for year, month in numbered
    ]


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_runs_appear_on_the_last_evenings_of_the_coming_months_and_a_stop_keeps_them(tmp_path, ending):
    with ended(ServedOffice(tmp_path, QUICK)) as served:
        (served.home / "published").mkdir(parents=True)
        served.today(date(2025, 1, 1))
        served.start()
        served.wait(served.coming)
        # Only then is there something that an interruption ends in order.
        served.wait(lambda: served.deployment()["status"] == "READY")
        runs = served.coming()
        served.stop("serve", ending)
        assert served.text().endswith("\nStopped.\n")
        due = sorted(runs.values())
        assert len(due) >= 3
        assert due == last_evenings(due[0], len(due))
        assert due[0] - datetime.now(UTC) < timedelta(days=31)
        assert not served.deployment()["paused"]
        assert served.coming() == runs
        assert REFUSED not in served.text()
