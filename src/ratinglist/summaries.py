"""Summaries of the commands, for people (``text``) and for programs (``as_dict``).

A command whose result says what comes next has a summary with sentences of its own; the result of any other is
:class:`Facts`, printed field by field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass, field
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar

import polars as pl

from ratinglist.messages import sentence, status_word
from ratinglist.period import Period
from ratinglist.text import counted, first_lines, halves, hundredths, quarters, shown, text_table

_FILES_NAMED = 5
"""How many files of a note fit on one screen; `--json` has all of them."""
NOTED_FOR_PROGRAMS = ("default_registration",)
"""Notes that most deliveries have, and that no one acts upon: they are in the JSON alone."""


class Summary:
    """What a command did, for people (``text``) and for programs; its classes are dataclasses."""

    __slots__ = ()
    FOR_PEOPLE: ClassVar[tuple[str, ...]] = ("lines", "known_ids")
    """The fields that programs do not get."""

    def text(self) -> str:
        """Return what was done, in lines for people."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values by field, a frame as its rows; ``tables`` are last, by their names."""
        fields: Any = self
        values = {name: value for name, value in asdict(fields).items() if name not in self.FOR_PEOPLE}
        values |= values.pop("tables", {})
        return {name: value.to_dicts() if isinstance(value, pl.DataFrame) else value for name, value in values.items()}


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

    def text(self) -> str:
        """Return the sentence with the names of its first files."""
        named = [f"{name}{_lines_text(lines)}" for name, lines in islice(self.files.items(), _FILES_NAMED)]
        more = f" and {len(self.files) - len(named):,} more" if len(self.files) > len(named) else ""
        return f"{self.says}: {', '.join(named)}{more}" if named else self.says


def _lines_text(lines: list[int]) -> str:
    return f" (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})" if lines else ""


@dataclass(frozen=True, slots=True)
class LoadSummary(Summary):
    """A delivery of reports, loaded.

    ``refused``: one row per finding that refused a report. ``notes``: findings that refuse none. ``problems``: files
    that could not be read. ``received_earlier``: how many known reports have an earlier day of receipt now.
    Not for programs: ``known_ids``, the ``report_id`` of each report, where all were known already.
    """

    files: int
    accepted: int
    known_already: int
    refused_reports: int
    games: int
    refused: list[dict[str, object]]
    notes: list[LoadNote]
    problems: list[str] = field(default_factory=list)
    received_earlier: int = 0
    known_ids: list[str] = field(default_factory=list)

    def text(self, *, refused_by: Collection[dict[str, object]] = ()) -> str:
        """Return the summary in a few lines.

        ``refused_by``: the rows of a month's summary, shown too: each reason of other reports is given once, counted.
        """
        refused = min(refused_reports(row for row in self.refused if row["status"] != "waiting"), self.refused_reports)
        wait = self.refused_reports - refused
        waits = f", {wait:,} {'waits' if wait == 1 else 'wait'}" if wait else ""
        lines = [
            f"{counted(self.files, 'report')} read: {self.accepted:,} accepted, {self.known_already:,} known already, "
            f"{refused:,} refused{waits}; {counted(self.games, 'game')} played"
        ]
        if self.received_earlier:
            lines.append(f"  {counted(self.received_earlier, 'known report')} received earlier than was known")
        lines += [f"  {problem}" for problem in self.problems]
        named = {(row["file"], row["event_id"]) for row in refused_by}
        others = [row for row in self.refused if (row["file"], row["event_id"]) not in named]
        lines += refused_lines(others, "ratinglist quarantine")
        lines += [f"  note: {note.text()}" for note in self.notes if note.reason not in NOTED_FOR_PROGRAMS]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class MonthSummary(Summary):
    """The calculation of a month, counted.

    ``results``: player results; a game has two. ``events`` and ``players``: counts by status. ``listed``: rated players
    by time control. ``floors``: the lowest ratings that are listed, one for each that differs between the lists.
    ``uses_list_before``: whether the games use the ratings of the list before, whenever the event began.
    """

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
    floors: list[int] = field(default_factory=list)
    uses_list_before: bool = False

    def text(self) -> str:
        """Return the summary on one screen, each reason as its sentence."""
        reasons = [
            (sentence(code, uses_list_before=self.uses_list_before), count)
            for code, count in self.results_not_rated.items()
        ]
        number = waiting_reports(self.refused)
        events = ", ".join(f"{count:,} {status}" for status, count in counted_events(self.events, number).items())
        players = ", ".join(f"{count:,} {self._label(status)}" for status, count in self.players.items())
        listed = ", ".join(f"{name} {count:,}" for name, count in self.listed.items())
        lines = [
            f"List of {self.month} ({', '.join(self.rule_sets) or self.family})",
            f"  events   {sum(self.events.values()):,} known: {events or 'none'}",
            f"  results  {counted(self.results // 2, 'game')} ({counted(self.results, 'player result')}): "
            f"{self.results_rated:,} results rated, "
            f"{self.results - self.results_rated:,} not",
            *[f"             {count:>7,} {reason}" for reason, count in reasons],
            f"  players  {players}; {self.waiting:,} unrated waiting",
            f"  listed   {listed or 'no player'}",
        ]
        if number:
            are = "event waits and is" if number == 1 else "events wait and are"
            lines.append(f"  waiting  {number:,} {are} not on this list")
        lines += refused_lines(self.refused, f"ratinglist quarantine {self.month}")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def _label(self, status: str) -> str:
        """Return a player status with its plain meaning in brackets."""
        if status == "entered":
            return "entered (first rating)"
        floor = self.floors[0] if len(self.floors) == 1 else "the floor"
        return f"delisted (removed: below {floor})" if status == "delisted" else status


