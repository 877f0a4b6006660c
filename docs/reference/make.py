"""Make reference pages from the code, so that everything is written once.

``python docs/reference/make.py`` writes them into ``docs/built``, which git ignores; ``make docs`` does so first.
"""

from __future__ import annotations

import ast
import inspect
import tempfile
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import accumulate, chain, pairwise
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import polars as pl

from ratinglist import errors, findings, limits as program_limits
from ratinglist.cli.main import program
from ratinglist.corrections.parser import ACTIONS
from ratinglist.lists import formats
from ratinglist.lists.formats import FORMATS, ExportRequest, file_name
from ratinglist.messages import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS
from ratinglist.period import Period
from ratinglist.publication import doubts
from ratinglist.rating.rules import RuleSet
from ratinglist.reports.delivered_tables import ALLOWED, EVENT_CELLS, GAME_CELLS
from ratinglist.store import rule_files
from ratinglist.tables import BOTH_NUMBERS, EVENT_STATUS, LISTED, LISTS, PUBLISHED, SYSTEM_PUBLISHED, FideColumn, Table
from ratinglist.workflows import sql
from ratinglist_lab import statistics
from ratinglist_lab.reconcile import CAUSES
from ratinglist_lab.report import WHAT_IF_TABLES

BUILT = Path(__file__).resolve().parents[1] / "built"
WIDTH = 100


def main() -> None:
    """Write every page."""
    BUILT.mkdir(exist_ok=True)
    for name, text in pages().items():
        (BUILT / name).write_text(text, encoding="utf-8", newline="\n")


def pages() -> dict[str, str]:
    """Name to text of every page."""
    contents = {
        "tables.md": tables(),
        "reports.md": reports(),
        "reasons.md": reasons_not_rated(),
        "doubts.md": doubts_of_lists(),
        "command-line.md": command_line(),
        "rules.md": rule_sets(),
        "exports.md": exports(),
        "limits.md": limits(),
        "delivery-tables.md": delivery_tables(),
        "corrections.md": corrections(),
        "statistics.md": statistics_tables(),
        "laboratory.md": laboratory_tables(),
    }
    return {name: "\n".join([*lines, ""]) for name, lines in contents.items()}


def tables() -> list[str]:
    """Every table that readers see: those of a revision, those next to the revisions, and the views over them."""
    published = list({table.name: table for table in PUBLISHED.values()}.values())
    return [
        "# Tables",
        "",
        "A score is in half points: 0, 1, 2. An expected score and a change are in hundredths of a point. A month is "
        "text, `YYYY-MM`, and means the list that takes effect on its first day. `integer` has 32 bits, `long` 64.",
        "",
        "## Published",
        "",
        "One file a table in `published/<month>/r<N>/`. In `ratinglist sql` each is a view over the newest revision "
        "of every month, with `list_month` and `revision` in front.",
        "",
        "Each revision describes its tables in `datapackage.json`, a [Frictionless Data "
        "Package](https://specs.frictionlessdata.io/data-package/) with types, units and keys. It stands in every "
        "revision, because a revision is copied, signed and proved as a whole and has the columns of its day. `verify` "
        "compares it as it does the tables. It leaves the table `diff` out, which depends on the revision before.",
        *_sections(published),
        "",
        "## Published by families of other systems",
        "",
        "The tables of `fsi`, `fsi-1998`, `club`, `uscf`, `ffe`, `glicko` and `wcc` have these columns too, at the "
        "end, and `k` of a list may be empty. [The families](../reference/families.md) says which of them each fills.",
        *_added_columns(),
        "",
        "## Next to the revisions",
        "",
        "`published/<month>/both_numbers.parquet`, where a list was corrected, and `published/events.parquet`, which "
        "is `event_status` in SQL.",
        *_sections([BOTH_NUMBERS, EVENT_STATUS]),
        "",
        "## Views for SQL",
        "",
        "Made of the published tables; `ratinglist sql` knows them too. `newest_list()` is the newest month.",
        *_views(),
    ]


def _added_columns() -> list[str]:
    """The columns that a family of another system has at the end of a published table."""
    rows = [
        (f"`{stem if stem not in LISTS else 'standard'}`", f"`{name}`", _type(column.dtype), column.description)
        for stem, table in SYSTEM_PUBLISHED.items()
        if stem not in LISTS[1:]
        for name, column in table.columns.items()
        if PUBLISHED[stem].columns.get(name) != column
    ]
    return ["", *_table(("table", "column", "type", "meaning"), rows)]


