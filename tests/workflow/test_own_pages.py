"""Pages of one player or event, made to be shared and found: whom they show, and whom they do not; their pictures."""

from __future__ import annotations

import html
import re
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ratinglist.site import own_pages, pictures
from ratinglist.workflows.site import site
from tests.conftest import office
from tests.sites import decoded, site_bytes, without_pictures

ADDRESS = "https://ratings.example.org"
NEWEST = "published/2025-12/r2"


def office_at(source: Path, folder: Path, more: str = "") -> Path:
    """Return a copy of the home of an office that names the address of its site."""
    home = shutil.copytree(source, folder / "home")
    (home / "office.toml").write_text(f'name = "Orvania"\n[site]\naddress = "{ADDRESS}"\n{more}', encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def made(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that office; look, do not touch."""
    folder = tmp_path_factory.mktemp("own")
    site(office(office_at(corrected_home, folder)), folder / "site", downloads=False)
    return folder / "site"


@pytest.fixture
def undrawn() -> Iterator[None]:
    with without_pictures():
        yield


def card(path: Path) -> dict[str, str]:
    """Return the card of a page: the text of each property."""
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', path.read_text(encoding="utf-8"))
    return {name: html.unescape(text) for name, text in found}


def test_a_player_of_the_top_has_a_page_with_a_card_of_its_own(made):
    shown = card(made / "player-99900143.html")
    assert shown["og:title"] == "Ravnik, Teodor – Orvania"
    assert shown["og:url"] == f"{ADDRESS}/player-99900143.html"
    assert shown["description"] == shown["og:description"]
    assert shown["description"].startswith("Ravnik, Teodor: Standard 2")
    assert shown["twitter:card"] == "summary_large_image"
    assert "robots" not in shown
    text = (made / "player-99900143.html").read_text(encoding="utf-8")
    assert '<body data-page="player" data-player="99900143">' in text
    for page in ("index.html", "list-standard.html"):
        assert 'href="player-99900143.html">Ravnik, Teodor<' in (made / page).read_text(encoding="utf-8")


def test_who_is_or_may_be_a_minor_has_no_page(corrected_home, made):
    listed = pl.read_parquet(corrected_home / NEWEST / "standard.parquet").select("fide_id", "birth_year", "flag")
    years = {fide_id: year for fide_id, year, _ in listed.iter_rows()}
    own = decoded(made, "meta")["ownPages"]["players"]
    assert {path.name for path in made.glob("player-*.html")} == {f"player-{one}.html" for one in own}
    assert max(years[one] for one in own) == 2006
    top = listed.filter(~pl.col("flag").fill_null("").str.contains("i")).head(100)
    assert {fide_id for fide_id, year, _ in top.iter_rows() if year and year < 2007} <= set(own)
    young = [one for one, year in years.items() if year is None or year > 2006]
    assert young
    assert not any(f"{one}" in path.name for one in young for path in made.glob("player-*.html"))


def test_an_event_with_a_minor_is_previewed_and_not_found_by_search_engines(corrected_home, made):
    years = dict(pl.read_parquet(corrected_home / NEWEST / "standard.parquet").select("fide_id", "birth_year").rows())
    pages = {path.name: card(path) for path in made.glob("event-2025-12-*.html")}
    assert len(pages) > 5
    rows = {row[0]: row for row in decoded(made, "e/2025-12/all")}
    for name, shown in pages.items():
        code = name.removeprefix("event-2025-12-").removesuffix(".html")
        event = decoded(made, f"g/2025-12/{rows[code][10]}")[rows[code][11]]
        is_adult = all((years.get(one[0]) or 9999) < 2007 for one in event["p"])
        assert (shown.get("robots") == "noindex") is not is_adult, name
        assert shown["og:title"] == f"{event['n']} – Orvania"
        assert f"{rows[code][8]} player" in shown["description"]


def test_an_event_of_adults_is_found_by_search_engines(corrected_home, tmp_path, undrawn, monkeypatch):
    monkeypatch.setattr(own_pages, "ADULT_FROM", 0)
    site(office(office_at(corrected_home, tmp_path)), tmp_path / "site", downloads=False)
    found = {path.name for path in (tmp_path / "site").glob("event-*.html") if "robots" not in card(path)}
    assert found
    places = (tmp_path / "site" / "sitemap.xml").read_text(encoding="utf-8")
    assert all(f"<loc>{ADDRESS}/{name}</loc>" in places for name in found)
    rated = {row[0] for row in decoded(tmp_path / "site", "e/2025-12/all")}
    assert found - {f"event-2025-12-{code}.html" for code in rated}, "those of earlier months too"


def test_the_numbers_of_pages_have_a_bound(corrected_home, tmp_path, undrawn, monkeypatch):
    monkeypatch.setattr(own_pages, "MOST_EVENTS", 4)
    monkeypatch.setattr(own_pages, "MOST_PLAYERS", 7)
    site(office(office_at(corrected_home, tmp_path)), tmp_path / "site", downloads=False)
    sizes = {row[0]: row[8] for row in decoded(tmp_path / "site", "e/2025-12/all") if row[6] == "rated"}
    largest = sorted(sizes, key=lambda code: (-sizes[code], code))[:4]
    assert {path.name for path in (tmp_path / "site").glob("event-*.html")} == {
        f"event-2025-12-{code}.html" for code in largest
    }
    assert len([*(tmp_path / "site").glob("player-*.html")]) == 7


def test_a_site_without_years_of_birth_does_not_know_who_is_a_minor(corrected_home, tmp_path, undrawn):
    home = office_at(corrected_home, tmp_path, "birth_years = false\n")
    site(office(home), tmp_path / "site")
    assert [*(tmp_path / "site").glob("player-*.html")] == []
    events = [*(tmp_path / "site").glob("event-*.html")]
    assert events
    assert {card(one).get("robots") for one in events} == {"noindex"}


def test_a_picture_is_a_png_of_1200_by_630_pixels_and_not_large(made):
    drawn = [path.read_bytes() for path in (made / pictures.FOLDER).iterdir()]
    assert len(drawn) > 100
    for content in drawn:
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack(">II", content[16:24]) == (1200, 630)
        assert len(content) < 40_000


def test_each_page_that_is_shared_names_a_picture_that_is_there(made):
    named = set()
    for path in made.glob("*.html"):
        shown = card(path)
        if "og:title" not in shown:
            assert path.name in ("player.html", "event.html", "events.html", "search.html", "compare.html")
            continue
        assert (shown["og:image:width"], shown["og:image:height"]) == ("1200", "630")
        named.add(shown["og:image"].removeprefix(f"{ADDRESS}/"))
        assert (made / shown["og:image"].removeprefix(f"{ADDRESS}/")).is_file(), path.name
    assert named == {name for name in site_bytes(made) if name.startswith("pictures/")}


@pytest.mark.long
def test_pictures_have_the_same_bytes_again_and_are_not_drawn_twice(corrected_home, made, tmp_path, monkeypatch):
    home = office_at(corrected_home, tmp_path)
    shutil.copytree(made, tmp_path / "site")
    monkeypatch.setattr(pictures, "draw", lambda *_: 1 // 0)
    site(office(home), tmp_path / "site", downloads=False)
    assert site_bytes(tmp_path / "site") == site_bytes(made)
    monkeypatch.undo()
    site(office(home), tmp_path / "whole", downloads=False)
    assert site_bytes(tmp_path / "whole") == site_bytes(made)


def test_without_the_extra_there_is_the_picture_of_the_office_or_none(corrected_home, tmp_path, undrawn):
    home = office_at(corrected_home, tmp_path)
    site(office(home), tmp_path / "site", downloads=False)
    assert not (tmp_path / "site" / pictures.FOLDER).exists()
    shown = card(tmp_path / "site" / "player-99900143.html")
    assert shown["og:title"] == "Ravnik, Teodor – Orvania"
    assert "og:image" not in shown


def test_names_are_drawn_as_texts_in_letters_that_there_are():
    written = pictures._written({"name": '#let x = 1 "; [*Ω*]\n', "points": [(0, 1)], "rtl": False, "gains": None})
    assert written == {"name": '#let x = 1 "; [*Ω*]\\n', "points": [[0, 1]], "rtl": False, "gains": None}
    assert pictures._written("Мирятенко, Прохор") == "Мирятенко, Прохор"
    assert pictures._written("محمد") == "محمد"
    assert pictures._written("王皓").isascii()
    assert len(pictures._written("long" * 100)) == 120
