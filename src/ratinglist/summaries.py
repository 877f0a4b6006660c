"""What a command did, for people (``text``) and for programs (``as_dict``)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

_REPORTS_SHOWN = 5
_FINDINGS_SHOWN = 3
"""How much of what is refused fits on one screen; `ratinglist quarantine` shows all of it."""
_FILES_NAMED = 20


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import brought: an official list (with ``month``) or players alone."""

    file: str
    month: str | None
    listed: dict[str, int]
    players: int
    new_players: int
    changed_players: int
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """The summary in a few lines."""
        lines = [
            f"{self.file}: {_count(self.players, 'player')}, {self.new_players:,} new, {self.changed_players:,} changed"
        ]
        lines += [f"  {name} list of {self.month}: {count:,} rated" for name, count in self.listed.items()]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


@dataclass(frozen=True, slots=True)
class LoadNote:
    """Something noted that refuses no report.

    ``reason`` and ``remedy``: of the rule in ``findings.RULES``; empty for a note on a manifest, which is a sentence
    alone. ``files``: the reports it is about, sorted by name, each with the lines where there are any.
    """

    reason: str
    says: str
    remedy: str = ""
    files: dict[str, list[int]] = field(default_factory=dict)

    def text(self, new_reports: int) -> str:
        """Return the sentence with the names of its files; ``new_reports`` is the number of reports not known before.

        More than twenty files that are all the new reports are not named one by one.
        """
        if _FILES_NAMED < len(self.files) == new_reports:
            return f"{self.says}: all that are new"
        names = ", ".join(f"{name}{_lines_text(lines)}" for name, lines in self.files.items())
        return f"{self.says}: {names}" if names else self.says


def _lines_text(lines: list[int]) -> str:
    return f" (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})" if lines else ""


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """What a delivery held. ``refused`` has one entry per finding that refused a report."""

    files: int
    accepted: int
    known_already: int
    refused_reports: int
    games: int
    refused: list[dict[str, object]]
    notes: list[LoadNote]
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self, *, with_refused: bool = True) -> str:
        """The summary in a few lines; ``with_refused``: with what keeps each report out of a list."""
        lines = [
            f"{_count(self.files, 'report')} read: {self.accepted:,} accepted, {self.known_already:,} known already, "
            f"{self.refused_reports:,} refused; {_count(self.games, 'game')} played"
        ]
        lines += [f"  {problem}" for problem in self.problems]
        if with_refused:
            lines += _refused_lines(self.refused, "ratinglist quarantine")
        new_reports = self.files - self.known_already
        lines += [f"  note: {note.text(new_reports)}" for note in self.notes]
        return "\n".join(lines)


def quarantine_text(rows: list[dict[str, object]]) -> str:
    """Everything that is refused, a line each, with what it is: refused for good, or waiting for a player's ID."""
    return "\n".join(f"{_standing(row)}  {finding_line(row)}" for row in rows) or "Nothing is refused."


def refused_reports(rows: list[dict[str, object]]) -> int:
    """How many reports these lines of the quarantine keep out."""
    return len({(row["file"], row["event_id"]) for row in rows})


def _standing(row: dict[str, object]) -> str:
    return "waits  " if row["reason"] == "unknown_player" else "refused"


def finding_line(row: dict[str, object]) -> str:
    """One finding as a line: file, line, column, what is wrong and what to do."""
    place = "".join(f", {word} {row[word]}" for word in ("line", "column") if row.get(word) is not None)
    remedy = f" → {row['remedy']}" if row["remedy"] else ""
    return f"{row['file']}{place}: {row['says']}{remedy}"


