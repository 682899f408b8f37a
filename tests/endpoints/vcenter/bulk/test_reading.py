"""A page is read whole or not at all, however many answers it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.reading import GONE, Answer, ObjectProperties, read_page
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, SessionLostError
from auditor.model import BulkTransport, Endpoint, EndpointKind, Secret

ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("env", ("UNUSED",)))
REFS = [Ref("HostSystem", f"host-{number}") for number in range(3)]


class Parts:
    """Gives one object in each answer, then answers without any; after `most` of them it is done."""

    name = BulkTransport.SOAP

    def __init__(self, most: int) -> None:
        self.given, self._most = 0, most

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        return self.more(kind, "")

    def more(self, _kind: str, _token: str) -> Answer:
        self.given += 1
        objects = [ObjectProperties(ref, {"name": ref.value}, {}) for ref in REFS[self.given - 1 : self.given]]
        return Answer(objects, "more" if self.given < self._most else None, 1)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("most", [3, 4, 10], ids=["an object each", "an empty one", "many empty ones"])
def test_a_page_may_come_in_parts(most: int) -> None:
    objects, _ = read_page(Parts(most), ENDPOINT, "HostSystem", ("name",), REFS, {})
    assert [one.values["name"] for one in objects] == ["host-0", "host-1", "host-2"]


def test_parts_without_end_are_given_up() -> None:
    parts = Parts(1000)
    with pytest.raises(MalformedAnswerError, match="have no end"):
        read_page(parts, ENDPOINT, "HostSystem", ("name",), REFS, {})
    assert parts.given < 20


class Scripted:
    """Gives one after the other: an answer, or a fault."""

    name = BulkTransport.SOAP

    def __init__(self, *script: Answer | vmodl.MethodFault) -> None:
        self.script = list(script)
        self.asked: list[tuple[tuple[str, ...], list[str], int | None]] = []

    def retrieve(self, _kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        self.asked.append((tuple(paths), [ref.value for ref in refs], answer_size))
        return self.more("", "")

    def more(self, _kind: str, _token: str) -> Answer:
        given = self.script.pop(0)
        if isinstance(given, Answer):
            return given
        raise given

    def close(self) -> None:
        """Nothing is open."""


def answer(*hosts: int, token: str | None = None, **values: Any) -> Answer:
    return Answer([ObjectProperties(REFS[host], {"name": f"esx-{host}", **values}, {}) for host in hosts], token, 10)


PATHS = ("name", "config.a", "config.b", "configure")
ALL, LAST = ["host-0", "host-1", "host-2"], ["host-2"]


@pytest.mark.parametrize(
    ("script", "asked", "missing"),
    [
        pytest.param([answer(0, 1, 2)], [(PATHS, ALL)], {}, id="all at once"),
        pytest.param([answer(0, 1, 2, 0)], [(PATHS, ALL)], {}, id="one of them twice"),
        pytest.param([answer(0, 1)], [(PATHS, ALL)], {2: dict.fromkeys(PATHS, "the server said nothing of it")}, id="one is passed over"),
        pytest.param(
            [answer(0, 1, token="t"), vim.fault.NotAuthenticated(), answer(2)],
            [(PATHS, ALL), (PATHS, LAST)],
            {},
            id="the session ended between two parts",
        ),
        pytest.param(
            [vmodl.fault.ManagedObjectNotFound(obj=vim.HostSystem("host-2")), answer(0, 1)],
            [(PATHS, ALL), (PATHS, ALL[:2])],
            {2: dict.fromkeys(PATHS, GONE)},
            id="one is gone",
        ),
        pytest.param(
            [vmodl.query.InvalidProperty(name="name"), vmodl.query.InvalidProperty(name="config"), answer(0, 1, 2)],
            [(PATHS, ALL), (PATHS[1:], ALL), (("configure",), ALL)],
            {host: {"name": "InvalidProperty: name", **dict.fromkeys(PATHS[1:3], "InvalidProperty: config")} for host in range(3)},
            id="a property that is not known, and one with all below it",
        ),
    ],
)
def test_every_object_comes_out_once_with_what_it_lacks(
    script: list[Any], asked: list[tuple[tuple[str, ...], list[str]]], missing: dict[int, dict[str, str]]
) -> None:
    transport = Scripted(*script)
    unknown = {"of.another.kind": "InvalidProperty"}
    objects, size = read_page(transport, ENDPOINT, "HostSystem", PATHS, REFS, unknown, 7)
    assert sorted(one.id for one in objects) == ALL
    assert {int(one.id[-1]): dict(one.missing) for one in objects if one.missing} == missing
    assert transport.asked == [(*one, 7) for one in asked]
    assert (transport.script, size) == ([], 10 * sum(isinstance(one, Answer) for one in script))


def test_what_the_server_does_not_know_is_asked_for_once() -> None:
    unknown = dict.fromkeys(PATHS, "InvalidProperty")
    transport = Scripted()
    objects, size = read_page(transport, ENDPOINT, "HostSystem", PATHS, REFS, unknown)
    assert ([(one.id, one.values, one.missing) for one in objects], size) == ([(name, {}, unknown) for name in ALL], 0)
    assert transport.asked == []


def test_names_are_as_vcenter_shows_them() -> None:
    objects, _ = read_page(Scripted(answer(0, name="a%2fb")), ENDPOINT, "HostSystem", ("name", "x"), REFS[:1], {"x": "InvalidProperty"})
    assert [(one.values, one.missing) for one in objects] == [({"name": "a/b"}, {"x": "InvalidProperty"})]


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        pytest.param([vim.fault.NotAuthenticated()] * 2, SessionLostError, "reading 3 objects, name", id="no session again"),
        pytest.param([vmodl.query.InvalidProperty(name="other")], NotThereError, "endpoint vc: InvalidProperty: other", id="not asked for"),
        pytest.param([vmodl.query.InvalidProperty()], NotThereError, "endpoint vc: InvalidProperty", id="of no name"),
        pytest.param(
            [vmodl.fault.ManagedObjectNotFound(obj=vim.HostSystem("host-9"))], EndpointError, "NotFound", id="another object is gone"
        ),
    ],
)
def test_a_fault_that_asking_for_less_does_not_help_is_an_error(script: list[Any], error: type[EndpointError], words: str) -> None:
    transport = Scripted(*script, answer(0, 1, 2))
    with pytest.raises(error) as raised:
        read_page(transport, ENDPOINT, "HostSystem", ("name",), REFS, {})
    assert words in raised.value.what
    assert len(transport.asked) == len(script)
