"""Every session printed in a document, run again: it prints what stands there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_line import TODAY
from tests.conftest import MONTHS, office, rate_sample
from tests.docs.session import DOCUMENTS, ROOT, commands, fences, name, run
from tests.parameters import long_but

FROM_NOTHING = [
    "README.md",
    "docs/tutorial.md",
    "docs/how-to/add-a-rating-system.md",
    "docs/how-to/check-a-report.md",
    "docs/how-to/rate-by-another-system.md",
]
AFTER_OCTOBER = [
    "docs/how-to/correct-a-refused-report.md",
    "docs/how-to/deliver-reports.md",
    "docs/how-to/export-a-list.md",
    "docs/how-to/find-wrong-identities.md",
    "docs/how-to/reconcile-with-an-official-list.md",
    "docs/how-to/write-to-arbiters.md",
]
AFTER_DECEMBER = [
    "docs/how-to/analyse-results-and-lists.md",
    "docs/how-to/ask-with-sql.md",
    "docs/how-to/explain-a-rating.md",
    "docs/how-to/study-published-lists.md",
    "docs/explanation/one-game.md",
    "docs/explanation/rules-as-data.md",
]
A_HOME_THAT_IS_KEPT = [
    "docs/how-to/back-up-and-restore.md",
    "docs/how-to/check-and-rebuild-a-home.md",
]
AND_CHANGES_IT = ["docs/how-to/correct-a-published-list.md", "docs/how-to/take-a-list-back.md"]
"""The second goes on where the first ends."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory like a checkout's, without a home."""
    for folder in ("data", "docs", "sql"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for variable in ("RATINGLIST_HOME", "RATINGLIST_RULES", "RATINGLIST_TODAY", "RATINGLIST_BY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shows_what_it_prints(place: Path) -> Callable[[str], None]:
    """Run the sessions of a document, one command after the other."""

    def check(document: str) -> None:
        of_document = commands(ROOT / document)
        assert of_document
        for command in of_document:
            printed = run(command.text)
            assert command.agrees(printed), f"{document}:{command.line}: $ {command.text}\n{printed}"

    return check


@pytest.mark.parametrize(
    "document",
    long_but(FROM_NOTHING, "README.md"),
)
def test_a_session_from_nothing(document: str, shows_what_it_prints: Callable[[str], None]) -> None:
    shows_what_it_prints(document)


@pytest.fixture(scope="module")
def after_october(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home after two months whose files were named as an office would type them; look, do not touch."""
    place = tmp_path_factory.mktemp("checkout")
    (place / "data").symlink_to(ROOT / "data")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(place)
        here.setattr("tests.conftest.SAMPLE", Path("data/sample"))
        rate_sample(replace(office(Path("ratinglist-home")), person="Anna Berg"), MONTHS[:2])
    return place / "ratinglist-home"


@pytest.mark.long
@pytest.mark.parametrize("document", [*AFTER_OCTOBER, "docs/how-to/publish-a-list.md"])
def test_a_session_of_the_second_month(
    document: str, place: Path, after_october: Path, shows_what_it_prints: Callable[[str], None]
) -> None:
    shutil.copytree(after_october, place / "ratinglist-home")
    shows_what_it_prints(document)


@pytest.mark.parametrize(
    "document", [*AFTER_DECEMBER, pytest.param("docs/how-to/ask-what-if.md", marks=pytest.mark.long)]
)
def test_a_session_over_all_lists(
    document: str, place: Path, published: Path, shows_what_it_prints: Callable[[str], None]
) -> None:
    # A copy, because the session on what-if keeps its studies in the home.
    shutil.copytree(published.parent, place / "ratinglist-home")
    shows_what_it_prints(document)


@pytest.mark.long
def test_sessions_that_change_published_lists(
    place: Path, published: Path, shows_what_it_prints: Callable[[str], None]
) -> None:
    shutil.copytree(published.parent, place / "ratinglist-home")
    for document in AND_CHANGES_IT:
        for _, content in fences(ROOT / document, "toml"):
            (place / "corrections.toml").write_text(content, encoding="utf-8")
        shows_what_it_prints(document)


@pytest.mark.long
@pytest.mark.parametrize("document", A_HOME_THAT_IS_KEPT)
def test_a_session_on_keeping_a_home(
    document: str,
    place: Path,
    after_october: Path,
    monkeypatch: pytest.MonkeyPatch,
    shows_what_it_prints: Callable[[str], None],
) -> None:
    monkeypatch.setenv("RATINGLIST_TODAY", TODAY)
    shutil.copytree(after_october, place / "ratinglist-home")
    shows_what_it_prints(document)


def test_every_document_with_a_session_is_run() -> None:
    with_sessions = {name(document) for document in DOCUMENTS if fences(document, "console")}
    assert with_sessions == {
        *(*FROM_NOTHING, *AFTER_OCTOBER, *AFTER_DECEMBER),
        *("docs/how-to/publish-a-list.md", "docs/how-to/ask-what-if.md"),
        *(*A_HOME_THAT_IS_KEPT, *AND_CHANGES_IT),
    }
