"""Lists that are calculated again after a correction, in one flow."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from flows import decision
from flows.decision import Decision
from flows.rerate import rerate
from ratinglist.errors import NotApprovedError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import ApprovedMonthsSummary, PreviewSummary, RevisedMonth
from ratinglist.workflows import publish as publish_workflow, rerate as rerate_workflow


def preview_of(folder: Path, month: str, digest: str) -> PreviewSummary:
    report = folder / "REPORT.md"
    report.write_text("# What people look at\n", encoding="utf-8")
    return PreviewSummary(month, "r2", "", str(report), digest, True, [], [], 1, [], "ratinglist rerate")


def test_lists_published_again_wait_for_one_approval_of_all(prefect_server, monkeypatch, tmp_path):
    taken: list[tuple[str, ...]] = []

    def publish_again(_settings: Settings, _start: Period, _because: dict[str, str]) -> list[RevisedMonth]:
        if not taken:
            previews = [preview_of(tmp_path, "2025-09", "d1"), preview_of(tmp_path, "2025-11", "d2")]
            raise NotApprovedError("2 approvals are missing", previews)
        return [RevisedMonth("2025-09", "r1", "r2")]

    def approve(_settings: Settings, *given: object) -> ApprovedMonthsSummary:
        taken.append(tuple(map(str, given)))
        return ApprovedMonthsSummary([])

    monkeypatch.setattr(rerate_workflow, "months_to_rerate", lambda _settings, start: [start])
    monkeypatch.setattr(rerate_workflow, "rate_again", lambda *_: None)
    monkeypatch.setattr(rerate_workflow, "publish_again", publish_again)
    monkeypatch.setattr(publish_workflow, "approve_months", approve)
    shown: list[str] = []

    def answer(*, wait_for_input: type[Decision], **_: object) -> Decision:
        shown.append(str(wait_for_input._description))
        return Decision(name="Anna", remark="fine", digest="d2")

    monkeypatch.setattr(decision, "deployment", SimpleNamespace(id="of the test"))
    monkeypatch.setattr(decision, "suspend_flow_run", answer)
    (revised,) = rerate("2025-09", home=str(tmp_path))
    assert revised.revision == "r2"
    assert taken == [("2025-09", "2025-11", "Anna", "d2", "fine")]
    assert shown == ["2 approvals are missing"]


def test_lists_that_people_reject_are_not_published_again(prefect_server, monkeypatch, tmp_path):
    def publish_again(*_: object) -> list[RevisedMonth]:
        raise NotApprovedError("1 approval is missing", [preview_of(tmp_path, "2025-09", "d1")])

    monkeypatch.setattr(rerate_workflow, "months_to_rerate", lambda _settings, start: [start])
    monkeypatch.setattr(rerate_workflow, "rate_again", lambda *_: None)
    monkeypatch.setattr(rerate_workflow, "publish_again", publish_again)
    monkeypatch.setattr(decision, "deployment", SimpleNamespace(id="of the test"))
    monkeypatch.setattr(decision, "suspend_flow_run", lambda **_: Decision(name="Anna", reject=True))
    ended = rerate("2025-09", home=str(tmp_path), return_state=True)
    assert ended.is_cancelled()
    assert ended.message == "Anna rejected the change of the lists from 2025-09 on. It was not published."
