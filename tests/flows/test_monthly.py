"""The flow around the month: the same bytes as the program alone, another try only where waiting helps."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, date, datetime
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from prefect.artifacts import Artifact
from prefect.client.orchestration import get_client
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow
from prefect.flow_runs import resume_flow_run
from prefect.runtime import flow_run

import flows.monthly
from flows import artifacts, decision, tasks
from flows.artifacts import key_of
from flows.decision import Decision
from flows.deployments import deployments
from flows.monthly import list_due, monthly, take_delivery
from ratinglist.errors import (
    CheckError,
    CommandLineError,
    NotApprovedError,
    NothingReadError,
    StoreInUseError,
    UnansweredError,
)
from ratinglist.files.durable_files import replace_file
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import ApprovedMonthsSummary, MonthSummary, PreviewSummary, PublishSummary
from ratinglist.workflows import decide, import_files
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import run as run_workflow
from ratinglist.workflows import site as site_workflow
from ratinglist.workflows.decide import Answer
from tests.conftest import office, published_bytes

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


def test_the_flow_publishes_the_bytes_of_the_program_first_the_list_that_was_missed_and_tells_people(
    prefect_server, homes, receiver, tmp_path
):
    by_flow, by_program = (
        office(Path(shutil.copytree(homes / before, tmp_path / name)))
        for before, name in (("2025-08", "by-flow"), (MONTH, "by-program"))
    )
    (by_flow.home / "office.toml").write_text(f'[site]\nout = "../site"\n{receiver.section()}', encoding="utf-8")
    import_files.import_players(by_flow, SAMPLE / f"players-{MONTH}.csv")
    load_workflow.load(by_flow, [SAMPLE / "reports" / MONTH])
    for settings in (by_flow, by_program):
        load_workflow.load(settings, [SAMPLE / "reports" / "2025-10"])
    run_workflow.run(by_program, Period.parse("2025-10"))
    summary, publication = monthly("2025-10", home=str(by_flow.home))

    expected = published_bytes(by_program.home)
    assert f"{MONTH}/r1/standard.csv" in expected
    assert published_bytes(by_flow.home) == expected
    assert (summary.month, publication.month, publication.is_new) == ("2025-10", "2025-10", True)
    assert (tmp_path / "site" / "month-2025-10.html").is_file()
    (told,) = receiver.arrived
    assert told["title"] == "[ratinglist by-flow] The lists of 2025-09 and 2025-10 published"
    # Nothing is new.
    assert monthly("2025-10", home=str(by_flow.home), return_state=True).name == "Unchanged"
    assert len(receiver.arrived) == 1


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks.step, "retry_delay_seconds", 0)


class Office:
    """An office whose program fails as planned, and asks for reasons and approvals."""

    def __init__(self, folder: Path) -> None:
        self.taken: list[tuple[object, ...]] = []
        self.failures: dict[str, list[Exception]] = {}
        self.open, self.needed, self.people = set[str](), 0, set[str]()
        self.folder, self.digest = folder, "d1"

    def fail(self, step: str) -> None:
        self.taken.append((step,))
        if self.failures.get(step):
            raise self.failures[step].pop(0)

    def due(self, _settings: Settings, until: Period) -> list[Period]:
        if self.failures.get("due"):
            raise self.failures["due"].pop(0)
        return [until]

    def rate(self, _settings: Settings, _period: Period) -> MonthSummary:
        self.fail("rate")
        refused = {
            "reason": "too_late",
            "status": "refused",
            "file": "a|b.trf",
            "line": 7,
            "column": None,
            "event_id": "E1",
            "says": "too late",
            "remedy": "none",
        }
        return rated([refused])

    def publish(self, _settings: Settings, _period: Period, reasons: dict[str, str]) -> PublishSummary:
        self.fail("publish")
        if reasons and not self.open.issuperset(reasons):
            raise CommandLineError("it does not ask that")
        if reasons:
            # The reasons are part of what is published.
            self.taken.append(("reasons", *reasons.values()))
            self.digest = "d2"
        self.open -= reasons.keys()
        if self.open:
            raise UnansweredError("it asks")
        if len(self.people) < self.needed:
            raise NotApprovedError("too few")
        return PublishSummary(MONTH, "r1", str(self.folder), True, {}, self.digest)

    def preview(self, _settings: Settings, _period: Period, _reasons: dict[str, str]) -> PreviewSummary:
        report = self.folder / "REPORT.md"
        report.write_text("# What people look at\n", encoding="utf-8")
        return PreviewSummary(
            *(MONTH, "r1", "", str(report), self.digest, True, [], sorted(self.open), self.needed),
            *(sorted(self.people), "ratinglist publish"),
        )

    def approve_months(
        self, _settings: Settings, _start: Period, _end: Period, name: str, digest: str, remark: str
    ) -> ApprovedMonthsSummary:
        self.taken.append(("approve", name, digest, remark))
        if digest != self.digest:
            raise CheckError("that is another preview")
        self.people.add(name)
        return ApprovedMonthsSummary([])


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Office:
    """The office in the place of the program."""
    made = Office(tmp_path)
    for name in ("publish", "preview", "approve_months"):
        monkeypatch.setattr(publish_workflow, name, getattr(made, name))
    monkeypatch.setattr(rate_workflow, "rate", made.rate)
    monkeypatch.setattr(decide, "due", made.due)
    return made


def kept(home: Path, kind: str, month: str) -> Artifact | None:
    """The artifact that a run of the office in ``home`` left."""
    return Artifact.get(key_of(office(home), f"{kind} {month}"))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Decision]:
    """What people give, one after the other, in a run that goes on where it waits; their forms are in ``shown``."""
    given: list[Decision] = []
    monkeypatch.setattr(decision, "deployment", SimpleNamespace(id="of the test"))
    monkeypatch.setattr(decision, "suspend_flow_run", lambda **_: given.pop(0))
    return given


def test_a_step_is_tried_again_while_the_store_is_in_use(prefect_server, at_once, program, tmp_path):
    program.failures = {
        "due": [StoreInUseError("in use")],
        "rate": [StoreInUseError("in use"), StoreInUseError("in use")],
    }
    _, publication = monthly(MONTH, home=str(tmp_path))
    assert program.taken == [("rate",), ("rate",), ("rate",), ("publish",)]
    assert publication.revision == "r1"
    assert program.failures == {"due": [], "rate": []}


def test_a_stopped_publication_is_not_tried_again(prefect_server, at_once, program, tmp_path):
    program.failures = {"publish": [CheckError("the counts do not add up")]}
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert (ended.name, ended.message) == ("Failed", "the counts do not add up")
    assert program.taken == [("rate",), ("publish",)]


def test_the_flow_leaves_the_refused_reports_and_says_where_the_list_is(prefect_server, program, tmp_path):
    ended = monthly("2025-10", home=str(tmp_path), return_state=True)
    refused = kept(tmp_path, "refused", "2025-10")
    assert refused is not None
    assert "| a\\|b.trf | 7 |  | E1 | too late | none |" in str(refused.data)
    assert str(tmp_path) in str(ended.message)
    assert "(digest d1)" in str(ended.message)


def test_the_artifacts_of_two_offices_on_one_server_have_keys_of_their_own(tmp_path):
    keys = [key_of(office(tmp_path / name, "fsi"), "list 2025-09") for name in ("Orvo_1", "orvo 2")]
    assert keys == ["orvo-1-fsi-list-2025-09", "orvo-2-fsi-list-2025-09"]
    assert key_of(office(tmp_path / "Ορβο"), "progress of site") == "fide-progress-of-site"


def test_a_full_disk_is_named_with_the_file_in_one_sentence(tmp_path, monkeypatch):
    def full(_handle: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ended = tasks.state_of(lambda: replace_file(tmp_path / "list.json", b"{}"))
    assert ended.is_failed()
    assert str(ended.message).startswith(f"{tmp_path / '.tmp-list.json'}: No space left on device. Free space on the")


def test_a_defect_of_a_step_is_raised():
    with pytest.raises(ZeroDivisionError):
        tasks.state_of(lambda: 1 // 0)


def test_the_state_of_a_calculation_has_sentences_and_no_codes():
    summary = replace(rated(), results_not_rated={"opponent_unrated": 2})
    message = str(tasks.state_of(lambda: summary).message)
    assert "; 2 the opponent had no rating when the event started; players " in message
    assert "opponent_unrated" not in message
    assert "2 the opponent had no rating when the event started" in summary.text()
    of_other_system = replace(summary, uses_list_before=True)
    assert "2 the opponent had no rating on the list before" in of_other_system.text()


def test_a_site_an_artifact_and_people_that_are_missed_stop_no_list_and_the_run_names_them(
    prefect_server, program, monkeypatch, tmp_path
):
    def no_server(*_: object, **__: object) -> None:
        raise httpx.ConnectError("no server")

    def stopped(*_: object) -> None:
        raise CheckError("its template is damaged")

    def refused(*_: object) -> None:
        raise NothingReadError("address 1 took no message")

    monkeypatch.setattr(artifacts, "create_markdown_artifact", no_server)
    monkeypatch.setattr(site_workflow, "site", stopped)
    monkeypatch.setattr(flows.monthly, "tell", refused)
    (tmp_path / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
    ended = monthly("2026-01", home=str(tmp_path), return_state=True)
    assert ended.is_completed()
    published, *missing = str(ended.message).splitlines()
    assert "d1" in published
    assert missing == [
        "People could not be told: address 1 took no message",
        "The site could not be made: its template is damaged",
    ]


def test_the_flow_waits_for_reasons_and_approvals_of_what_was_shown(prefect_server, program, answers, tmp_path):
    program.open, program.needed = {"large_change"}, 2
    answers += [
        Decision(reasons={"large_change": " "}),
        Decision(reasons={"large_change": "she won everything"}),
        Decision(name="Anna", digest="d1"),
        Decision(name="Anna", remark="fine", digest="d2"),
        Decision(name="Bo", digest="d2"),
    ]
    monthly("2025-11", home=str(tmp_path))
    assert [one for one in program.taken if one[0] == "approve"] == [
        ("approve", "Anna", "d2", "fine"),
        ("approve", "Bo", "d2", ""),
    ]
    assert answers == []
    shown = kept(tmp_path, "preview", MONTH)
    assert shown is not None
    assert "# What people look at" in str(shown.data)


def test_a_reason_for_another_list_publishes_nothing_and_the_next_form_says_so(
    prefect_server, program, answers, monkeypatch, tmp_path
):
    program.open = {"large_change"}
    forms: list[str] = []
    answers += [
        Decision(reasons={"large_change": "two players"}, digest="d0"),
        Decision(reasons={"large_chance": "mistyped"}, digest="d1"),
        Decision(reasons={"large_change": "three players"}, digest="d1"),
    ]

    def answer(*, wait_for_input: type[Decision], **_: object) -> Decision:
        forms.append(str(wait_for_input._description))
        return answers.pop(0)

    monkeypatch.setattr(decision, "suspend_flow_run", answer)
    _, published = monthly(MONTH, home=str(tmp_path))
    assert published.digest == "d2"
    assert [one for one in program.taken if one[0] == "reasons"] == [("reasons", "three players")]
    assert "digest d0, and it is d1 now: nothing was taken from it" in forms[1]
    assert "Not taken: it does not ask that" in forms[2]


def test_lists_published_before_one_that_is_rejected_are_named(prefect_server, program, answers, monkeypatch, tmp_path):
    monkeypatch.setattr(decide, "due", lambda _settings, until: [until, until + 1])
    answers.append(Decision(name="Anna", reject=True))
    publish = program.publish

    def second_asks(settings: Settings, period: Period, reasons: dict[str, str]) -> PublishSummary:
        if str(period) != MONTH:
            raise UnansweredError("it asks")
        return publish(settings, period, reasons)

    monkeypatch.setattr(publish_workflow, "publish", second_asks)
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    rejected, before, published = str(ended.message).splitlines()
    assert (rejected, before) == (
        "Anna rejected the list of 2025-10. It was not published.",
        "Published before that:",
    )
    assert published.startswith("List of 2025-09 published as r1")


def test_an_approval_by_command_ends_the_wait(prefect_server, program, answers, monkeypatch, tmp_path):
    program.needed = 1
    with pytest.raises(IndexError):
        monthly(MONTH, home=str(tmp_path))
    program.people.add("Anna")
    monkeypatch.setattr(decision, "_last_answer", lambda _: (1, Answer()))
    _, publication = monthly(MONTH, home=str(tmp_path))
    assert publication.revision == "r1"


def test_a_rejected_list_ends_as_cancelled_with_the_reason(prefect_server, program, answers, tmp_path):
    program.needed = 1
    answers.append(Decision(name="Anna", remark="K is wrong", reject=True))
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert ended.is_cancelled()
    assert ended.message == "Anna rejected the list of 2025-09: K is wrong. It was not published."


def test_a_list_that_waits_in_a_run_that_people_cannot_continue_fails_with_what_is_open(
    prefect_server, program, tmp_path
):
    program.needed = 1
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert ended.is_failed()
    assert "1 approval" in str(ended.message) or "One approval is missing" in str(ended.message)


def test_a_run_of_a_deployment_waits_without_a_process_and_goes_on_with_what_is_written(
    prefect_server, program, tmp_path
):
    program.needed = 1
    closing, *_ = deployments(tmp_path, None, "fide")
    number = closing.apply()
    with get_client(sync_client=True) as client:
        run = client.create_flow_run_from_deployment(number, parameters={"home": str(tmp_path), "month": "2025-12"})
        with pytest.raises(Pause):
            run_flow(monthly, flow_run=run, parameters=run.parameters, return_type="state")
        waits = client.read_flow_run(run.id)
        assert waits.state.name == "Suspended"
        resume_flow_run(run.id, {"name": "Bo", "remark": "well"})
        run_flow(monthly, flow_run=client.read_flow_run(run.id), parameters=run.parameters, return_type="state")
        assert client.read_flow_run(run.id).state.is_completed()
    assert ("approve", "Bo", "d1", "well") in program.taken


@pytest.mark.parametrize(
    ("due", "today", "expected"),
    [
        ("2025-10-31", "2025-10-31", "2025-11"),
        ("2025-12-31", "2025-12-31", "2026-01"),
        ("2025-10-31", "2025-11-02", "2025-11"),  # the run was delayed: it owes the list it was due for
        ("2025-11-10", "2025-09-30", "2025-10"),  # by hand, with the office's own day set
        ("2025-10-03", "2025-10-03", "2025-10"),  # by hand: the next list does not close for weeks
        ("2025-10-29", "2025-10-29", "2025-10"),  # the closing date itself
        ("2025-10-30", "2025-10-30", "2025-11"),
    ],
)
def test_a_run_without_a_month_makes_the_newest_list_that_has_closed(monkeypatch, due, today, expected):
    monkeypatch.setattr(
        flow_run, "scheduled_start_time", datetime.fromisoformat(due).replace(tzinfo=UTC), raising=False
    )
    settings = Settings.read(today=date.fromisoformat(today), environment={})
    assert str(list_due(settings)) == expected


@pytest.mark.parametrize(("day", "expected"), [("2025-10-31", "2025-09"), ("2025-12-31", "2026-01")])
def test_a_family_of_three_lists_a_year_owes_its_last_one(monkeypatch, day, expected):
    due = datetime.fromisoformat(day).replace(tzinfo=UTC)
    monkeypatch.setattr(flow_run, "scheduled_start_time", due, raising=False)
    settings = Settings.read(family="ffe", today=due.date(), environment={})
    assert str(list_due(settings)) == expected


def test_an_empty_folder_of_reports_stops_no_list(tmp_path):
    (tmp_path / "inbox").mkdir()
    take_delivery(office(tmp_path / "office"), str(tmp_path / "inbox"), None)
    assert not (tmp_path / "office").exists()


def test_a_mistyped_home_is_an_error_and_nothing_is_made(prefect_server, tmp_path):
    ended = monthly(MONTH, home=str(tmp_path / "ofice"), return_state=True)
    assert ended.is_failed()
    assert "does not exist" in ended.message
    assert not (tmp_path / "ofice").exists()
