"""Two made-up months of a small federation, as frames ready to be published."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl

from ratinglist.files.durable_files import sha256_of
from ratinglist.office import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import manifest, revision_writer
from ratinglist.publication.drafts import check_not_rolled_back
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Signer
from ratinglist.publication.revision_writer import BirthDates, RevisionDraft
from ratinglist.settings import Settings
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import CHANGE, ENTRY, EVENT, GAME, LISTED, POOL, UNRATED, Table
from tests.stores import open_store

OCTOBER = Period.parse("2025-10")
NOVEMBER = Period.parse("2025-11")
FACTS = {"family": "fide", "code_version": "1.2.3", "rule_sets": ["standard/2024-03-01"], "inputs": ["0a" * 32]}

ANNA, BRUNO, CARLA, DINO, ELSA = 1234567, 1234575, 1234583, 1234591, 1234605
NAMES = {
    ANNA: "Àlba, Anna",
    BRUNO: 'Bassi, Bruno "Bobo"',
    CARLA: "Corti, Carla",
    DINO: "Donati, Dino",
    ELSA: "Elmi, Elsa",
}
WOMEN = {ANNA, CARLA, ELSA}


@dataclass(frozen=True)
class Publication:
    """A revision under ``published/``. ``is_new`` is false where the newest one had exactly this content."""

    period: Period
    revision: int
    folder: Path
    is_new: bool
    rows: dict[str, int]


def rows(table: Table, *values: dict[str, object]) -> pl.DataFrame:
    """Rows of ``table``; a column that is not given is null, or empty text or false where it may not be."""
    blank = {
        name: None if column.null else {pl.String(): "", pl.Boolean(): False}.get(column.dtype)
        for name, column in table.columns.items()
    }
    return pl.DataFrame([blank | value for value in values], schema=table.schema)


def listed(period: Period, time_control: str, fide_id: int, rating: int, **more: object) -> dict[str, object]:
    woman = fide_id in WOMEN
    return {
        "list_month": str(period),
        "time_control": time_control,
        "fide_id": fide_id,
        "name": NAMES[fide_id],
        "federation": "SMR" if fide_id == DINO else "ITA",
        "sex": "F" if woman else "M",
        "rating": rating,
        "games": 0,
        "k": 20,
        "birth_year": 1990,
        "flag": "w" if woman else "",
        **more,
    }


def event(event_id: str, **more: object) -> dict[str, object]:
    return {
        "event_id": event_id,
        "name": f"Open {event_id}",
        "federation": "ITA",
        "time_control": "standard",
        "event_type": "swiss",
        "start_date": date(2025, 10, 3),
        "end_date": date(2025, 10, 5),
        "received_on": date(2025, 10, 6),
        "version": 1,
        "status": "rated",
        "report_sha256": "ab" * 32,
        "players": 5,
        "games": 2,
        **more,
    }


def game(event_id: str, number: int, fide_id: int, opponent_id: int, **more: object) -> dict[str, object]:
    return {
        "time_control": "standard",
        "event_id": event_id,
        "round": number,
        "fide_id": fide_id,
        "opponent_id": opponent_id,
        "colour": "w",
        "score_halves": 2,
        "rated": True,
        **more,
    }


def october() -> dict[str, pl.DataFrame]:
    """Four players, nothing played, the pool holding Elsa's first event."""
    return {
        "standard": rows(
            LISTED,
            listed(OCTOBER, "standard", ANNA, 2000),
            listed(OCTOBER, "standard", BRUNO, 1900),
            listed(OCTOBER, "standard", CARLA, 1402, k=40),
            listed(OCTOBER, "standard", DINO, 2000, flag="i"),
        ),
        "blitz": rows(LISTED, listed(OCTOBER, "blitz", ANNA, 1950)),
        "changes": CHANGE.empty(),
        "games": GAME.empty(),
        "entries": ENTRY.empty(),
        "pool": rows(
            POOL,
            {
                "time_control": "standard",
                "fide_id": ELSA,
                "event_id": "100",
                "games": 3,
                "score_halves": 3,
                "opponent_rating_sum": 5700,
                "counted_month": "2025-10",
                "expires_month": "2027-12",
            },
        ),
        "events": rows(EVENT, event("100")),
        "unrated": UNRATED.empty(),
    }


