"""The catalogue of findings is complete, and its sentences can be filled in."""

from __future__ import annotations

import pytest

from ratinglist.findings import RULES

FILLED = {"value": "V", "detail": "D"}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_a_sentence_a_remedy_a_source_and_a_summary_about_reports_where_it_is_noted(code):
    rule = RULES[code]
    assert all((rule.sentence.format(**FILLED), rule.remedy.format(**FILLED), rule.source))
    assert rule.summary.startswith(("{reports} {are} ", "{reports} {have} ")) == (rule.effect == "noted")
    assert rule.summary.format(reports="2 reports", are="are", have="have", **FILLED).count("{") == 0
    assert rule.effect == "refused" or "{" not in rule.remedy
