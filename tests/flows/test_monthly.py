"""The flow around the month: the same bytes as the program alone, another try only where waiting helps.

All tests that need a server are here, so that one server does for all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import polars as pl
import pytest
from prefect.artifacts import Artifact
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow
from prefect.flow_runs import resume_flow_run
from prefect.runtime import flow_run
from prefect.states import Crashed, Pending, Running, Scheduled, Suspended

import flows.monthly
from flows import decision, demo, serve, tasks, telling
from flows.decision import Answer, Decision
from flows.monthly import monthly
from flows.schedule import SCHEDULE, list_due
from flows.serve import check_name, continue_published, deployment_of, start_interrupted_again
from flows.tasks import key_of
from ratinglist.errors import (
    CheckError,
    CommandLineError,
    NotApprovedError,
    NothingReadError,
    StoreInUseError,
    UnansweredError,
)
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import Facts, MonthSummary, PreviewSummary, PublishSummary
from ratinglist.workflows import (
    import_files,
    init,
    load as load_workflow,
    month as month_workflow,
    publish as publish_workflow,
    scheduled,
)
from ratinglist_site import make
from tests.conftest import office, published_bytes

pytestmark = pytest.mark.asks_only()

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
MONTH = "2025-09"


REFUSED = {
    "reason": "too_late",
    "status": "refused",
    "file": "a|b.trf",
    "line": 7,
    "column": None,
    "event_id": "E1",
    "says": "too late",
    "remedy": "none",
}
RATED = MonthSummary(
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
    refused=[REFUSED],
)


def test_the_flow_publishes_first_the_list_that_was_missed_with_the_tables_of_the_program_and_tells_people(
    prefect_server, homes, receiver, tmp_path
):
    by_flow = office(Path(shutil.copytree(homes / "2025-08", tmp_path / "by-flow")))
    (by_flow.home / "office.toml").write_text(f'[site]\nout = "../site"\n{receiver.section()}', encoding="utf-8")
    for month in (MONTH, "2025-10"):
        import_files.import_players(by_flow, SAMPLE / f"players-{month}.csv")
        load_workflow.load(by_flow, [SAMPLE / "reports" / month])
    missed, publication = monthly("2025-10", home=str(by_flow.home))

    # The manifests name the players' file of October too, which was there before.
    published, expected = (
        {path: data for path, data in published_bytes(home).items() if not path.endswith("manifest.json")}
        for home in (by_flow.home, homes / "2025-10")
    )
    assert f"{MONTH}/r1/standard.csv" in expected
    assert published == expected
    assert [(summary.month, summary.is_new) for summary in (missed, publication)] == [(MONTH, True), ("2025-10", True)]
    assert (tmp_path / "site" / "month-2025-10.html").is_file()
    (told,) = receiver.arrived
    assert told["title"] == "[ratinglist by-flow] Published: 2025-09 and 2025-10"
    # Nothing is new, and no site is asked for again.
    (by_flow.home / "office.toml").write_text(receiver.section(), encoding="utf-8")
    assert monthly("2025-10", home=str(by_flow.home), return_state=True).name == "Unchanged"
    assert len(receiver.arrived) == 1


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows.monthly.rate, "retry_delay_seconds", 0)


class Office:
    """An office whose program fails as planned, and asks for reasons and approvals."""

    def __init__(self, folder: Path) -> None:
        self.taken: list[tuple[object, ...]] = []
        self.failures: dict[str, list[Exception]] = {}
        self.open, self.needed, self.people = set[str](), 0, set[str]()
        self.folder, self.digest, self.reasons = folder, "d1", dict[str, str]()

    def fail(self, step: str) -> None:
        self.taken.append((step,))
        if self.failures.get(step):
            raise self.failures[step].pop(0)

    def judge(self, *_: object) -> None:
        """Judge nothing."""

    def verdicts(self, _judged: None) -> pl.DataFrame:
        reasons = ["", "received_after_closing", "unknown_player"]
        return pl.DataFrame({"status": ["rated", "deferred", "refused"], "reason": reasons})

    def rate(self, *_: object) -> MonthSummary:
        self.fail("rate")
        return RATED

    def check(self, _settings: Settings, _period: Period, reasons: dict[str, str]) -> int:
        if reasons and not self.open.issuperset(reasons):
            raise CommandLineError("it does not ask that")
        if reasons:
            # The reasons are part of what is published.
            self.taken.append(("reasons", *reasons.values()))
            self.digest = "d2"
        self.open -= reasons.keys()
        if self.open:
            raise UnansweredError("it asks", [self.preview()])
        if len(self.people) < self.needed:
            raise NotApprovedError("too few: 1 approval is missing", [self.preview()])
        return 0

    def publish(self, _settings: Settings, _period: Period, reasons: dict[str, str]) -> PublishSummary:
        self.reasons = reasons
        self.fail("publish")
        return PublishSummary(MONTH, "r1", str(self.folder), True, {}, self.digest)

    def preview(self) -> PreviewSummary:
        report = self.folder / "REPORT.md"
        report.write_text("# What people look at\n", encoding="utf-8")
        return PreviewSummary(
            *(MONTH, "r1", "", str(report), self.digest, True, [], sorted(self.open), self.needed),
            *(sorted(self.people), "ratinglist publish"),
        )

    def approve(self, _settings: Settings, _period: Period, name: str, digest: str) -> Facts:
        self.taken.append(("approve", name, digest))
        if digest != self.digest:
            raise CheckError("that is another preview")
        self.people.add(name)
        return Facts("", {"months": []})


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Office:
    """The office in the place of the program."""
    stand_in = Office(tmp_path)
    for name in ("open_to_read", "open_to_write"):
        monkeypatch.setattr(flows.monthly, name, lambda _settings: nullcontext())
    for name in ("judge", "verdicts", "rate"):
        monkeypatch.setattr(month_workflow, name, getattr(stand_in, name))
    for name in ("check", "approve", "publish"):
        monkeypatch.setattr(publish_workflow, name, getattr(stand_in, name))
    monkeypatch.setattr(scheduled, "due", lambda _settings, until: [until])
    return stand_in


def kept(home: Path, step: str, month: str) -> str:
    """The artifact that a step of a run of the office in ``home`` left."""
    artifact = Artifact.get(key_of(office(home), f"{step} {month}"))
    assert artifact is not None
    return str(artifact.data)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Decision]:
    """What people give, one after the other, in a run that goes on where it waits; their forms are in ``shown``."""
    decisions: list[Decision] = []
    monkeypatch.setattr(decision, "deployment", SimpleNamespace(id="of the test"))
    monkeypatch.setattr(decision, "suspend_flow_run", lambda **_: decisions.pop(0))
    return decisions


def test_a_step_is_tried_again_while_the_store_is_in_use_and_not_where_a_check_stops_it(
    prefect_server, at_once, program, tmp_path
):
    program.failures = {
        "rate": [StoreInUseError("in use"), StoreInUseError("in use")],
        "publish": [CheckError("the counts do not add up")],
    }
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert (ended.name, ended.message) == ("Failed", "the counts do not add up")
    assert program.taken == [("rate",), ("rate",), ("rate",), ("publish",)]


def task_states(ended: State) -> dict[str, str]:
    """What the tasks of a run say, by name, once the server knows of all of them: two tell people."""
    of_run = {"flow_run_filter": FlowRunFilter(id=FlowRunFilterId(any_=[ended.state_details.flow_run_id]))}
    give_up = time.monotonic() + 60
    with get_client(sync_client=True) as client:
        while len(runs := [run for run in client.read_task_runs(**of_run) if run.state and run.end_time]) < 7:
            assert time.monotonic() < give_up, [run.name for run in runs]
            time.sleep(0.2)
    return {run.name: str(run.state.message) for run in sorted(runs, key=lambda run: run.start_time)}


def test_each_step_is_a_task_that_leaves_what_it_counted_and_the_flow_says_where_the_list_is(
    prefect_server, program, tmp_path
):
    ended = monthly("2025-10", home=str(tmp_path), return_state=True)
    states = task_states(ended)
    assert list(states) == ["tell", "ingest", "judge 2025-10", "rate 2025-10", "check 2025-10", "publish 2025-10"]
    assert states["judge 2025-10"].startswith("3 events: 1 deferred, 1 rated, 1 refused; 1 ")
    assert "18 results rated, 2 not" in states["rate 2025-10"]
    assert states["check 2025-10"] == "The list of 2025-10 passes its checks: no question raised, nothing open."
    assert "| a\\|b.trf | 7 |  | E1 | too late | none |" in kept(tmp_path, "rate", "2025-10")
    assert "3 events" in kept(tmp_path, "judge", "2025-10")
    assert str(tmp_path) in str(ended.message)
    assert "(digest d1)" in str(ended.message)


def test_the_artifacts_of_two_offices_on_one_server_have_keys_of_their_own(tmp_path):
    keys = [key_of(office(tmp_path / name, "fsi"), "list 2025-09") for name in ("Orvo_1", "orvo 2")]
    assert keys == ["orvo-1-fsi-list-2025-09", "orvo-2-fsi-list-2025-09"]
    assert key_of(office(tmp_path / "Ορβο"), "progress of site") == "fide-progress-of-site"


def test_a_site_an_artifact_and_people_that_are_missed_stop_no_list_and_the_run_names_them(
    prefect_server, program, monkeypatch, tmp_path
):
    def no_server(*_: object, **__: object) -> None:
        raise httpx.ConnectError("no server")

    def stopped(*_: object) -> None:
        raise CheckError("its template is damaged")

    def refused(*_: object) -> None:
        raise NothingReadError("address 1 took no message")

    monkeypatch.setattr(tasks, "create_markdown_artifact", no_server)
    monkeypatch.setattr(make, "make_site", stopped)
    monkeypatch.setattr(telling, "send_news", refused)
    (tmp_path / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
    ended = monthly("2026-01", home=str(tmp_path), return_state=True)
    assert ended.is_completed()
    published, *missing = str(ended.message).splitlines()
    assert "d1" in published
    assert missing == [
        "People could not be told: address 1 took no message",
        "The site could not be made: its template is damaged",
    ]


def test_the_flow_waits_for_reasons_and_approvals_of_what_was_shown(
    prefect_server, program, answers, monkeypatch, tmp_path
):
    program.open, program.needed = {"large_change"}, 2
    answers += [
        Decision(reasons={"large_change": " "}),
        Decision(reasons={"large_change": "she won everything"}),
        Decision(name="Anna", digest="d1"),
        Decision(name="Anna", digest="d2"),
        Decision(name="Bo", digest="d2"),
    ]
    seen: list[str] = []

    def answer(**_: object) -> Decision:
        seen.append(kept(tmp_path, "check", "2025-11"))
        return answers.pop(0)

    monkeypatch.setattr(decision, "suspend_flow_run", answer)
    monthly("2025-11", home=str(tmp_path))
    assert ["# What people look at" in page for page in seen] == [True] * 5
    assert [step for step in program.taken if step[0] == "approve"] == [
        ("approve", "Anna", "d2"),
        ("approve", "Bo", "d2"),
    ]
    assert answers == []
    assert "nothing open" in kept(tmp_path, "check", "2025-11")


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
    (published,) = monthly(MONTH, home=str(tmp_path))
    assert published.digest == "d2"
    assert [step for step in program.taken if step[0] == "reasons"] == [("reasons", "three players")]
    assert program.reasons == {"large_change": "three players"}
    assert "digest d0, and it is d1 now: nothing was taken from it" in forms[1]
    assert "Not taken: it does not ask that" in forms[2]


def test_a_rejected_list_ends_as_cancelled_and_an_approval_by_command_ends_the_wait(
    prefect_server, program, answers, monkeypatch, tmp_path
):
    program.needed = 1
    answers.append(Decision(name="Anna", because="K is wrong", reject=True))
    ended = monthly(MONTH, home=str(tmp_path), return_state=True)
    assert ended.is_cancelled()
    assert ended.message == "Anna rejected the list of 2025-09: K is wrong. It was not published."
    program.people.add("Anna")
    monkeypatch.setattr(decision, "_last_answer", lambda _: (1, Answer()))
    (publication,) = monthly(MONTH, home=str(tmp_path))
    assert publication.revision == "r1"


def test_a_list_that_waits_in_a_run_that_people_cannot_continue_fails_with_what_is_open(
    prefect_server, program, tmp_path
):
    program.needed = 1
    (tmp_path / "inbox").mkdir()
    ended = monthly(MONTH, str(tmp_path / "inbox"), str(tmp_path), return_state=True)
    # The empty folder of reports has stopped nothing: the list was calculated and checked.
    assert (ended.is_failed(), "1 approval is missing" in str(ended.message)) == (True, True)


def test_a_run_of_a_deployment_waits_without_a_process_and_goes_on_with_what_is_written(
    prefect_server, program, tmp_path
):
    program.needed = 1
    closing = deployment_of(tmp_path, None, "fide")
    number = closing.apply()
    with get_client(sync_client=True) as client:
        run = client.create_flow_run_from_deployment(number, parameters={"home": str(tmp_path), "month": "2025-12"})
        with pytest.raises(Pause):
            run_flow(monthly, flow_run=run, parameters=run.parameters, return_type="state")
        waits = client.read_flow_run(run.id)
        assert waits.state.name == "Suspended"
        resume_flow_run(run.id, {"name": "Bo"})
        run_flow(monthly, flow_run=client.read_flow_run(run.id), parameters=run.parameters, return_type="state")
        assert client.read_flow_run(run.id).state.is_completed()
    assert ("approve", "Bo", "d1") in program.taken


@pytest.mark.parametrize(
    ("family", "due", "today", "expected"),
    [
        ("fide", "2025-10-31", "2025-10-31", "2025-11"),
        ("fide", "2025-12-31", "2025-12-31", "2026-01"),
        ("fide", "2025-10-31", "2025-11-02", "2025-11"),  # the run was delayed: it owes the list it was due for
        ("fide", "2025-11-10", "2025-09-30", "2025-10"),  # by hand, with the office's own day set
        ("fide", "2025-10-03", "2025-10-03", "2025-10"),  # by hand: the next list does not close for weeks
        ("fide", "2025-10-29", "2025-10-29", "2025-10"),  # the closing date itself
        ("fide", "2025-10-30", "2025-10-30", "2025-11"),
        ("ffe", "2025-10-31", "2025-10-31", "2025-09"),  # three lists a year
        ("ffe", "2025-12-31", "2025-12-31", "2026-01"),
    ],
)
def test_a_run_without_a_month_makes_the_newest_list_that_has_closed(monkeypatch, family, due, today, expected):
    scheduled = datetime.fromisoformat(due).replace(tzinfo=UTC)
    monkeypatch.setattr(flow_run, "scheduled_start_time", scheduled, raising=False)
    settings = Settings.read(family=family, today=date.fromisoformat(today), environment={})
    assert str(list_due(settings)) == expected


def test_the_demonstration_shows_the_list_that_the_flow_published_with_the_bytes_of_the_program(
    prefect_server: None,
    homes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RATINGLIST_TODAY", "2025-12-01")
    monkeypatch.setattr(init, "MONTHS", init.MONTHS[:1])
    demo.main()
    shown = capsys.readouterr().out
    assert "List of 2025-09 published as r1: demo-home/published/2025-09/r1" in shown
    assert "  2668  Ravnik, Teodor" in shown
    assert published_bytes(Path("demo-home")) == published_bytes(homes / MONTH)
    assert Path("demo-site/index.html").is_file()
    with pytest.raises(SystemExit) as stopped:
        demo.main()
    assert stopped.value.code == 2


# ----------------------------------------------------------------------------------------------- runs without a process


@pytest.fixture
def client(prefect_server: None) -> SyncPrefectClient:
    return get_client(sync_client=True)


def new_run(client: SyncPrefectClient, home: Path, due: datetime) -> FlowRun:
    """A run of the monthly list that was due on a day."""
    closing = deployment_of(home, None, "fide")
    number = closing.apply()
    return client.create_flow_run_from_deployment(number, state=Scheduled(scheduled_time=due))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run that begins or runs be looked for at once."""
    monkeypatch.setattr(serve, "SETTLED", timedelta(0))


