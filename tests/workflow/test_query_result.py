"""The result of a query, printed in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ratinglist.cli.main import program
from ratinglist.errors import CommandLineError
from tests.published_sample import publish_both

QUERY = (
    "select fide_id, name, rating from lists where list_month = newest_list() order by fide_id, time_control limit 2"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    publish_both(home / "published")
    return home


def run(home: Path, *options: object, query: str = QUERY) -> str:
    done = CliRunner().invoke(program, ["sql", *map(str, options), "--home", str(home), query])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_csv_is_printed_as_it_is_published(home):
    head, first, *_ = run(home, "--csv").splitlines()
    assert head == "fide_id,name,rating"
    assert first.count('"') == 2


def test_what_csv_and_json_have_no_value_for(home):
    query = "select 'x,\"y\"' as b, 'nan'::double as c, null as d, date '2025-11-01' as e"
    assert run(home, "--csv", query=query).splitlines()[1] == '"x,""y""",NaN,,2025-11-01'
    assert json.loads(run(home, "--json", query=query))[0]["c"] is None
    nested = "select {'day': date '2025-11-01', 'c': 'nan'::double, 'n': 1.50::decimal(5, 2)} as a, time '10:30' as b"
    assert json.loads(run(home, "--json", query=nested)) == [
        {"a": {"day": "2025-11-01", "c": None, "n": "1.50"}, "b": "10:30:00"}
    ]


def test_a_list_is_no_cell_of_csv(home):
    with pytest.raises(CommandLineError, match="cast its column to text"):
        run(home, "--csv", query="select [1, 2] as a")


def test_two_forms_at_once_are_refused_before_the_query_runs(home):
    with pytest.raises(CommandLineError, match="both want standard output"):
        run(home, "--csv", "--json", query="not even SQL")
