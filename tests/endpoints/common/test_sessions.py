from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from auditor.endpoints.common.sessions import Sessions
from auditor.errors import ConfigurationError, EndpointUnreachableError
from auditor.model import Endpoint, EndpointKind, Secret


def endpoint(name: str, kind: EndpointKind = EndpointKind.VCENTER) -> Endpoint:
    return Endpoint(name, kind, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))


FLEET = {one.name: one for one in (endpoint("vc-east"), endpoint("vc-west"), endpoint("sf-1", EndpointKind.ELEMENT))}


def opener(log: list[str]) -> Callable[[Endpoint], AbstractContextManager[str]]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[str]:
        log.append(f"open {one.name}")
        yield f"session of {one.name}"
        log.append(f"close {one.name}")

    return opened


def test_a_session_is_opened_when_first_needed_kept_and_closed_at_the_end() -> None:
    log: list[str] = []
    with Sessions(FLEET, {EndpointKind.VCENTER: opener(log), EndpointKind.ELEMENT: opener(log)}) as sessions:
        assert log == []
        assert [sessions.session(name) for name in ("vc-east", "sf-1", "vc-east")] == [
            "session of vc-east",
            "session of sf-1",
            "session of vc-east",
        ]
        assert log == ["open vc-east", "open sf-1"]
    assert log == ["open vc-east", "open sf-1", "close sf-1", "close vc-east"]


def test_the_kind_of_an_endpoint_chooses_its_client() -> None:
    log: list[str] = []
    with Sessions(FLEET, {EndpointKind.ELEMENT: opener(log)}) as sessions:
        assert sessions.session("sf-1") == "session of sf-1"
        with pytest.raises(ConfigurationError, match="vc-east: vcenter is a kind"):
            sessions.session("vc-east")


def test_every_session_is_closed_when_the_run_fails() -> None:
    closed: list[str] = []

    @contextmanager
    def opened(one: Endpoint) -> Iterator[str]:
        try:
            yield one.name
        finally:
            closed.append(one.name)

    def interrupted() -> None:
        with Sessions(FLEET, {EndpointKind.VCENTER: opened}) as sessions:
            sessions.session("vc-east")
            sessions.session("vc-west")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert closed == ["vc-west", "vc-east"]


def test_an_endpoint_that_failed_to_open_is_not_tried_again() -> None:
    tried: list[str] = []

    def dead(one: Endpoint) -> AbstractContextManager[str]:
        tried.append(one.name)
        raise EndpointUnreachableError("vc-east: no answer in 30 s", why="x", do="x")

    with Sessions(FLEET, {EndpointKind.VCENTER: dead}) as sessions:
        for _ in range(3):
            with pytest.raises(EndpointUnreachableError, match="no answer in 30 s"):
                sessions.session("vc-east")
    assert tried == ["vc-east"]


def test_an_endpoint_that_is_not_in_the_fleet_is_named_with_those_that_are() -> None:
    with Sessions(FLEET) as sessions, pytest.raises(ConfigurationError) as caught:
        sessions.endpoint("vc-north")
    assert "vc-north" in caught.value.what
    assert "sf-1, vc-east, vc-west" in caught.value.do
