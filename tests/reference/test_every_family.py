"""Every rating family, that of the example of a package too, has a second calculation."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from random import Random

import pytest

from ratinglist.store.rule_files import rule_book
from tests.docs.session import ROOT
from tests.reference import system_rater
from tests.reference.ecf_rater import EnglishOffice
from tests.reference.families import FAMILIES, every_package
from tests.reference.system_rater import RATERS
from tests.reference.system_worlds import SystemWorld


@pytest.fixture(scope="module", autouse=True)
def packages() -> Iterator[None]:
    with every_package():
        yield


def test_every_family_has_one() -> None:
    assert sorted(rule_book().families) == sorted(FAMILIES)


@pytest.mark.parametrize("family", [*RATERS, "dwz", "uschess", "ecf"])
def test_the_program_and_the_second_rater_agree(family: str) -> None:
    ratings, differing = FAMILIES[family](2)
    assert differing == []
    assert ratings


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_they_agree_in_200_worlds(family: str) -> None:
    ratings, differing = FAMILIES[family](200)
    assert differing == []
    assert ratings > 1000


NOMINAL, AWAY = EnglishOffice.nominal, system_rater.half_up


@pytest.mark.parametrize(
    ("family", "what", "wrong"),
    [
        ("club", "tests.reference.system_rater.half_up", lambda value: AWAY(value) + 1),
        ("dwz", "tests.reference.dwz_rater.PlainOffice.rate", lambda office, event: {}),
        ("uschess", "tests.reference.uschess_rater.most_games", lambda rating: 40.0),
        ("ecf", "tests.reference.ecf_rater.EnglishOffice.nominal", lambda *of: NOMINAL(*of) + 40),
    ],
)
def test_a_fault_of_the_second_rater_is_found(
    family: str, what: str, wrong: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what, wrong)
    _, differing = FAMILIES[family](2)
    assert differing


@pytest.mark.long
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_number_of_threads_does_not_matter(threads: str) -> None:
    script = "from tests.reference.test_every_family import hashes; print(hashes())"
    environment = os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONPATH": os.pathsep.join(["src", "."])}
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == hashes()


def hashes() -> str:
    """A digest of some lists of every family."""
    digest = hashlib.sha256()
    for family in RATERS:
        for seed in range(3):
            world = SystemWorld(family, Random(seed))
            for month in world.months[1:]:
                world.play(month)
                world.plain.before_month = month
                result = world.office.rate(month).result
                tables = (result.games, result.changes, result.pool, result.list_state, result.system_state)
                for table in tables:
                    digest.update(table.write_csv().encode())
    return digest.hexdigest()
