"""What the VI/JSON transport sends, request by request, and what it makes of each answer; the wire is a script of replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Boxed, OptionValue, Product, Ref
from auditor.endpoints.vcenter.bulk.vijson import HELLO_PATH, RELEASES, VijsonTransport, may_have_vijson
from auditor.endpoints.vcenter.wire import SESSION_HEADER, Reply, VCenterWire
from auditor.errors import AuditorError, CredentialsError, MalformedAnswerError, TransportNotOfferedError, UnknownShapeError
from auditor.model import Endpoint, EndpointKind, Secret

ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 8443, "audit", Secret("env", ("UNUSED",)))
HOST, OTHER = Ref("HostSystem", "host-1"), Ref("HostSystem", "host-2")
HELLO = Reply(200, b'{"api_release": "8.0.2.0"}')
LOGIN = Reply(200, b'{"_typeName": "UserSession"}', "s-1")
AGAIN = Reply(200, b'{"_typeName": "UserSession"}', "s-2")
UNAUTHENTICATED = Reply(401, b"")
EMPTY = Reply(204, b"")
TYPE = {"Content-Type": "application/json"}


class Wire:
    """Replies by a script, and keeps what was sent: operation, body, headers, path, and whether it may be repeated."""

    def __init__(self, *script: Reply) -> None:
        self.script = list(script)
        self.sent: list[tuple[str, Any, dict[str, str], str, bool]] = []

    def post(self, operation: str, body: bytes, headers: Mapping[str, str], *, repeatable: bool, path: str) -> Reply:
        self.sent.append((operation, json.loads(body), dict(headers), path, repeatable))
        return self.script.pop(0)

    @property
    def operations(self) -> list[str]:
        return [operation for operation, *_ in self.sent]


def transport_of(wire: Wire, api_version: str = "8.0.2.0", password: Callable[[], str] = lambda: "p w") -> VijsonTransport:
    return VijsonTransport(ENDPOINT, cast("VCenterWire", wire), api_version, collector="pc-1", sessions="sm-1", password=password)


def found(ref: Ref = HOST, *, missing: Any = None, token: str | None = None, **properties: Any) -> Reply:
    """An answer with one object; the properties' names have `_` for the dot."""
    content = {
        "_typeName": "ObjectContent",
        "obj": {"_typeName": "ManagedObjectReference", "type": ref.type, "value": ref.value},
        "propSet": [{"_typeName": "DynamicProperty", "name": name.replace("_", "."), "val": value} for name, value in properties.items()],
    }
    result = {"_typeName": "RetrieveResult", "objects": [{**content, **({"missingSet": missing} if missing else {})}]}
    return Reply(200, json.dumps(result | ({"token": token} if token else {})).encode())


def test_a_page_is_one_hello_one_login_and_one_request_for_each_part() -> None:
    wire = Wire(HELLO, LOGIN, found(name="esx-1", token="t-1"), found(OTHER, name="esx-2"), EMPTY)
    transport = transport_of(wire)
    first = transport.retrieve("HostSystem", ["name", "parent"], [HOST, OTHER], 1)
    assert (transport.release, transport.has_answered) == ("8.0.2.0", True)
    rest = transport.more("HostSystem", "t-1")
    transport.close()
    assert first.objects == [ObjectProperties(HOST, {"name": "esx-1"}, {})]
    assert rest.objects == [ObjectProperties(OTHER, {"name": "esx-2"}, {})]
    assert (first.token, rest.token) == ("t-1", None)
    root, session = "/sdk/vim25/8.0.2.0", {**TYPE, SESSION_HEADER: "s-1"}
    objects = [
        {"_typeName": "ObjectSpec", "obj": {"_typeName": "ManagedObjectReference", "type": "HostSystem", "value": value}, "skip": False}
        for value in ("host-1", "host-2")
    ]
    wanted = [{"_typeName": "PropertySpec", "type": "HostSystem", "all": False, "pathSet": ["name", "parent"]}]
    specs = [{"_typeName": "PropertyFilterSpec", "propSet": wanted, "objectSet": objects}]
    options = {"_typeName": "RetrieveOptions", "maxObjects": 1}
    assert wire.sent == [
        ("hello", {"api_releases": list(RELEASES)}, TYPE, "/api/vcenter/system?action=hello", True),
        ("Login", {"userName": "audit", "password": "p w"}, TYPE, f"{root}/SessionManager/sm-1/Login", True),
        (
            "RetrievePropertiesEx",
            {"specSet": specs, "options": options},
            session,
            f"{root}/PropertyCollector/pc-1/RetrievePropertiesEx",
            True,
        ),
        ("ContinueRetrievePropertiesEx", {"token": "t-1"}, session, f"{root}/PropertyCollector/pc-1/ContinueRetrievePropertiesEx", False),
        ("Logout", {}, session, f"{root}/SessionManager/sm-1/Logout", False),
    ]


