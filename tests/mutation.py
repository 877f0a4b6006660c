"""Mutants of the modules that decide a rating: each is one small fault, and some quick test has to fail.

mutmut makes them; it knows Python, not frames. What is added here are the faults one makes in an expression over a
frame: a link of the chain forgotten, a condition the wrong way round, an aggregate or a value of the rule set mistaken
for its neighbour. The tests are collected once and run in one process, for each mutant those that killed most first,
until one fails. Run by ``make mutants``; the results: tests/unit/README.md.
"""

from __future__ import annotations

import os
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import chdir
from fnmatch import fnmatch
from pathlib import Path
from time import perf_counter

import click
import libcst as cst
import pytest
from _pytest.runner import runtestprotocol
from libcst import matchers
from mutmut.__main__ import cli, copy_also_copy_files, copy_src_dir, create_mutants, setup_source_paths
from mutmut.configuration import config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files
from mutmut.utils.format_utils import mangled_name_from_mutant_name

METHODS = {
    "min": "max",
    "sum": "max",
    "first": "last",
    "any": "all",
    "is_null": "is_not_null",
    "min_horizontal": "max_horizontal",
    "and_": "or_",
}
METHODS |= {after: before for before, after in METHODS.items() if before != "sum"}

TEXTS = {"left": "inner", "full": "left", "ordinal": "dense"}
COLUMNS = {
    "games": "score_halves",
    "entry_games": "pooled_games",
    "pooled_games": "entry_games",
    "rating": "old_rating",
    "old_rating": "rating",
    "carried": "old_rating",
    "entry_rating": "new_rating",
    "new_rating": "carried",
    "reached_2300": "reached_2400",
    "reached_2400": "reached_2300",
    "least_k": "largest_k",
    "largest_k": "least_k",
    "change": "change_hundredths",
    "start_date": "end_date",
    "end_date": "start_date",
    "event_id": "fide_id",
}
COMPARISONS = {
    cst.LessThan: cst.GreaterThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThan: cst.LessThan,
    cst.GreaterThanEqual: cst.LessThanEqual,
}


VALUES = {
    "floor": "closing_days_before",
    "inactive_after_lists": "inactive_changed_after_lists",
    "inactive_changed_after_lists": "inactive_after_lists",
    "fixed": "normal",
    "new": "normal",
    "new_until_games": "junior",
    "normal": "new",
    "master": "normal",
    "master_from": "junior_below",
    "junior": "new",
    "junior_below": "master_from",
    "period_limit": "master",
    "min_games": "tranche_min_games",
    "maximum": "window_lists",
    "window_lists": "min_games",
    "tranche_min_games": "tranche_min_halves",
    "tranche_min_halves": "tranche_min_games",
}


def in_place_of(node: cst.BaseExpression, part: cst.BaseExpression) -> cst.BaseExpression:
    """``part`` of ``node``, in its place and in its parentheses."""
    return part.with_changes(lpar=[*node.lpar, *part.lpar], rpar=[*part.rpar, *node.rpar])


def method(node: cst.Call) -> str | None:
    return node.func.attr.value if isinstance(node.func, cst.Attribute) else None


def forgotten_link(node: cst.Call) -> Iterator[cst.BaseExpression]:
    """``frame.filter(...)`` is ``frame``."""
    if isinstance(node.func, cst.Attribute) and not matchers.matches(node.func.value, matchers.Name("pl")):
        yield in_place_of(node, node.func.value)


def other_method(node: cst.Call) -> Iterator[cst.BaseExpression]:
    """The smallest is the largest, the first the last, all are any."""
    if method(node) in METHODS:
        yield node.with_deep_changes(node.func.attr, value=METHODS[method(node)])


def other_condition(node: cst.Call) -> Iterator[cst.BaseExpression]:
    """``when`` the wrong way round, always and never."""
    if method(node) == "when":
        condition = node.args[0].value
        if isinstance(condition, cst.SimpleString):
            condition = cst.parse_expression(f"pl.col({condition.value})")
        negated = cst.UnaryOperation(cst.BitInvert(), in_place_of(cst.parse_expression("(x)"), condition))
        for other in (negated, cst.parse_expression("pl.lit(True)"), cst.parse_expression("pl.lit(False)")):
            yield node.with_changes(args=[cst.Arg(other)])


def other_order(node: cst.Call) -> Iterator[cst.BaseExpression]:
    """Two arguments, or what is to be taken first and what else, the other way round; columns have no order."""
    several = len(node.args) == 2 and method(node) not in ("select", "with_columns", "agg", "drop", "group_by")
    if (several or method(node) == "coalesce") and not any(arg.keyword or arg.star for arg in node.args):
        values = [arg.value for arg in node.args]
        yield node.with_changes(args=[cst.Arg(value) for value in reversed(values)])


def other_branch(node: cst.If) -> Iterator[cst.If]:
    """An ``if`` that always holds, and one that never does."""
    for name in ("True", "False"):
        yield node.with_changes(test=cst.Name(name))


def one_side(node: cst.BinaryOperation | cst.BooleanOperation) -> Iterator[cst.BaseExpression]:
    """One of two terms, factors or conditions forgotten."""
    yield in_place_of(node, node.left)
    yield in_place_of(node, node.right)


def one_less(node: cst.Integer) -> Iterator[cst.BaseExpression]:
    """A number one smaller; mutmut has the one larger."""
    yield cst.parse_expression(f"({node.evaluated_value - 1})")


