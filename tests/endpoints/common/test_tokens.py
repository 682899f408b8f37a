"""A token that several threads use is renewed once, by the first that notices that it is over."""

from __future__ import annotations

from itertools import count

import pytest

from auditor.endpoints.common.https import Request
from auditor.endpoints.common.tokens import Login, Token, broken_off, refusal
from auditor.errors import EndpointError, NotThereError, RefusedError
from auditor.model import Endpoint, EndpointKind, Secret


def test_of_several_that_notice_that_a_token_is_over_one_logs_in() -> None:
    numbers = count(1)
    login = Login(lambda: Token(f"token {next(numbers)}"))
    over = login.token
    assert [login.renewed(over).text for _ in range(3)] == ["token 2"] * 3
    assert login.renewed(login.token).text == "token 3"


def test_no_repr_of_a_login_shows_its_token() -> None:
    login = Login(lambda: Token("s3cret"))
    assert "s3cret" not in repr(login) + repr(vars(login))


GONE = "collect again: it may have been removed since, or the release does not have it."


@pytest.mark.parametrize(
    ("method", "status", "kind", "do"),
    [
        pytest.param("GET", 404, NotThereError, GONE, id="gone"),
        pytest.param("GET", 500, EndpointError, "ask again; if it stays, look at the array's own alerts.", id="not given"),
        pytest.param("PATCH", 409, RefusedError, "compare the value with what the array allows.", id="not taken"),
    ],
)
def test_a_refusal_says_what_to_do(method: str, status: int, kind: type[EndpointError], do: str) -> None:
    error = refusal("array a: no", Request("x", method, "x", is_read=method == "GET"), status)
    assert (type(error), error.do) == (kind, do)


def test_an_answer_that_breaks_off_sends_to_the_alerts_of_the_array() -> None:
    endpoint = Endpoint("a", EndpointKind.NIMBLE, "192.0.2.1", 5392, "audit", Secret("env", ("X",)))
    assert broken_off(endpoint, "GET x", "it ends").do == "collect again; if it stays, look at the array's own alerts."