def test_the_size_of_answers_is_left_to_the_server_where_none_is_given() -> None:
    wire = Wire(HELLO, LOGIN, found(name="esx-1"))
    transport_of(wire).retrieve("HostSystem", ["name"], [HOST], None)
    assert wire.sent[-1][1]["options"] == {"_typeName": "RetrieveOptions"}


def boxed(kind: str, value: Any) -> dict[str, Any]:
    return {"_typeName": kind, "_value": value}


def test_values_are_read_in_a_box_that_names_their_type_and_without_one() -> None:
    option = {"_typeName": "OptionValue", "key": "Disk.MaxLUN", "value": boxed("long", 1024)}
    reply = found(
        name=boxed("string", "esx-1"),
        parent={"_typeName": "ManagedObjectReference", "type": "ClusterComputeResource", "value": "domain-c1"},
        runtime_inMaintenanceMode=boxed("boolean", value=True),
        runtime_bootTime=boxed("dateTime", "2026-11-01T10:20:30Z"),
        runtime_powerState="poweredOn",
        summary_config_product={"_typeName": "AboutInfo", "version": "8.0.2", "build": "22380479"},
        config_option=boxed("ArrayOfOptionValue", [option]),
        token="t",
        missing=[
            {
                "_typeName": "MissingProperty",
                "path": "runtime.connectionState",
                "fault": {
                    "_typeName": "LocalizedMethodFault",
                    "fault": {"_typeName": "NoPermission", "privilegeId": "System.Read"},
                    "localizedMessage": "Not allowed.",
                },
            }
        ],
    )
    answer = transport_of(Wire(HELLO, LOGIN, reply)).retrieve("HostSystem", ["name"], [HOST], None)
    values = {
        "name": "esx-1",
        "parent": Ref("ClusterComputeResource", "domain-c1"),
        "runtime.inMaintenanceMode": True,
        "runtime.bootTime": datetime(2026, 11, 1, 10, 20, 30, tzinfo=UTC),
        "runtime.powerState": "poweredOn",
        "summary.config.product": Product("AboutInfo", version="8.0.2", build="22380479"),
        "config.option": [OptionValue("OptionValue", key="Disk.MaxLUN", value=Boxed("long", 1024))],
    }
    missing = {"runtime.connectionState": "NoPermission: System.Read: Not allowed."}
    assert answer == Answer([ObjectProperties(HOST, values, missing)], "t", len(reply.body))


def test_a_list_may_come_without_its_box() -> None:
    reply = found(config_option=[{"_typeName": "OptionValue", "key": "Misc.X", "value": "a"}])
    [one] = transport_of(Wire(HELLO, LOGIN, reply)).retrieve("HostSystem", ["config.option"], [HOST], None).objects
    assert one.values == {"config.option": [OptionValue("OptionValue", key="Misc.X", value="a")]}


def test_an_answer_of_nothing_is_good_where_nothing_was_left_to_say() -> None:
    transport = transport_of(Wire(HELLO, LOGIN, EMPTY, EMPTY, Reply(200, b'{"objects": [], "token": "t-2"}')))
    assert transport.retrieve("HostSystem", ["name"], [], None) == Answer((), None, 0)
    assert transport.more("HostSystem", "t-1") == Answer((), None, 0)
    part = transport.retrieve("HostSystem", ["name"], [HOST], None)  # nothing yet, and there is more to come
    assert (part.objects, part.token) == ([], "t-2")


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        pytest.param(EMPTY, UnknownShapeError, "says nothing of 1 objects", id="nothing of what was asked for"),
        pytest.param(Reply(200, b'{"objects": [{"obj": 7}]}'), UnknownShapeError, "RetrievePropertiesEx", id="another shape"),
        pytest.param(found(name=7), UnknownShapeError, "RetrievePropertiesEx", id="a number for a text"),
        pytest.param(found(config_nonsense=7), UnknownShapeError, "config.nonsense", id="a property that nobody asks for"),
        pytest.param(Reply(200, b'{"objects": ['), MalformedAnswerError, "HTTP 200 to RetrievePropertiesEx", id="torn"),
        pytest.param(Reply(200, b'{"token": "\xff"}'), MalformedAnswerError, "HTTP 200 to RetrievePropertiesEx", id="no UTF-8"),
        pytest.param(Reply(404, b""), TransportNotOfferedError, "at /sdk/vim25/8.0.2.0", id="no such path"),
        pytest.param(
            Reply(502, b"<html>"),
            MalformedAnswerError,
            "HTTP 502 to RetrievePropertiesEx (VI/JSON) cannot be understood: neither",
            id="a page",
        ),
        pytest.param(Reply(500, b'{"faultstring": "x"}'), MalformedAnswerError, "HTTP 500", id="an object that is no fault"),
        pytest.param(Reply(500, b'["_typeName"]'), MalformedAnswerError, "HTTP 500", id="a list"),
    ],
)
def test_an_answer_that_is_not_understood_is_an_error_that_names_the_endpoint(reply: Reply, error: type[AuditorError], words: str) -> None:
    with pytest.raises(error) as raised:
        transport_of(Wire(HELLO, LOGIN, reply)).retrieve("HostSystem", ["name"], [HOST], None)
    assert type(raised.value) is error
    assert raised.value.what.startswith("endpoint vc: ")
    assert words in raised.value.what


