"""State how FIDE's regulations lead to a player's number, as terms: from the games, or from the results of an entry.

The sentences stand in ``messages.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.analysis.explain.terms import Stated, Term, Values
from ratinglist.period import Period
from ratinglist.rating.change import limited_coefficient
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import RuleSet

# ----------------------------------------------------------------------------------------------------------- headline


def headline(part: Values, stated: Stated) -> Term:
    """Return the term of the rating before and now, which begins the account of a time control."""
    control = str(part["time_control"])
    name, change, listed, before = control.capitalize(), part["change"], part["listed"], part["list_before"]
    now = None if listed is None else listed["rating"]
    month = stated.text("list_of", month=before["month"]) if before["month"] else stated.text("list_before")
    if change is None:
        return _without_games(name, now, month, part, stated)
    if change["status"] == "entered":
        return stated.term("first_rating", now, control=name, now=now)
    old = change["old_rating"]
    stands_in = part["stands_in"]
    if stands_in:
        article = stated.article("event.standard_rating_stands_in")
        was = stated.text("stands_in", control=control, old=old, article=article)
    elif old is None:
        was = ""
    else:
        # On a list that was imported, and is not published, the player may have had none of this time control.
        key = "event.standard_rating_stands_in"
        may_stand_in = not before["is_published"] and stated.has(key) and stated.value(key)
        is_other = before["is_published"] and before["rating"] != old
        known = stated.text("was_on", old=old, month=month)
        was = stated.text("to_begin_with", old=old) if is_other or may_stand_in else known
    on = (
        removed(change, stated) if now is None else stated.text("on_this_list" if stands_in else "on_this_one", now=now)
    )
    return stated.term("headline", now, control=name, before=was, now=on)


def _without_games(name: str, now: int | None, month: str, part: Values, stated: Stated) -> Term:
    if now is None:
        return stated.term("unrated", control=name)
    flag = ""
    if "i" in (part["listed"]["flag"] or ""):
        key = "list.inactive_after_lists"
        has_rule = stated.has(key)
        lists = stated.text("lists_in_a_row", count=stated.value(key), article=stated.article(key)) if has_rule else ""
        flag = stated.text("inactive", lists=lists)
    before = part["list_before"]["rating"]
    if before is None:
        return stated.term("no_game", now, control=name, now=now, flag=flag)
    as_before = (
        stated.text("as_on", month=month) if before == now else stated.text("other_on", rating=before, month=month)
    )
    return stated.term("no_game_as_before", now, control=name, now=now, asBefore=as_before, flag=flag)


def removed(change: Values, stated: Stated) -> str:
    """Return the officer's words for a player who has left the list; ``delisted`` is the floor's code."""
    if change["status"] == "lapsed":
        return stated.text("lapsed")
    if change["status"] == "delisted" and stated.has("list.floor"):
        return stated.text("removed_below", floor=stated.value("list.floor"))
    return stated.text("no_longer_listed")


# -------------------------------------------------------------------------------------------------------- calculation

_TOO_OLD = 20
"""More years than this from birth to list, and no event of the list was played as a junior: 18, and two for delays."""


def calculation(part: Values, tables: Sequence[str], ks: Sequence[int], period: Period, stated: Stated) -> list[Term]:
    """Return the terms from the games to the new rating; none where no game was rated and the list has no step.

    ``tables``: the articles of the tables of expected scores; ``ks``: every K applied.
    """
    change = part["change"]
    step = _step(change, part["list_before"]["rating"], period, stated)
    if change is None or change["status"] == "entered":
        return step
    terms = []
    if change["games"]:
        articles = f" ({'; '.join(tables)})" if tables else ""
        terms += [stated.term("expected", articles=articles), stated.term("ratings"), stated.term("change_of_game")]
        terms += _coefficients(part, ks, period, stated)
        terms += _sum(change, stated)
    terms += step
    if change["status"] == "delisted" and stated.has("list.floor"):
        terms.append(stated.term("floor", None, stated.article("list.floor"), removed=removed(change, stated)))
    return terms


def _coefficients(part: Values, ks: Sequence[int], period: Period, stated: Stated) -> list[Term]:
    """Return a term for each K applied, with the cases to which the rule set gives it.

    Nobody is told to be a junior who is years too old for it, whatever day that is judged on.
    """
    if stated.rule_set is None:
        return []
    if limit := _limit(part["change"], ks, part["list_before"]["k"], stated.rule_set, stated):
        return limit
    rules = stated.rule_set.development_coefficient
    cases: dict[int, list[tuple[str, str]]] = {}
    birth_year = (part["listed"] or {}).get("birth_year")
    is_too_old = birth_year is not None and period.first_day.year - birth_year > _TOO_OLD and rules.junior == rules.new
    of_rules = ("new", "normal", "master") if is_too_old else ("new", "junior", "normal", "master")
    for case in ("fixed",) if rules.fixed else of_rules:
        until = stated.text(f"until_{rules.junior_until}") if case == "junior" else ""
        words = stated.text(
            f"k_{case}", new=rules.new_until_games, master=rules.master_from, junior=rules.junior_below, until=until
        )
        cases.setdefault(getattr(rules, case), []).append((words, stated.article(f"development_coefficient.{case}")))
    terms = []
    for k in (k for k in ks if k in cases):
        article = "; ".join(dict.fromkeys(article for _, article in cases[k]))
        terms.append(stated.term("k", k, article, k=k, cases=stated.text("or").join(words for words, _ in cases[k])))
    return terms


def _limit(change: Values, ks: Sequence[int], k_before: int | None, rule_set: RuleSet, stated: Stated) -> list[Term]:
    """Return the limit on K × games where it lowered K: the K of the games is then the largest within the limit.

    Without the list before, this is recognised only where the K is none of the values in the rule set.
    """
    rules, games = rule_set.development_coefficient, change["games"]
    if not rules.period_limit or not games or len(ks) != 1:
        return []
    usual = [getattr(rules, name) for name in ("fixed", "new", "junior", "normal", "master")]
    is_lowered = ks[0] not in usual if k_before is None else ks[0] < k_before
    unlimited = pl.lit(rules.period_limit if k_before is None else k_before)
    if not is_lowered or ks[0] != pl.select(limited_coefficient(rules, unlimited, pl.lit(games))).item():
        return []
    before = "" if k_before is None else stated.text("k_before", k=k_before)
    article = stated.article("development_coefficient.period_limit")
    return [stated.term("k_limited", ks[0], article, k=ks[0], before=before, games=games, limit=rules.period_limit)]


def _sum(change: Values, stated: Stated) -> list[Term]:
    exact, points, old = change["change_hundredths"], change["change"], change["old_rating"]
    if exact is None or points is None:
        return []
    how, article = "", ""
    if stated.rule_set is not None:
        each = stated.text("each_event") if stated.value("change.rounded_per") == "event" else ""
        article = stated.article("change.halves")
        how = stated.text("rounding", article=article, each=each)
    operands = {"games": change["games"], "sum": exact, "change": points, "how": how}
    terms = [Term("sum", stated.sentences["sum"], operands, points, article)]
    if old is not None:
        terms.append(stated.term("plus", old + points, old=old, change=points))
    return terms


def _step(change: Values | None, before: int | None, period: Period, stated: Stated) -> list[Term]:
    """Return the one-time step, where this list has one and it moved the player."""
    if change is None:
        carried = before
    else:
        old, points = change["old_rating"], change["change"]
        carried = None if old is None or points is None else old + points
    if carried is None or stated.rule_set is None:
        return []
    after = pl.select(after_one_time_step(pl.lit(carried), stated.rule_set.list, period)).item()
    article = stated.rule_set.articles["list.one_time_step"]
    return [] if after == carried else [stated.term("step", after, article, before=carried, after=after)]


# -------------------------------------------------------------------------------------------------------------- entry


def entry_terms(entry: Values, stated: Stated) -> list[Term]:
    """Return the terms of a first rating, or of why there is none yet. ``entry``: as the account has it."""
    reason = entry["reason"]
    terms = [] if entry["is_whole"] else [stated.term("other_results")]
    if entry["games"] is not None and entry["score_halves"] is not None:
        terms.append(stated.term("games_points", games=entry["games"], points=entry["score_halves"]))
    if stated.rule_set is not None:
        terms += _arithmetic(entry, stated)
    rating = entry["computed_rating"]
    if entry["published"]:
        terms.append(stated.term("first", rating, rating=rating))
    elif reason is not None:
        terms.append(stated.term("not_listed_yet", None, reason["article"], why=reason["says"]))
    if stated.rule_set is not None and not entry["published"]:
        terms.append(
            stated.term(
                "entry_needs",
                None,
                stated.article("entry.min_games"),
                games=stated.value("entry.min_games"),
                lists=stated.value("entry.window_lists"),
                window=stated.article("entry.window_lists"),
            )
        )
    return terms


def _arithmetic(entry: Values, stated: Stated) -> list[Term]:
    """Return the terms on Ra, p, dp and their sum, as far as they are published."""
    average, p, dp, rating = (
        entry[name] for name in ("opponent_average_hundredths", "p_hundredths", "dp", "computed_rating")
    )
    if average is None or p is None or dp is None:
        return []
    method, article = stated.value("entry.method"), stated.article("entry.method")
    adds_draws = method == "two_draws_at_1800"
    if method == "twenty_per_half_point" and dp >= 0:
        source = stated.text("by_points", article=article)
    else:
        source = stated.text("by_table", article=stated.article("entry.performance_table"))
    draws, with_draws = (stated.text(name) if adds_draws else "" for name in ("two_draws", "with_draws"))
    terms = [
        stated.term("average", average, article, draws=draws, average=average),
        stated.term("share", dp, draws=with_draws, share=p, dp=dp, source=source),
    ]
    if rating is not None:
        maximum = stated.value("entry.maximum")
        most = stated.text("at_most", maximum=maximum, article=stated.article("entry.maximum")) if maximum else ""
        terms.append(stated.term("entry_rating", rating, average=average, dp=dp, most=most, rating=rating))
    return terms