def statistics_tables() -> list[str]:
    """Every table that the command statistics writes."""
    return [
        "# Statistics",
        "",
        "The files that `ratinglist statistics` writes, one for each table, next to the page `statistics.html`: "
        "[how to use them](../how-to/analyse-results-and-lists.md). All numbers are whole; the end of a name is its "
        "unit: [how columns are named](../../GLOSSARY.md#how-columns-are-named). A mean is rounded half up.",
        *_sections(statistics.TABLES),
    ]


def laboratory_tables() -> list[str]:
    """Every table that the commands of the laboratory write."""
    return [
        "# Laboratory",
        "",
        "The files that `ratinglist lab report` and `ratinglist lab what-if` write, one for each table, next to "
        "the page `report.html`: "
        "[how to use them](../how-to/ask-what-if.md); `moved` and `largest` are of a "
        "what-if. All numbers are whole; the end of a name is its unit: "
        "[how columns are named](../../GLOSSARY.md#how-columns-are-named).",
        *_sections(WHAT_IF_TABLES),
    ]


def _sections(of: Iterable[Table]) -> list[str]:
    lines = []
    for table in of:
        stems = [stem for stem, schema in PUBLISHED.items() if schema is table]
        files = [f"`{stem}.parquet`" for stem in stems] + [f"`{stem}.csv`" for stem in stems if stem in LISTS]
        title = "`standard`, `rapid`, `blitz` (view `lists`)" if len(stems) > 1 else f"`{table.name}`"
        lines += ["", f"### {title}", "", f"One row per {table.one_row_per}."]
        if files:
            lines += ["", f"Files: {', '.join(files)}."]
        if table.key:
            order = [
                f"`{name}`{' descending' if down else ''}"
                for name, down in zip(
                    table.order or table.key, table.descending or [False] * len(table.key), strict=False
                )
            ]
            keys = ", ".join(f"`{name}`" for name in table.key)
            lines += ["", f"Key: {keys}." + (f" Sorted by {', '.join(order)}." if files else "")]
        rows = [
            (f"`{name}`", _type(column.dtype), "yes" if column.null else "", column.description)
            for name, column in table.columns.items()
        ]
        lines += ["", *_table(("column", "type", "may be empty", "meaning"), rows)]
    return lines


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Decimal):
        return f"decimal, {dtype.scale} places"
    if isinstance(dtype, pl.Enum):
        return "one of the texts named"
    words = {
        pl.String(): "text",
        pl.Int32(): "integer",
        pl.UInt32(): "integer",
        pl.Int64(): "long",
        pl.Date(): "date",
        pl.Boolean(): "boolean",
    }
    return words[dtype]


def _views() -> list[str]:
    lines = []
    with tempfile.TemporaryDirectory() as nothing_published:
        for name, text in sql.published_views().items():
            columns = sql.run(Path(nothing_published), f"describe {name}")["column_name"].to_list()
            says = text.partition("\n")[0].removeprefix("--").strip()
            lines += ["", f"### `{name}`", "", says, "", ", ".join(f"`{column}`" for column in columns) + "."]
    return lines


def reports() -> list[str]:
    """Every rule of ``findings``: those that refuse a report, then those that only note something."""
    lines = [
        "# What can be wrong with a report",
        "",
        "A report is *refused* whole, because half a tournament is worse than none, or something in it is only "
        "*noted*. `ratinglist quarantine` prints file, line and column, the sentence and the remedy below; the code "
        "is the `reason` of `ratinglist quarantine --json`. *value* is the text found in the report, *detail* "
        "whatever else the sentence needs.",
    ]
    for effect, title in (("refused", "Refused"), ("waits", "Waiting"), ("noted", "Noted")):
        rows = [
            (f"`{code}`", _filled(rule.sentence), _filled(rule.remedy), rule.source)
            for code, rule in findings.RULES.items()
            if rule.effect == effect
        ]
        lines += ["", f"## {title}", "", *_table(("code", "sentence", "what to do", "source"), rows)]
    return lines


def _filled(sentence: str) -> str:
    return sentence.replace("{value}", "*value*").replace("{detail}", "*detail*")


