"""The forms of the dashboard: what a person may choose when a run is started or continued, in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import pydantic
from prefect import Flow
from prefect.input import RunInput

_MONTH = pydantic.Field(json_schema_extra={"pattern": "^[0-9]{4}-[0-9]{2}$"})
Month = Annotated[str, _MONTH]
"""The month in which a list takes effect: the form takes no other text."""

MonthOrDue = Annotated[str | None, _MONTH]
Day = Annotated[str | None, pydantic.Field(json_schema_extra={"format": "date"})]
"""A day that the form chooses in a calendar."""

_Flow = TypeVar("_Flow", bound=Flow[..., Any])


def with_choices(*names: str) -> Callable[[_Flow], _Flow]:
    """Return a decorator of a flow whose form has the parameters ``names`` alone; the others stay as they are set.

    Prefect makes the form of a deployment from the signature of the flow, and its descriptions from the section
    ``Args`` of the docstring; it calls the flow by the signature of its function.
    """

    def shown(flow: _Flow) -> _Flow:
        signature = inspect.signature(flow.fn, eval_str=True)
        chosen = [one for name, one in signature.parameters.items() if name in names]
        vars(flow)["__signature__"] = signature.replace(parameters=chosen)
        return flow

    return shown


class Decision(RunInput):
    """The form that continues a run: a reason for each question, a name where approval is needed, or a rejection.

    ``digest``: the list that the person was shown; it is filled in.
    """

    name: str = pydantic.Field("", title="Your name", description="Needed to approve, and to reject.")
    remark: str = pydantic.Field("", title="Remark", description="Kept with your approval or your rejection.")
    reasons: dict[str, str] | None = pydantic.Field(None, title="Reasons")
    reject: bool = pydantic.Field(False, title="Reject", description="Nothing is published, and the run ends.")
    digest: str = pydantic.Field("", title="List", description="Which list you were shown: leave it as it is.")


def decision_on(description: str, digest: str, questions: list[str], approvers: list[str]) -> type[Decision]:
    """Return the form for a list: with a text for each of its open ``questions``, and the ``approvers`` to choose from.

    ``description``: what is open, as Markdown. ``digest``: that of the list. No ``approvers``: anybody writes a name.
    """
    # Written as the answer to a question is everywhere: a reason by the name of the question.
    texts: dict[str, Any] = {
        one: (str, pydantic.Field("", title=one, description="Why the list is right.")) for one in questions
    }
    # A name that is mistyped by a script is answered by the program, with the names there are.
    reasons = pydantic.create_model("Reasons", __config__=pydantic.ConfigDict(extra="allow"), **texts)
    stated = Decision.model_fields
    name = pydantic.Field(
        "",
        title=stated["name"].title,
        description=stated["name"].description,
        json_schema_extra={"enum": ["", *approvers]} if approvers else None,
    )
    shown = pydantic.Field(digest, title=stated["digest"].title, description=stated["digest"].description)
    fields: dict[str, Any] = {"name": (str, name), "digest": (str, shown)}
    if questions:
        fields["reasons"] = (reasons, pydantic.Field(default_factory=reasons, title="Reasons"))
    form: type[Decision] = pydantic.create_model(Decision.__name__, __base__=Decision, **fields)
    return form.with_initial_data(description=description)
