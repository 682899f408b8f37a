"""A served recording answers what was recorded, in its order, and says so where nothing was; it takes no write."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.common.sessions import open_session
from auditor.errors import EndpointError, NotThereError, PermissionMissingError, RefusedError
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind, Exchange
from auditor.model.endpoint_kinds import endpoint_type
from auditor.recording.bundle import RecordedExchange, read_bundle
from auditor.recording.capture import record
from auditor_lab.description import LabFleet
from auditor_lab.recorded.counters import GrowingCounters
from auditor_lab.recorded.matching import Replay, key_of
from auditor_lab.recorded.performance import query_perf, samples_of
from auditor_lab.recorded.properties import from_soap, from_vijson, soap_answer, vijson_answer
from auditor_lab.recorded.serving import serve_recording
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import serve
from tests.endpoints.eseries.eseries_system import SYSTEM
from tests.single_hosts import HOST

KINDS = [kind for kind in EndpointKind if kind is not EndpointKind.FILES]
"""Those that answer over a wire, so that what they said can be recorded."""


def recorded(answer: bytes, at: float, path: str = "/api/x", request: bytes = b"") -> RecordedExchange:
    return RecordedExchange(Exchange("GET x", "GET", path, request, 200, {}, answer), at)


def test_answers_come_in_their_order_and_the_last_one_stays() -> None:
    replay = Replay([recorded(b"2", 1.0), recorded(b"1", 0.5), recorded(b"other", 0.1, "/api/y")])
    given = [replay.answer("GET", "/api/x", b"") for _ in range(4)]
    assert [one.answer for one in given if one] == [b"1", b"2", b"2", b"2"]
    assert replay.answer("GET", "/api/z", b"") is None


def test_counters_grow_as_fast_as_they_did_whenever_they_are_read_again() -> None:
    # Rates are computed from two readings of ONTAP's counters and the time between them: docs/domain/facts.md#7-4
    def table(ops: int, histogram: list[int]) -> bytes:
        counters = [{"name": "ops", "value": ops}, {"name": "sizes", "values": histogram, "labels": ["0", "1"]}]
        return json.dumps({"records": [{"id": "a", "properties": [{"name": "type", "value": "data"}], "counters": counters}]}).encode()

    def at(moment: float, answer: bytes) -> RecordedExchange:
        return RecordedExchange(Exchange("GET x", "GET", "/api/x", b"", 200, {}, answer, seconds=0.5), moment)

    now = [100.0]
    growing = GrowingCounters(lambda: now[0])
    every = [at(10.25, table(1000, [5, 7])), at(12.25, table(3000, [5, 11]))]  # 1000 a second
    read = []
    for moment in (100.0, 101.0, 105.0):
        now[0] = moment
        read.append(
            [counter.get("value", counter.get("values")) for counter in json.loads(growing.answer("/x", every))["records"][0]["counters"]]
        )
    assert read == [[1000, [5, 7]], [2000, [5, 9]], [6000, [5, 17]]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("/a?b=1&c=2", b""), ("/a?c=2&b=1", b""), id="parameters in another order"),
        pytest.param(("/a?return_timeout=15", b""), ("/a?return_timeout=5", b""), id="another time-out of the client"),
        pytest.param(("/a", b'{"method":"GetAPI","id":1}'), ("/a", b'{"id":7, "method":"GetAPI"}'), id="another number of a request"),
        pytest.param(("/a", b'{"since":"2026-11-22T10:00:00Z"}'), ("/a", b'{"since":"2026-11-23T11:30:00+01:00"}'), id="another time"),
        pytest.param(
            ("/sdk", b"<a><b x='1'>2026-11-22T10:00:00Z</b></a>"), ("/sdk", b'<a>\n<b x="1">2027-01-01T00:00:00Z</b></a>'), id="XML"
        ),
    ],
)
def test_requests_that_ask_the_same_are_the_same(one: tuple[str, bytes], other: tuple[str, bytes]) -> None:
    assert key_of("POST", *one) == key_of("POST", *other)


@pytest.mark.parametrize("other", [("/a?b=2", b""), ("/b?b=1", b""), ("/a?b=1", b'{"c":1}')], ids=["a value", "a path", "a body"])
def test_requests_that_ask_something_else_are_not(other: tuple[str, bytes]) -> None:
    assert key_of("POST", "/a?b=1", b"") != key_of("POST", *other)


def vijson_request(*paths: str, host: str = "host-1") -> bytes:
    objects = [{"obj": {"_typeName": "ManagedObjectReference", "type": "HostSystem", "value": host}, "skip": False}]
    return json.dumps({"specSet": [{"propSet": [{"type": "HostSystem", "pathSet": list(paths)}], "objectSet": objects}]}).encode()


def test_a_property_that_the_recording_did_not_ask_for_is_missing_and_not_unset() -> None:
    content = {"obj": {"type": "HostSystem", "value": "host-1"}, "propSet": [{"name": "name", "val": {"_value": "a"}}]}
    path = "/sdk/vim25/8.0.2.0/PropertyCollector/propertyCollector/RetrievePropertiesEx"
    one = Exchange(
        "RetrievePropertiesEx", "POST", path, vijson_request("name", "parent"), 200, {}, json.dumps({"objects": [content]}).encode()
    )
    answer = json.loads(vijson_answer(from_vijson([one]), vijson_request("name", "parent", "runtime.bootTime")))
    [found] = answer["objects"]
    assert [prop["name"] for prop in found["propSet"]] == ["name"]  # parent was asked for, and is unset
    assert [missing["path"] for missing in found["missingSet"]] == ["runtime.bootTime"]
    assert vijson_answer(from_vijson([one]), vijson_request("name", host="host-9")) == b""


def test_the_same_holds_of_soap() -> None:
    def request(*paths: str) -> bytes:
        wanted = "".join(f"<pathSet>{path}</pathSet>" for path in paths)
        return (
            f'<x><propSet><type>HostSystem</type>{wanted}</propSet><objectSet><obj type="HostSystem">host-1</obj></objectSet></x>'.encode()
        )

    content = (
        b'<objects><obj type="HostSystem">host-1</obj><propSet><name>name</name><val xsi:type="xsd:string">a</val></propSet></objects>'
    )
    one = Exchange("RetrievePropertiesEx", "POST", "/sdk", request("name", "parent"), 200, {}, content)
    answer = soap_answer(from_soap([one]), request("name", "parent", "runtime.bootTime"))
    assert '<propSet><name>name</name><val xsi:type="xsd:string">a</val></propSet>' in answer
    assert answer.count("<missingSet>") == 1
    assert "<path>runtime.bootTime</path>" in answer


def test_samples_are_found_by_object_whatever_else_is_asked_for_at_once() -> None:
    def spec(*hosts: str) -> bytes:
        each = "<querySpec><entity type='HostSystem'>{}</entity><metricId><counterId>7</counterId></metricId></querySpec>"
        return "".join(each.format(host) for host in hosts).encode()

    series = "<value><id><counterId>{}</counterId><instance></instance></id><value>1,2</value></value>"
    result = (
        '<returnval xsi:type="PerfEntityMetricCSV"><entity type="HostSystem">{}</entity>'
        + series.format(7)
        + series.format(8)
        + "</returnval>"
    )
    one = Exchange("QueryPerf", "POST", "/sdk", spec("h-1", "h-2", "h-3"), 200, {}, (result.format("h-1") + result.format("h-2")).encode())
    samples = samples_of([one])
    answer = query_perf(samples, spec("h-2", "h-3"))
    assert answer is not None
    assert answer.count("<returnval") == 1  # nothing was answered about the third
    assert "<counterId>7<" in answer
    assert "<counterId>8<" not in answer
    assert query_perf(samples, spec("h-9")) is None


@contextmanager
def served(folder: Path) -> Iterator[dict[EndpointKind, Endpoint]]:
    """The endpoints of a served recording: one of each kind."""
    everything = load_scenario("all")
    one_of_each = {
        name: getattr(everything, name)[:1] for name in ("vcenters", "element", "dell_sc", "flasharray", "ontap", "eternus", "powerstore")
    }
    one_of_each["eseries"] = (SYSTEM,)
    one_of_each["nimble"] = parse_scenario("nimble: [{name: nb-1, digits: 49686580b78e0b16, volumes: [{name: v1}]}]", "nimble").nimble
    one_of_each["dothill"] = load_scenario("msa-tiering").dothill[:1]
    one_of_each["vcenters"] += parse_scenario(f"vcenters:{HOST.format(name='esx-alone', agent='')}", "host").vcenters
    with serve(LabFleet(**one_of_each)) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        record(load_fleet(folder / "fleet.yaml"), folder / "b.tar.gz", state=folder, key=folder / "key", progress=lambda *_: None)
    with serve_recording(read_bundle(folder / "b.tar.gz")) as lab:
        lab.write_fleet(folder / "masked.yaml")
        yield {one.kind: one for one in load_fleet(folder / "masked.yaml").endpoints}


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[EndpointKind, Endpoint]]:
    with served(tmp_path_factory.mktemp("recording")) as endpoints:
        yield endpoints


def test_every_kind_of_endpoint_is_served(endpoints: dict[EndpointKind, Endpoint]) -> None:
    assert set(endpoints) == set(KINDS)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if endpoint_type(kind).settings])
def test_a_write_is_refused_in_the_words_of_the_protocol(endpoints: dict[EndpointKind, Endpoint], kind: EndpointKind) -> None:
    writes: dict[EndpointKind, Callable[[Any], object]] = {
        EndpointKind.ELEMENT: lambda session: session.call("ModifyVolume", volumeID=1, access="locked"),
        EndpointKind.FLASHARRAY: lambda session: session.patch("volumes", "x", {"qos": {"iops_limit": 1000}}),
        EndpointKind.ONTAP: lambda session: session.patch("storage/qos/policies/1", {"fixed": {"max_throughput_iops": 1}}),
        EndpointKind.DELL_SC: lambda session: session.modify("ScQosProfile", "1.1", {"iopsLimit": 1}),
        EndpointKind.ESERIES: lambda session: session.post("1", "hosts", "84", {"hostType": {"index": 10}}),
        EndpointKind.NIMBLE: lambda session: session.put("volumes", "1", {"limit_iops": 1000}),
        EndpointKind.POWERSTORE: lambda session: session.patch("volume", "1", {"qos_performance_policy_id": None}),
        EndpointKind.ETERNUS: lambda session: session.write("set volume-qos -volume-number 1 -bandwidth-limit 1"),
        EndpointKind.VCENTER: lambda session: session.esxcli("host-11").run(
            "storage core device set", device="naa.1", sched_num_req_outstanding=64
        ),
        EndpointKind.ESXI: lambda session: session.esxcli("ha-host").run(
            "storage core device set", device="naa.1", sched_num_req_outstanding=64
        ),
    }
    with open_session(endpoints[kind]) as session, pytest.raises((PermissionMissingError, RefusedError)):
        writes[kind](session)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_recorded_is_an_error_and_never_nothing(endpoints: dict[EndpointKind, Endpoint], kind: EndpointKind) -> None:
    reads: dict[EndpointKind, Callable[[Any], object]] = {
        EndpointKind.ELEMENT: lambda session: session.call("ListDrives"),
        EndpointKind.FLASHARRAY: lambda session: list(session.pages("network-interfaces")),
        EndpointKind.ONTAP: lambda session: session.get("storage/shelves"),
        EndpointKind.DELL_SC: lambda session: session.get("StorageCenter/ScDisk"),
        EndpointKind.ESERIES: lambda session: session.listed("1", "mel-events"),
        EndpointKind.NIMBLE: lambda session: list(session.pages("disks")),
        EndpointKind.POWERSTORE: lambda session: session.listed("nas_server", "id"),
        EndpointKind.ETERNUS: lambda session: session.read("show disks -disks all"),
        EndpointKind.DOTHILL: lambda session: session.show("sessions"),
        EndpointKind.VCENTER: lambda session: session.esxcli("host-11").run("network ip interface list"),
        EndpointKind.ESXI: lambda session: session.esxcli("ha-host").run("network ip interface list"),
    }
    with open_session(endpoints[kind]) as session, pytest.raises(EndpointError) as error:
        reads[kind](session)
    if kind is not EndpointKind.ETERNUS:
        assert not isinstance(error.value, NotThereError), "that it was not recorded does not say that it is not there"
