"""Documents lead where they say, name no machine, and no command or file that is not there."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import click

from ratinglist.cli.main import program
from tests.docs.session import DOCUMENTS, ROOT, fences, module_of

_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_NAMED_TARGET = re.compile(r"(?:`|^)make ([a-z-]+)", re.MULTILINE)
TEXTS = {document: document.read_text(encoding="utf-8") for document in DOCUMENTS}


@cache
def built() -> dict[Path, str]:
    """The pages made from the code, which are not in git: they lead to documents, and no document leads to them."""
    reference = module_of(ROOT / "docs" / "reference" / "make.py")
    return {reference.BUILT / page: text for page, text in reference.pages().items()}


def anchors(document: Path) -> set[str]:
    """The headings of a document as a link names them."""
    text = built().get(document) or document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(document: Path, link: str) -> bool:
    """Return whether the file of a relative link exists for this document, and the heading in it."""
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    exists = document in built() if target in built() else target.exists()
    return exists and (not anchor or anchor in anchors(target))


def test_every_relative_link_leads_somewhere() -> None:
    pages = TEXTS | built()
    links = [(document, link) for document, text in pages.items() for link in _LINK.findall(_CODE.sub("", text))]
    relative = [(document, link) for document, link in links if not link.startswith(("https://", "http://"))]
    assert len(relative) > 100
    assert [(document, link) for document, link in relative if not leads_somewhere(document, link)] == []


def test_no_document_names_a_place_of_one_machine() -> None:
    place = re.compile(r"(?:^|[\s`(\"'])((?:/(?:home|root|tmp|work|Users|mnt|var)/|[A-Z]:\\)\S*)")
    assert [(document, path) for document, text in TEXTS.items() for path in place.findall(text)] == []


def test_every_command_line_can_be_typed() -> None:
    refused = []
    for document in DOCUMENTS:
        contents = [content for kind in ("sh", "console") for _, content in fences(document, kind)]
        for line in re.findall(r"^(?:\$ )?ratinglist (.+(?:\n> .+)*)", "\n".join(contents), re.MULTILINE):
            typed = shlex.split(line.replace("\n> ", "\n"), comments=True)
            if typed[0] == "--home":
                typed = [*typed[2:], *typed[:2]]
            try:
                program.commands[typed[0]].make_context(typed[0], typed[1:], parent=click.Context(program))
            except (KeyError, click.UsageError) as error:
                refused.append((document, line, repr(error)))
    assert refused == []


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = [(document, target) for document, text in TEXTS.items() for target in _NAMED_TARGET.findall(text)]
    assert [(document, target) for document, target in named if target not in targets] == []


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in DOCUMENTS if page.is_relative_to(index.parent)} - linked == {index}
