"""A list whose long tables are published in parts is that of whole tables: in every digest, and for every reader."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.config import EngineChoice, Settings
from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.publication import manifest, revisions
from ratinglist.publication.verify import verify
from ratinglist.store import table_parts
from ratinglist.store.table_files import logical_sha256
from ratinglist.workflows import correct, doctor, reproduce, rerate
from tests.command_line import did, ratinglist
from tests.conftest import SAMPLE, copied, office, published_bytes, run_sample

WHOLE, PARTED = "2025-09", ("2025-10", "2025-11")
ROWS = 40
PLAYER = "99900046"
CORRECTION = """
[[correction]]
action = "change_result"
match = {{ event_id = "{event_id}", round = {round}, white = {fide_id}, black = {opponent_id} }}
result = "0-1"
reason = "the score sheets say so"
who = "chief arbiter of the event"
reported_on = 2025-12-01
"""


def set_rows(home: Path) -> None:
    (home / "office.toml").write_text(f"[publication]\nrows_per_part = {ROWS}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def parted(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's office that publishes in parts since October; look, do not touch."""
    home = tmp_path_factory.mktemp("parted") / "home"
    shutil.copytree(homes / WHOLE, home)
    set_rows(home)
    run_sample(office(home), PARTED[0])
    # In buckets, because neither they nor an engine may move the border of a part.
    run_sample(replace(office(home), engine=EngineChoice("local", 3)), PARTED[1])
    return home


@pytest.fixture
def revision(parted: Path, tmp_path: Path) -> Path:
    """A revision in parts; yours to break."""
    folder = tmp_path / PARTED[0] / "r1"
    shutil.copytree(parted / "published" / PARTED[0] / "r1", folder)
    return folder


def digests(folder: Path) -> dict[str, str]:
    """The logical digest of every table of a revision."""
    return {stem: logical_sha256(rows) for stem, rows in revisions.read_tables(folder).items()}


def described(folder: Path) -> str:
    return "\n".join(f"{Path(one.file).relative_to(folder)} {one.description}" for one in verify(folder).wrong)


@pytest.mark.parametrize("month", PARTED)
def test_every_table_has_the_rows_of_one_file(parted: Path, homes: Path, month: str) -> None:
    whole, cut = (home / "published" / month / "r1" for home in (homes / "2025-11", parted))
    assert digests(cut) == digests(whole)
    for stem, rows in revisions.read_tables(cut).items():
        files = table_parts.files_for(stem, len(rows), ROWS)
        assert [cut / name for name in files] == table_parts.files_of(cut, stem)
        assert [len(pl.read_parquet(cut / name)) for name in files] == list(files.values())
    assert len(table_parts.files_of(cut, "standard")) > 1 < len(table_parts.files_of(cut, "games"))
    assert [path.name for path in table_parts.files_of(cut, "entries")] == ["entries.parquet"]
    files_now, files_before = (manifest.read((one / "manifest.json").read_bytes()).files for one in (cut, whole))
    parts = table_parts.names_of("standard", files_now)
    assert {files_now[name]["logical_sha256"] for name in parts} == {files_before["standard.csv"]["sha256"]}
    assert (cut / "standard.csv").read_bytes() == (whole / "standard.csv").read_bytes()


@pytest.mark.long
def test_neither_buckets_nor_a_second_run_change_a_byte(parted: Path, homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / WHOLE, tmp_path / "home")
    set_rows(tmp_path / "home")
    settings = office(tmp_path / "home")
    run_sample(replace(settings, engine=EngineChoice("local", 5)), PARTED[0])
    run_sample(settings, PARTED[1])
    assert published_bytes(settings.home) == published_bytes(parted)


VERSION = re.compile(rb'"[0-9a-f]{12}"')


def swap(folder: Path) -> None:
    first, second, *_ = table_parts.files_of(folder, "games")
    first.rename(folder / "aside")
    second.rename(first)
    (folder / "aside").rename(second)


def alter(folder: Path) -> None:
    path = table_parts.files_of(folder, "games")[1]
    path.chmod(0o644)
    rows = pl.read_parquet(path)
    rows.with_columns(pl.col("round") + 1).write_parquet(path)


def add(folder: Path) -> None:
    first = table_parts.files_of(folder, "games")[0]
    shutil.copyfile(first, first.with_name("part-00009-of-00009.parquet"))
    (folder / "events").mkdir()
    shutil.copyfile(first, folder / "events" / "part-00001-of-00001.parquet")


