"""The catalogue of findings is complete, and its sentences can be filled in."""

from __future__ import annotations

import pytest

from ratinglist.findings import RULES

FILLED = {"value": "V", "detail": "D"}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_a_sentence_a_remedy_and_a_source(code):
    rule = RULES[code]
    assert rule.sentence.format(**FILLED)
    assert rule.remedy.format(**FILLED)
    assert rule.source


@pytest.mark.parametrize("code", RULES)
def test_every_noted_rule_has_a_summary_about_reports_and_no_other_rule_has_one(code):
    rule = RULES[code]
    assert rule.summary.startswith(("{reports} {are} ", "{reports} {have} ")) == (rule.effect == "noted")
    assert rule.summary.format(reports="2 reports", are="are", have="have", **FILLED).count("{") == 0


@pytest.mark.parametrize("code", RULES)
def test_the_remedy_of_a_noted_rule_is_about_any_report(code):
    assert RULES[code].effect == "refused" or "{" not in RULES[code].remedy