def reasons_not_rated() -> list[str]:
    """Every published code of a reason, and every cause that ``reconcile`` names."""
    lines = [
        "# Why something is not rated",
        "",
        "Articles are those of FIDE's B.02; *RB* is its text for rapid and blitz; *readings* are decisions of this "
        "program where the text leaves a choice.",
    ]
    for title, column, reasons in (
        ("Events", "events.reason", EVENT_REASONS),
        ("Results", "games.reason", GAME_REASONS),
        ("First ratings", "entries.reason", ENTRY_REASONS),
    ):
        rows = [(f"`{code}`", reason.sentence, reason.remedy, reason.article) for code, reason in reasons.items()]
        lines += ["", f"## {title}", "", f"In `{column}`.", ""]
        lines += _table(("code", "meaning", "what to do", "source"), rows)
    causes = [(f"`{code}`", meaning) for code, meaning in CAUSES.items()]
    return [*lines, "", "## Differences from an official list", "", *_table(("`cause`", "meaning"), causes)]


def doubts_of_lists() -> list[str]:
    """Every doubt about what is imported or published, with its remedy."""
    lines = [
        "# What stops a list, and what it is asked",
        "",
        "The thresholds in braces are keys of `[questions]` in `office.toml`: `ratinglist publish --help` says how a "
        "question is answered.",
    ]
    for kind, title in (("stop", "Stops"), ("ask", "Questions"), ("note", "Notes")):
        rows = [
            (f"`{query.code}`", query.sentence, " ".join(query.when), f"`{query.remedy}`" if query.remedy else "")
            for query in doubts.queries()
            if query.kind == kind
        ]
        lines += ["", f"## {title}", "", *_table(("code", "says", "when", "remedy"), rows)]
    return lines


def command_line() -> list[str]:
    """Every ``--help``, the exit codes and the environment."""
    root = click.Context(program, info_name="ratinglist", terminal_width=WIDTH, **program.context_settings)
    lines = [
        "# The command line",
        "",
        "Results go to standard output, progress and messages to standard error. `--json` prints one JSON document. "
        "A month `YYYY-MM` is the list that takes effect on its first day.",
        "",
        "```text",
        program.get_help(root),
        "```",
    ]
    for name, command in sorted(program.commands.items()):
        context = click.Context(command, info_name=name, parent=root, terminal_width=WIDTH)
        lines += ["", f"## `{name}`", "", "```text", command.get_help(context), "```"]
        for action, subcommand in sorted(getattr(command, "commands", {}).items()):
            if not subcommand.hidden:
                of_action = click.Context(subcommand, info_name=action, parent=context, terminal_width=WIDTH)
                lines += ["", f"### `{name} {action}`", "", "```text", subcommand.get_help(of_action), "```"]
    by_code: dict[int, list[str]] = {}
    for ending in vars(errors).values():
        if isinstance(ending, type) and issubclass(ending, errors.RatinglistError):
            first_paragraph = (ending.__doc__ or "").split("\n\n")[0]
            by_code.setdefault(ending.exit_code, []).append(" ".join(first_paragraph.replace("``", "`").split()))
    by_code[1] = ["A defect of the program."]
    rows = [("0", "Done. Refused reports are counted and listed; they do not fail the run.")]
    rows += [(str(code), " ".join(says)) for code, says in sorted(by_code.items())]
    return [
        *lines,
        "",
        "## Exit codes",
        "",
        *_table(("code", "meaning"), rows),
        "",
        "## Environment",
        "",
        *_table(
            ("variable", "meaning"),
            (
                ("`RATINGLIST_HOME`", "The office's directory, where `--home` is not given."),
                ("`RATINGLIST_RULES`", "The rule family, where `--rules` is not given. Default: see `--rules`."),
                (
                    "`RATINGLIST_TODAY`",
                    "`YYYY-MM-DD`, to be taken for today. Without it, a command that writes is refused where the "
                    "computer's clock is two days or more behind the newest change; with it, that is a note.",
                ),
                (
                    "`RATINGLIST_BY`",
                    "Who gives the command, as `ratinglist log` shows it. Default: the name of the account.",
                ),
                ("`RATINGLIST_DEBUG`", "If set, a defect of the program shows where it happened."),
                ("`POLARS_MAX_THREADS`", "How many threads to use. The figures are the same with any number."),
            ),
        ),
    ]


