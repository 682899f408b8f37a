"""A token that several threads use is renewed once, by the first that notices that it is over."""

from __future__ import annotations

from itertools import count

from auditor.endpoints.common.tokens import Login, Token


def test_of_several_that_notice_that_a_token_is_over_one_logs_in() -> None:
    numbers = count(1)
    login = Login(lambda: Token(f"token {next(numbers)}"))
    over = login.token
    assert [login.renewed(over).text for _ in range(3)] == ["token 2"] * 3
    assert login.renewed(login.token).text == "token 3"


def test_no_repr_of_a_login_shows_its_token() -> None:
    login = Login(lambda: Token("s3cret"))
    assert "s3cret" not in repr(login) + repr(vars(login))
