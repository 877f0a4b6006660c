"""The formats an export may have: what each may carry, and what its file is called.

:data:`COLUMNS` is the field policy of exports: a scanner holds every file that was written against it. No format may
carry more than what a published list says in public of a player; of his birth that is the year.
"""

from __future__ import annotations

from dataclasses import dataclass

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.schemas import LISTED

FORMATS = {
    "fide-txt": "FIDE's text list: all time controls in a line, or one; ASCII, lines ended by CR LF, by name",
    "fide-xml": "FIDE's XML list: all time controls in a player, or one; UTF-8, lines ended by CR LF, by name",
    "swiss-manager-csv": "national list for Swiss-Manager, one time control; ASCII, lines ended by CR LF",
    "vega-csv": "player archive for Vega, one time control, parted by semicolons; ASCII, lines ended by CR LF",
    "csv": "every published column, for programs; UTF-8, lines ended by LF, exactly as published",
    "csv-spreadsheet": "the same with nothing a spreadsheet would calculate; UTF-8, lines ended by CR LF",
    "parquet": "the same as Parquet",
    "xlsx": "workbook, a sheet for each time control, every text a text",
    "changes-since": "who was added, removed or changed since the list of --since; CSV in UTF-8, lines ended by LF",
}
"""Every format, and what it is in a few words."""

COMPARED = tuple(name for name in LISTED.columns if name not in ("list_month", "time_control", "fide_id"))
"""What two lists may say differently of a player."""

_PLAYER = ("fide_id", "name", "federation", "sex", "title", "women_title", "other_titles", "birth_year")
_OF_LIST = ("rating", "games", "k")
_COMBINED = tuple(f"{time_control}_{part}" for time_control in ("standard", "rapid", "blitz") for part in _OF_LIST)

COLUMNS: dict[str, tuple[str, ...]] = {
    "fide-txt": (*_PLAYER, *_OF_LIST, *_COMBINED, "flag"),
    "fide-xml": (*_PLAYER, *_OF_LIST, *_COMBINED, "flag"),
    "swiss-manager-csv": ("fide_id", "name", "sex", "federation", "birth_year", "rating"),
    "vega-csv": ("fide_id", "name", "federation", "birth_year", "sex", "title", "women_title", "rating", "k"),
    "csv": tuple(LISTED.columns),
    "csv-spreadsheet": tuple(LISTED.columns),
    "parquet": tuple(LISTED.columns),
    "xlsx": ("fide_id", *COMPARED),
    "changes-since": (
        *("time_control", "fide_id", "status", "changed_columns"),
        *(f"{age}_{name}" for name in COMPARED for age in ("old", "new")),
    ),
}
"""Format to what it may carry: the columns of the published lists, a combined list's named ``rapid_rating``."""

_ONE_LIST = {"swiss-manager-csv": "smanager", "vega-csv": "vega"}
_OF_FIDE = ("fide-txt", "fide-xml")
_ENDINGS = frozenset({".txt", ".xml", ".csv", ".parquet", ".xlsx", ".zip"})


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for. ``revision``: such as ``r2``, None for the current one.

    ``legacy``: the layout without the column of the FIDE Online Arena titles. ``zipped``: as the one file of a zip.
    """

    period: Period
    format: str
    federation: str | None = None
    time_control: str | None = None
    top: int | None = None
    revision: str | None = None
    legacy: bool = False
    zipped: bool = False
    since: Period | None = None

    @property
    def of_one_list(self) -> str | None:
        """The time control of the one list the file holds; None where it holds all."""
        return self.time_control or ("standard" if self.format in _ONE_LIST else None)


def check(wish: Wish) -> None:
    """Raise :class:`CommandLineError` where parts of the wish do not go together."""
    if wish.format not in _OF_FIDE:
        given = [flag for flag, is_given in (("--legacy", wish.legacy), ("--zip", wish.zipped)) if is_given]
        if given:
            raise CommandLineError(f"{given[0]} is for {' and '.join(_OF_FIDE)}: leave it out.")
    if wish.federation is not None and not (wish.federation.isascii() and wish.federation.isalpha()):
        raise CommandLineError(f"'{wish.federation}' is not a federation's code: write its three letters, such as ITA.")
    if wish.format != "changes-since":
        if wish.since is not None:
            raise CommandLineError("--since is for --format changes-since: leave it out, or ask for that format.")
        return
    if wish.since is None:
        raise CommandLineError("--format changes-since needs the list to compare with: add --since YYYY-MM.")
    if wish.since >= wish.period:
        raise CommandLineError(f"--since {wish.since} is not before {wish.period}: name an earlier list.")
    if wish.top is not None:
        raise CommandLineError("--top does not go with --format changes-since: leave it out.")


def check_ending(wish: Wish, ending: str) -> None:
    """Raise :class:`CommandLineError` where the ending of a file's name, such as ``.csv``, is that of another format.

    An ending that no format has says nothing, and a text of any kind may be called ``.txt``.
    """
    own = {".zip"} if wish.zipped else {f".{_ending(wish.format)}"}
    if own <= {".csv", ".xml"}:
        own.add(".txt")
    if ending.lower() in _ENDINGS - own:
        told = f"{wish.format}, zipped," if wish.zipped else wish.format
        raise CommandLineError(
            f"A file in the format {told} is no {ending} file: end its name in {' or '.join(sorted(own))}, or ask for "
            "another --format."
        )


def file_name(wish: Wish) -> str:
    """What the file is called: FIDE's own name where it has FIDE's layout, and in it which part of a list it is."""
    part = "".join(
        [f"_{wish.federation}" if wish.federation else "", f"_top{wish.top}" if wish.top is not None else ""]
    )
    return f"{_stem(wish)}{part}.{_ending(wish.format)}"


def zip_name(wish: Wish) -> str:
    """What the zip around :func:`file_name` is called."""
    stem = file_name(wish).rsplit(".", 1)[0]
    if wish.of_one_list is not None:
        return f"{stem}_xml.zip" if wish.format == "fide-xml" else f"{stem}.zip"
    # FIDE's zips are named for the layout the other way round: the plain name is that with the arena titles.
    return f"{stem}_legacy.zip" if wish.legacy else f"{stem.replace('_foa', '')}.zip"


def _stem(wish: Wish) -> str:
    if wish.format in _OF_FIDE:
        if wish.of_one_list is not None:
            return f"{wish.of_one_list}_rating_list"
        return ("players_list" if wish.format == "fide-txt" else "players_list_xml") + ("" if wish.legacy else "_foa")
    if wish.format in _ONE_LIST:
        return f"{_ONE_LIST[wish.format]}_{wish.of_one_list}"
    if wish.format == "changes-since":
        return "_".join(filter(None, ["changes", wish.time_control, str(wish.since), str(wish.period)]))
    stem = f"{wish.of_one_list or 'rating_list'}_{wish.period}"
    return f"{stem}_spreadsheet" if wish.format == "csv-spreadsheet" else stem


def _ending(format_name: str) -> str:
    return {"fide-txt": "txt", "fide-xml": "xml", "parquet": "parquet", "xlsx": "xlsx"}.get(format_name, "csv")