def corrections() -> list[str]:
    """Every action of a corrections file, with its keys."""
    does = {
        "replace_report": "Another report takes the place of the one that counts, on time as the first was. What "
        "a manifest stated of the first counts for it too: the name, the FIDE IDs by start number, and the dates that "
        "its header does not have.",
        "withdraw_event": "The event is refused, as `withdrawn`.",
        "change_result": "The game has another result, or was not played.",
        "change_player": "Another player played in that event: the FIDE ID in the report was wrong. Two corrections of "
        "one file exchange two players.",
        "change_data": "Name, federation, sex, birth or titles of a player are corrected; give those that are wrong. "
        "`past_federation`: why a federation was wrong on published lists; without it that is refused, because a "
        "transfer is an import with its day.",
        "change_report": "Dates, time control and other fields of a report are corrected; give those that are wrong.",
        "merge": "Two FIDE IDs are one person: what was received under the one counts for the other. `unlike_person`: "
        "why they are one person, where names, births, federations or sexes differ; without it that is refused.",
        "undo": "That correction is no longer applied.",
    }
    typed = {
        "change_result": "ratinglist correct result EVENT ROUND WHITE BLACK RESULT",
        "change_player": "ratinglist correct report EVENT --id WRONG=RIGHT",
        "change_report": "ratinglist correct report EVENT --field FIELD=VALUE",
        "replace_report": "ratinglist correct report EVENT --file REPORT",
        "change_data": "ratinglist correct player FIDE_ID KEY=VALUE...",
        "merge": "ratinglist correct merge FIDE_ID INTO",
        "withdraw_event": "ratinglist correct withdraw EVENT",
        "undo": "ratinglist correct undo CORRECTION",
    }
    lines = [
        "# The corrections file",
        "",
        "A TOML file of `[[correction]]` tables, applied in their order by `ratinglist correct FILE`, all or none. "
        "[How to correct a published list](../how-to/correct-a-published-list.md) has an example. An unknown, missing "
        "or misspelt key refuses the file.",
        "",
        "## In every correction",
        "",
        *_table(
            ("key", "value", "meaning"),
            (
                ("`action`", "text", "one of those below"),
                ("`match`", "table", "what is corrected: exactly these keys find it"),
                ("`reason`", "text", "why it is wrong; published with the diff, so no private data"),
                ("`who`", "text", "who answers for it"),
                ("`reported_on`", "day", "the day it was reported, `YYYY-MM-DD`"),
            ),
        ),
    ]
    always = {"action", "match", "reason", "who", "reported_on"}
    for action, kind in ACTIONS.items():
        hints = get_type_hints(kind, include_extras=False)
        rows = [(f"`match.{key}`", *_kind_of(hint)) for key, hint in get_type_hints(hints["match"]).items()]
        rows += [(f"`{key}`", *_kind_of(hint)) for key, hint in hints.items() if key not in always]
        lines += ["", f"## `{action}`", "", does[action]]
        lines += ["", f"As a command: `{typed[action]}`."] if action in typed else []
        lines += ["", *_table(("key", "value", "needed"), rows)]
    return lines


