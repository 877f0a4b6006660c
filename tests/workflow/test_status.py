"""`ratinglist status` and `quarantine`: nothing that an officer has to do is missing, and nothing else is there."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.analysis.report_states import pending_changes, without_replaced_versions
from ratinglist.corrections.parser import correction_text
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import correct, import_files, load, publish, quarantine, rerate, run, status
from ratinglist.workflows.opening import open_to_read
from ratinglist.workflows.sql import run as query
from ratinglist.workflows.status import NextList, OpenMonth
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, office, run_sample

OCTOBER, DECEMBER = Period.parse(MONTHS[1]), Period.parse(MONTHS[-1])
GO_ON = "ratinglist publish 2025-12"


@pytest.fixture(scope="module")
def last(homes: Path) -> Settings:
    """The office after all months of the sample; look, do not touch."""
    return office(homes / MONTHS[-1])


def test_the_published_months_and_the_next_list(last: Settings) -> None:
    shown = status.status(last)
    assert [(one.month, one.revision, one.signed) for one in shown.published] == [(one, "r1", False) for one in MONTHS]
    assert shown.next_list == NextList("2026-01", date(2025, 12, 29), calculated=False)
    assert shown.open_months == []
    assert "Next list: 2026-01, not calculated yet; closing date 2025-12-29 (in 28 days)" in shown.text()


@pytest.mark.parametrize(
    ("today", "text"), [("2025-12-28", "in 1 day)"), ("2025-12-29", "(today)"), ("2025-12-30", "(has passed)")]
)
def test_the_days_to_the_closing_date(today: str, text: str) -> None:
    assert text in NextList("2026-01", date(2025, 12, 29), calculated=True).text(date.fromisoformat(today))


def test_reports_that_wait_are_named_by_file_with_reason_and_deadline(homes: Path) -> None:
    waiting = {Path(one.file).name: one for one in status.status(office(homes / "2025-10")).waiting}
    granary, vale = waiting["granary-open.trf"], waiting["vale-weekend.trf"]
    assert (granary.state, vale.state) == ("waits", "refused")
    assert "99900641 (Kestrel, Anna) is not registered" in granary.says
    assert "import-players" in granary.remedy
    assert granary.until == date(2025, 11, 28)
    assert "gives more than one point" in vale.says


def test_every_report_that_may_still_be_rated_waits(homes: Path) -> None:
    settings = office(homes / "2025-10")
    rows = query(settings.published, "select event_id, status from event_status where status not in ('rated', 'late')")
    expected = set(rows.filter(pl.col("status").is_in(["refused", "deferred"]))["event_id"])
    assert {one.event_id for one in status.status(settings).waiting} == expected
    assert expected


def test_missing_approvals_are_named_with_the_command(homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / "2025-11", tmp_path)
    (settings.home / "office.toml").write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    import_files.import_players(settings, SAMPLE / "players-2025-12.csv")
    load.load(settings, [SAMPLE / "reports" / "2025-12"])
    run.rate(settings, DECEMBER)
    publish.preview(settings, DECEMBER, {})
    [found] = status.status(settings).open_months
    assert (found.month, found.published, found.approvals_missing, found.unanswered) == (MONTHS[-1], False, 2, [])
    assert "2 of 2 approvals missing: ratinglist approve 2025-12 --by NAME" in found.text()


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


def test_a_preview_older_than_its_calculation_is_not_offered_for_approval(homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / MONTHS[0], tmp_path)
    load.load(settings, [SAMPLE / "reports" / MONTHS[1]])
    run.rate(settings, OCTOBER)
    shown = publish.preview(settings, OCTOBER, {})
    correct.type_correction(
        settings,
        correction_text(
            "change_result",
            {"event_id": "ORV25081", "round": 1, "white": 99900046, "black": 99900095},
            {"result": "1-0"},
            reason="score sheet",
            who="Rossi",
            reported_on=settings.today,
        ),
    )
    rerate.rerate(settings, Period.parse(MONTHS[0]))
    [found] = status.status(settings).open_months
    assert (found.preview_outdated, found.digest) == (True, "")
    assert found.text() == (
        "2025-10  calculated again since its preview, make the preview again: ratinglist publish 2025-10 --preview"
    )
    with pytest.raises(CheckError, match=r"was calculated again since its preview\. Make the preview again"):
        publish.approve(settings, OCTOBER, "Rossi", shown.digest)


def test_an_empty_office_has_no_next_list(tmp_path: Path, homes: Path) -> None:
    shown = status.status(office(homes / "2025-08"))
    assert shown.published == []
    assert shown.next_list is not None
    assert shown.next_list.month == "2025-09"


def test_json_has_everything_and_days_as_text(homes: Path) -> None:
    content = json.loads(ratinglist("status", "--json", home=homes / "2025-10").stdout)
    assert content["next_list"]["closing_date"] == "2025-10-29"
    assert [one["month"] for one in content["published"]] == ["2025-09", "2025-10"]
    assert {"file", "why", "remedy", "rateable_until"} <= content["waiting"][0].keys()


def test_a_damaged_pointer_is_named_and_the_log_says_what_is_current(rated: Settings) -> None:
    latest = rated.published / MONTHS[0] / "latest"
    latest.write_text("r9\n")
    found = status.status(rated)
    assert [one.startswith(f"{latest}: ") for one in found.disagreements] == [True]
    assert {one.revision for one in found.published} == {"r1"}


def test_the_status_is_quick_because_it_imports_and_makes_only_what_it_needs(last: Settings) -> None:
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
    with open_to_read(last) as store:
        views = "select view_name from duckdb_views() where temporary and not internal"
        assert not {"game", "event"} & set(store.read(views)["view_name"])
        assert store.finds_rows("select 1 from event")
        assert {"game", "event"} & set(store.read(views)["view_name"]) == {"event"}


# ------------------------------------------------------------------------------------------------ quarantine


@pytest.mark.parametrize("month", MONTHS)
def test_quarantine_lists_everything_that_run_counts(last: Settings, month: str) -> None:
    rows = quarantine.quarantined(last, Period.parse(month))
    events = query(
        last.published, f"select event_id, status from events where list_month = '{month}' and status <> 'rated'"
    )
    assert {row["event_id"] for row in rows} == set(events["event_id"])
    found = {row["event_id"]: "refused" if row["status"] == "waiting" else row["status"] for row in rows}
    assert found == dict(events.iter_rows())
    assert all(row["file"] and row["says"] for row in rows)


def reports_of(*reports: tuple[str, int, str, str | None]) -> pl.DataFrame:
    """Reports of one day, as event, version, status and the list that looked at them."""
    day = date(2025, 1, 1)
    columns = [(f"{number}", *report, day, day) for number, report in enumerate(reports)]
    names = ["report_id", "event_id", "version", "status", "list_month", "received_on", "start_date"]
    return pl.DataFrame(columns, schema=names, orient="row")


def still_counting(settings: Settings, rows: pl.DataFrame) -> pl.DataFrame:
    with open_to_read(settings) as store:
        return without_replaced_versions(store, rows)


def test_an_older_version_of_a_rated_event_does_not_wait(last: Settings) -> None:
    rows = reports_of(
        ("replaced", 1, "waiting", None),
        ("replaced", 2, "rated", "2025-02"),
        ("new", 1, "waiting", None),
        ("again", 2, "waiting", None),
        ("again", 1, "rated", "2025-02"),
    )
    kept = still_counting(last, rows).select("event_id", "version").rows()
    assert kept == [("replaced", 2), ("new", 1), ("again", 2), ("again", 1)]


def test_a_refused_report_is_over_once_a_list_has_rated_another_of_its_event(last: Settings) -> None:
    rows = reports_of(
        ("mended", 1, "refused", "2025-02"),
        ("mended", 2, "rated", "2025-03"),
        ("sent again", 1, "refused", "2025-02"),
        ("sent again", 1, "rated", "2025-03"),
        ("not yet", 1, "refused", "2025-02"),
        ("not yet", 2, "waiting", None),
        ("later rounds", 1, "rated", "2025-02"),
        ("later rounds", 2, "refused", "2025-03"),
    )
    kept = still_counting(last, rows).filter(status="refused")["event_id"].to_list()
    assert kept == ["not yet", "later rounds"]
    other_slice = rows.with_columns(start_date=pl.when(status="rated").then(date(2025, 1, 9)).otherwise("start_date"))
    assert len(still_counting(last, other_slice).filter(status="refused")) == 4


def test_status_and_quarantine_forget_a_refusal_that_a_later_list_has_superseded(homes: Path, tmp_path: Path) -> None:
    """The report of the vale weekend is refused, and the corrected one is rated by the next list."""
    settings = copied(homes / "2025-10", tmp_path)
    assert "vale-weekend.trf" in named_as_not_rated(settings)
    sent = SAMPLE / "reports" / "2025-10" / "vale-weekend.trf"
    delivery = tmp_path / "corrected"
    delivery.mkdir()
    text = sent.read_text(encoding="utf-8").replace(" 4     1 b 1     9 w 1 ", " 4     1 b 0     9 w 1 ")
    (delivery / "corrected.trf").write_text(text, encoding="utf-8")
    (delivery / "manifest.csv").write_text(
        "file,event_id,version,received_on,event_type,time_control,registered_on\n"
        "corrected.trf,ORV25093,2,2025-10-05,swiss,standard,2025-08-10\n",
        encoding="utf-8",
    )
    assert load.load(settings, [delivery]).accepted == 1
    run_sample(settings, "2025-11")
    rated = query(settings.published, "select status, list_month from event_status where event_id = 'ORV25093'")
    assert ("rated", "2025-11") in rated.rows()
    assert {"vale-weekend.trf", "corrected.trf"}.isdisjoint(named_as_not_rated(settings))


def named_as_not_rated(settings: Settings) -> set[str]:
    """The files that the office names as not rated, by status, quarantine and the inbox of the desk."""
    files = [
        *(str(row["file"]) for row in quarantine.quarantined(settings)),
        *(one.file for one in status.status(settings).waiting),
        *(one.file for one in quarantine.received(settings) if one.needs_a_hand),
    ]
    return {Path(name).name for name in files}


def test_only_families_that_calculated_a_list_are_read(rated):
    book = replace(rule_book(), files={**rule_book().files, "other/standard/2024-01-01": "no rule file"})
    with open_to_read(rated) as store:
        assert pending_changes(store, book, Period.parse(MONTHS[-1]) + 1) == []