@dataclass(frozen=True, slots=True)
class MonthSummary:
    """A month's calculation in numbers. Results count once per player: a game has two."""

    month: str
    family: str
    rule_sets: list[str]
    events: dict[str, int]
    results: int
    results_rated: int
    results_not_rated: dict[str, int]
    players: dict[str, int]
    waiting: int
    listed: dict[str, int]
    refused: list[dict[str, object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def rows(self) -> list[dict[str, object]]:
        """The numbers as a table of ``label`` and ``value``."""
        rows: list[tuple[str, object]] = [("events known", sum(self.events.values()))]
        rows += [(f"events {status}", count) for status, count in self.events.items()]
        rows += [("results of players", self.results), ("results rated", self.results_rated)]
        rows += [(f"results not rated: {reason}", count) for reason, count in self.results_not_rated.items()]
        rows += [(f"players {status}", count) for status, count in self.players.items()]
        rows += [("unrated players waiting", self.waiting)]
        rows += [(f"players on the {name} list", count) for name, count in self.listed.items()]
        return [{"label": label, "value": value} for label, value in rows]

    def text(self) -> str:
        """The summary on one screen."""
        events = ", ".join(f"{count:,} {status}" for status, count in self.events.items() if count)
        players = ", ".join(f"{count:,} {status}" for status, count in self.players.items())
        listed = ", ".join(f"{name} {count:,}" for name, count in self.listed.items())
        lines = [
            f"List of {self.month} ({', '.join(self.rule_sets) or self.family})",
            f"  events   {sum(self.events.values()):,} known: {events or 'none'}",
            f"  results  {self.results:,} of players (two a game): {self.results_rated:,} rated, "
            f"{self.results - self.results_rated:,} not",
            *[f"             {count:>7,} {reason}" for reason, count in self.results_not_rated.items()],
            f"  players  {players}; {self.waiting:,} unrated waiting",
            f"  listed   {listed or 'nobody'}",
        ]
        lines += _refused_lines(self.refused, f"ratinglist quarantine {self.month}")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


@dataclass(frozen=True, slots=True)
class PublishSummary:
    """Where a month's list was published. ``is_new`` is false where the same bytes stood there already."""

    month: str
    revision: str
    path: str
    is_new: bool
    files: dict[str, int]
    digest: str = ""
    approved_by: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """The summary in a line."""
        what = "published" if self.is_new else "already published, unchanged"
        people = f", approved by {' and '.join(self.approved_by)}" if self.approved_by else ""
        return f"List of {self.month} {what} as {self.revision}{people}: {self.path}"


@dataclass(frozen=True, slots=True)
class PreviewSummary:
    """A preview of a month's list. ``lines``: the questions it raises, for people; ``go_on``: what publishes it."""

    month: str
    revision: str
    path: str
    report: str
    digest: str
    is_new: bool
    questions: list[dict[str, object]]
    unanswered: list[str]
    approvals_needed: int
    approved_by: list[str]
    go_on: str
    lines: list[str] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """How many people still have to approve it."""
        return max(self.approvals_needed - len(self.approved_by), 0)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return {name: value for name, value in asdict(self).items() if name != "lines"}

    def text(self) -> str:
        """The summary, the questions raised, and what to do next."""
        head = f"Preview of the list of {self.month}, {self.revision}: {self.path}"
        lines = [head, f"  report  {self.report}", f"  digest  {self.digest}"]
        if not self.is_new:
            lines.append("  readers have exactly this already")
        lines += [f"  {line}" for line in self.lines]
        if self.unanswered:
            because = " ".join(f'--because {question}="..."' for question in self.unanswered)
            # With approvals the answer makes another digest, so it has to be looked at before it is published.
            first = " --preview" if self.approvals_needed else ""
            lines.append(f"Not to be published before it is answered: ratinglist publish {self.month}{first} {because}")
        elif self.missing:
            lines.append(self.to_approve())
        elif self.is_new:
            lines.append(f"To publish it: {self.go_on}")
        return "\n".join(lines)

    def to_approve(self) -> str:
        """How to approve it and to go on, in two lines."""
        people = "One approval is" if self.missing == 1 else f"{self.missing} approvals are"
        return (
            f"Read {self.report}. {people} missing: "
            f"ratinglist approve {self.month} --by NAME --digest {self.digest[:12]}\nThen: {self.go_on}"
        )


@dataclass(frozen=True, slots=True)
class ApprovalSummary:
    """Who approved the current preview of a month. ``approvals``: ``name``, ``remark``, ``known_on`` of each."""

    month: str
    revision: str
    digest: str
    approvals: list[dict[str, str]]
    approvals_needed: int
    go_on: str
    already: str = ""
    published: bool = False

    @property
    def missing(self) -> int:
        """How many people still have to approve it."""
        return max(self.approvals_needed - len(self.approvals), 0)

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        told = {name: value for name, value in asdict(self).items() if name != "already"}
        return {**told, "missing": self.missing}

    def text(self) -> str:
        """The summary, a line per person, and what to do next."""
        lines = [f"Preview of the list of {self.month}, {self.revision}, digest {self.digest}"]
        lines += [
            f"  approved by {one['name']} on {one['known_on']}" + (f": {one['remark']}" if one["remark"] else "")
            for one in self.approvals
        ] or ["  nobody has approved it"]
        if self.already:
            lines.append(f"  {self.already} had approved it before: one person counts once")
        if self.published:
            lines.append("It is published already: nothing is to be approved.")
        elif self.missing:
            lines.append(f"{_count(self.missing, 'approval')} missing: ratinglist approve {self.month} --by NAME")
        elif not self.approvals_needed:
            lines.append(f"This office asks for no approval. To publish it: {self.go_on}")
        else:
            lines.append(f"To publish it: {self.go_on}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Load, rate and publish in one."""

    loaded: LoadSummary | None
    rated: MonthSummary
    published: PublishSummary

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return {
            "loaded": self.loaded.as_dict() if self.loaded else None,
            "rated": self.rated.as_dict(),
            "published": self.published.as_dict(),
        }

    def text(self) -> str:
        """The summary on one screen."""
        # What keeps a report out is told once, by the list that was to rate it.
        loaded = [self.loaded.text(with_refused=False)] if self.loaded else []
        return "\n".join([*loaded, self.rated.text(), self.published.text()])


def _refused_lines(refused: list[dict[str, object]], command: str) -> list[str]:
    """The first findings of the first refused reports; a report with a hundred does not hide the others."""
    by_report: dict[tuple[object, object], list[dict[str, object]]] = {}
    for row in refused:
        by_report.setdefault((row["file"], row["event_id"]), []).append(row)
    lines = []
    for rows in list(by_report.values())[:_REPORTS_SHOWN]:
        lines += [f"  {_standing(row)}  {finding_line(row)}" for row in rows[:_FINDINGS_SHOWN]]
        if len(rows) > _FINDINGS_SHOWN:
            lines.append(f"           and {len(rows) - _FINDINGS_SHOWN:,} more in this report: `{command}`")
    if len(by_report) > _REPORTS_SHOWN:
        lines.append(f"           and {len(by_report) - _REPORTS_SHOWN:,} more reports: `{command}`")
    return lines