@dataclass(frozen=True, slots=True)
class PublishSummary(Summary):
    """The publication of a month's list. ``is_new`` is false where the same bytes were published already.

    ``typed``: what people typed since the list before was published, a line each; none where it is not new.
    """

    month: str
    revision: str
    path: str
    is_new: bool
    files: dict[str, int]
    digest: str = ""
    approved_by: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the summary as one line, below what was typed since the list before."""
        what = "published" if self.is_new else "already published, unchanged"
        people = f", approved by {' and '.join(self.approved_by)}" if self.approved_by else ""
        return "\n".join(
            [*typed_lines(self.typed), f"List of {self.month} {what} as {self.revision}{people}: {self.path}"]
        )


def typed_lines(typed: Collection[str]) -> list[str]:
    """Return what people typed since the list before, under its heading; nothing where nothing was typed."""
    return (
        [f"Typed since the list before was published: {len(typed):,}", *(f"  {line}" for line in typed)]
        if typed
        else []
    )


@dataclass(frozen=True, slots=True)
class PreviewSummary(Summary):
    """A preview of a month's list.

    ``lines``: the questions it raises, as text. ``go_on``: the command that publishes it. ``is_new`` is false where the
    same bytes are published already, as ``revision``. ``typed``: see :class:`PublishSummary`.
    """

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
    typed: list[str] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Return how many people still have to approve it."""
        return missing_approvals(self.approvals_needed, self.approved_by)

    def text(self) -> str:
        """Return the summary, the questions raised, and the next command."""
        head = f"Preview of the list of {self.month}, {self.revision}: {self.path}"
        lines = [head, f"  report  {self.report}", f"  digest  {self.digest}"]
        if not self.is_new:
            lines.append(f"  identical to published {self.revision}")
        lines += [f"  {line}" for line in (*typed_lines(self.typed), *self.lines)]
        if self.unanswered or self.missing or self.is_new:
            lines.append(next_step(self))
        if self.missing and not self.unanswered:
            lines.append(f"Then: {self.go_on}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ApprovalSummary(Summary):
    """The approvals of a month's current preview.

    ``approvals``: ``name``, ``known_on`` of each, and ``signature`` of a signed one. ``go_on``: the command
    that publishes the preview. ``unanswered``: the questions that it leaves open.
    """

    month: str
    revision: str
    digest: str
    approvals: list[dict[str, str]]
    approvals_needed: int
    go_on: str
    unanswered: list[str]
    published: bool = False

    FOR_PEOPLE: ClassVar[tuple[str, ...]] = ("unanswered",)

    @property
    def missing(self) -> int:
        """Return how many people still have to approve it."""
        return missing_approvals(self.approvals_needed, self.approvals)

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return {**Summary.as_dict(self), "missing": self.missing}

    def text(self) -> str:
        """Return the summary, a line per approval, and the next command."""
        lines = [f"Preview of the list of {self.month}, {self.revision}, digest {self.digest}"]
        lines += [
            f"  approved by {approval['name']} on {approval['known_on']}"
            + (", signed" if approval.get("signature") else "")
            for approval in self.approvals
        ] or ["  not approved yet"]
        if self.published:
            lines.append("It is published already; it needs no approval.")
        else:
            lines.append(next_step(self))
        return "\n".join(lines)


def next_step(preview: PreviewSummary | ApprovalSummary) -> str:
    """Return what is to be done before a preview can be published, or that it can be, with the command."""
    if preview.unanswered:
        # The answers are part of the manifest and change its digest: where people approve, preview again.
        first = " --preview" if preview.approvals_needed else ""
        return f"To answer before it can be published: {preview.go_on}{first} {because_options(preview.unanswered)}"
    if preview.missing:
        return f"{counted(preview.missing, 'approval')} missing: ratinglist approve {preview.month} --by NAME"
    return f"To publish it: {preview.go_on}"


def because_options(questions: Iterable[str]) -> str:
    """Return the options that answer these questions, with the reasons left to be filled in."""
    return " ".join(f'--because {question}="..."' for question in questions)


def missing_approvals(needed: int, approvals: Sized) -> int:
    """Return how many people still have to approve a preview that has these ``approvals``."""
    return max(needed - len(approvals), 0)


@dataclass(frozen=True, slots=True)
class AppliedCorrection:
    """A correction that was applied.

    ``description``: what it did, in one sentence. ``first_month``: the first list it can move; empty where no such
    list was calculated yet.
    """

    number: int
    action: str
    description: str
    first_month: str


@dataclass(frozen=True, slots=True)
class CorrectSummary(Summary):
    """The corrections of a file, applied.

    ``made``: the applied corrections, in order. ``first_month``: the first list they can move; empty where none was
    calculated. ``already``: the file was applied before, nothing was received since, and nothing was changed.
    """

    file: str
    made: list[AppliedCorrection]
    first_month: str
    already: bool = False

    @classmethod
    def of(cls, file: str, applied: Sequence[AppliedCorrection]) -> CorrectSummary:
        """Return the summary of the applied corrections, in order."""
        months = [correction.first_month for correction in applied if correction.first_month]
        return cls(file, list(applied), min(months, default=""))

    def text(self) -> str:
        """Return the summary: a line per correction, and the next command."""
        lines = [f"{self.file}: {counted(len(self.made), 'correction')} applied"]
        if self.already:
            lines = [f"{self.file}: applied before; nothing was changed"]
        lines += [f"  {correction.number}. {correction.description}" for correction in self.made]
        if self.first_month:
            lines.append(
                "No list was calculated again yet. To see which ratings would change: "
                f"ratinglist rerate --from {self.first_month} --preview"
            )
        elif not self.already:
            lines.append("No calculated list is changed by this.")
        return "\n".join(lines)


_BIRTH_DATE = re.compile(r"^(\s*birth_date\s*=\s*\d{4}-)\d{2}-\d{2}", re.MULTILINE)
"""The year, and the rest of a date of birth, which is shown nowhere."""


@dataclass(frozen=True, slots=True)
class CorrectionPreview(Summary):
    """What corrections would move, once the lists are calculated again.

    ``toml``: the corrections as a file has them, but for the days of dates of birth. ``corrections``: what each does,
    one sentence each. ``first_month``: the first list that can move; empty where none was calculated. ``players``: each
    player of a list whose rating would be another, oldest list first.
    """

    toml: str
    corrections: list[str]
    first_month: str
    months: list[RevisedMonth]
    players: list[dict[str, object]]

    @classmethod
    def of(
        cls,
        toml: str,
        applied: CorrectSummary,
        rerated: RerateSummary | None,
        players: list[dict[str, object]],
        left_out: Sequence[str] = (),
    ) -> CorrectionPreview:
        """Return the preview of corrections that were applied for a trial; ``rerated`` is None where no list moves.

        ``left_out``: a sentence for each event that is rated no more.
        """
        sentences = [*(correction.description for correction in applied.made), *left_out]
        months = rerated.months if rerated is not None else []
        return cls(_BIRTH_DATE.sub(r"\1..-..", toml), sentences, applied.first_month, months, players)

    def text(self) -> str:
        """Return the preview: the corrections file, what it does, the lists and the first players that it moves."""
        lines = [*(f"  {line}" for line in self.toml.splitlines()), *self.corrections]
        if not self.first_month:
            return "\n".join([*lines, "No calculated list would change: none is calculated again."])
        lines += [
            f"Once the lists from {self.first_month} on are calculated again:",
            *(month.text() for month in self.months),
        ]
        players = []
        for player in self.players:
            before, after = (
                player[name] if player[name] is not None else "unrated" for name in ("old_rating", "rating")
            )
            named = f"{player['month']} {player['time_control']}  {player['fide_id']} {player['name']}"
            players.append(f"{named}: {before} -> {after}")
        return "\n".join([*lines, *first_lines(players)])


def movement_text(rose: int, fell: int, farthest: int) -> str:
    """Return how many players rose and fell, and how far: ``2 rose, 1 fell, by at most 7``."""
    if not rose and not fell:
        return "no rating rose or fell"
    moved = [f"{count:,} {what}" for count, what in ((rose, "rose"), (fell, "fell")) if count]
    return f"{', '.join(moved)}, by at most {farthest}"


@dataclass(frozen=True, slots=True)
class RevisedMonth:
    """What a re-rating changed on one list.

    ``before``: the revision compared with, empty where the month was never published. ``revision``: the new one, empty
    where none was made. ``moved``: the number of players with any difference. ``rose``, ``fell``: of those with a
    rating that did, in whichever time control. ``farthest``: the largest difference of a rating, in points. ``asks``:
    the questions it raises that have no answer. ``differs``: some published table does, which need not be a list.
    """

    month: str
    before: str = ""
    revision: str = ""
    moved: int = 0
    rose: int = 0
    fell: int = 0
    farthest: int = 0
    asks: tuple[str, ...] = ()
    differs: bool = False

    @classmethod
    def of(cls, period: Period, before: str, rows: pl.DataFrame) -> RevisedMonth:
        """Return a month summarised from its ``DIFF`` rows."""
        return cls(
            str(period),
            before,
            moved=rows["fide_id"].n_unique(),
            rose=rows.filter(pl.col("difference") > 0)["fide_id"].n_unique(),
            fell=rows.filter(pl.col("difference") < 0)["fide_id"].n_unique(),
            farthest=int(rows.select(pl.col("difference").abs().max().fill_null(0)).item()),
            differs=True,
        )

    def text(self) -> str:
        """Return the month as one line."""
        if not self.before:
            return f"{self.month}  calculated again; it was never published"
        if not self.differs:
            return f"{self.month}  {self.before} stays current: nothing changed"
        became = f" -> {self.revision}" if self.revision else ""
        if not self.moved:
            others = "no player of a list differs; other tables do, such as results that wait"
            return f"{self.month}  {self.before}{became}: {others}"
        differ = "player differs" if self.moved == 1 else "players differ"
        return (
            f"{self.month}  {self.before}{became}: {self.moved:,} {differ}, "
            + movement_text(self.rose, self.fell, self.farthest)
            + (f"; raises {', '.join(self.asks)}" if self.asks else "")
        )


@dataclass(frozen=True, slots=True)
class RerateSummary(Summary):
    """What a re-rating changed, list by list, or would change (``preview``). ``notes``: what remains to be done."""

    start: str
    preview: bool
    months: list[RevisedMonth]
    notes: list[str]

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        facts = Summary.as_dict(self)
        return {"from": facts.pop("start"), **facts}

    def text(self) -> str:
        """Return the summary: a line per list, then the notes."""
        head = f"{counted(len(self.months), 'list')} from {self.start} on calculated again"
        return "\n".join(
            [
                head + (", nothing was kept or published (--preview):" if self.preview else ":"),
                *(month.text() for month in self.months),
                *(f"note: {note}" for note in self.notes),
            ]
        )


_SHOWN = 8
"""How many reasons fit on one screen; `ratinglist quarantine` shows every finding."""


def quarantine_text(rows: list[dict[str, object]]) -> str:
    """Return the quarantine as text: a line per finding, or per report that a list did not rate, with its status."""
    width = max((len(_status(row).rstrip()) for row in rows), default=0)
    lines = [f"{_status(row).rstrip():<{width}}  {finding_line(row)}" for row in rows]
    return "\n".join(lines) or "Nothing is refused."


def refused_reports(rows: Iterable[Mapping[str, object]]) -> int:
    """Return the number of reports that these rows of the quarantine refuse."""
    return len({(row["file"], row["event_id"]) for row in rows})


def waiting_reports(rows: Iterable[Mapping[str, object]]) -> int:
    """Return the number of reports that these rows of the quarantine name and that wait, with nothing wrong in them."""
    return len({(row["file"], row["event_id"]) for row in rows if row["status"] == "waiting"})


def counted_events(by_status: Mapping[str, int], waiting: int) -> dict[str, int]:
    """Return the counts of events by the word for their status; those that wait are not refused. No count is 0."""
    counts: dict[str, int] = {}
    for status, count in by_status.items():
        counts |= {"refused": count - waiting, "waits": waiting} if status == "refused" else {status: count}
    return {status: count for status, count in counts.items() if count}


def by_reason(rows: Iterable[Mapping[str, object]]) -> list[tuple[int, Mapping[str, object]]]:
    """Return each reason of these rows of the quarantine once: in how many reports, and the first finding.

    Those that refuse a report are first, then that of most reports. A player who is not registered is a reason of its
    own, however many reports name the FIDE ID.
    """
    reports: dict[tuple[object, ...], dict[tuple[object, object], Mapping[str, object]]] = {}
    for row in rows:
        player = row.get("value") if row["reason"] == "unknown_player" else None
        of_reason = reports.setdefault((row["status"] == "waiting", row["reason"], player), {})
        of_reason.setdefault((row["file"], row["event_id"]), row)
    in_order = sorted(reports.items(), key=lambda item: (item[0][0], -len(item[1])))
    return [(len(of_reason), next(iter(of_reason.values()))) for _, of_reason in in_order]


def _status(row: Mapping[str, object]) -> str:
    """Return the status as a word of seven letters or more."""
    return f"{status_word(str(row['status'])):<7}"


def finding_line(row: Mapping[str, object]) -> str:
    """Return a finding as one line: file, line, column, what is wrong and what to do."""
    place = "".join(f", {part} {row[part]}" for part in ("line", "column") if row.get(part) is not None)
    remedy = f" → {row['remedy']}" if row["remedy"] else ""
    return f"{row['file']}{place}: {row['says']}{remedy}"


def refused_lines(rows: list[dict[str, object]], command: str) -> list[str]:
    """Return a line on each of the first reasons why reports are refused or wait.

    ``command`` shows the findings that are left out.
    """
    lines = [
        f"  {_status(row)}  {f'{number:,} reports, first ' if number > 1 else ''}{finding_line(row)}"
        for number, row in by_reason(rows)[:_SHOWN]
    ]
    left = len(rows) - len(lines)
    return [*lines, f"           and {counted(left, 'more finding')}: `{command}`"] if left else lines


_UNITS: dict[str, Callable[[int | None], str]] = {"halves": halves, "quarters": quarters, "hundredths": hundredths}
"""How the numbers of a column are written, by the unit that its name ends with."""
_LINE = 100
"""How many characters of a list are one line."""


@dataclass(frozen=True, slots=True)
class Facts(Summary):
    """Facts and tables by name.

    ``title``: what they are of, or what was done; the first line for people. ``lines``: what people get below it;
    None: :func:`fact_lines`.
    """

    title: str
    values: dict[str, Any]
    lines: list[str] | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the facts as JSON-able values by name, a frame as its rows."""
        return {
            name: value.to_dicts() if isinstance(value, pl.DataFrame) else value for name, value in self.values.items()
        }

    def text(self) -> str:
        """Return the title and the lines below it."""
        facts = {name: value for name, value in self.values.items() if value is not self.title}
        return "\n".join([self.title, *(fact_lines(facts) if self.lines is None else self.lines)])


def fact_lines(facts: Mapping[str, object]) -> list[str]:
    """Return a line for each fact that is not empty, and the tables as tables; a long list has a line for each part."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, pl.DataFrame):
            lines += ["", *frame_table(value)]
        elif isinstance(value, Mapping):
            lines += [f"{_words(name)}, {_words(str(key))}: {_text(of_key)}" for key, of_key in value.items()]
        elif isinstance(value, list) and len(_text(value)) > _LINE:
            lines += [f"{_words(name)}: {len(value):,}", *first_lines([_text(part) for part in value])]
        elif value is not False and value not in (None, "", [], ()):
            lines.append(f"{_words(name)}: {_text(value)}")
    return lines


def frame_table(rows: pl.DataFrame) -> list[str]:
    """Return rows as a table, in points where the name of a column ends with halves, quarters or hundredths."""
    units = [_UNITS.get(name.rpartition("_")[2]) for name in rows.columns]
    names = [_words(name.rpartition("_")[0] if unit else name) for name, unit in zip(rows.columns, units, strict=True)]
    cells = [
        [unit(cell) if unit else _text(cell) for cell, unit in zip(row, units, strict=True)] for row in rows.iter_rows()
    ]
    return text_table(names, cells, [dtype.is_numeric() for dtype in rows.dtypes], rule=True)


def _words(name: str) -> str:
    return shown(name.replace("_", " "))


def _text(value: object) -> str:
    """Return a value on one line: four places of a number that is not whole, and the parts of a list."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{value:.4f}"
    if isinstance(value, list | tuple):
        return ", ".join("-".join(map(str, part)) if isinstance(part, tuple) else _text(part) for part in value)
    return shown(value)