def test_a_run_whose_process_is_gone_is_started_again_once_for_its_month(
    client: SyncPrefectClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "gone"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Pending(), force=True)
    client.set_flow_run_state(run.id, Running(), force=True)

    start_interrupted_again(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.RUNNING, "it has only just begun"
    monkeypatch.setattr(serve, "SETTLED", timedelta(0))
    for _ in range(2):
        start_interrupted_again(client, home)
        again = client.read_flow_run(run.id)
        assert (again.state_type, again.expected_start_time) == (StateType.SCHEDULED, run.expected_start_time)

    client.set_flow_run_state(run.id, Running(), force=True)
    start_interrupted_again(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.CRASHED, "it is not started a third time"


def test_a_run_with_a_process_or_of_another_office_is_left_alone_and_a_crashed_one_starts_again(
    client: SyncPrefectClient, settled: None, tmp_path: Path
) -> None:
    home = tmp_path / "alive"
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    other = new_run(client, tmp_path / "other", datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(other.id, Running(), force=True)
    crashed = new_run(client, home, datetime(2025, 9, 30, 20, tzinfo=UTC))
    client.set_flow_run_state(crashed.id, Crashed(), force=True)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(command, env={**os.environ, "PREFECT__FLOW_RUN_ID": str(run.id)}) as process:
        start_interrupted_again(client, home)
        assert client.read_flow_run(run.id).state_type == StateType.RUNNING
        process.kill()
    start_interrupted_again(client, home)
    assert [client.read_flow_run(monthly_run.id).state_type for monthly_run in (run, crashed, other)] == [
        *(StateType.SCHEDULED, StateType.SCHEDULED, StateType.RUNNING)
    ]


def waiting(client: SyncPrefectClient, home: Path, key: str) -> FlowRun:
    """A run that the flow suspended until a form."""
    run = new_run(client, home, datetime(2025, 10, 31, 20, tzinfo=UTC))
    client.set_flow_run_state(run.id, Running(), force=True)
    state = Suspended(pause_key=key)
    state.state_details.run_input_keyset = {"schema": "form-schema"}
    client.set_flow_run_state(run.id, state, force=True)
    return run


def test_a_run_whose_list_is_published_by_hand_goes_on(client: SyncPrefectClient, tmp_path: Path) -> None:
    home = tmp_path / "by-hand"
    run = waiting(client, home, "2025-11-0")
    client.create_flow_run_input(run.id, "form-schema", "{}")
    latest = home / "published" / "2025-11" / "latest"
    latest.parent.mkdir(parents=True)
    latest.write_text("r1\n", encoding="utf-8")
    an_hour_ago = time.time() - 3600
    os.utime(latest, (an_hour_ago, an_hour_ago))
    continue_published(client, home)
    assert client.read_flow_run(run.id).state_type == StateType.PAUSED, "it was published before the run waited"
    os.utime(latest)
    for _ in range(2):
        continue_published(client, home)
        assert client.read_flow_run(run.id).state_type == StateType.SCHEDULED


# ---------------------------------------------------------------------------------------- several offices on one server


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
            assert [entry.schedule.cron for entry in there.schedules] == [SCHEDULE]
    with pytest.raises(CommandLineError, match="has an office of this name, /srv/offices/south: give one of the"):
        check_name("closing-south", Path("/home/of/another/south"))
