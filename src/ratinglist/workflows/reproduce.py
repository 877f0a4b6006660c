"""Calculate a published list again from its inputs, in a temporary home, and compare the digest.

The input files are the office's own, found by their digest, whatever their names. The manifests state the order of the
imports and the facts that the office knew of each report (:mod:`ratinglist.publication.manifest`). The earlier lists
that the list depends on are calculated too, from their manifests in the same published folder.
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import ratinglist
from ratinglist import office
from ratinglist.corrections.parser import parse_corrections
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError, RatinglistError
from ratinglist.files.durable_files import sha256_of
from ratinglist.office import FieldPolicy
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import Period
from ratinglist.publication import manifest, revision_writer
from ratinglist.publication.manifest import MANIFEST, REPORT_FACTS, Manifest, ReportFacts, Source, facts_of
from ratinglist.publication.verify.folders import verify
from ratinglist.rating.systems import registry
from ratinglist.settings import Settings
from ratinglist.store.calculations import current_calculation
from ratinglist.summaries import Summary
from ratinglist.text import counted
from ratinglist.workflows import correct, import_files, load
from ratinglist.workflows.month import calculate
from ratinglist.workflows.opening import open_to_read, open_to_write
from ratinglist.workflows.systems import check_installed

_SHOWN = 20
_REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ReproduceSummary(Summary):
    """A list that was calculated again with the same digest.

    ``months``: the months calculated. ``reports``: how many reports they were calculated from. ``taken_over``: the
    files that were not calculated, but taken from the revision.
    """

    path: str
    month: str
    revision: str
    digest: str
    months: list[str]
    reports: int
    taken_over: list[str]

    def text(self) -> str:
        """Return the summary on a few lines."""
        lines = [
            f"{self.path}: reproduced, digest {self.digest}",
            f"  calculated from {counted(self.reports, 'report')}: {', '.join(self.months)}",
        ]
        if self.taken_over:
            lines.append(f"  not calculated, but taken from the revision: {', '.join(self.taken_over)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Step:
    """One list to calculate.

    ``manifest``: of the revision that was published. ``calculation``: the calculation id that must result.
    ``corrections``: the files of corrections that the calculation knew, in order.
    """

    manifest: Manifest
    calculation: str
    corrections: tuple[Source, ...]

    @property
    def period(self) -> Period:
        """Return the month."""
        return Period.parse(self.manifest.month)

    @property
    def imports(self) -> list[Source]:
        """Return the lists and files of players, in order."""
        return [source for source in manifest.sources_of(self.manifest) if source.kind != "corrections"]

    @property
    def reports(self) -> list[ReportFacts]:
        """Return the reports of the calculation, without those that came with corrections."""
        return manifest.reports_of(self.manifest)


def reproduce(revision: Path, inputs: Path, settings: Settings) -> ReproduceSummary:
    """Calculate a published revision again from the files under ``inputs``, and compare the digest.

    Only today's date, the threads and the progress of ``settings`` are used, and of the home which packages with rating
    systems its ``office.toml`` trusts; no home is changed. Raises
    :class:`NothingReadError` where the revision or an input is missing, :class:`AlteredError` where the revision is not
    whole, where another version of the program made it, or where the digest is another.
    """
    revision = revision.parent if revision.name == MANIFEST else revision
    published = _read_whole(revision)
    steps = _steps(published, revision.parents[1])
    check_installed(settings.home, [(step.manifest.month, step.manifest.facts["inputs"]) for step in steps])
    files = _find_inputs(steps, inputs, settings)
    with tempfile.TemporaryDirectory(prefix="ratinglist-") as folder:
        home = _TemporaryHome(Path(folder), files, settings, _all_reports(revision.parents[1]))
        for done, step in enumerate(steps):
            settings.progress(f"calculating {step.manifest.month}", done, len(steps))
            home.calculate(step)
        entries, calculated_facts = home.write_draft(steps[-1])
    taken_over = {name: entry for name, entry in published.files.items() if Path(name).stem in revision_writer.OF_DIFF}
    # The reasons given to questions are facts of the manifest too, and cannot be calculated.
    facts = {**published.facts, **calculated_facts}
    again = manifest.encode(steps[-1].period, published.revision, facts, {**entries, **taken_over})
    if manifest.read(again).digest != published.digest:
        differences = _differences(published, facts, entries)
        raise AlteredError("\n".join([f"{revision}: calculated again, the list is different.", *differences]))
    reports = {report["sha256"] for step in steps for report in step.reports}
    return ReproduceSummary(
        str(revision),
        published.month,
        f"r{published.revision}",
        published.digest,
        [step.manifest.month for step in steps],
        len(reports),
        sorted(taken_over),
    )


def _import_reference(settings: Settings, file: Path, period: Period) -> None:
    """Import a reference list, which may not name its time control."""
    try:
        import_files.import_reference(settings, file, period)
    except CommandLineError:
        import_files.import_reference(settings, file, period, "standard")


def _read_whole(revision: Path) -> Manifest:
    """Return the manifest of a revision that is whole and was made by this version of the program."""
    found = verify(revision)
    if found.wrong:
        raise AlteredError(
            f"{found.wrong[0].file}: {found.wrong[0].description}. A revision that is not whole cannot be reproduced."
        )
    if list(found.revisions) != [str(revision)]:
        raise NothingReadError(f"{revision}: name one revision, such as published/2025-11/r1.")
    published = manifest.read((revision / MANIFEST).read_bytes())
    version = published.facts.get("code_version")
    if version != ratinglist.__version__ or "provenance" not in published.facts:
        raise AlteredError(
            f"{revision}: it was made by version {version} of ratinglist, and this is {ratinglist.__version__}. "
            "Install that version and run the command again."
        )
    return published


def _steps(last: Manifest, published: Path) -> list[Step]:
    """Return the lists to calculate, oldest first: those that ``last`` depends on, and ``last``."""
    corrections = tuple(source for source in manifest.sources_of(last) if source.kind == "corrections")
    steps = []
    for month, calculation, known in manifest.dependencies_of(last):
        steps.append(Step(_manifest_of(published / month, calculation), calculation, corrections[:known]))
    return [*steps, Step(last, last.facts["provenance"]["calculation"], corrections)]


def _manifest_of(month: Path, calculation: str) -> Manifest:
    """Return the manifest of the revision that was published from a calculation, else that of the newest revision.

    A list that was calculated again with the same result has no revision of its own: the newest one has its content.
    """
    manifests = _readable_manifests(sorted(month.glob("r*")))
    if not manifests:
        raise NothingReadError(
            f"{month}: the list was calculated on that of {month.name}, which is not published here. Put the folder of "
            f"that month into {month.parent}."
        )
    of_calculation = [one for one in manifests if one.facts["provenance"]["calculation"] == calculation]
    return max(of_calculation or manifests, key=lambda one: one.revision)


def _readable_manifests(revisions: Iterable[Path]) -> list[Manifest]:
    """Return the manifests that can be read and have a provenance; other revisions may be damaged."""
    manifests = []
    for path in revisions:
        try:
            manifests.append(manifest.read((path / MANIFEST).read_bytes()))
        except (OSError, manifest.NotAManifestError):
            continue
    return [one for one in manifests if "provenance" in one.facts]


def _all_reports(published: Path) -> list[ReportFacts]:
    manifests = _readable_manifests(sorted(published.glob("*/r*")))
    return list({tuple(report.values()): report for one in manifests for report in manifest.reports_of(one)}.values())


def _find_inputs(steps: Sequence[Step], inputs: Path, settings: Settings) -> dict[str, Path]:
    """Return the path of every file under ``inputs`` by digest; raise where a file that the steps need is missing."""
    if not inputs.is_dir():
        raise NothingReadError(f"{inputs}: there is no such folder. Name the one that holds the inputs.")
    needed = {report["sha256"]: f"report {report['event_id']}" for step in steps for report in step.reports}
    for step in steps:
        for source in (*step.imports, *step.corrections):
            needed[source.sha256] = source.kind + (f" of {source.month}" if source.month != "-" else "")
            needed.update(dict.fromkeys(source.report_digests, "report of a correction"))
    found: dict[str, Path] = {}
    for number, path in enumerate(path for path in sorted(inputs.rglob("*")) if path.is_file()):
        settings.progress("looking for the inputs", number, number + 1)
        found.setdefault(sha256_of(path), path)
    if missing := sorted(set(needed) - set(found)):
        listed = "\n".join(first_lines([f"{sha256}  {needed[sha256]}" for sha256 in missing]))
        raise NothingReadError(
            f"{inputs}: {len(missing):,} of the inputs are not here:\n{listed}\nAsk the office for them."
        )
    return found


class _TemporaryHome:
    """A home in a temporary folder, filled by the program's own commands.

    ``files``: the inputs by digest. ``all_reports``: the reports of all manifests.
    """

    def __init__(
        self, folder: Path, files: Mapping[str, Path], settings: Settings, all_reports: Sequence[ReportFacts]
    ) -> None:
        self._folder, self._files, self._all_reports = folder, files, all_reports
        self._settings = Settings(folder / "home", settings.family, settings.today, settings.threads)
        self._settings.home.mkdir()
        self._imported: list[Source] = []
        self._loaded: set[tuple[str, ...]] = set()
        self._unstated: frozenset[str] = frozenset()
        self._refused: set[tuple[str, ...]] = set()

    def calculate(self, step: Step) -> None:
        """Import, load and correct what a list was calculated from, and calculate it.

        Raises :class:`AlteredError` where the calculation has another id than the published one.
        """
        trusted = json.dumps(sorted(registry.trusted()))
        basis = json.dumps(step.manifest.facts["provenance"]["continue_from"])
        choices = f"[corrections]\ncontinue_from = {basis}\n[systems]\ntrusted = {trusted}\n"
        (self._settings.home / office.NAME).write_text(choices, encoding="utf-8")
        for source in _without(step.imports, self._imported):
            self._import(source)
        self._unstated |= manifest.unstated_times(step.manifest)
        self._refused |= {tuple(report.values()) for report in manifest.refused_by_manifest(step.manifest)}
        self._load(step.reports)
        for source in _without(step.corrections, self._imported):
            self._correct(source)
        # A new Settings object reads office.toml again.
        settings = replace(self._settings, family=step.manifest.facts["family"])
        with open_to_write(settings) as store:
            calculation = calculate(store, settings, step.period)
            # Later lists may start from it as it was published.
            not_placed = {"month": str(step.period), "revision": 0, "manifest": ""}
            store.record("publish", settings.today, published=[not_placed])
        if calculation.calculation_id != step.calculation:
            different = _different_inputs(step.manifest.facts["inputs"], calculation.inputs)
            raise AlteredError(
                f"Calculated again, the list of {step.manifest.month} is different: its calculation is "
                f"{calculation.calculation_id}, and that of the published list is {step.calculation}."
                + (f" Its {different} differ." if different else "")
            )

    def write_draft(self, step: Step) -> tuple[dict[str, dict[str, str | int]], dict[str, object]]:
        """Write the draft of the last list and return the entries of its files and the facts for its manifest."""
        left_out = step.manifest.facts.get("without", {})
        fields = FieldPolicy({name: tuple(columns) for name, columns in left_out.items()})
        with open_to_read(self._settings) as store:
            calculation = current_calculation(store, step.period)
            facts = facts_of(store, calculation)
        published, drafts = self._folder / "published", self._folder / "drafts"
        tables = calculation.folder.read_tables()
        revision = revision_writer.write_revision(published, drafts, step.period, tables, facts, fields=fields)
        return manifest.read((revision.folder / MANIFEST).read_bytes()).files, facts

    def _import(self, source: Source) -> None:
        file, replaced = self._files[source.sha256], not source.names_kept
        if source.kind == "players":
            import_files.import_players(self._settings, file, ascii_names=replaced)
        elif source.kind == "reference":
            _import_reference(self._settings, file, Period.parse(source.month))
        else:
            period = Period.parse(source.month)
            try:
                import_files.import_list(self._settings, file, period, ascii_names=replaced)
            except RatinglistError:
                if len(source.details) != 1:
                    raise
                # The file of one list that does not name its time control.
                import_files.import_list(self._settings, file, period, source.details[0], ascii_names=replaced)
        self._imported.append(source)

    def _correct(self, source: Source) -> None:
        """Apply a file of corrections, with the reports that came with it."""
        folder = self._folder / f"corrections-{len(self._imported)}"
        folder.mkdir()
        file = shutil.copyfile(self._files[source.sha256], folder / "corrections.toml")
        corrections = parse_corrections(file.read_text(encoding="utf-8"), str(file))
        names = [one.says["file"] for one in corrections if one.action == "replace_report"]
        self._copy_reports(folder, names, source.report_digests)
        # A report that is corrected may count for a later list only, so load it now.
        codes = {one.match.get("event_id") for one in corrections}
        self._load(
            [report for report in self._all_reports if report["event_id"] in codes and report["sha256"] in self._files]
        )
        correct.correct(self._settings, file)
        self._imported.append(source)

    def _copy_reports(self, folder: Path, names: Sequence[str], digests: Sequence[str]) -> None:
        """Copy the reports that came with corrections to the ``names`` that the corrections give them.

        A file keeps its own name; where one file and one name remain, they belong together.
        """
        by_name = {Path(name).name: name for name in names}
        renamed = [sha256 for sha256 in digests if self._files[sha256].name not in by_name]
        for sha256 in digests:
            name = by_name.pop(self._files[sha256].name, None)
            if name is None and len(by_name) == len(renamed) == 1:
                name = by_name.popitem()[1]
            if name is None:
                raise NothingReadError(
                    f"{self._files[sha256]}: this report came with a correction. Give it the name it has there: "
                    f"{' or '.join(sorted(by_name.values()))}."
                )
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._files[sha256], copy)

    def _load(self, reports: Sequence[ReportFacts]) -> None:
        """Load the reports that are not loaded yet: as an office does, from a folder with a manifest.csv."""
        if not (new := [report for report in reports if tuple(report.values()) not in self._loaded]):
            return
        self._loaded |= {tuple(report.values()) for report in new}
        folder = self._folder / f"reports-{len(self._loaded)}"
        folder.mkdir()
        with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["file", *REPORT_FACTS])
            for number, report in enumerate(new):
                name = f"{number}.trf"
                shutil.copyfile(self._files[report["sha256"]], folder / name)
                official = {"true": "1", "false": "0"}[report["official"]]
                # A cell too many refuses the report that the office's manifest refused.
                refused = [_REFUSED] if tuple(report.values()) in self._refused else []
                rows.writerow([name, *({**report, "official": official}[key] for key in REPORT_FACTS), *refused])
        received = date.fromisoformat(new[0]["received_on"])
        load.load(self._settings, [folder], received, recorded=load.Recorded(self._unstated))


def _without(sources: Iterable[Source], imported: Sequence[Source]) -> list[Source]:
    """Return the sources that are not imported yet, in order; a file imported twice counts twice."""
    remaining = list(imported)
    new = []
    for source in sources:
        if source in remaining:
            remaining.remove(source)
        else:
            new.append(source)
    return new


def _different_inputs(published: Mapping[str, object], calculated: Mapping[str, object]) -> str:
    return ", ".join(name for name in sorted(published) if published[name] != calculated.get(name))


def _differences(
    published: Manifest, facts: Mapping[str, object], entries: Mapping[str, Mapping[str, str | int]]
) -> list[str]:
    expected = {
        name: entry for name, entry in published.files.items() if Path(name).stem not in revision_writer.OF_DIFF
    }
    files = [
        f"  {name}: " + ("is not made any more" if name not in entries else "has other rows or other values")
        for name in sorted({*expected, *entries})
        if expected.get(name) != entries.get(name)
    ]
    return files + [
        f"  {name}: the manifest has another value" for name in facts if facts[name] != published.facts.get(name)
    ]
