"""The manifests of a delivery: which files they are, and what all of them together state of each report."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ratinglist.errors import NothingReadError
from ratinglist.findings import RULES, refuses
from ratinglist.limits import MANIFEST_BYTES
from ratinglist.reports import manifest
from ratinglist.reports.discovery import DeliveredFile, Reader
from ratinglist.reports.encoding import decode
from ratinglist.reports.manifest import Manifest, ManifestFacts, Problem


def is_manifest(name: str) -> bool:
    """Return whether a file is a manifest, by its name."""
    return posixpath.basename(name).casefold() == manifest.NAME


def read(file: DeliveredFile, reader: Reader, originals: dict[str, bytes]) -> Manifest:
    """Parse a manifest, and add its bytes to ``originals``."""
    if file.size > MANIFEST_BYTES:
        return Manifest(
            file.name, refusal=f"{file.name} has {file.size} bytes; a manifest has at most {MANIFEST_BYTES}"
        )
    try:
        originals[file.name] = data = reader.read(file, MANIFEST_BYTES)
        decoded = decode(data)
    except NothingReadError as error:
        return Manifest(file.name, refusal=str(error))
    if decoded.rule and refuses(decoded.rule):
        place = f", line {decoded.line}, column {decoded.column}" if decoded.line else ""
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        return Manifest(file.name, refusal=f"{file.name}{place}: {sentence}; save it again as CSV in UTF-8")
    return manifest.read(file.name, decoded.text)


def merged_facts(manifests: Sequence[Manifest]) -> dict[str, ManifestFacts]:
    """Return the facts of each report from all manifests, by the key of the report; two rows refuse the report."""
    merged: dict[str, ManifestFacts] = {}
    where: dict[str, str] = {}
    for sheet in manifests:
        for report, facts in sheet.facts.items():
            if report in merged:
                where[report] += f" and {sheet.where[report]}"
                merged[report] = ManifestFacts(problems=(Problem("manifest_twice", report, where[report]),))
            else:
                merged[report], where[report] = facts, sheet.where[report]
    return merged


def refusals(manifests: Sequence[Manifest]) -> dict[str, list[str]]:
    """Return the refusals of the unusable manifests, by the key of the folder of each."""
    found: dict[str, list[str]] = {}
    for sheet in manifests:
        if sheet.refusal:
            found.setdefault(manifest.key(sheet.folder), []).append(sheet.refusal)
    return found


def with_refusals(refusals: Mapping[str, list[str]], report: str, facts: ManifestFacts) -> ManifestFacts:
    """Return ``facts`` with a problem for every unusable manifest in or above the folder of ``report``.

    Such a manifest may have a row for the report.
    """
    if not refusals:
        return facts
    # From the top folder to the report's own, so that the problems are in the order of the folders' names.
    folders = [str(folder) for folder in reversed(PurePosixPath(manifest.key(report)).parents)]
    found = [refusal for folder in folders for refusal in refusals.get("" if folder == "." else folder, [])]
    problems = (Problem("manifest_unreadable", "", refusal) for refusal in found)
    return replace(facts, problems=(*facts.problems, *problems))
