"""Give the reasons why an event or a game is not rated as another system than FIDE's has them: no article of FIDE."""

from __future__ import annotations

from dataclasses import replace

from ratinglist.rating.rules import SystemRuleSet
from ratinglist.reasons import LIST_BEFORE_SENTENCES, Reason

_RULES = {
    "opponent_unrated": "list.ratings_used",
    "counts_for_entry": "entry.min_games",
    "received_after_closing": "list.closing_days_before",
    "ended_after_closing": "list.closing_days_before",
}
"""The rule of a rule set whose article is given in place of that of FIDE, by the code of a reason."""

_RECEIVING = "list.closing_days_before"
"""The rule whose article states how the other systems receive and judge events: this covers all other reasons."""

_OF_FIDE = ("B.02", "RB ", "Arbiters' Manual")


def own_reason(code: str, reason: Reason, rule_set: SystemRuleSet) -> Reason:
    """Return ``reason`` with the sentence of the system, and its own article in place of one of FIDE's regulations."""
    if rule_set.own.list.ratings_used == "list_before":
        reason = replace(reason, sentence=LIST_BEFORE_SENTENCES.get(code, reason.sentence))
    if not reason.article.startswith(_OF_FIDE):
        return reason
    articles = rule_set.articles
    return replace(reason, article=articles.get(_RULES.get(code, _RECEIVING), articles[_RECEIVING]))
