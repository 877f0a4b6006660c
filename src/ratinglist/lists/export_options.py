"""Check the options of an export, and derive the names of its file from them."""

from __future__ import annotations

from ratinglist.errors import CommandLineError
from ratinglist.lists.export_request import ExportRequest
from ratinglist.lists.formats import FORMATS

_TEXT_ENDINGS = {".csv", ".xml"}


def check_options(request: ExportRequest) -> None:
    """Raise :class:`CommandLineError` if options contradict each other."""
    list_format = FORMATS[request.format]
    own = {
        "--layout": (request.blanks_for_absent, "fide-txt"),
        "--names": (request.original_names, "fide-xml"),
        "--separator": (request.semicolons, "csv-spreadsheet"),
        "--rtg-nat": (request.national_only, "swiss-manager-csv"),
    }
    for option, (is_given, name) in own.items():
        if is_given and request.format != name:
            raise CommandLineError(f"{option} is for {name}: leave it out.")
    if not list_format.fide_name:
        given = [flag for flag, is_given in (("--legacy", request.legacy), ("--zip", request.zipped)) if is_given]
        if given:
            of_fide = [name for name, each in FORMATS.items() if each.fide_name]
            raise CommandLineError(f"{given[0]} is for {' and '.join(of_fide)}: leave it out.")
    if request.federation is not None and not (request.federation.isascii() and request.federation.isalpha()):
        raise CommandLineError(
            f"'{request.federation}' is not a federation's code: write its three letters, such as ITA."
        )
    if not list_format.compares:
        if request.since is not None:
            comparing = " and ".join(name for name, each in FORMATS.items() if each.compares)
            raise CommandLineError(f"--since is for --format {comparing}: leave it out, or ask for that format.")
        return
    if request.since is None:
        raise CommandLineError(f"--format {request.format} needs the list to compare with: add --since YYYY-MM.")
    if request.since >= request.period:
        raise CommandLineError(f"--since {request.since} is not before {request.period}: name an earlier list.")
    if request.top is not None:
        raise CommandLineError(f"--top does not go with --format {request.format}: leave it out.")


def check_ending(request: ExportRequest, ending: str) -> None:
    """Raise :class:`CommandLineError` if the ending of a file's name, such as ``.csv``, is that of another format.

    An ending that no format has is allowed, and a text format may always end in ``.txt``.
    """
    own = {".zip"} if request.zipped else {FORMATS[request.format].ending}
    if own <= _TEXT_ENDINGS:
        own.add(".txt")
    if ending.lower() in {".zip", *(each.ending for each in FORMATS.values())} - own:
        description = f"{request.format}, zipped," if request.zipped else request.format
        raise CommandLineError(
            f"A file in the format {description} is no {ending} file: end its name in {' or '.join(sorted(own))}, or "
            "ask for another --format."
        )


def single_time_control(request: ExportRequest) -> str | None:
    """Return the time control of a file that holds one list; None if it holds all lists."""
    return request.time_control or ("standard" if FORMATS[request.format].single_list_name else None)


def file_name(request: ExportRequest) -> str:
    """Return the usual name of the file: FIDE's own name for FIDE's layouts. It names the selected part of a list."""
    part = "".join(
        [
            f"_{request.federation}" if request.federation else "",
            f"_top{request.top}" if request.top is not None else "",
        ]
    )
    return f"{_stem(request)}{part}{FORMATS[request.format].ending}"


def zip_name(request: ExportRequest) -> str:
    """Return the usual name of the zip around :func:`file_name`."""
    name = file_name(request)
    stem = name.rsplit(".", 1)[0]
    if request.time_control is not None:
        return f"{stem}_xml.zip" if name.endswith(".xml") else f"{stem}.zip"
    # FIDE names its zips the other way round: the plain name is that of the layout with the arena titles.
    return f"{stem}_legacy.zip" if request.legacy else f"{stem.replace('_foa', '')}.zip"


def _stem(request: ExportRequest) -> str:
    list_format = FORMATS[request.format]
    time_control = single_time_control(request)
    if list_format.fide_name:
        if time_control is not None:
            return f"{time_control}_rating_list"
        return list_format.fide_name + ("" if request.legacy else "_foa")
    if list_format.single_list_name:
        return f"{list_format.single_list_name}_{time_control}"
    if list_format.compares:
        return "_".join(filter(None, ["changes", time_control, str(request.since), str(request.period)]))
    return f"{time_control or 'rating_list'}_{request.period}{list_format.name_suffix}"