def test_an_answer_that_makes_no_sense_sends_the_reader_to_the_address() -> None:
    with pytest.raises(MalformedAnswerError) as raised:
        transport_of(Wire(HELLO, LOGIN, Reply(502, b""))).retrieve("HostSystem", ["name"], [HOST], None)
    assert "vc.example.net:8443" in (raised.value.do or "")


def test_a_fault_is_the_servers_own() -> None:
    fault = {"_typeName": "InvalidProperty", "faultstring": "it is not known", "name": "config.nonsense"}
    with pytest.raises(vmodl.query.InvalidProperty) as raised:
        transport_of(Wire(HELLO, LOGIN, Reply(500, json.dumps(fault).encode()))).retrieve("HostSystem", ["name"], [HOST], None)
    assert (raised.value.name, raised.value.msg) == ("config.nonsense", "it is not known")


def test_a_fault_may_come_without_words() -> None:
    with pytest.raises(vmodl.fault.NotSupported) as raised:
        transport_of(Wire(HELLO, LOGIN, Reply(500, b'{"_typeName": "NotSupported"}'))).retrieve("HostSystem", ["name"], [HOST], None)
    assert raised.value.msg == ""


def test_a_session_that_ended_is_opened_once_more_without_its_old_id() -> None:
    wire = Wire(HELLO, LOGIN, found(name="a"), UNAUTHENTICATED, AGAIN, found(name="b"))
    transport = transport_of(wire)
    transport.retrieve("HostSystem", ["name"], [HOST], None)
    [one] = transport.retrieve("HostSystem", ["name"], [HOST], None).objects
    assert one.values == {"name": "b"}
    login, read = wire.sent[-2:]
    assert (login[0], login[2]) == ("Login", TYPE)
    assert read[2] == {**TYPE, SESSION_HEADER: "s-2"}
    assert wire.operations.count("hello") == 1


def test_a_first_session_that_is_good_for_nothing_is_opened_once_more() -> None:
    wire = Wire(HELLO, LOGIN, UNAUTHENTICATED, AGAIN, found(name="a"))
    [one] = transport_of(wire).retrieve("HostSystem", ["name"], [HOST], None).objects
    assert one.values == {"name": "a"}


def test_a_second_session_that_is_good_for_nothing_is_an_answer_without_sense() -> None:
    wire = Wire(HELLO, LOGIN, UNAUTHENTICATED, AGAIN, UNAUTHENTICATED)
    with pytest.raises(MalformedAnswerError, match="HTTP 401 to a request"):
        transport_of(wire).retrieve("HostSystem", ["name"], [HOST], None)
    assert wire.script == []


def test_a_session_that_was_good_and_is_so_no_longer_is_the_servers_fault() -> None:
    wire = Wire(HELLO, LOGIN, found(name="a"), UNAUTHENTICATED, AGAIN, UNAUTHENTICATED)
    transport = transport_of(wire)
    transport.retrieve("HostSystem", ["name"], [HOST], None)
    with pytest.raises(vim.fault.NotAuthenticated):
        transport.retrieve("HostSystem", ["name"], [HOST], None)


def test_the_rest_of_a_page_is_not_asked_for_in_another_session() -> None:
    wire = Wire(HELLO, LOGIN, found(name="a", token="t"), UNAUTHENTICATED)
    transport = transport_of(wire)
    transport.retrieve("HostSystem", ["name"], [HOST], None)
    with pytest.raises(vim.fault.NotAuthenticated):
        transport.more("HostSystem", "t")
    assert wire.operations.count("Login") == 1


def test_another_threads_login_is_used() -> None:
    wire = Wire(HELLO, LOGIN, AGAIN)
    transport = transport_of(wire)
    assert (transport.release, transport.has_answered) == ("", False)
    transport._log_in(0)
    transport._log_in(0)  # it saw no login either, and waited for the lock meanwhile
    transport._log_in(1)
    transport._log_in(1)
    assert wire.operations == ["hello", "Login", "Login"]


