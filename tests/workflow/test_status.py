"""`ratinglist status` and `quarantine`: nothing that an officer has to do is missing, and nothing else is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.analysis.report_states import pending_changes, without_replaced_versions
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import load, quarantine, run, status
from ratinglist.workflows.opening import open_to_read
from ratinglist.workflows.sql import run as query
from ratinglist.workflows.status import NextList, OpenMonth
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, delivery_of, office

GO_ON = "ratinglist publish 2025-12"


def test_the_published_months_and_the_next_list(last: Settings, homes: Path) -> None:
    shown = status.status(last)
    assert [(month.month, month.revision, month.signed) for month in shown.published] == [
        (month, "r1", False) for month in MONTHS
    ]
    assert shown.next_list == NextList("2026-01", date(2025, 12, 29), calculated=False)
    assert shown.open_months == []
    assert "Next list: 2026-01, not calculated yet; closing date 2025-12-29 (in 28 days)" in shown.text()
    first = status.status(office(homes / "2025-08"))
    assert (first.published, first.next_list and first.next_list.month) == ([], "2025-09")


@pytest.mark.parametrize(
    ("today", "text"), [("2025-12-28", "in 1 day)"), ("2025-12-29", "(today)"), ("2025-12-30", "(has passed)")]
)
def test_the_days_to_the_closing_date(today: str, text: str) -> None:
    assert text in NextList("2026-01", date(2025, 12, 29), calculated=True).text(date.fromisoformat(today))


def test_reports_that_wait_are_named_by_file_with_reason_and_deadline(homes: Path) -> None:
    waiting = {Path(report.file).name: report for report in status.status(office(homes / "2025-10")).waiting}
    granary, vale = waiting["granary-open.trf"], waiting["vale-weekend.trf"]
    assert (granary.state, vale.state) == ("waits", "refused")
    assert "99900641 (Kestrel, Anna) is not registered" in granary.says
    assert "import-players" in granary.remedy
    assert granary.until == date(2025, 11, 28)
    assert "gives more than one point" in vale.says


@pytest.mark.asks_only
def test_a_report_that_a_manifest_mends_is_due_in_the_list_that_refused_it(
    awaiting_september: Path, tmp_path: Path
) -> None:
    settings, inbox = copied(awaiting_september, tmp_path), tmp_path / "inbox"
    inbox.mkdir()
    text = (SAMPLE / "reports" / "2025-09" / "youth-cup.trf").read_text(encoding="utf-8")
    [(player, fide_id)] = re.findall(r"^(001    1.{49})(.{11})", text, re.MULTILINE)
    (inbox / "youth-cup.trf").write_text(text.replace(player + fide_id, player + " " * 11), encoding="utf-8")
    head, *lines = (SAMPLE / "reports" / "2025-09" / "manifest.csv").read_text(encoding="utf-8").splitlines()
    [stated] = [line for line in lines if line.startswith("youth-cup.trf,")]
    (inbox / "manifest.csv").write_text(f"{head}\n{stated}\n", encoding="utf-8")
    run.run(settings, Period.parse("2025-09"), [inbox])
    rows = (f"{head},start_number,fide_id", f"{stated},,", f"youth-cup.trf{',' * 12}1,{fide_id.strip()}")
    (inbox / "manifest.csv").write_text("\n".join(rows), encoding="utf-8")
    load.load(settings, [inbox])
    [to_do] = status.status(settings).to_do
    assert "youth-cup.trf" in to_do
    assert to_do.endswith(": ratinglist rerate --from 2025-09")


def test_a_report_that_is_accepted_later_is_new_to_every_list(awaiting_september: Path, tmp_path: Path) -> None:
    settings, inbox = copied(awaiting_september, tmp_path), delivery_of(tmp_path, "2025-09", "masters", "youth-cup")
    today, tomorrow = (replace(settings, today=date(2025, 8, day)) for day in (28, 29))
    manifest = inbox / "manifest.csv"
    manifest.write_text(re.sub(r"(youth-cup.trf,\w+,1,)[\d-]+", rf"\g<1>{tomorrow.today}", manifest.read_text()))
    load.load(today, [inbox])
    run.rate(today, Period.parse("2025-09"))
    assert set(quarantine.event(today, "Youth Cup").reports["status"]) == {"refused"}
    load.load(tomorrow, [inbox])
    assert quarantine.quarantined(tomorrow) == []
    assert set(quarantine.event(tomorrow, "Youth Cup").reports["status"]) == {"waiting"}


def test_every_report_that_may_still_be_rated_waits(homes: Path) -> None:
    settings = office(homes / "2025-10")
    rows = query(settings.published, "select event_id, status from event_status where status not in ('rated', 'late')")
    expected = set(rows.filter(pl.col("status").is_in(["refused", "deferred"]))["event_id"])
    assert {report.event_id for report in status.status(settings).waiting} == expected
    assert expected


@pytest.mark.parametrize(
    ("month", "text"),
    [
        (
            OpenMonth("2025-12", False, "a" * 64, ["large_change"], 0, [], GO_ON),
            'publish 2025-12 --because large_change="..."',
        ),
        (OpenMonth("2025-12", False, "a" * 64, [], 2, ["Anna"], GO_ON), "1 of 2 approvals missing (approved by Anna)"),
        (
            OpenMonth("2025-12", True, "a" * 64, [], 1, ["Anna"], GO_ON),
            "nothing is missing: ratinglist publish",
        ),
    ],
)
def test_an_open_month_says_what_is_missing_and_what_to_type(month: OpenMonth, text: str) -> None:
    assert text in month.text()


def test_json_has_everything_and_days_as_text(homes: Path) -> None:
    content = json.loads(ratinglist("status", "--json", home=homes / "2025-10").stdout)
    assert content["next_list"]["closing_date"] == "2025-10-29"
    assert [month["month"] for month in content["published"]] == ["2025-09", "2025-10"]
    assert {"file", "why", "remedy", "rateable_until"} <= content["waiting"][0].keys()


def test_the_status_is_quick_because_it_imports_only_what_it_needs(last: Settings) -> None:
    unneeded = (
        *("cryptography", "jinja2", "prefect"),
        *("ratinglist.workflows.replay", "ratinglist.publication.drafts", "ratinglist.publication.doubts"),
    )
    code = (
        "import sys\n"
        "from ratinglist.workflows import status\n"
        "from ratinglist.settings import Settings\n"
        f"status.status(Settings.read({str(last.home)!r}))\n"
        f"print([name for name in {unneeded} if name in sys.modules])\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


# ------------------------------------------------------------------------------------------------ quarantine


@pytest.mark.parametrize("month", [MONTHS[1], MONTHS[3]])
def test_quarantine_lists_everything_that_run_counts(last: Settings, month: str) -> None:
    rows = quarantine.quarantined(last, Period.parse(month))
    events = query(
        last.published, f"select event_id, status from events where list_month = '{month}' and status <> 'rated'"
    )
    assert {row["event_id"] for row in rows} == set(events["event_id"])
    statuses = {row["event_id"]: "refused" if row["status"] == "waiting" else row["status"] for row in rows}
    assert statuses == dict(events.iter_rows())
    assert all(row["file"] and row["says"] for row in rows)


def reports_of(*reports: tuple[str, int, str, str | None]) -> pl.DataFrame:
    """Reports of one day, as event, version, status and the list that looked at them."""
    day = date(2025, 1, 1)
    columns = [(f"{number}", *report, day, day) for number, report in enumerate(reports)]
    names = ["report_id", "event_id", "version", "status", "list_month", "received_on", "start_date"]
    return pl.DataFrame(columns, schema=names, orient="row")


def test_an_older_version_is_over_once_a_list_has_rated_another_report_of_its_event(last: Settings) -> None:
    rows = reports_of(
        ("replaced", 1, "waiting", None),
        ("replaced", 2, "rated", "2025-02"),
        ("new", 1, "waiting", None),
        ("again", 2, "waiting", None),
        ("again", 1, "rated", "2025-02"),
        ("mended", 1, "refused", "2025-02"),
        ("mended", 2, "rated", "2025-03"),
        ("sent again", 1, "refused", "2025-02"),
        ("sent again", 1, "rated", "2025-03"),
        ("not yet", 1, "refused", "2025-02"),
        ("not yet", 2, "waiting", None),
        ("later rounds", 1, "rated", "2025-02"),
        ("later rounds", 2, "refused", "2025-03"),
    )
    other_slice = rows.with_columns(start_date=pl.when(status="rated").then(date(2025, 1, 9)).otherwise("start_date"))
    with open_to_read(last) as store:
        kept, of_slices = (without_replaced_versions(store, reports) for reports in (rows, other_slice))
    not_rated = kept.filter(pl.col("status") != "rated").select("event_id", "version").rows()
    assert not_rated == [("new", 1), ("again", 2), ("not yet", 1), ("not yet", 2), ("later rounds", 2)]
    assert len(of_slices.filter(status="refused")) == 4


def test_only_families_that_calculated_a_list_are_read(rated):
    book = replace(rule_book(), files={**rule_book().files, "other/standard/2024-01-01": "no rule file"})
    with open_to_read(rated) as store:
        assert pending_changes(store, book, Period.parse(MONTHS[-1]) + 1) == []


def test_a_refusal_ends_with_the_last_list_that_might_have_rated_it(last: Settings) -> None:
    # Its event ended in September: the list of December was the last.
    (report,) = (report for report in quarantine.received(last) if report.event_id == "ORV25093")
    assert (report.state, report.reason, report.needs_a_hand) == ("late", "third_list_limit", False)
    assert status.status(last).waiting == []
