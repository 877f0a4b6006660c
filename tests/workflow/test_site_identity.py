"""What an office states of its site: name, address, text and colour, and the feed, calendar and map made of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ratinglist_site.make import make_site
from tests.command_line import ratinglist
from tests.conftest import office

ADDRESS = "https://ratings.example.org/lists"
CHOICES = f"""name = "Orvania, North; South"
[site]
address = "{ADDRESS}"
colour = "#8a1538"
text = "The federation of <Orvania>."
"""
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def made(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of an office with corrections that states all of it; look, do not touch."""
    folder = tmp_path_factory.mktemp("identity")
    home = shutil.copytree(corrected_home, folder / "home")
    (home / "office.toml").write_text(CHOICES, encoding="utf-8")
    make_site(office(home), folder / "site")
    return folder / "site"


def test_each_page_names_its_address_for_search_engines_or_forbids_them(made):
    for path in made.glob("*.html"):
        page = path.read_text(encoding="utf-8")
        address = f"{ADDRESS}/{'' if path.name == 'index.html' else path.name}"
        is_listed = '<meta name="robots" content="noindex">' not in page
        assert (f'<link rel="canonical" href="{address}">' in page) is is_listed, path.name
        assert "Orvania, North; South" in page
        assert 'href="feed.xml"' in page
    assert "The federation of &lt;Orvania&gt;." in (made / "index.html").read_text(encoding="utf-8")


def test_the_feed_has_every_list_and_every_change_once(made):
    root = ET.fromstring((made / "feed.xml").read_bytes())
    entries = [{part.tag.removeprefix(ATOM): part.text for part in entry} for entry in root.iter(f"{ATOM}entry")]
    names = [entry["id"].removeprefix(f"{ADDRESS}/") for entry in entries]
    assert len(set(names)) == len(names)
    assert {name for name in names if "#" not in name} == {path.name for path in made.glob("month-*.html")}
    assert [name for name in names if name.endswith("-r2")], "a correction"
    days = [entry["updated"] for entry in entries]
    assert days == sorted(days, reverse=True)
    assert root.findtext(f"{ATOM}updated") == days[0]
    for link in root.iter(f"{ATOM}link"):
        file = link.attrib["href"].removeprefix(f"{ADDRESS}/") or "index.html"
        assert (made / file).is_file(), file


def test_the_map_names_the_pages_that_are_there_for_search_engines(made):
    places = re.findall("<loc>(.*)</loc>", (made / "sitemap.xml").read_text(encoding="utf-8"))
    named = {place.removeprefix(f"{ADDRESS}/") or "index.html" for place in places}
    listed = {path.name for path in made.glob("*.html") if "noindex" not in path.read_text(encoding="utf-8")}
    assert named == listed


def test_the_calendar_has_closing_dates_and_lists_of_a_year(made):
    text = (made / "calendar.ics").read_bytes()
    assert all(len(line) <= 75 for line in text.split(b"\r\n"))
    assert b"\n" not in text.replace(b"\r\n", b"")
    lines = text.decode().replace("\r\n ", "").splitlines()
    days = dict(
        zip(
            (one for one in lines if one.startswith("UID")),
            [one for one in lines if one.startswith("DTSTART")],
            strict=True,
        )
    )
    assert len(days) == 24
    january = {uid.split("-")[2].partition("-")[0]: day for uid, day in days.items() if uid.startswith("UID:2026-01-")}
    assert january == {"closing_date": "DTSTART;VALUE=DATE:20251229", "month_title": "DTSTART;VALUE=DATE:20260101"}
    assert "SUMMARY:Reports for the list of January 2026 are due (Orvania\\, North\\; South)" in lines


def test_the_colour_of_the_office_is_on_light_pages_and_in_the_icon(made):
    assert style_of(made).count("#8a1538") == 1
    assert 'fill="#8a1538"' in (made / "icon.svg").read_text(encoding="utf-8")


def test_the_page_of_data_names_the_files_that_pairing_programs_read(made):
    page = (made / "data.html").read_text(encoding="utf-8")
    _, _, named = page.partition("For a pairing program:")
    files = re.findall(r'href="files/([^"]+)"', named.partition("</p>")[0])
    assert [name.partition("/")[2].partition("_")[0] for name in files] == ["smanager", "vega", "players"]
    assert all((made / "files" / name).is_file() for name in files)


def style_of(made):
    (style,) = made.glob("parts/*/site.css")
    return style.read_text(encoding="utf-8")


@pytest.mark.long
def test_without_an_address_no_page_names_one(homes, tmp_path):
    make_site(office(homes / "2025-09"), tmp_path / "site")
    assert not (tmp_path / "site" / "feed.xml").exists()
    assert not (tmp_path / "site" / "sitemap.xml").exists()
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "canonical" not in page
    assert "feed.xml" not in page


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ('colour = "red"', "'site.colour' is no colour: write six hexadecimal digits, such as #17493b"),
        ('address = "ratings.example.org"', "'site.address' is no address of a site"),
        ('address = "https://me:secret@example.org/"', "'site.address' is no address of a site"),
    ],
)
def test_a_choice_that_readers_would_suffer_from_is_refused(homes, tmp_path, choice, reason):
    home = shutil.copytree(homes / "2025-09", tmp_path / "home")
    (home / "office.toml").write_text(f"[site]\n{choice}\n", encoding="utf-8")
    done = ratinglist("site", "--out", str(tmp_path / "site"), home=home)
    assert done.returncode == 2
    assert reason in done.stderr