def remove(folder: Path) -> None:
    table_parts.files_of(folder, "games")[-1].unlink()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (remove, ["is missing"]),
        (swap, ["games/part-00001-of-", "games/part-00002-of-"]),
        (alter, ["games/part-00002-of-"]),
        (add, ["games/part-00009-of-00009.parquet was not published", "events was not published"]),
        (lambda folder: (folder / "pool").mkdir(), ["pool was not published"]),
    ],
    ids=["missing", "swapped", "altered", "additional", "an empty folder"],
)
def test_verification_names_the_part(revision: Path, change: Callable[[Path], object], expected: list[str]) -> None:
    assert described(revision) == ""
    change(revision)
    found = described(revision)
    assert all(text in found for text in expected)
    assert found.count("\n") + 1 == len(expected)


def test_a_list_in_parts_that_is_not_the_text_of_its_digest_is_found(revision: Path) -> None:
    content = json.loads((revision / "manifest.json").read_bytes())
    first = table_parts.names_of("standard", content["files"])[0]
    other = pl.read_parquet(revision / first).with_columns(pl.lit("Another").alias("name"))
    (revision / first).chmod(0o644)
    other.write_parquet(revision / first)
    entry = content["files"][first]
    entry |= {"sha256": sha256_of(revision / first), "bytes": (revision / first).stat().st_size}
    facts = {key: value for key, value in content.items() if key not in manifest.OWN_FACTS}
    (revision / "manifest.json").chmod(0o644)
    (revision / "manifest.json").write_bytes(manifest.encode(Period.parse(PARTED[0]), 1, facts, content["files"]))
    assert described(revision) == "standard has other contents than its logical digest: not what we wrote"


def test_a_manifest_with_parts_of_no_table_is_none(revision: Path) -> None:
    content = json.loads((revision / "manifest.json").read_bytes())
    facts = {key: value for key, value in content.items() if key not in manifest.OWN_FACTS}
    for files in spoiled(content["files"]):
        data = manifest.encode(Period.parse(PARTED[0]), 1, facts, files)
        with pytest.raises(manifest.NotAManifestError, match=r"parts of games|names a file|different logical"):
            manifest.read(data)


def spoiled(files: dict[str, dict[str, object]]) -> Iterator[dict[str, dict[str, object]]]:
    first, *others = table_parts.names_of("games", files)
    rest = {name: entry for name, entry in files.items() if name not in (first, *others)}
    yield {**rest, **{name: files[name] for name in others}}
    yield {**rest, "../games/part-00001-of-00001.parquet": files[first]}
    yield {**files, "games.parquet": files[first]}
    yield {**files, first: {**files[first], "rows": 0}}
    yield {**files, first: {**files[first], "rows": 10**12}}
    yield {**files, first: {**files[first], "logical_sha256": "0" * 64}}


def test_a_missing_part_is_never_read_over(revision: Path) -> None:
    remove(revision)
    with pytest.raises(AlteredError, match=r"games has \d+ files.*a part is missing"):
        table_parts.read(revision, "games")


