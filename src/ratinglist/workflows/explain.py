"""The command `ratinglist explain`, for a player named by FIDE ID or name, on the newest list by default.

The account of a list reads published files only; the store is read for a player about whom the list has nothing.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.event_status import without_replaced_versions
from ratinglist.analysis.explain import (
    Account,
    Sources,
    UnlistedAccount,
    account,
    unlisted_account,
    with_all_columns,
)
from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.pages import html_pages
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.manifest import MANIFEST
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.schemas import CHANGE, ENTRY, EVENT, GAME, LISTED, LISTS, POOL, UNRATED, Table, published_table
from ratinglist.site import ENGLISH, parse_texts
from ratinglist.store import table_parts
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.find import CERTAIN, FoundPlayer, find
from ratinglist.workflows.opening import check_published, open_to_read

_CANDIDATES = 10
_DEVIATIONS = ("fide_id", "rating_hundredths", "deviation_hundredths")
_COUNTED = ("", "counts_for_promotion")
"""The reasons of games that a promotion is judged by."""


class NothingAboutPlayerError(NothingReadError):
    """The list has no rating, no game and no waiting result of the player."""


def explain_player(
    settings: Settings,
    player: str,
    period: Period | None = None,
    time_control: str | None = None,
    revision: str | None = None,
) -> Account | UnlistedAccount:
    """Explain the ratings of a player, who is named by FIDE ID or by any part of the name that no other player has.

    ``period``: by default the newest published month. A player about whom that list has nothing is explained from the
    store: the state, and what became of the reports with the player.

    Raises :class:`CommandLineError` where the name fits several players, naming them; else as
    :func:`explain`.
    """
    fide_id = _fide_id(settings, player, period)
    month = period or _newest(settings)
    if month is None:
        return _unlisted(settings, fide_id, None, None)
    try:
        explained = explain(settings, fide_id, month, time_control, revision)
    except NothingAboutPlayerError:
        if not settings.store.is_file():
            raise
        return _unlisted(settings, fide_id, month, revision)
    return explained if explained.content["name"] else _with_registered_name(settings, explained)


def _fide_id(settings: Settings, player: str, period: Period | None) -> int:
    """Return the FIDE ID of the player named."""
    player = player.strip()
    if player.isascii() and player.isdigit():
        return int(player)
    found = find(settings, player, _CANDIDATES).players
    best = [one for one in found if one.score == found[0].score]
    if len(best) == 1 and best[0].score >= CERTAIN:
        return best[0].fide_id
    raise CommandLineError(_ambiguous(player, found if found[0].score < CERTAIN else best, period))


def _ambiguous(player: str, candidates: list[FoundPlayer], period: Period | None) -> str:
    month = f" {period}" if period else ""
    several = "several players have" if candidates[0].score >= CERTAIN else "no player has just"
    lines = [f"{several} '{player}' in their names. Type the command of the one that is meant:"]
    for one in candidates:
        details = ", ".join(filter(None, (one.federation, str(one.birth_year or ""), one.state_text())))
        lines.append(f"  ratinglist explain {one.fide_id}{month}    {one.name} ({details})")
    lines.append(f"More of them: ratinglist find {shlex.quote(player)}" if len(candidates) == _CANDIDATES else "")
    return "\n".join(lines).rstrip()


def _newest(settings: Settings) -> Period | None:
    months = revisions.months(settings.published) if settings.published.is_dir() else []
    return months[-1] if months else None


def _with_registered_name(settings: Settings, explained: Account) -> Account:
    """Return the account of a player who is on no list yet, with name and federation by the register."""
    if not settings.store.is_file():
        return explained
    try:
        player = find(settings, str(explained.content["fide_id"]), 1).players[0]
    except NothingReadError:
        # A report has this FIDE ID, and the register does not.
        return explained
    return Account({**explained.content, "name": player.name, "federation": player.federation})


def _unlisted(settings: Settings, fide_id: int, month: Period | None, revision: str | None) -> UnlistedAccount:
    player = find(settings, str(fide_id), 1).players[0]
    with open_to_read(settings) as store:
        rows = store.read(
            """
            select report_status.*
            from report_status semi join (
                select report_id from current_report_player where fide_id = $player
            ) using (report_id)
            where $month is null or list_month is null or list_month <= $month
            order by start_date desc, event_id, received_on, report_id
            """,
            player=player.fide_id,
            month=str(month) if month else None,
        )
        reports = without_replaced_versions(rows).to_dicts()
    shown = revision or (revisions.chosen(settings.published, month, None).name if month else None)
    facts = {
        **{name: getattr(player, name) for name in ("fide_id", "name", "federation", "state", "ratings")},
        "state_text": player.state_text(),
    }
    return unlisted_account(facts, str(month) if month else None, shown, reports)


def explain(
    settings: Settings, fide_id: int, period: Period, time_control: str | None = None, revision: str | None = None
) -> Account:
    """Explain a player's ratings of a published list; ``revision`` such as ``r1``, by default the current one.

    Raises :class:`NothingReadError` where the month is not published, :class:`NothingAboutPlayerError` where it has
    nothing about the player,
    :class:`CommandLineError` for a wrong revision, and :class:`CheckError` where the published files contradict each
    other.
    """
    check_published(settings)
    folder = revisions.chosen(settings.published, period, revision)
    sources = _read(settings.published, folder, period, fide_id)
    explained = account(sources, rule_book(), sentences())
    controls = [part["time_control"] for part in explained.content["time_controls"]]
    if not controls:
        raise NothingAboutPlayerError(
            f"Player {fide_id} is not on the list of {period} ({folder.name}), played no game considered for it, and "
            "has no result that waits. Check the FIDE ID, and the month: a game counts for the list its event was in "
            "time for. Status of an event: ratinglist event EVENT_ID; refused reports: ratinglist quarantine"
        )
    if time_control is None:
        return explained
    if time_control not in controls:
        raise NothingReadError(
            f"Player {fide_id} has nothing on the {time_control} list of {period} ({folder.name}): no rating, no game, "
            f"no result that waits. The player has: {', '.join(controls)}. Leave --time-control out to see it."
        )
    return explained.for_time_control(time_control)


def sentences() -> Mapping[str, str]:
    """Return the English sentences of accounts, which the site has too."""
    return parse_texts((html_pages.folder() / f"{ENGLISH}.toml").read_text(encoding="utf-8")).script


def _read(published: Path, folder: Path, period: Period, fide_id: int) -> Sources:
    """Read the rows of the player, of the events, and the names of the opponents."""
    left_out: dict[str, tuple[str, ...]] = {}
    is_player = pl.col("fide_id") == fide_id
    games = _rows(folder, "games", GAME, is_player, left_out)
    pool = _rows(folder, "pool", POOL, is_player, left_out)
    manifest = _manifest(folder)
    ids = [fide_id, *games["opponent_id"].drop_nulls().unique().sort().to_list()]
    listed = {
        name: _rows(folder, name, LISTED, pl.col("fide_id").is_in(ids), left_out)
        for name in LISTS
        if table_parts.files_of(folder, name)
    }
    # A month of an earlier version does not have the table.
    names_unrated = table_parts.files_of(folder, "unrated")
    is_named = pl.col("fide_id").is_in(ids)
    unrated = _rows(folder, "unrated", UNRATED, is_named, left_out) if names_unrated else UNRATED.empty()
    months = _months_before(manifest, period)
    # A list may have been calculated on one that was withdrawn since.
    current = {
        month: revisions.latest(published, Period.parse(month)) or revisions.newest_complete(published / month)
        for month in sorted(set(months.values()))
    }
    folders = {name: found for name, month in months.items() if (found := current[month]) is not None}
    ignored: dict[str, tuple[str, ...]] = {}
    before = {
        name: _rows(before_folder, name, LISTED, pl.col("fide_id").is_in(ids), ignored)
        for name, before_folder in folders.items()
        if table_parts.files_of(before_folder, name)
    }
    earlier_pool = pl.concat(
        [
            POOL.empty(),
            *[
                _rows(before_folder, "pool", POOL, is_player & (pl.col("time_control") == name), ignored)
                for name, before_folder in folders.items()
            ],
        ]
    )
    return Sources(
        period=period,
        revision=folder.name,
        fide_id=fide_id,
        manifest=manifest,
        lists={name: rows.filter(is_player) for name, rows in listed.items()},
        before={name: rows.filter(is_player) for name, rows in before.items()},
        before_months=months,
        unrated=unrated.filter(is_player),
        names=_names([*before.values(), unrated, *listed.values()]),
        changes=_rows(folder, "changes", CHANGE, is_player, left_out),
        games=games,
        entries=_rows(folder, "entries", ENTRY, is_player, left_out),
        pool=pool,
        earlier_pool=earlier_pool,
        events=_events(published, folder, games, pl.concat([pool, earlier_pool]), left_out),
        left_out=left_out,
        deviations_before={
            name: rows.drop_nulls("deviation_hundredths").select(*_DEVIATIONS)
            for name, rows in before.items()
            if set(_DEVIATIONS) <= set(rows.columns)
        },
        listed_ratings={
            name: dict(rows.select("fide_id", "rating").drop_nulls().iter_rows()) for name, rows in listed.items()
        },
        listed_events=_listed_events(folder, manifest, games["event_id"], left_out),
    )


def _listed_events(
    folder: Path, manifest: Mapping[str, Any], event_ids: pl.Series, left_out: Mapping[str, tuple[str, ...]]
) -> frozenset[str] | None:
    """Return the events with a counted game of a listed player, where the system judges events by them; else None."""
    book, family = rule_book(), str(manifest.get("family", ""))
    is_needed = family in book.families and any(
        isinstance(one, SystemRuleSet) and SYSTEMS[one.system].account.judges_by_listed for one in book.of(family)
    )
    if not is_needed or {"rating", "reason"} & set(left_out.get("games", ())):
        return None
    is_counted = pl.col("event_id").is_in(event_ids.unique().implode()) & pl.col("reason").is_in(_COUNTED)
    found = table_parts.scan(folder, "games").filter(is_counted & pl.col("rating").is_not_null())
    return frozenset(found.select("event_id").unique().collect()["event_id"])


def _rows(folder: Path, stem: str, table: Table, which: pl.Expr, left_out: dict[str, tuple[str, ...]]) -> pl.DataFrame:
    """Read the rows of a published table for which ``which`` holds, with every column of the table.

    ``folder``: of the revision. A family of another system than FIDE's has more columns in some tables. Adds the
    columns that the file lacks to ``left_out``. Raises :class:`CheckError` where the table is missing,
    :class:`~ratinglist.errors.AlteredError` where a part of it is.
    """
    if not table_parts.files_of(folder, stem):
        path = folder / f"{stem}.parquet"
        raise CheckError(f"{path} is missing: the published files were changed. Check: ratinglist verify {folder}")
    rows = table_parts.scan(folder, stem).filter(which).collect()
    whole = published_table(stem, rows.columns)
    missing = tuple(name for name in whole.columns if name not in rows.columns)
    if missing:
        left_out["lists" if table is LISTED else table.name] = missing
    return with_all_columns(rows, whole)


def _events(
    published: Path, folder: Path, games: pl.DataFrame, waiting: pl.DataFrame, left_out: dict[str, tuple[str, ...]]
) -> pl.DataFrame:
    """Read the events of the games and of the waiting results; the latter are in the list that counted them."""
    ids = pl.concat([games["event_id"], waiting["event_id"]]).unique()
    which = pl.col("event_id").is_in(ids.implode())
    parts = [_rows(folder, "events", EVENT, which, left_out)]
    for month in waiting["counted_month"].drop_nulls().unique().sort().to_list():
        other = revisions.latest(published, Period.parse(month))
        if other is not None and other != folder:
            parts.append(_rows(other, "events", EVENT, which, {}))
    return pl.concat(parts).unique("event_id", keep="first", maintain_order=True)


def _names(tables: list[pl.DataFrame]) -> dict[int, str]:
    """Return FIDE ID to name; the later table wins."""
    rows = pl.concat(one.select("fide_id", "name") for one in (LISTED.empty(), *tables)).drop_nulls("name")
    return dict(zip(rows["fide_id"].to_list(), rows["name"].to_list(), strict=True))


def _months_before(manifest: Mapping[str, Any], period: Period) -> dict[str, str]:
    """Return the month of the list before, by time control: the newest that this list was calculated from."""
    newest: dict[str, str] = {}
    for entry in sorted(manifest.get("inputs", {}).get("lists", [])):
        found = re.match(r"([12]\d{3}-(?:0[1-9]|1[0-2])) (\w+)", entry)
        if found and found[1] < str(period):
            newest[found[2]] = found[1]
    return newest


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise CheckError(f"{path} is no manifest: the file was changed or cut off. Check: ratinglist verify {folder}")
    return content