def _kind_of(hint: Any) -> tuple[str, str]:
    """What a key of a corrections file holds, and whether it must be there."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] if NoneType in get_args(hint) else [hint]
    needed = "no" if NoneType in get_args(hint) else "yes"
    if get_origin(kinds[0]) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(kinds[0])), needed
    return {int: "whole number", str: "text", date: "day", bool: "`true` or `false`"}[kinds[0]], needed


def limits() -> list[str]:
    """Every limit of ``limits``, with the reason for its number, under its heading in that module."""
    source = inspect.getsource(program_limits)
    lines = enumerate(source.splitlines(), 1)
    headings = {number: line.strip("# -").capitalize() for number, line in lines if line.startswith("# -")}
    rows: dict[str, list[tuple[str, ...]]] = {name: [] for name in headings.values()}
    for limit, says in pairwise(ast.parse(source).body):
        if isinstance(limit, ast.AnnAssign) and isinstance(says, ast.Expr):
            name = ast.unparse(limit.target)
            what, _, why = ast.literal_eval(says.value).partition(". ")
            number = _number(getattr(program_limits, name), of_bytes="BYTES" in name)
            rows[headings[max(line for line in headings if line < limit.lineno)]].append(
                (number, what, why, f"`{name}`")
            )
    columns = ("limit", "of what", "why", "name")
    sections = (("", f"## {heading}", "", *_table(columns, of_heading)) for heading, of_heading in rows.items())
    return [
        "# Limits",
        "",
        "How much of anything is taken, and why so much. What passes a limit is refused whole, by name and place; "
        "nothing is cut off. [What else is refused](../explanation/privacy-and-hostile-input.md#hostile-input).",
        *chain.from_iterable(sections),
    ]


_EVENTS_WHERE_BLANK = {
    "event_id": "the row names no event: a problem of the delivery",
    "name": "the event is refused",
    "received_on": "`--received`, else today",
    "version": "1",
    "event_type": "`swiss`, with a note",
    "time_control": "by the thinking time; else the event waits",
    "official": "0",
    "federation": "empty, with a note",
    "start_date": "the event is refused",
    "end_date": "the event is refused",
    "registered_on": "not known",
    "minutes_per_60_moves": "not known",
}
_GAMES_WHERE_BLANK = {
    "event_id": "a refused report without a code",
    "round": "the event is refused",
    "date": "the day of a one-day event, else none; the column may be missing",
    "white_id": "a row with one player: a bye, an absence, a forfeit",
    "black_id": "the same",
    "white_result": "no result",
    "black_result": "no result",
}


def delivery_tables() -> list[str]:
    """The columns of the tables of events and games that are delivered."""
    code = {"event_id": f"{ALLOWED['event_id']}; one row for each"}
    of_events, of_games = code | EVENT_CELLS, {"event_id": "as in the other table"} | GAME_CELLS
    columns = ("column", "holds", "where blank, or without the column")
    return [
        "# Tables of events and games",
        "",
        "What `events.csv`, `events.parquet`, `games.csv` and `games.parquet` hold in a delivery: "
        "[how to deliver them](../how-to/deliver-tables.md). The two tables are in one folder or zip; one may be CSV "
        "and the other Parquet. A folder with only one of them has no delivery as tables.",
        "",
        "## Events",
        "",
        *_table(columns, [(f"`{name}`", of_events[name], blank) for name, blank in _EVENTS_WHERE_BLANK.items()]),
        "",
        "## Games",
        "",
        *_table(columns, [(f"`{name}`", of_games[name], blank) for name, blank in _GAMES_WHERE_BLANK.items()]),
        "",
        "The codes: `1` `=` `0` a game over the board; `+` `-` a forfeit; `W` `D` `L` a game of less than one move; "
        "`H` `F` `U` `Z` a bye. Each is the player's own, and the two of a row are judged as the two lines of a TRF "
        "report are: `0` and `0` is a legal decision; `1` and `1`, `1` and `+` refuse the event. A player has one row "
        "in a round. A FIDE ID of 0 is blank.",
        "",
        "## The files",
        "",
        "- Columns in any order, in upper or lower case; a column that is not one of these is not read, with a note.",
        "- A day may also be written `05.10.2025`. `10/5/2025` is refused, because day and month could be exchanged.",
        "- CSV: separated by comma, semicolon or tab, in UTF-8, UTF-16 or Windows-1252. A row is one line. Blank lines "
        "are skipped. A cell is between quotation marks as a whole, with each mark inside it doubled, or has none; a "
        "row where this is not so refuses its event.",
        "- Parquet: texts, whole numbers, dates and timestamps, of which the day counts; flags for `official`; "
        "fractions where they are whole, as many programs write a column of numbers with missing ones. No texts in the "
        "encoding `DELTA_BYTE_ARRAY`.",
        "- A character that controls a terminal refuses the event whose cell has it. One that is not seen is left out "
        "of a name with a note, and refuses the event in any other cell.",
        f"- A cell longer than {program_limits.EVENT_ID_LENGTH} characters for `event_id`, "
        f"{program_limits.TABLE_NAME_LENGTH} for `name` or {program_limits.TABLE_VALUE_LENGTH} for any other column "
        "refuses its event.",
        f"- An event has at most {program_limits.PLAYERS:,} players, as a report. "
        "[The other limits](limits.md#deliveries-as-tables).",
        "",
        "[What can be wrong with an event or a game](reports.md).",
    ]


def _number(limit: int, *, of_bytes: bool) -> str:
    for unit, name in ((program_limits.GIB, "GiB"), (program_limits.MIB, "MiB")):
        if of_bytes and limit >= unit and not limit % unit:
            return f"{limit // unit} {name}"
    return f"{limit:,}"


def exports() -> list[str]:
    """Every format of `export`: its files, and the layouts that are FIDE's."""
    month = Period.parse("2025-11")
    named = []
    for name in FORMATS:
        requests = {
            "": ExportRequest(month, name),
            " --time-control rapid": ExportRequest(month, name, time_control="rapid"),
        }
        named += [(f"`{name}{options}`", f"`{file_name(request)}`") for options, request in requests.items()]
    layouts = {
        name: formats.layout(ExportRequest(month, "fide-txt", time_control=control))
        for name, control in (("combined", None), ("one list", "rapid"))
    }
    starts = {name: _starts(columns) for name, columns in layouts.items()}
    headings = list(dict.fromkeys([*starts["combined"], *starts["one list"]]))
    elements = [column.element for column in layouts["combined"].values()]
    no_players = LISTED.empty()
    swiss_manager = no_players.select(formats.swiss_manager(of_fide=True)).columns
    vega = no_players.select(formats.vega(of_fide=True)).columns
    return [
        "# Exports",
        "",
        "What `ratinglist export MONTH --format F` writes; [the how-to](../how-to/export-a-list.md) helps to choose a "
        "format. Only `csv-spreadsheet` begins with a byte order mark; the same list gives the same bytes. Rows are in "
        "the published order (standard, rapid, blitz; in each the highest rating first) unless another order is given "
        "below. Without `--time-control`, the lists for pairing programs hold the standard list.",
        "",
        *_table(
            ("format", "what it is"),
            [(f"`{name}`", export_format.description) for name, export_format in FORMATS.items()],
        ),
        "",
        "## Files",
        "",
        f"The list of {month}. With `--federation` the name contains it.",
        "",
        *_table(("format", "file"), named),
        "",
        "## FIDE's text",
        "",
        "First character of each column, from 0. Values are aligned to the left; every column but the other titles "
        "and the last ends with a blank. Where a player has no rating in a time control, rating, games and K are `0`, "
        "as FIDE has written it since 2024. An unknown year of birth is "
        "`0000`, FOA is always blank. A woman's only title is in `Tit` and `WTit`. A text that is too long is cut and "
        "counted, other titles at a comma; a number that is too long stops the export.",
        "",
        "The flag of a combined list is that of the standard list, as in FIDE's. A list of one time control has its "
        "own flag. So FIDE's files contradict each other where a player is active in rapid alone: inactive in the "
        "combined list, active in the rapid list. What the combined flag of a player without a standard rating means "
        "is not documented; here it is that of the rapid list, else of the blitz list.",
        "",
        *_table(
            ("column", *starts),
            [(heading, *(str(of.get(heading, "")) for of in starts.values())) for heading in headings],
        ),
        "",
        "## FIDE's XML",
        "",
        f"`<playerslist>` with a `<player>` for each player, which holds in this order: {_named(elements)}. "
        "A list of one time control has `rating`, `games` and `k` only. `foa_title` is always empty. An absent rating "
        "is `0`; an unknown year is empty.",
        "",
        "Names are in ASCII, because two SAX readers in use keep only the last piece of a text that the parser "
        "reports, and a parser may begin a new piece at any other letter. `--names original` keeps all letters in "
        "UTF-8. What is not known of FIDE's own file: no declaration and "
        "no letter outside ASCII was seen in it, but FIDE does not document its encoding, nor whether that is a rule.",
        "",
        "## Lists for pairing programs",
        "",
        "Names have no commas. The rating of a list of the family `fide` is the international one, else the national "
        "one; the other is 0. Programs that read Swiss-Manager's list take the rating from `Rtg_Nat`, so it holds the "
        "list's rating in any case.",
        "",
        f"- `swiss-manager-csv`: {_named(swiss_manager)}. `ID_No` is also the FIDE ID, `Sex` is `f` or blank, "
        "`Birthday` a year, `ClubName` is blank.",
        f"- `vega-csv`: {_named(vega)}. Names have at most {formats.VEGA_NAME} letters. `BIRTHDAY` is "
        "`ddmmyyyy` with zeros for day and month, which are not published, such as `00001987`: with two digits the "
        "year 2000 would read as unknown.",
        "",
        "## What a format cannot keep",
        "",
        "It is counted, on the screen and in `counts` of `--json`: `names_changed` (players with a text that changed "
        "in ASCII, by the table of [AnyAscii](https://github.com/anyascii/anyascii)), `letters_replaced`, "
        "`letters_dropped` (ASCII has nothing for them), `texts_cut`, and `cells_guarded`: in `csv-spreadsheet` an "
        "apostrophe is put before `=`, `+`, `-`, `@`, their wide and small forms and the minus, if they begin a text "
        "or follow a bar, tab, line end, or the separator that the file does not have (semicolon, with "
        "`--separator semicolon` comma), also after blanks, control characters and quotation marks. A spreadsheet "
        "shows that apostrophe; `xlsx` needs none.",
    ]