def test_a_refused_login_is_tried_once() -> None:
    wire = Wire(HELLO, Reply(500, b'{"_typeName": "InvalidLogin", "faultstring": "p w is wrong"}'))
    transport = transport_of(wire)
    for _ in range(2):
        with pytest.raises(CredentialsError) as raised:
            transport.retrieve("HostSystem", ["name"], [HOST], None)
        assert raised.value.what == "endpoint vc: it refuses user audit"
    assert wire.operations == ["hello", "Login"]


def test_a_password_that_is_not_there_is_looked_up_once() -> None:
    looked_up = []

    def password() -> str:
        looked_up.append(1)
        raise CredentialsError("no password", why="w", do="d")

    transport = transport_of(Wire(HELLO), password=password)
    for _ in range(2):
        with pytest.raises(CredentialsError, match="no password"):
            transport.retrieve("HostSystem", ["name"], [HOST], None)
    assert looked_up == [1]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param(UNAUTHENTICATED, "HTTP 401 to Login", id="a login asks for a login"),
        pytest.param(Reply(200, b"{}"), f"HTTP 200 to Login .*no {SESSION_HEADER}", id="no session in it"),
    ],
)
def test_a_login_that_opens_nothing_is_an_answer_without_sense(reply: Reply, words: str) -> None:
    with pytest.raises(MalformedAnswerError, match=words):
        transport_of(Wire(HELLO, reply)).retrieve("HostSystem", ["name"], [HOST], None)


@pytest.mark.parametrize("version", ["8.0.1.0", "8.0.1"])
def test_the_one_release_without_hello_is_spoken_to_as_it_says_of_itself(version: str) -> None:
    wire = Wire(Reply(404, b""), LOGIN, found(name="a"))
    transport_of(wire, version).retrieve("HostSystem", ["name"], [HOST], None)
    assert wire.sent[-1][3].startswith("/sdk/vim25/8.0.1.0/")


def test_a_hello_that_is_answered_goes_before_the_servers_version() -> None:
    wire = Wire(HELLO, LOGIN, found(name="a"))
    transport_of(wire, "8.0.1.0").retrieve("HostSystem", ["name"], [HOST], None)
    assert wire.sent[-1][3].startswith("/sdk/vim25/8.0.2.0/")


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        pytest.param(Reply(404, b""), TransportNotOfferedError, f"no {HELLO_PATH}".replace("?", r"\?"), id="no hello"),
        pytest.param(Reply(200, b'{"api_release": ""}'), TransportNotOfferedError, r"9\.0\.0\.0, 8\.0\.3\.0", id="no release of ours"),
        pytest.param(Reply(200, b'{"api_release": "7.0"}'), MalformedAnswerError, "HTTP 200 to hello", id="one not offered"),
        pytest.param(Reply(500, b'{"api_release": "8.0.2.0"}'), MalformedAnswerError, "HTTP 500 to hello", id="an error"),
        pytest.param(Reply(200, b'["api_release"]'), MalformedAnswerError, "HTTP 200 to hello", id="a list"),
        pytest.param(Reply(200, b"<html>"), MalformedAnswerError, "HTTP 200 to hello", id="a page"),
        pytest.param(Reply(200, b"{}"), MalformedAnswerError, "HTTP 200 to hello", id="nothing"),
    ],
)
def test_without_a_release_that_both_sides_speak_nobody_logs_in(reply: Reply, error: type[AuditorError], words: str) -> None:
    wire = Wire(reply)
    with pytest.raises(error, match=words):
        transport_of(wire).retrieve("HostSystem", ["name"], [HOST], None)
    assert wire.operations == ["hello"]


@pytest.mark.parametrize("reply", [UNAUTHENTICATED, Reply(502, b"<html>")], ids=["a fault", "a page"])
def test_a_session_is_ended_once_and_its_end_may_fail(reply: Reply) -> None:
    wire = Wire(HELLO, LOGIN, found(name="a"), reply)
    transport = transport_of(wire)
    transport.close()
    assert wire.sent == [], "there is none yet"
    transport.retrieve("HostSystem", ["name"], [HOST], None)
    transport.close()
    transport.close()
    assert wire.operations == ["hello", "Login", "RetrievePropertiesEx", "Logout"]


@pytest.mark.parametrize(
    ("version", "offers"),
    [
        ("8.0.1", True),
        ("8.0.1.0", True),
        ("9.0", True),
        ("8.1", True),
        ("8.0.0.0", False),
        ("8.0", False),
        ("7.0.3.0", False),
        ("", False),
        ("9.x", False),
    ],
)
def test_vijson_is_asked_for_from_8_0_update_1_on(version: str, offers: bool) -> None:
    assert may_have_vijson(version) is offers
