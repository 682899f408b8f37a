"""An endpoint that has stopped answering is not asked for timeout after timeout."""

from __future__ import annotations

from typing import NoReturn

import pytest

from auditor.endpoints.common.circuit import Circuit
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError

SILENCE = EndpointUnreachableError("no answer", why="x", do="x")
REFUSED = CredentialsError("wrong password", why="x", do="x")
ABSENT = NotThereError("no such thing", why="x", do="x")


@pytest.mark.parametrize(
    ("errors", "opened_by"),
    [
        pytest.param((SILENCE,), None, id="once is no silence"),
        pytest.param((SILENCE, SILENCE), SILENCE, id="as often as patience lasts"),
        pytest.param((SILENCE, None, SILENCE), None, id="an answer in between"),
        pytest.param((SILENCE, ABSENT, SILENCE), None, id="an error that the endpoint answered itself in between"),
        pytest.param((REFUSED,), REFUSED, id="a refused login, at once"),
        pytest.param((REFUSED, None), REFUSED, id="and it stays open"),
    ],
)
def test_it_opens_when_nothing_is_reached_in_a_row(errors: tuple[EndpointError | None, ...], opened_by: EndpointError | None) -> None:
    circuit = Circuit(patience=2)
    for error in errors:
        if error is None:
            circuit.answered()
        else:
            circuit.failed(error)
    assert circuit.opened_by is opened_by


def test_failures_that_cost_no_time_do_not_count_where_only_time_matters() -> None:
    circuit = Circuit(patience=1, slower_than=5.0)
    circuit.failed(SILENCE, seconds=4.9)
    circuit.check()
    circuit.failed(SILENCE, seconds=5.0)
    with pytest.raises(EndpointUnreachableError):
        circuit.check()


def test_no_request_is_sent_once_it_is_open() -> None:
    circuit = Circuit(patience=1)
    sent: list[str] = []

    def silent() -> NoReturn:
        sent.append("request")
        raise SILENCE

    assert circuit.call(lambda: "answer") == "answer"
    for _ in range(3):
        with pytest.raises(EndpointUnreachableError):
            circuit.call(silent)
    assert sent == ["request"]
