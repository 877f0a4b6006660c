"""The flow around the month: the same bytes as the program alone, another try only where waiting helps."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from prefect.artifacts import Artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.flow_runs import resume_flow_run
from prefect.runtime import flow_run

from flows import approval
from flows import monthly as steps
from flows.monthly import list_due, load, monthly, publish, rate, refused_as_markdown
from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, StoreInUseError
from ratinglist.period import Period
from ratinglist.summaries import ApprovalSummary, MonthSummary, PreviewSummary, PublishSummary
from ratinglist.workflows import import_files
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import report as report_workflow

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
MONTH = "2025-09"


def rated(refused: list[dict[str, object]] | None = None) -> MonthSummary:
    return MonthSummary(
        month=MONTH,
        family="fide",
        rule_sets=[],
        events={"rated": 1},
        results=20,
        results_rated=18,
        results_not_rated={"unrated_opponent": 2},
        players={"rated": 9, "entered": 1, "delisted": 0},
        waiting=0,
        listed={"standard": 10},
        refused=refused or [],
    )


def published_in(home: Path) -> dict[str, bytes]:
    folder = home / "published"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def office(tmp_path: Path) -> Settings:
    settings = Settings.read(home=tmp_path / "office", today=date(2025, 8, 31), environment={})
    import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"), None)
    return settings


def test_the_flow_publishes_the_bytes_the_program_publishes(prefect_server, office, tmp_path):
    by_flow = tmp_path / "by-flow"
    shutil.copytree(office.home, by_flow)
    period = Period.parse(MONTH)

    load_workflow.load(office, [SAMPLE / "reports" / MONTH])
    rate_workflow.rate(office, period)
    publish_workflow.publish(office, period)
    (by_flow / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
    monthly(MONTH, reports=str(SAMPLE / "reports" / MONTH), home=str(by_flow))

    expected = published_in(office.home)
    assert f"{MONTH}/r1/standard.csv" in expected
    assert f"month-{MONTH}.html" in {path.name for path in (tmp_path / "site").iterdir()}
    assert published_in(by_flow) == expected


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, step in {"load": load, "rate": rate, "publish": publish}.items():
        monkeypatch.setattr(steps, name, step.with_options(retry_delay_seconds=0))


@pytest.fixture
def steps_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[str]]:
    """Replace the program by steps that fail as planned, each in turn, before they succeed."""
    taken: list[str] = []

    def plan(**failures: list[Exception]) -> list[str]:
        def step(name: str, answer: object) -> Callable[..., object]:
            def take(*_arguments: object) -> object:
                taken.append(name)
                if failures.get(name):
                    raise failures[name].pop(0)
                return answer

            return take

        refused = [{"file": "a|b.trf", "event_id": "E1", "reason": "late", "says": "too late", "remedy": "none"}]
        answers = {"rate": rated(refused), "publish": PublishSummary(MONTH, "r1", str(tmp_path), True, {})}
        for (name, answer), workflow in zip(answers.items(), (rate_workflow, publish_workflow), strict=True):
            monkeypatch.setattr(workflow, name, step(name, answer))
        monkeypatch.setattr(report_workflow, "charts_as_markdown", lambda *_: "# pictures")
        return taken

    return plan


def test_a_step_is_tried_again_while_the_store_is_in_use(prefect_server, at_once, steps_taken, tmp_path):
    taken = steps_taken(rate=[StoreInUseError("in use"), StoreInUseError("in use")])
    _, publication = monthly(MONTH, home=str(tmp_path))
    assert taken == ["rate", "rate", "rate", "publish"]
    assert publication.revision == "r1"


def test_a_stopped_publication_is_not_tried_again(prefect_server, at_once, steps_taken, tmp_path):
    taken = steps_taken(publish=[CheckError("the counts do not add up")])
    with pytest.raises(CheckError, match="the counts do not add up"):
        monthly(MONTH, home=str(tmp_path))
    assert taken == ["rate", "publish"]


def test_the_flow_leaves_the_summary_and_the_refused_reports(prefect_server, steps_taken, tmp_path):
    steps_taken()
    monthly("2025-10", home=str(tmp_path))
    table = Artifact.get("list-2025-10")
    refused = Artifact.get("refused-2025-10")
    assert table is not None
    assert refused is not None
    assert '{"label": "results rated", "value": 18}' in str(table.data)
    assert Artifact.get("charts-2025-10").data == "# pictures"
    assert "| a\\|b.trf | E1 | late | too late | none |" in str(refused.data)


def asking(tmp_path: Path, asks: str = "") -> PreviewSummary:
    report = tmp_path / "REPORT.md"
    report.write_text(f"# What people look at {asks}\n", encoding="utf-8")
    open_ones = asks.split()
    return PreviewSummary(MONTH, "r1", "", str(report), "d1", True, [], open_ones, 2, [], "ratinglist publish")


@pytest.fixture
def careful(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[object, ...]]:
    """An office that asks for two approvals; the calls that its program received."""
    calls: list[tuple[object, ...]] = []
    people: set[str] = set()

    def preview(_settings: Settings, _period: Period, reasons: dict[str, str]) -> PreviewSummary:
        calls.append(("preview", reasons))
        return asking(tmp_path, "" if reasons else "large_change")

    def approve(_settings: Settings, _period: Period, name: str, digest: str, remark: str) -> ApprovalSummary:
        if not name:
            raise CommandLineError("--by is empty")
        people.add(name)
        calls.append(("approve", name, digest, remark))
        return ApprovalSummary(MONTH, "r1", digest, [{"name": one} for one in people], 2, "")

    for name, step in {"preview": preview, "approve": approve, "approvals_needed": lambda _: 2}.items():
        monkeypatch.setattr(publish_workflow, name, step)
    return calls


def test_the_flow_waits_until_two_people_have_approved_and_answered(
    prefect_server, careful, steps_taken, monkeypatch, tmp_path
):
    taken = steps_taken()
    given = iter(
        [
            approval.Approval(name="", reasons={"large_change": "she won everything"}),
            approval.Approval(name="Anna", remark="fine"),
            approval.Approval(name="Anna"),
            approval.Approval(name="Bo"),
        ]
    )
    monkeypatch.setattr(approval, "pause_flow_run", lambda **_: next(given))
    monthly("2025-11", home=str(tmp_path))
    assert taken == ["rate", "publish"]
    assert careful == [
        ("preview", {}),
        ("preview", {"large_change": "she won everything"}),
        ("approve", "Anna", "d1", "fine"),
        ("approve", "Anna", "d1", ""),
        ("approve", "Bo", "d1", ""),
    ]
    shown = Artifact.get("preview-2025-11")
    assert shown is not None
    assert "# What people look at" in str(shown.data)


def test_a_paused_flow_goes_on_with_what_is_written_when_it_is_resumed(
    prefect_server, careful, steps_taken, monkeypatch, tmp_path
):
    taken = steps_taken()
    monkeypatch.setattr(approval, "POLL_SECONDS", 1)
    monkeypatch.setattr(publish_workflow, "preview", lambda *_: replace(asking(tmp_path), approved_by=["Anna"]))
    monkeypatch.setattr(publish_workflow, "approve", lambda *given: careful.append(given[2:]) or agreed())

    def resume() -> None:
        with get_client(sync_client=True) as client:
            while True:
                paused = FlowRunFilter(state={"type": {"any_": ["PAUSED"]}})
                for run in client.read_flow_runs(flow_run_filter=paused):
                    resume_flow_run(run.id, {"name": "Bo", "remark": "well"})
                    return
                time.sleep(0.1)

    somebody = threading.Thread(target=resume, daemon=True)
    somebody.start()
    monthly("2025-12", home=str(tmp_path))
    somebody.join(timeout=10)
    assert careful == [("Bo", "d1", "well")]
    assert taken == ["rate", "publish"]


def agreed() -> ApprovalSummary:
    return ApprovalSummary(MONTH, "r1", "d1", [{"name": "Anna"}, {"name": "Bo"}], 2, "")


def test_a_month_without_refusals_says_so():
    assert refused_as_markdown(Period.parse(MONTH), rated()) == "# 2025-09: no report was refused\n"


@pytest.mark.parametrize(
    ("due", "today", "expected"),
    [
        ("2025-10-31", "2025-10-31", "2025-11"),
        ("2025-12-31", "2025-12-31", "2026-01"),
        ("2025-10-31", "2025-11-02", "2025-11"),  # the run was delayed: it owes the list it was due for
        ("2025-11-10", "2025-09-30", "2025-10"),  # by hand, with the office's own day set
    ],
)
def test_a_run_without_a_month_computes_the_next_list(monkeypatch, due, today, expected):
    monkeypatch.setattr(
        flow_run, "scheduled_start_time", datetime.fromisoformat(due).replace(tzinfo=UTC), raising=False
    )
    settings = Settings.read(today=date.fromisoformat(today), environment={})
    assert str(list_due(settings)) == expected


def test_a_wrong_day_of_receipt_names_itself(tmp_path):
    with pytest.raises(CommandLineError, match=r"received is '31\.10\.2025': write YYYY-MM-DD"):
        monthly.fn(MONTH, reports="inbox", home=str(tmp_path), received="31.10.2025")
