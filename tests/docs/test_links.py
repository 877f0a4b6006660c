"""Documents lead where they say, name no machine, and no command or file that is not there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from ratinglist.cli.main import program
from tests.docs.session import DOCUMENTS, ROOT, fences, name

_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


@pytest.fixture(params=DOCUMENTS, ids=name)
def document(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def anchors(document: Path) -> set[str]:
    """The headings of a document as a link names them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_relative_link_leads_somewhere(document: Path) -> None:
    links = _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8")))
    broken = []
    for link in links:
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_no_document_names_a_place_of_one_machine(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert re.findall(r"(?:^|[\s`(\"'])((?:/(?:home|root|tmp|work|Users|mnt|var)/|[A-Z]:\\)\S*)", text) == []


def test_every_command_line_can_be_typed(document: Path) -> None:
    for kind in ("sh", "console"):
        for _, content in fences(document, kind):
            for line in re.findall(r"^(?:\$ )?ratinglist (.+(?:\n> .+)*)", content, re.MULTILINE):
                typed = shlex.split(line.replace("\n> ", "\n"), comments=True)
                if typed[0] == "--home":
                    typed = [*typed[2:], *typed[:2]]
                # Raises a usage error where the program would.
                program.commands[typed[0]].make_context(typed[0], typed[1:], parent=click.Context(program))


def test_every_command_named_in_words_exists(document: Path) -> None:
    named = re.findall(r"`ratinglist ([a-z][a-z-]+)", document.read_text(encoding="utf-8"))
    # The page of slips has one that is mistyped.
    assert set(named) - set(program.commands) - not_yet() - {"statsu"} == set()


def test_every_make_target_named_exists(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = re.findall(r"(?:`|^)make ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) - targets == set()


def not_yet() -> set[str]:
    """The commands that the README says are missing."""
    _, found, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What it does not do yet")
    assert found
    return set(re.findall(r"`ratinglist ([a-z-]+)`", rest))


def test_what_the_readme_says_is_missing_is_missing() -> None:
    assert not_yet() & set(program.commands) == set()


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in DOCUMENTS if page.is_relative_to(index.parent)} - linked == {index}


def test_the_readme_opens_eight_doors() -> None:
    doors = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where to go")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| .*\]\(", doors, re.MULTILINE)) == 8


@pytest.mark.parametrize(
    "page", [page for page in DOCUMENTS if page.parent.name in ("how-to", "explanation")], ids=name
)
def test_a_page_is_about_a_page(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith("|")]  # a table is looked up, not read
    assert len(" ".join(prose).split()) <= 900
