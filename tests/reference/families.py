"""Every rating family and what compares some worlds of it with its second calculation."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ratinglist_world.testing import PlainGame, PlainPlayer, unlike_second_calculation
from tests.packages import FOLDER, installed
from tests.reference.system_rater import RATERS
from tests.reference.system_worlds import AmericanWorld, DwzWorld, EnglishWorld, SystemWorld, World, agree
from tests.reference.test_calculation_reference import COURSE, CURRENT, OLDER, THREE, assert_same
from tests.reference.worlds import make_world

Compared = tuple[int, list[str]]
"""The ratings that agree, and what differs in each world in which anything does."""


def each(agree: Callable[[int], int], worlds: int) -> Compared:
    """Compare one world after the other."""
    ratings, differing = 0, []
    for seed in range(worlds):
        try:
            ratings += agree(seed)
        except AssertionError as error:
            differing.append(f"world {seed}: {error}")
    return ratings, differing


def by_fide(family: str, seed: int) -> int:
    return assert_same(
        make_world(Random(seed), tuple(era for era in CURRENT + OLDER + COURSE if era[0] == family), THREE)
    )


def by_world(world: Callable[[Random], World], seed: int) -> int:
    return agree(world(Random(seed)))


def of_the_package(name: str, worlds: int) -> Compared:
    """Compare by the second calculation that a package has, as its own test does: each world is another list."""
    new_list = runpy.run_path(str(FOLDER / name / "tests" / "second_calculation.py"))["new_list"]
    ratings = []

    def counted(before: Mapping[int, PlainPlayer], games: Sequence[PlainGame]) -> Mapping[int, int]:
        new: dict[int, int] = new_list(before, games)
        ratings.append(len(new))
        return new

    differing = unlike_second_calculation(name, counted, lists=worlds)
    return sum(ratings), differing


FAMILIES: dict[str, Callable[[int], Compared]] = {
    **{name: partial(each, partial(by_fide, name)) for name in ("fide", "course", "course-tranche")},
    **{name: partial(each, partial(by_world, partial(SystemWorld, name))) for name in RATERS},
    "dwz": partial(each, partial(by_world, DwzWorld)),
    "uschess": partial(each, partial(by_world, AmericanWorld)),
    "ecf": partial(each, partial(by_world, EnglishWorld)),
    "plain-elo": partial(of_the_package, "plain-elo"),
}
"""What compares some worlds of a family."""


@contextmanager
def every_package() -> Iterator[None]:
    """Have the example of a package installed."""
    with TemporaryDirectory() as folder, installed(Path(folder), "plain-elo"):
        yield