def november() -> dict[str, pl.DataFrame]:
    """Anna beats Bruno and Carla, who is delisted; Elsa enters; a game with an unrated player is not rated."""
    return {
        "standard": rows(
            LISTED,
            listed(NOVEMBER, "standard", ANNA, 2008, games=2),
            listed(NOVEMBER, "standard", BRUNO, 1893, games=1),
            listed(NOVEMBER, "standard", DINO, 2000, flag="i"),
            listed(NOVEMBER, "standard", ELSA, 1841, games=2, k=40),
        ),
        "blitz": rows(LISTED, listed(NOVEMBER, "blitz", ANNA, 1950)),
        "changes": rows(
            CHANGE,
            _change(ANNA, 2000, 2, 20, 760, 8, 2008, "rated"),
            _change(BRUNO, 1900, 1, 20, -720, -7, 1893, "rated"),
            _change(CARLA, 1402, 1, 40, -320, -3, None, "delisted"),
            _change(ELSA, None, 2, None, None, None, 1841, "entered"),
        ),
        "games": rows(
            GAME,
            game("200", 1, ANNA, BRUNO, rating=2000, opponent_rating=1900, k=20, change_hundredths=720),
            game("200", 1, BRUNO, ANNA, rating=1900, opponent_rating=2000, k=20, change_hundredths=-720, colour="b"),
            game("200", 2, ANNA, CARLA, rating=2000, opponent_rating=1402, k=20, change_hundredths=40),
            game("200", 2, CARLA, ANNA, rating=1402, opponent_rating=2000, k=40, change_hundredths=-320, colour="b"),
            game("200", 3, BRUNO, ELSA, rating=1900, rated=False, reason="opponent_unrated"),
            game("200", 3, ELSA, BRUNO, opponent_rating=1900, rated=False, reason="entry"),
        ),
        "entries": rows(
            ENTRY,
            {
                "time_control": "standard",
                "fide_id": ELSA,
                "games": 5,
                "score_halves": 5,
                "opponent_average": Decimal("1841.43"),
                "p_hundredths": 50,
                "dp": 0,
                "computed_rating": 1841,
                "published": True,
            },
        ),
        "pool": POOL.empty(),
        "events": rows(EVENT, event("200", games=3), event("300", name="Late Cup", status="late", reason="third_list")),
        "unrated": UNRATED.empty(),
    }


def no_birth_dates(_fide_ids: pl.Series) -> pl.DataFrame:
    """No birth dates, for tables without a store."""
    return pl.DataFrame(schema={"fide_id": pl.Int64, "birth_date": pl.Date})


def publish_tables(
    folder: Path,
    period: Period,
    tables: Mapping[str, pl.DataFrame],
    facts: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
    *,
    fields: FieldPolicy | None = None,
    birth_dates: BirthDates = no_birth_dates,
    signer: Signer | None = None,
) -> Publication:
    """Publish the list of ``period`` under ``folder`` from frames, without a store."""
    drafts = _drafts(folder)
    revision = revision_writer.write_revision(
        folder,
        drafts,
        period,
        tables,
        facts,
        linked={},
        texts=texts or {},
        fields=fields or FieldPolicy(),
        birth_dates=birth_dates,
    )
    return place(folder, revision, signer)


def _drafts(published: Path) -> Path:
    return published.with_name(f"{published.name}-drafts")


def place(published: Path, draft: RevisionDraft, signer: Signer | None = None) -> Publication:
    """Move a draft to its place under ``published``, signed where there is a signer, without a store."""
    if signer is not None and draft.is_new:
        (draft.folder / SIGNATURE).write_bytes(signer.sign((draft.folder / MANIFEST).read_bytes()))
    month = published / str(draft.period)
    if draft.is_new:
        month.mkdir(parents=True, exist_ok=True)
        draft.folder.rename(month / f"r{draft.number}")
        shutil.rmtree(_drafts(published))
        (month / "latest").write_text(f"r{draft.number}\n", encoding="utf-8", newline="\n")
    return Publication(draft.period, draft.number, month / f"r{draft.number}", draft.is_new, draft.rows)


def publish_in(
    settings: Settings,
    period: Period,
    tables: Mapping[str, pl.DataFrame],
    facts: Mapping[str, object],
) -> Publication:
    """Publish the list of ``period`` in a home from frames, and note it in its log; not one that was rolled back."""
    published = settings.published
    draft = revision_writer.write_revision(
        published,
        _drafts(published),
        period,
        tables,
        facts,
        linked={},
        texts={},
        fields=FieldPolicy(),
        birth_dates=no_birth_dates,
    )
    with open_store(settings.store) as store:
        check_not_rolled_back(store, settings, draft)
    done = place(published, draft)
    if done.is_new:
        noted(settings, period, done.revision)
    return done


def noted(settings: Settings, period: Period, revision: int) -> None:
    """Note in the log that a revision which is in its place was published and is current."""
    folder = settings.published / str(period)
    placed = {
        path.relative_to(settings.published).as_posix(): sha256_of(path) for path in folder.rglob("*") if path.is_file()
    }
    digest = manifest.read((folder / f"r{revision}" / manifest.MANIFEST).read_bytes()).digest
    published = [{"month": str(period), "revision": revision, "manifest": digest}]
    facts = {"before_id": "", "family": "fide", "rule_sets": [], "one_time_step": "", "lists": [], "written": {}}
    with open_store(settings.store) as store:
        number = store.log.history.last_calculation + 1
        made = {"month": str(period), "rated_from": str(period), "calculation": number, "calculation_id": digest}
        store.record("calculate", settings.today, **made, **facts)
        store.record("publish", settings.today, published=published, placed=placed, signers={}, family="fide")


def publish_both(folder: Path) -> None:
    publish_tables(folder, OCTOBER, october(), FACTS)
    publish_tables(folder, NOVEMBER, november(), FACTS)


def _change(
    fide_id: int,
    old: int | None,
    games: int,
    k: int | None,
    hundredths: int | None,
    change: int | None,
    new: int | None,
    status: str,
) -> dict[str, object]:
    return {
        "time_control": "standard",
        "fide_id": fide_id,
        "old_rating": old,
        "games": games,
        "k": k,
        "change_hundredths": hundredths,
        "change": change,
        "new_rating": new,
        "status": status,
    }


def replace_parquet(path: Path, table: Table, frame: pl.DataFrame) -> None:
    """Write a published table again; a file of another folder that it was a link to stays as it is."""
    path.unlink(missing_ok=True)
    write_parquet(path, table, table.conform(frame))
