"""The forms of the dashboard show what a person may choose, and nothing of the program's inside."""

from __future__ import annotations

from typing import Any

import pytest
from prefect import Flow
from prefect.utilities.callables import parameter_schema

from flows.forms import decision_on
from flows.monthly import monthly
from flows.rerate import rerate


@pytest.mark.parametrize(
    ("flow", "chosen"),
    [
        (monthly, ["month", "reports", "received"]),
        (rerate, ["start"]),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_the_form_of_a_run_has_what_an_officer_may_choose_each_with_a_description(
    flow: Flow[..., Any], chosen: list[str]
):
    shown = parameter_schema(flow).properties
    assert list(shown) == chosen
    assert all(one["description"] for one in shown.values())


def test_the_form_takes_a_month_and_a_day_alone():
    shown = parameter_schema(monthly).properties
    assert (shown["month"]["pattern"], shown["received"]["format"]) == ("^[0-9]{4}-[0-9]{2}$", "date")


def test_the_form_of_a_decision_has_a_text_for_each_question_and_the_approvers_to_choose_from():
    form = decision_on("What is open", "d1", ["early_list", "large_change"], ["Anna", "Bo"])
    schema = form.model_json_schema()
    assert list(schema["$defs"]["Reasons"]["properties"]) == ["early_list", "large_change"]
    assert schema["properties"]["name"]["enum"] == ["", "Anna", "Bo"]
    assert schema["properties"]["digest"]["default"] == "d1"
    given = form(reasons={"early_list": "agreed"}).model_dump()
    assert given["reasons"] == {"early_list": "agreed", "large_change": ""}


def test_where_nothing_is_open_and_anybody_may_approve_the_form_has_no_reasons_and_any_name():
    schema = decision_on("To be approved", "d1", [], []).model_json_schema()
    assert "enum" not in schema["properties"]["name"]
    assert "$defs" not in schema