def test_a_missing_part_of_a_calculation_is_named_with_the_remedy(parted: Path, tmp_path: Path) -> None:
    home = copied(parted, tmp_path).home
    folder = max(home.glob("calculations/month=2025-11/c*"))
    remove(folder)
    done = ratinglist("publish", "2025-11", home=home)
    assert done.returncode == 3
    assert f"A part of games in {folder} is missing. Rebuild the calculations: ratinglist doctor" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["explain", PLAYER, "2025-11"],
        ["find", PLAYER],
        ["performance", PLAYER, "2025-11"],
        ["export", "fide-txt", "2025-11", "--time-control", "standard", "--out", "-"],
        ["sql", "select * from lists where list_month >= '2025-09' order by all limit 500"],
        [
            "sql",
            "select list_month, count(*) as games, sum(change_hundredths) as change from games group by 1 order by 1",
        ],
        ["diff", "2025-11"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_readers_print_what_they_print_of_whole_tables(parted: Path, homes: Path, command: list[str]) -> None:
    now, before = (ratinglist(*command, home=home) for home in (parted, homes / "2025-11"))
    assert (now.returncode, now.stdout) == (before.returncode, before.stdout)


def test_current_has_every_row_once(parted: Path) -> None:
    names = {path.name for path in (parted / "current" / "lists" / "month=2025-11").rglob("*.parquet")}
    assert {name.partition("-00001")[0] for name in names} >= {"standard-part"}
    for stem in ("games", "lists"):
        files = f"{parted}/current/{stem}/**/*.parquet"
        query = "select count(*) from read_parquet($files, hive_partitioning = true) where month = '2025-11'"
        with duckdb.connect() as connection:
            ((rows,),) = connection.execute(query, {"files": files}).fetchall()
        published = revisions.read_tables(parted / "published" / "2025-11" / "r1")
        expected = ["games"] if stem == "games" else ["standard", "rapid", "blitz"]
        assert rows == sum(len(published[name]) for name in expected if name in published)


@pytest.mark.long
def test_a_site_and_statistics_are_those_of_whole_tables(parted: Path, homes: Path, tmp_path: Path) -> None:
    data, groups = {}, {}
    for name, home in (("cut", parted), ("whole", homes / "2025-11")):
        site, statistics = tmp_path / f"{name}-site", tmp_path / f"{name}-statistics"
        assert ratinglist("site", "--out", site, home=home).returncode == 0
        assert ratinglist("statistics", "2025-11", "--out", statistics, home=home).returncode == 0
        # The version is that of the manifest, which names other files; `meta.js` has those of all months.
        files = [path for path in site.rglob("*.js") if path.name != "meta.js"]
        data[name] = {path.relative_to(site): VERSION.sub(b"", path.read_bytes(), count=1) for path in files}
        groups[name] = (statistics / "groups.parquet").read_bytes()
    assert len(data["cut"]) > 10
    assert data["cut"] == data["whole"]
    assert groups["cut"] == groups["whole"]
    part = table_parts.files_of(parted / "published" / "2025-11" / "r1", "games")[0]
    copy = tmp_path / "cut-site" / "files" / "2025-11-r1" / "games" / part.name
    assert copy.read_bytes() == part.read_bytes()
    assert f'games/{part.name}"' in (tmp_path / "cut-site" / "month-2025-11.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_damaged_part_is_rebuilt_and_a_backup_has_all(parted: Path, tmp_path: Path) -> None:
    settings = copied(parted, tmp_path)
    before = published_bytes(parted)
    assert ratinglist("backup", tmp_path / "backup", home=settings.home).returncode == 0
    folder = settings.published / PARTED[0] / "r1"
    table_parts.files_of(folder, "games")[0].unlink()
    alter(settings.published / PARTED[1] / "r1")
    shutil.rmtree(settings.home / "calculations")
    settings.store.unlink()
    assert doctor.check(settings).problems
    assert ratinglist("doctor", "--rebuild", home=settings.home).returncode == 0
    assert published_bytes(settings.home) == before
    assert doctor.check(settings).problems == []
    restored = tmp_path / "restored"
    assert ratinglist("restore", tmp_path / "backup", home=restored).returncode == 0
    assert published_bytes(restored) == before


def corrected_in(settings: Settings, month: str) -> None:
    """Turn a won game of a month round, and rate again."""
    games = table_parts.read(settings.published / month / "r1", "games")
    game = games.filter(pl.col("rated"), pl.col("colour") == "w", pl.col("score_halves") == 2).row(0, named=True)
    file = settings.home / "corrections.toml"
    file.write_text(CORRECTION.format(**game), encoding="utf-8")
    correct.correct(settings, file)
    rerate.rerate(settings, Period.parse(month))


@pytest.mark.long
@pytest.mark.parametrize("months", [PARTED[1:], PARTED])
def test_a_list_in_parts_is_rated_again(parted: Path, homes: Path, tmp_path: Path, months: tuple[str, ...]) -> None:
    cut, whole = copied(parted, tmp_path / "cut"), copied(homes / PARTED[1], tmp_path / "whole")
    corrected_in(cut, months[0])
    corrected_in(whole, months[0])
    for month in months:
        now, before = (one.published / month / "r2" for one in (cut, whole))
        assert digests(now) == digests(before)
        assert table_parts.read(now, "diff").equals(table_parts.read(before, "diff"))
        assert len(table_parts.files_of(now, "games")) > 1


@pytest.mark.long
def test_a_list_in_parts_is_reproduced(parted: Path, tmp_path: Path) -> None:
    settings = copied(parted, tmp_path)
    corrected_in(settings, PARTED[0])
    inputs = tmp_path / "inputs"
    shutil.copytree(SAMPLE, inputs)
    shutil.copyfile(settings.home / "corrections.toml", inputs / "corrections.toml")
    revision = settings.published / PARTED[0] / "r2"
    done = reproduce.reproduce(revision, inputs, office(tmp_path / "unused"))
    assert done.digest == manifest.read((revision / "manifest.json").read_bytes()).digest


@pytest.mark.long
def test_an_office_may_change_its_mind(parted: Path, tmp_path: Path) -> None:
    settings = copied(parted, tmp_path)
    (settings.home / "office.toml").write_text("[publication]\nrows_per_part = 0\n", encoding="utf-8")
    did(settings.home, "publish", PARTED[1])
    folder = settings.published / PARTED[1]
    assert (folder / "latest").read_text(encoding="utf-8") == "r2\n"
    assert {path.name for path in (folder / "r2").iterdir()} >= {"games.parquet", "standard.parquet"}
    assert verify(folder).wrong == []
