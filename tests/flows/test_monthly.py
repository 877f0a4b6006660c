"""The flow around the month: the same bytes as the program alone, another try only where waiting helps."""

from __future__ import annotations

import json
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

from flows import artifacts, decision, tasks
from flows.artifacts import key_of
from flows.deployments import deployments
from flows.forms import Decision
from flows.monthly import list_due, monthly, take_delivery
from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NotApprovedError, StoreInUseError, UnansweredError
from ratinglist.files.durable_files import replace_file
from ratinglist.period import Period
from ratinglist.summaries import ApprovedMonthsSummary, MonthSummary, PreviewSummary, PublishSummary
from ratinglist.workflows import due as due_workflow
from ratinglist.workflows import import_files
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import report as report_workflow
from ratinglist.workflows import run as run_workflow
from ratinglist.workflows import site as site_workflow
from ratinglist.workflows.decide import Answer
from ratinglist.workflows.notifications import tell_published
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


def test_the_flow_publishes_the_bytes_the_program_publishes(prefect_server, homes, tmp_path):
    settings = office(Path(shutil.copytree(homes / MONTH, tmp_path / "by-flow")))
    import_files.import_players(settings, SAMPLE / "players-2025-10.csv")
    load_workflow.load(settings, [SAMPLE / "reports" / "2025-10"])
    summary, publication = monthly("2025-10", home=str(settings.home))
    assert published_bytes(settings.home) == published_bytes(homes / "2025-10")
    assert (summary.month, publication.month, publication.is_new) == ("2025-10", "2025-10", True)
    assert "data:image/svg+xml;base64," in str(kept(settings.home, "charts", "2025-10").data)