def _named(columns: Iterable[str]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


def _starts(columns: Mapping[str, FideColumn]) -> dict[str, int]:
    """The heading of each column of FIDE's text, and where it starts."""
    widths = [column.width for column in columns.values()]
    return dict(zip((column.heading for column in columns.values()), accumulate([0, *widths]), strict=False))


def rule_sets() -> list[str]:
    """The rule families, their files, and the newest rule set of each family and time control."""
    book = rule_files.rule_book()
    lines = [
        "# Rule sets",
        "",
        "A rule set is one file of the program, `data/rules/<family>/<time control>/<effective from>.toml`, and "
        "complete: every value with its article. [Rules as data](../explanation/rules-as-data.md) says how they are "
        "chosen; `ratinglist rules --on YYYY-MM-DD` shows those in force on a day. A 0 where a number could be a rule "
        "says that there is none.",
        "",
        *_table(
            ("family", "time control", "in force from", "source"),
            (
                (f"`{rule_set.family}`", rule_set.time_control, f"`{rule_set.effective_from}`", rule_set.source)
                for family in book.families
                for rule_set in book.of(family)
            ),
        ),
    ]
    whole: list[RuleSet] = []
    for family in book.families:
        for time_control in book.time_controls(family):
            dated = [rule_set for rule_set in book.of(family) if rule_set.time_control == time_control]
            newest = dated[-1]
            lines += ["", f"## {_title(newest)}", ""]
            if like := next((rule_set for rule_set in whole if _mostly_equal(rule_set, newest)), None):
                lines += [f"As {_title(like)}, but for:", "", *_values(newest, but=like)]
            else:
                whole.append(newest)
                lines += _values(newest)
            for older, newer in pairwise(dated):
                lines += ["", f"What changed on {newer.effective_from}:", "", *_changes(older, newer)]
    return lines


def _title(rule_set: RuleSet) -> str:
    return f"`{rule_set.family}`, {rule_set.time_control}, from {rule_set.effective_from}"


def _mostly_equal(rule_set: RuleSet, other: RuleSet) -> bool:
    """Whether two rule sets have the same values, most of them with the same articles."""
    here, there = ({key: (value, of.articles[key]) for key, value in of.values().items()} for of in (rule_set, other))
    return here.keys() == there.keys() and 2 * sum(here[key] == there[key] for key in here) > len(here)


def _values(rule_set: RuleSet, but: RuleSet | None = None) -> list[str]:
    """The values of a rule set with their articles, without those that are the same in another one."""
    known = {} if but is None else {key: (value, but.articles[key]) for key, value in but.values().items()}
    rows = [
        (f"`{key}`", _said(value), article)
        for key, value in rule_set.values().items()
        if (value, article := rule_set.articles[key]) != known.get(key)
    ]
    return _table(("value", "is", "article"), rows)


def _changes(older: RuleSet, newer: RuleSet) -> list[str]:
    before = older.values()
    rows = [
        (f"`{key}`", _said(before[key]), _said(value), newer.articles[key])
        for key, value in newer.values().items()
        if value != before[key]
    ]
    return _table(("value", "was", "is", "article"), rows)


def _said(value: int | str | bool) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`" if text else "none"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [head, ("---",) * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


if __name__ == "__main__":
    main()
