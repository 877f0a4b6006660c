"""The account of a registered player about whom a list has nothing: the state, and what became of their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratinglist.messages import EVENT_REASONS, STATUS_SENTENCES, as_answer
from ratinglist.pages.document import Document, Heading, Paragraph, Part
from ratinglist.pages.plain_text import as_text
from ratinglist.text import on_one_line


@dataclass(frozen=True, slots=True)
class UnlistedAccount:
    """What an office knows of a player who is not on a list.

    ``content``: ``month`` and ``revision`` (null: no list is published); ``fide_id``, ``name``, ``federation``,
    ``state``, ``state_text`` and ``ratings`` of the player now; ``reports``: ``event_id``, ``name``, ``file``,
    ``status``, ``list_month``, ``why``, ``remedy`` of the accepted reports with the player, the newest first.
    """

    content: dict[str, Any]

    def as_dict(self) -> dict[str, object]:
        """Return the account as JSON values."""
        return self.content

    def text(self) -> str:
        """Return the account as text for people."""
        return as_text(self.document())

    def document(self) -> Document:
        """Return the account as a document, for a page."""
        content = self.content
        player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
        month = content["month"]
        where = f"list of {month} ({content['revision']})" if month else "no list is published yet"
        now = ", ".join([content["state_text"], *(f"{name} {rating}" for name, rating in content["ratings"].items())])
        parts: list[Part] = [Paragraph(f"Now: {now}")]
        if month:
            parts.append(Paragraph(f"The list of {month} has no rating, no game and no waiting result of this player."))
            if not content["reports"]:
                parts.append(Paragraph("No accepted report has this FIDE ID; refused reports: ratinglist quarantine"))
            for report in content["reports"]:
                parts += _of_report(report)
        return Document(f"{on_one_line(content['name'])} ({player}), {where}", parts)


def _of_report(report: Mapping[str, Any]) -> list[Part]:
    on_list = f" (list of {report['list_month']})" if report["list_month"] else ""
    why = f": {report['why']}" if report["why"] else ""
    remedy = [Paragraph(f"what to do: {report['remedy']}")] if report["remedy"] else []
    return [
        Heading(f"{on_one_line(report['name'])} ({report['event_id']}): {on_one_line(report['file'])}"),
        Paragraph(f"{report['status']}{on_list}{why}"),
        *remedy,
    ]


def unlisted_account(
    player: Mapping[str, Any], month: str | None, revision: str | None, reports: Sequence[Mapping[str, Any]]
) -> UnlistedAccount:
    """Return the account of ``player``, with ``reports``: rows of the view ``report_status``."""
    return UnlistedAccount(
        {
            "month": month,
            "revision": revision,
            **{name: player[name] for name in ("fide_id", "name", "federation", "state", "state_text", "ratings")},
            "reports": [_report(one) for one in reports],
        }
    )


def _report(row: Mapping[str, Any]) -> dict[str, object]:
    reason = EVENT_REASONS.get(row["reason"])
    return {
        **{name: row[name] for name in ("event_id", "name", "status", "list_month")},
        "file": row["file_name"],
        "why": reason.sentence if reason else STATUS_SENTENCES[row["status"]],
        "remedy": as_answer(reason.remedy) if reason else "",
    }