def other_way(node: cst.ComparisonTarget) -> Iterator[cst.ComparisonTarget]:
    """Less for greater; mutmut moves the boundary."""
    if (kind := type(node.operator)) in COMPARISONS:
        yield node.with_changes(operator=COMPARISONS[kind]())


def other_value(node: cst.Attribute) -> Iterator[cst.Attribute]:
    """Another number of the same section of the rule set."""
    if isinstance(node.value, cst.Name) and node.value.value.endswith("rules") and node.attr.value in VALUES:
        yield node.with_changes(attr=cst.Name(VALUES[node.attr.value]))


def other_text(node: cst.SimpleString) -> Iterator[cst.SimpleString]:
    """Another kind of join or rank, another column of that sort."""
    for known in (TEXTS, COLUMNS):
        if (text := node.evaluated_value) in known:
            yield node.with_changes(value=f'"{known[text]}"')


mutation_operators.extend(
    [
        (cst.Call, forgotten_link),
        (cst.Call, other_method),
        (cst.Call, other_condition),
        (cst.Call, other_order),
        (cst.If, other_branch),
        (cst.BinaryOperation, one_side),
        (cst.BooleanOperation, one_side),
        (cst.Integer, one_less),
        (cst.ComparisonTarget, other_way),
        (cst.Attribute, other_value),
        (cst.SimpleString, other_text),
    ]
)


SECONDS = 60
"""A test that takes longer counts as failed: the mutant does not end."""


def took_too_long(*_: object) -> None:
    raise TimeoutError


def fails(test: pytest.Item) -> bool:
    """Return whether a test fails; its shared fixtures are set up again."""
    signal.alarm(SECONDS)
    try:
        return any(report.failed for report in runtestprotocol(test, log=False, nextitem=None))
    finally:
        signal.alarm(0)


class Trials:
    """In place of a run of the tests: first all of them, to see what each one calls, then those of every mutant."""

    def __init__(self, mutants: list[tuple[SourceFileMutationData, str]]) -> None:
        self.mutants = mutants

    def pytest_collection(self) -> None:
        """Switch shrinking off: a failure is enough."""
        from hypothesis import HealthCheck, Phase, settings  # pytest wants to be imported first

        settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant; each outcome is stored at once, so that a stopped run can be continued."""
        signal.signal(signal.SIGALRM, took_too_long)
        tests_of: dict[str, list[tuple[float, int]]] = defaultdict(list)
        set_mutant_under_test("stats")
        for number, test in enumerate(session.items):
            state()._stats.clear()
            began = perf_counter()
            if fails(test):
                pytest.exit(f"without any mutant {test.nodeid} fails", returncode=1)
            for called in state()._stats:
                tests_of[called].append((perf_counter() - began, number))
        kills: Counter[int] = Counter()
        for tried, (module, mutant) in enumerate(self.mutants, start=1):
            set_mutant_under_test(mutant)
            calling = tests_of[mangled_name_from_mutant_name(mutant)]
            # Tests that killed the last mutants are likely to kill this one.
            tests = [number for _, number in sorted(calling, key=lambda test: (-kills[test[1]], test))]
            failing_test = next((number for number in tests if fails(session.items[number])), None)
            killer = None if failing_test is None else session.items[failing_test].nodeid
            kills.update([] if failing_test is None else [failing_test])
            with chdir(".."):
                module.exit_code_by_key[mutant] = 33 if not tests else 0 if killer is None else 1
                module.save()
            click.echo(f"{tried:,} of {len(self.mutants):,}  {mutant}: {killer or 'NOT NOTICED'}")
            # A mutant that changed the state of the process would kill those that follow.
            if tried % 100 == 0 or tried == len(self.mutants):
                set_mutant_under_test("")
                if any(fails(session.items[number]) for number in tests):
                    pytest.exit(f"a test fails without a mutant after {mutant}", returncode=1)
        return True


@cli.command()
@click.argument("names", nargs=-1)
def trials(names: tuple[str, ...]) -> None:
    """Make the mutants and try each one that was not tried yet; NAMES (patterns) chooses some."""
    set_mutant_under_test("mutant_generation")
    Path("mutants").mkdir(exist_ok=True)
    copy_src_dir()
    copy_also_copy_files()
    setup_source_paths()
    create_mutants(1)
    chosen = []
    for path in filter(config().should_mutate, walk_mutatable_files()):
        module = SourceFileMutationData(path=path)
        module.load()
        for mutant, code in module.exit_code_by_key.items():
            if (code is None and not names) or any(fnmatch(mutant, name) for name in names):
                chosen.append((module, mutant))
    arguments = ["--rootdir=.", "-q", "-p", "no:cacheprovider", *config().pytest_add_cli_args_test_selection]
    with chdir("mutants"):
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        raise SystemExit(pytest.main(arguments, plugins=[Trials(chosen)]))


@cli.command()
def survivors() -> None:
    """Every mutant that no test noticed, and the score of each module."""
    for path in filter(config().should_mutate, walk_mutatable_files()):
        mutants = SourceFileMutationData(path=path)
        mutants.load()
        left = [name for name, code in mutants.exit_code_by_key.items() if status_by_exit_code[code] != "killed"]
        for name in left:
            click.echo(f"{name}: {status_by_exit_code[mutants.exit_code_by_key[name]]}")
            click.echo(get_diff_for_mutant(name, path=path))
        click.echo(f"{path.stem}: {len(mutants.exit_code_by_key)} mutants, {len(left)} not noticed\n")


if __name__ == "__main__":
    cli()
