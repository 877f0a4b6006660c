"""One broken report for every refusing rule: it breaks that rule alone, at the place stated here."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from ratinglist.findings import RULES, refuses
from ratinglist.reports import games, trf
from tests.trf_text import delivered

BROKEN = Path(__file__).parent / "broken"
SOURCE = Path(trf.__file__).parent
READERS = ("trf", "games")

#: Refusals for what a manifest states of single lines (tests/workflow/test_waiting_reports.py).
OF_A_MANIFEST = {"fide_id_of_nobody"}

#: Of each file: line, column, value.
PLACES: dict[str, tuple[int | None, int | None, str]] = {
    "not_a_report": (None, None, ""),
    "event_name_missing": (None, None, ""),
    "birth_date_in_name": (1, 5, ""),
    "player_line_misplaced": (15, 1, "001    5 m    Elm, Nia"),
    "tab_in_line": (12, 21, "001    2 m    Birch,"),
    "line_too_long": (14, 2092, "2125"),
    "columns_shifted": (13, 53, "8"),
    "player_line_cut": (15, None, ""),
    "start_number_unreadable": (11, 5, "1a"),
    "start_number_repeated": (14, 5, "2"),
    "fide_id_missing": (12, 58, "Birch, Kay"),
    "fide_id_unreadable": (12, 58, "ITA-1234"),
    "fide_id_repeated": (14, 58, "900002"),
    "opponent_unreadable": (11, 102, "x3"),
    "colour_unreadable": (11, 107, "n"),
    "result_unreadable": (11, 109, "5"),
    "opponent_missing": (11, 92, "1"),
    "opponent_self": (11, 92, "1"),
    "opponent_unknown": (11, 92, "17"),
    "not_reciprocated": (11, 92, "2"),
    "results_disagree": (12, 99, "-"),
    "results_exceed": (11, 99, "1"),
    "forfeit_won_twice": (11, 99, "+"),
    "result_missing": (12, 99, ""),
    "colours_equal": (11, 97, "w"),
    "colours_missing": (11, 97, "1"),
    "bye_played": (12, 99, "Z"),
}


@cache
def findings_of(rule: str) -> pl.DataFrame:
    parsed = trf.parse(delivered((BROKEN / f"{rule}.trf").read_text(encoding="utf-8")))
    return pl.concat([parsed.findings, games.pair(parsed.players, parsed.cells).findings])


def test_every_refusal_has_a_broken_report():
    source = "".join((SOURCE / f"{name}.py").read_text(encoding="utf-8") for name in READERS)
    raised = {rule for rule in RULES if refuses(rule) and f'"{rule}"' in source}
    assert raised - OF_A_MANIFEST == set(PLACES)


@pytest.mark.parametrize("rule", PLACES)
def test_it_is_refused_for_that_reason_alone_at_its_place_with_a_remedy(rule):
    (finding,) = findings_of(rule).to_dicts()
    assert (finding["rule"], finding["line"], finding["column"], finding["value"]) == (rule, *PLACES[rule])
    sentence, remedy = (
        text.format(value=finding["value"], detail=finding["detail"])
        for text in (RULES[rule].sentence, RULES[rule].remedy)
    )
    # Nothing left unfilled: no braces, no empty brackets or quotes.
    assert not re.search(r"[{}]|\(\)|''", sentence + remedy)
    assert len(remedy) > 20


def test_one_file_does_not_spoil_another():
    texts = [(BROKEN / f"{rule}.trf").read_text(encoding="utf-8") for rule in PLACES]
    parsed = trf.parse(delivered(*texts))
    findings = pl.concat([parsed.findings, games.pair(parsed.players, parsed.cells).findings]).sort("file_no")
    refused = findings.filter(pl.col("rule").is_in([rule for rule in RULES if refuses(rule)]))
    assert refused["rule"].to_list() == list(PLACES)
