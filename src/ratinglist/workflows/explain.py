"""The command `ratinglist explain`: a player named by FIDE ID or name, on the newest list by default.

The account of a published list reads published files only; the store is read for a player about whom the list has
nothing, and for a list that is calculated and not published.
"""

from __future__ import annotations

from ratinglist.analysis.explain import Account, UnlistedAccount, unlisted_account
from ratinglist.errors import NothingReadError
from ratinglist.pages import html_pages
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import current_calculation
from ratinglist.store.report_states import without_replaced_versions
from ratinglist.workflows.account_files import ListFiles, account_of, calculated_files, published_files
from ratinglist.workflows.find import find, one_player
from ratinglist.workflows.opening import check_published, open_to_read


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
        return explain(settings, fide_id, month, time_control, revision)
    except NothingAboutPlayerError:
        if not settings.store.is_file():
            raise
        return _unlisted(settings, fide_id, month, revision)


def _fide_id(settings: Settings, player: str, period: Period | None) -> int:
    month = f" {period}" if period else ""
    return one_player(settings, player, lambda fide_id: f"ratinglist explain {fide_id}{month}")


def _newest(settings: Settings) -> Period | None:
    months = revisions.months(settings.published)
    return months[-1] if months else None


def _unlisted(settings: Settings, fide_id: int, month: Period | None, revision: str | None) -> UnlistedAccount:
    player = find(settings, str(fide_id), 1).players[0]
    with open_to_read(settings) as store:
        rows = store.read(
            """
            select report_status.*
            from report_status semi join (
                select report_id from current_report_player join report using (report_no) where fide_id = $player
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
    try:
        files = published_files(settings.published, period, revision)
    except NothingReadError as error:
        raise NothingReadError(_of_unpublished(settings, fide_id, period, str(error))) from None
    return _of_list(files, fide_id, time_control)


def _of_unpublished(settings: Settings, fide_id: int, period: Period, error: str) -> str:
    """Return the message for a month without a published list, and how to see the account if it is calculated."""
    with open_to_read(settings) as store:
        if str(period) in store.log.history.standing_calculations():
            return f"{error} It is calculated: ratinglist explain {fide_id} {period} --preview"
        if not calculations.is_imported(store, period):
            return error
        return (
            f"{error} That of {period} was imported: what is known of the player then stands in the file it came from."
        )


def explain_calculated(
    settings: Settings, player: str, period: Period | None = None, time_control: str | None = None
) -> Account:
    """Explain a player's ratings of a calculated list, published or not; by default of the newest one calculated.

    Raises :class:`NothingReadError` where the list was not calculated, or has nothing about the player;
    :class:`CommandLineError` where the name fits several players.
    """
    fide_id = _fide_id(settings, player, period)
    with open_to_read(settings) as store:
        months = calculations.months_from(store, period or Period(0))
        if period is None and not months:
            raise NothingReadError("No list was calculated yet: ratinglist rate YYYY-MM")
        calculation = current_calculation(store, period or months[-1])
        files = calculated_files(store, settings.published, calculation)
        return _of_list(files, fide_id, time_control)


def _of_list(files: ListFiles, fide_id: int, time_control: str | None) -> Account:
    """Return the account of a player on a list, or of one time control of it."""
    explained, period = account_of(files, fide_id), files.period
    controls = [part["time_control"] for part in explained.content["time_controls"]]
    if not controls:
        raise NothingAboutPlayerError(
            f"Player {fide_id} is not on the list of {period} ({files.shown}), played no game considered for it, and "
            "has no result that waits. Check the FIDE ID, and the month: a game counts for the list its event was in "
            "time for. Status of an event: ratinglist event EVENT_ID; refused reports: ratinglist quarantine"
        )
    if time_control is None:
        return explained
    if time_control not in controls:
        raise NothingReadError(
            f"Player {fide_id} has nothing on the {time_control} list of {period} ({files.shown}): no rating, no game, "
            f"no result that waits. The player has: {', '.join(controls)}. Leave --time-control out to see it."
        )
    return explained.for_time_control(time_control)


def account_page(account: Account | UnlistedAccount) -> str:
    """Return an account as a page that is one file, with the words of the command."""
    return html_pages.as_page(account.document())