@pytest.mark.thorough
def test_the_flow_publishes_first_the_list_that_was_missed_and_makes_the_site(prefect_server, homes, tmp_path):
    by_flow, by_program = (
        office(Path(shutil.copytree(homes / before, tmp_path / name)))
        for before, name in (("2025-08", "by-flow"), (MONTH, "by-program"))
    )
    (by_flow.home / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
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
    monkeypatch.setattr(report_workflow, "charts_as_markdown", lambda *_: "# pictures")
    monkeypatch.setattr(due_workflow, "due", made.due)
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


def test_the_flow_leaves_the_summary_the_refused_reports_and_where_the_list_is(prefect_server, program, tmp_path):
    monthly("2025-10", home=str(tmp_path))
    table, refused = kept(tmp_path, "list", "2025-10"), kept(tmp_path, "refused", "2025-10")
    published = kept(tmp_path, "published", "2025-10")
    assert table is not None
    assert refused is not None
    assert published is not None
    assert '{"label": "results rated", "value": 18}' in str(table.data)
    assert "| a\\|b.trf | 7 |  | E1 | too late | none |" in str(refused.data)
    assert str(tmp_path) in str(published.data)
    assert "digest: `d1`" in str(published.data)
    assert "REPORT.md" not in str(published.data), "the list was not previewed"


@pytest.mark.thorough
def test_a_publication_names_the_report_of_its_preview_where_there_is_one(prefect_server, program, tmp_path):
    report = tmp_path / "previews" / "2025-12" / "REPORT.md"
    report.parent.mkdir(parents=True)
    report.write_text("# Looked at\n", encoding="utf-8")
    monthly("2025-12", home=str(tmp_path))
    published = kept(tmp_path, "published", "2025-12")
    assert published is not None
    assert f"report of the preview: `{report}`" in str(published.data)


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
    labels = [row["label"] for row in of_other_system.rows()]
    assert "results not rated: the opponent had no rating on the list before" in labels


@pytest.mark.thorough
def test_a_dashboard_that_keeps_no_artifact_does_not_stop_a_list(prefect_server, program, monkeypatch, tmp_path):
    def refused(**_: object) -> None:
        raise httpx.ConnectError("no server")

    for name in ("create_table_artifact", "create_markdown_artifact"):
        monkeypatch.setattr(artifacts, name, refused)
    _, publication = monthly(MONTH, home=str(tmp_path))
    assert publication.revision == "r1"


def test_charts_and_a_site_that_cannot_be_made_do_not_stop_a_list_and_the_run_names_them(
    prefect_server, program, monkeypatch, tmp_path
):
    def broken(*_: object) -> str:
        raise ValueError("no font")

    def stopped(*_: object) -> None:
        raise CheckError("its template is damaged")

    monkeypatch.setattr(report_workflow, "charts_as_markdown", broken)
    monkeypatch.setattr(site_workflow, "site", stopped)
    (tmp_path / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
    ended = monthly("2026-01", home=str(tmp_path), return_state=True)
    assert ended.is_completed()
    published, charts, site = str(ended.message).splitlines()
    assert "d1" in published
    assert charts.startswith("The charts of 2026-01 could not be made: ")
    assert charts.endswith("no font")
    assert site == "The site could not be made: its template is damaged"


@pytest.mark.thorough
def test_a_step_that_takes_long_shows_its_progress(prefect_server, program, monkeypatch, tmp_path):
    def slow(settings: Settings, _period: Period) -> MonthSummary:
        settings.progress("reading the store", 0, 2)
        clock.now += artifacts.LONG_SECONDS
        settings.progress("rating", 1, 2)
        shown.append(kept(tmp_path, "progress-of-rate", "2026-01"))
        settings.progress("writing", 2, 2)
        return rated()

    shown: list[Artifact | None] = []
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(artifacts, "time", clock)
    monkeypatch.setattr(rate_workflow, "rate", slow)
    monthly("2026-01", home=str(tmp_path))
    (half,) = shown
    assert half is not None
    assert (half.data, half.description) == (50, "rating")
    done = kept(tmp_path, "progress-of-rate", "2026-01")
    assert done is not None
    assert (done.data, done.description) == (100, "done")
    assert kept(tmp_path, "progress-of-publish-the-list-of", "2026-01") is None


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


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_reason_and_an_approval_are_taken_from_one_form(prefect_server, program, answers, tmp_path):
    program.open, program.needed = {"large_change"}, 1
    answers.append(Decision(reasons={"large_change": "she won everything"}, name="Anna", digest="d1"))
    _, published = monthly(MONTH, home=str(tmp_path))
    assert published.digest == "d2"
    assert program.taken[-2:] == [("approve", "Anna", "d2", ""), ("publish",)]


@pytest.mark.thorough
def test_lists_published_before_one_that_is_rejected_are_named(prefect_server, program, answers, monkeypatch, tmp_path):
    monkeypatch.setattr(due_workflow, "due", lambda _settings, until: [until, until + 1])
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


def notifications(home: Path) -> list[dict[str, object]]:
    kept = (json.loads(one.read_text(encoding="utf-8")) for one in (home / "notifications").glob("*.json"))
    return sorted(kept, key=lambda one: str(one["at"]))


@pytest.mark.thorough
def test_each_list_of_the_log_is_announced_once_and_the_lists_of_one_run_together(prefect_server, homes, tmp_path):
    settings = office(Path(shutil.copytree(homes / "2025-08", tmp_path / "office")))
    (settings.home / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    for month in (MONTH, "2025-10"):
        import_files.import_players(settings, SAMPLE / f"players-{month}.csv")
    load_workflow.load(settings, [SAMPLE / "reports" / month for month in (MONTH, "2025-10")])
    monthly("2025-10", home=str(settings.home))
    (announced,) = notifications(settings.home)
    assert (announced["event"], announced["subject"]) == ("published", "The lists of 2025-09 and 2025-10 published")
    text = str(announced["text"])
    assert "The list of 2025-09 is published as r1" in text
    assert "Reports: 8 rated" in text
    assert "Largest changes, standard: +" in text
    # Nothing is new.
    assert monthly("2025-10", home=str(settings.home), return_state=True).name == "Unchanged"
    assert tell_published(settings) != []
    assert len(notifications(settings.home)) == 1
    # A list that was published by hand, or whose run was killed before it announced it.
    import_files.import_players(settings, SAMPLE / "players-2025-11.csv")
    run_workflow.run(settings, Period.parse("2025-11"), [SAMPLE / "reports" / "2025-11"])
    tell_published(settings)
    assert [one["subject"] for one in notifications(settings.home)][1:] == ["The list of 2025-11 published"]
    # Receivers are removed, a list is published, and there are receivers again.
    (settings.home / "office.toml").write_text("[notify]\nwebhooks = []\n", encoding="utf-8")
    tell_published(office(settings.home))
    import_files.import_players(settings, SAMPLE / "players-2025-12.csv")
    run_workflow.run(office(settings.home), Period.parse("2025-12"), [SAMPLE / "reports" / "2025-12"])
    (settings.home / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    tell_published(office(settings.home))
    assert len(notifications(settings.home)) == 2


@pytest.mark.thorough
def test_people_who_have_to_approve_do_not_wait_for_a_list_that_was_published_by_hand(
    prefect_server, program, answers, monkeypatch, tmp_path
):
    (tmp_path / "office.toml").write_text('[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n', encoding="utf-8")
    program.needed = 1
    with pytest.raises(IndexError):
        # It waits.
        monthly(MONTH, home=str(tmp_path))
    again = PublishSummary(MONTH, "r1", str(tmp_path), False, {}, "d1")
    monkeypatch.setattr(publish_workflow, "publish", lambda *_: again)
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert ended.name == "Unchanged"
    assert "waiting" in [one["event"] for one in notifications(tmp_path)]


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


def test_a_wrong_day_of_receipt_names_itself(prefect_server, program, tmp_path):
    ended = monthly(MONTH, reports="inbox", home=str(tmp_path), received="31.10.2025", return_state=True)
    assert ended.message == "received is '31.10.2025': write YYYY-MM-DD."


def test_an_empty_folder_of_reports_stops_no_list(tmp_path):
    (tmp_path / "inbox").mkdir()
    take_delivery(office(tmp_path / "office"), str(tmp_path / "inbox"), None)
    assert not (tmp_path / "office").exists()


def test_a_mistyped_home_is_an_error_and_nothing_is_made(prefect_server, tmp_path):
    ended = monthly(MONTH, home=str(tmp_path / "ofice"), return_state=True)
    assert ended.is_failed()
    assert "does not exist" in ended.message
    assert not (tmp_path / "ofice").exists()
