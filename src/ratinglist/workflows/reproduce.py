"""A published list calculated again from its inputs, in a home of its own, to see whether the same digest comes out.

The inputs are the office's own files, found by their digest whatever their names; the order of things, and what the
office knew of each report, is in the manifests (:mod:`ratinglist.publication.provenance`). The lists before are
calculated too, from the manifests published beside.
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import ratinglist
from ratinglist import office
from ratinglist.config import Settings
from ratinglist.corrections.parser import parse as parse_corrections
from ratinglist.durable_files import sha256_of
from ratinglist.errors import AlteredError, NothingReadError, RatinglistError
from ratinglist.field_policy import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.publication import revision_writer as publication
from ratinglist.publication.checked_month import calculated
from ratinglist.publication.manifest import MANIFEST, Manifest
from ratinglist.publication.policy import Imprint
from ratinglist.publication.provenance import REPORT_FACTS
from ratinglist.publication.revision_facts import facts_of
from ratinglist.publication.verify import verify
from ratinglist.store import calculation_log
from ratinglist.store.database import open_store
from ratinglist.workflows import correct, import_files, load, rate

_OF_DIFF = ("diff.parquet", "DIFF.md")
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ReproduceSummary:
    """What was calculated again, and that it came out the same."""

    path: str
    month: str
    revision: str
    digest: str
    months: list[str]
    reports: int
    taken_over: list[str]

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """The summary on a few lines."""
        lines = [
            f"{self.path}: reproduced, digest {self.digest}",
            f"  calculated from {self.reports:,} reports: {', '.join(self.months)}",
        ]
        if self.taken_over:
            lines.append(f"  not calculated, but taken from the revision: {', '.join(self.taken_over)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Source:
    """A list, a file of players or a file of corrections, by its digest.

    ``more``: the time controls of a list, the digests of the reports that corrections bring.
    """

    kind: str
    month: str
    sha256: str
    more: tuple[str, ...]

    @property
    def brings(self) -> tuple[str, ...]:
        """The reports that corrections bring."""
        return self.more if self.kind == "corrections" else ()


@dataclass(frozen=True, slots=True)
class Step:
    """One list to calculate: what its manifest says, the id that has to come out, and the corrections it knew."""

    told: Manifest
    calculation: str
    corrections: tuple[Source, ...]

    @property
    def period(self) -> Period:
        """The month."""
        return Period.parse(self.told.month)

    @property
    def sources(self) -> list[Source]:
        """The lists and files of players, in order."""
        return [one for one in _sources(self.told) if one.kind != "corrections"]

    @property
    def reports(self) -> list[dict[str, str]]:
        """The reports it looked at, as :func:`_reports` tells them."""
        return _reports(self.told)


def reproduce(revision: Path, inputs: Path, settings: Settings) -> ReproduceSummary:
    """Calculate a published revision again from the files under ``inputs``, and compare the digest.

    Of ``settings`` only today's date, the threads and the progress are used: nothing of a home is read or changed.
    Raises :class:`NothingReadError` where the revision or an input is missing, :class:`AlteredError` where the revision
    is not whole, where another version of the program made it, or where something else comes out.
    """
    revision = revision.parent if revision.name == MANIFEST else revision
    found = verify(revision)
    if found.wrong:
        raise AlteredError(f"{found.wrong[0].file}: {found.wrong[0].says}. What is not whole cannot be reproduced.")
    if list(found.revisions) != [str(revision)]:
        raise NothingReadError(f"{revision}: name one revision, such as published/2025-11/r1.")
    told = manifest.read((revision / MANIFEST).read_bytes())
    made_by = told.facts.get("code_version")
    if made_by != ratinglist.__version__ or "provenance" not in told.facts:
        raise AlteredError(
            f"{revision}: it was made by version {made_by} of ratinglist, and this is {ratinglist.__version__}. "
            "Install that version and run the command again."
        )
    steps = _steps(told, revision.parents[1])
    files = _files(steps, inputs, settings)
    with tempfile.TemporaryDirectory(prefix="ratinglist-") as folder:
        home = _Home(Path(folder), files, settings, _reports_told(revision.parents[1]))
        for done, step in enumerate(steps):
            settings.progress(f"calculating {step.told.month}", done, len(steps))
            home.calculate(step)
        entries, facts = home.content(steps[-1])
    taken_over = {name: entry for name, entry in told.files.items() if name in _OF_DIFF}
    # Reasons given to the program's questions, and whatever else people said, is part of what was published.
    said = {**told.facts, **facts}
    again = manifest.written(steps[-1].period, told.revision, said, {**entries, **taken_over})
    if manifest.read(again).digest != told.digest:
        raise AlteredError("\n".join([f"{revision}: it comes out otherwise.", *_differences(told, said, entries)]))
    reports = {one["sha256"] for step in steps for one in step.reports}
    return ReproduceSummary(
        str(revision),
        told.month,
        f"r{told.revision}",
        told.digest,
        [step.told.month for step in steps],
        len(reports),
        sorted(taken_over),
    )


def _steps(told: Manifest, published: Path) -> list[Step]:
    """Every list that the one asked for stands on, oldest first, then that one."""
    corrections = tuple(one for one in _sources(told) if one.kind == "corrections")
    provenance = told.facts["provenance"]
    steps = []
    for line in provenance["stands_on"]:
        month, calculation, known = line.split(" ")
        steps.append(Step(_of_calculation(published / month, calculation), calculation, corrections[: int(known)]))
    return [*steps, Step(told, provenance["calculation"], corrections)]


def _of_calculation(month: Path, calculation: str) -> Manifest:
    """The manifest of the revision that shows a calculation.

    A list that was calculated again and came out the same has no revision of its own: the newest one's will do.
    """
    told = _manifests(sorted(month.glob("r*")))
    if not told:
        raise NothingReadError(
            f"{month}: the list stands on that of {month.name}, which is not published here. Put its folder beside."
        )
    shown = [one for one in told if one.facts["provenance"]["calculation"] == calculation]
    return max(shown or told, key=lambda one: one.revision)


def _sources(told: Manifest) -> list[Source]:
    lines = (line.split(" ") for line in told.facts["provenance"]["sources"])
    return [Source(kind, month, sha256, tuple(more)) for kind, month, sha256, *more in lines]


def _reports(told: Manifest) -> list[dict[str, str]]:
    """What the office knew of each report, with its ``sha256``; empty text where it knew nothing.

    Those that corrections bring are left out: they come with the corrections.
    """
    names = ("sha256", *REPORT_FACTS)
    lines = (line.split(" ", len(REPORT_FACTS)) for line in told.facts["provenance"]["reports"])
    rows = [dict(zip(names, ["" if one == "-" else one for one in line], strict=True)) for line in lines]
    brought = {sha256 for source in _sources(told) for sha256 in source.brings}
    return [one for one in rows if one["sha256"] not in brought]


def _reports_told(published: Path) -> list[dict[str, str]]:
    """Every report that any manifest beside tells of, once."""
    rows = {tuple(one.values()): one for told in _manifests(sorted(published.glob("*/r*"))) for one in _reports(told)}
    return list(rows.values())


def _manifests(revisions: Iterable[Path]) -> list[Manifest]:
    """The manifests that can be read, of those that tell where their figures come from."""
    told = []
    for path in revisions:
        try:
            told.append(manifest.read((path / MANIFEST).read_bytes()))
        except (OSError, manifest.NotAManifestError):
            # A revision that nobody asked for may be damaged.
            continue
    return [one for one in told if "provenance" in one.facts]


def _files(steps: Sequence[Step], inputs: Path, settings: Settings) -> dict[str, Path]:
    """Where each input stands under ``inputs``, by digest."""
    if not inputs.is_dir():
        raise NothingReadError(f"{inputs}: there is no such folder. Name the one that holds the inputs.")
    wanted = {one["sha256"]: f"report {one['event_id']}" for step in steps for one in step.reports}
    for step in steps:
        for source in (*step.sources, *step.corrections):
            wanted[source.sha256] = source.kind + (f" of {source.month}" if source.month != "-" else "")
            wanted.update(dict.fromkeys(source.brings, "report of a correction"))
    found: dict[str, Path] = {}
    for number, path in enumerate(path for path in sorted(inputs.rglob("*")) if path.is_file()):
        settings.progress("looking for the inputs", number, number + 1)
        found.setdefault(sha256_of(path), path)
    if missing := sorted(set(wanted) - set(found)):
        lines = [f"  {sha256}  {wanted[sha256]}" for sha256 in missing[:_SHOWN]]
        more = [f"  and {len(missing) - _SHOWN:,} more"] if len(missing) > _SHOWN else []
        told = "\n".join([*lines, *more])
        raise NothingReadError(
            f"{inputs}: {len(missing):,} of the inputs are not here:\n{told}\nAsk the office for them."
        )
    return found


class _Home:
    """A home that lives as long as the question: everything goes into it through the program's own steps."""

    def __init__(
        self, folder: Path, files: dict[str, Path], settings: Settings, told: Sequence[dict[str, str]]
    ) -> None:
        self._files, self._folder, self._told = files, folder, told
        self._settings = Settings(folder / "home", settings.family, settings.today, settings.threads)
        self._settings.home.mkdir()
        self._imported: list[Source] = []
        self._loaded: set[tuple[str, ...]] = set()

    def calculate(self, step: Step) -> None:
        """Bring in what a list was made from, and calculate it."""
        for source in _not_yet(step.sources, self._imported):
            self._import(source)
        self._load(step.reports)
        for source in _not_yet(step.corrections, self._imported):
            self._correct(source)
        chosen = {"continue_from": step.told.facts["provenance"]["continue_from"]}
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in chosen.items())
        (self._settings.home / office.NAME).write_text(f"[corrections]\n{text}", encoding="utf-8")
        settings = Settings(
            self._settings.home, step.told.facts["family"], self._settings.today, self._settings.threads
        )
        with open_store(settings.store, settings.threads) as store:
            written = rate.calculate(store, settings, step.period).calculation
            calculation_log.note_publication(store, step.period, 1, settings.today)
        if written.calculation_id != step.calculation:
            differing = _differing(step.told.facts["inputs"], dict(written.inputs))
            raise AlteredError(
                f"The list of {step.told.month} comes out otherwise: its calculation is {written.calculation_id}, and "
                f"what was published stands on {step.calculation}." + (f" Its {differing} differ." if differing else "")
            )

    def content(self, step: Step) -> tuple[dict[str, dict[str, str | int]], dict[str, object]]:
        """What the last list publishes: of every file what its manifest says, and the facts."""
        without = step.told.facts.get("without", {})
        policy = FieldPolicy({name: tuple(columns) for name, columns in without.items()})
        with open_store(self._settings.store, self._settings.threads) as store:
            calculation = calculated(store, step.period)
            facts = facts_of(store, calculation)
        tables = calculation.folder.read_tables()
        draft = publication.write_aside(self._folder / "published", step.period, tables, facts, imprint=Imprint(policy))
        return manifest.read((draft.folder / MANIFEST).read_bytes()).files, facts

    def _import(self, source: Source) -> None:
        file = self._files[source.sha256]
        if source.kind == "players":
            import_files.import_players(self._settings, file)
        else:
            period = Period.parse(source.month)
            try:
                import_files.import_list(self._settings, file, period)
            except RatinglistError:
                if len(source.more) != 1:
                    raise
                # A file of one list that does not say which.
                import_files.import_list(self._settings, file, period, source.more[0])
        self._imported.append(source)

    def _correct(self, source: Source) -> None:
        folder = self._folder / f"corrections-{len(self._imported)}"
        folder.mkdir()
        file = folder / "corrections.toml"
        shutil.copyfile(self._files[source.sha256], file)
        asked = parse_corrections(file.read_text(encoding="utf-8"), str(file))
        named = [one.says["file"] for one in asked if one.action == "replace_report"]
        self._lay_beside(folder, named, source.brings)
        # What is corrected may have come for a later list.
        codes = {one.match.get("event_id") for one in asked}
        self._load([one for one in self._told if one["event_id"] in codes and one["sha256"] in self._files])
        correct.correct(self._settings, file)
        self._imported.append(source)

    def _lay_beside(self, folder: Path, named: Sequence[str], brings: Sequence[str]) -> None:
        """Put the reports that corrections bring where the corrections look for them."""
        by_name = {Path(name).name: name for name in named}
        left = [sha256 for sha256 in brings if self._files[sha256].name not in by_name]
        for sha256 in brings:
            name = by_name.pop(self._files[sha256].name, None)
            if name is None and len(by_name) == len(left) == 1:
                name = by_name.popitem()[1]
            if name is None:
                raise NothingReadError(
                    f"{self._files[sha256]}: this report was brought by a correction. Give it the name it has there: "
                    f"{' or '.join(sorted(by_name.values()))}."
                )
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._files[sha256], place)

    def _load(self, reports: Sequence[dict[str, str]]) -> None:
        """Deliver reports as an office would: a folder with a manifest.csv."""
        rows = [one for one in reports if tuple(one.values()) not in self._loaded]
        if not rows:
            return
        self._loaded |= {tuple(one.values()) for one in rows}
        folder = self._folder / f"reports-{len(self._loaded)}"
        folder.mkdir()
        with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
            told = csv.DictWriter(file, ["file", *REPORT_FACTS])
            told.writeheader()
            for number, row in enumerate(rows):
                name = f"{number}.trf"
                shutil.copyfile(self._files[row["sha256"]], folder / name)
                official = {"true": "1", "false": "0"}[row["official"]]
                told.writerow({"file": name, **{key: row[key] for key in REPORT_FACTS}, "official": official})
        load.load(self._settings, [folder], date.fromisoformat(rows[0]["received_on"]))


def _not_yet(wanted: Iterable[Source], there: Sequence[Source]) -> list[Source]:
    """What is not there yet, in order; the same file may have come twice."""
    left = list(there)
    new = []
    for source in wanted:
        if source in left:
            left.remove(source)
        else:
            new.append(source)
    return new


def _differing(told: dict[str, object], again: object) -> str:
    ours = again if isinstance(again, dict) else {}
    return ", ".join(name for name in sorted(told) if told[name] != ours.get(name))


def _differences(told: Manifest, said: dict[str, object], entries: dict[str, dict[str, str | int]]) -> list[str]:
    """Which files and which facts differ, in words."""
    ours = {name: entry for name, entry in told.files.items() if name not in _OF_DIFF}
    files = [
        f"  {name}: " + ("is not made any more" if name not in entries else "has other rows or other values")
        for name in sorted({*ours, *entries})
        if ours.get(name) != entries.get(name)
    ]
    return files + [f"  {name}: the manifest says otherwise" for name in said if said[name] != told.facts.get(name)]
