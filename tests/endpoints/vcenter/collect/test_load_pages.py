"""How many hosts one question about load is about, and what each brings: answers put in, with no wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.vcenter import performance
from auditor.endpoints.vcenter.bulk.reading import GONE, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.load import LOAD_TOPICS, expected_of, send_for_load
from auditor.endpoints.vcenter.collect.load_figures import ADAPTER_COUNTERS, DATASTORE_COUNTERS, DEVICE_COUNTERS
from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen
from auditor.endpoints.vcenter.performance import Samples
from auditor.errors import EndpointError, EndpointUnreachableError

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

NAMES = [*DEVICE_COUNTERS.values(), *ADAPTER_COUNTERS.values(), *DATASTORE_COUNTERS.values()]
DEVICES, ADAPTERS = "config.storageDevice.scsiLun", "config.storageDevice.hostBusAdapter"
UNREACHABLE = EndpointUnreachableError("endpoint vc-east: down", why="w", do="d")


def datastore(name: str, kind: str | None, url: str | None) -> ObjectProperties:
    return has("Datastore", name, {path: one for path, one in (("summary.url", url), ("summary.type", kind)) if one})


class Loads:
    """Asks for the load of hosts, each with so many devices and adapters."""

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        *stores: ObjectProperties,
        refused: Sequence[Ref] = (),
        lists: Mapping[str, EndpointError] | None = None,
    ) -> None:
        self.vcenter = Answers(stores, refused=refused, lists=lists).vcenter
        self.known: dict[str, int] | EndpointError = {name: number for number, name in enumerate(NAMES)}
        self.asked: list[list[str]] = []
        self.filling: set[str] = set()
        self.answer: Callable[[str], Samples | EndpointError | None] = lambda _: None
        self.circuit = circuit()
        patch.setattr(performance, "counter_keys", self._keys)
        patch.setattr(performance, "query_samples", self._samples)

    def _keys(self, _vcenter: object) -> Mapping[str, int]:
        if isinstance(self.known, EndpointError):
            raise self.known
        return self.known

    def _samples(self, _vcenter: object, hosts: Sequence[Ref], counters: Mapping[str, int], most: int) -> list[Samples]:
        assert most == 15
        assert isinstance(self.known, dict)
        assert counters.items() <= self.known.items()
        self.asked.append([host.value for host in hosts])
        found = [self.answer(host.value) for host in hosts]
        for one in found:
            if isinstance(one, EndpointError):
                raise one
        return [one for one in found if isinstance(one, Samples)]

    def __call__(self, *hosts: tuple[int, int], topics: Sequence[str] = LOAD_TOPICS) -> Found:
        seen = [
            (HostSeen(Ref("HostSystem", f"host-{place}"), f"esx-{place}", connected=True, software_iscsi=None), expected)
            for place, expected in enumerate(hosts)
        ]
        return Found(self._facts(seen, topics))

    def _facts(self, hosts: list[tuple[HostSeen, tuple[int, int]]], topics: Sequence[str]) -> Iterator[Facts]:
        sent: list[Callable[[], list[Facts]]] = []
        tasks: Any = SimpleNamespace(send=sent.append)
        yield from send_for_load(self.vcenter, ENDPOINT, hosts, tasks, self.circuit, topics, self.filling)
        for task in sent:
            yield from task()


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        pytest.param(has("HostSystem", "h", {DEVICES: [1, 2, 3], ADAPTERS: [1, 2]}), (3, 2), id="what it lists"),
        pytest.param(has("HostSystem", "h", {DEVICES: [], ADAPTERS: []}), (0, 0), id="it has none"),
        pytest.param(has("HostSystem", "h", {}), (512, 1), id="it does not say"),
        pytest.param(REFUSED, (512, 1), id="it could not be asked"),
        pytest.param(None, (512, 1), id="nothing asked it"),
    ],
)
def test_a_host_is_expected_to_answer_of_all_that_it_has(properties: Any, expected: tuple[int, int]) -> None:
    assert expected_of(properties) == expected


VMFS = [datastore(f"ds-{n}", "VMFS", f"ds:///vmfs/volumes/{n}/") for n in range(900)]
NFS = [datastore(f"ds-{n}", "NFS", f"ds:///vmfs/volumes/{n}/") for n in range(900)]


@pytest.mark.parametrize(
    ("hosts", "stores", "topics", "pages"),
    [
        # 8 counters of 15 samples: 300 devices are 36,000 values of the 100,000, and 416 are 49,920.
        pytest.param([(300, 0)] * 5, [], ["device_load"], [2, 2, 1], id="as many hosts as stay below"),
        pytest.param([(416, 0), (417, 0), (416, 0), (417, 0)], [], ["device_load"], [2, 2], id="just below it"),
        pytest.param([(417, 0), (417, 0)], [], ["device_load"], [1, 1], id="just above it"),
        pytest.param([(2000, 0), (1, 0)], [], ["device_load"], [1, 1], id="one that is above it alone"),
        pytest.param([(0, 667), (0, 667), (0, 667)], [], ["adapter_load"], [1, 1, 1], id="adapters, of five counters"),
        pytest.param([(2000, 2000)] * 2, [], ["datastore_load"], [2], id="what is not asked about counts for nothing"),
        pytest.param([(4, 1)] * 5, VMFS, ["datastore_load"], [5], id="no host has more of VMFS than devices"),
        pytest.param([(4, 1)] * 2, NFS, ["datastore_load"], [1, 1], id="a host may mount all exports"),
        pytest.param([], [], LOAD_TOPICS, [], id="no host"),
    ],
)
def test_a_question_holds_as_many_hosts_as_its_answer_may_have_values(
    monkeypatch: pytest.MonkeyPatch, hosts: list[tuple[int, int]], stores: list[ObjectProperties], topics: Sequence[str], pages: list[int]
) -> None:
    loads = Loads(monkeypatch, *stores)
    loads(*hosts, topics=topics)
    assert [len(page) for page in loads.asked] == pages
    assert [host for page in loads.asked for host in page] == [f"host-{place}" for place in range(len(hosts))]


START = datetime(2026, 11, 21, 12, tzinfo=UTC)
TIMES = tuple(START + timedelta(seconds=20 * place) for place in range(15))


def samples(host: str, *instances: tuple[str, str], torn: int = 0, times: tuple[datetime, ...] = TIMES) -> Samples:
    return Samples(host, times, dict.fromkeys(instances, (9,) * 15), torn)


DEVICE, ADAPTER, STORE = DEVICE_COUNTERS["kernel"], ADAPTER_COUNTERS["queued"], DATASTORE_COUNTERS["sioc"]
NO_SAMPLES = ("performance counters of esx-0", "it has no samples of the last minutes")
EACH = ((DEVICE, "naa.6000"), (ADAPTER, "vmhba1"), (STORE, "uuid-1"))


@pytest.mark.parametrize(
    ("answer", "gaps", "incomplete"),
    [
        pytest.param(samples("host-0", *EACH), [], [], id="all of it"),
        pytest.param(None, [NO_SAMPLES], LOAD_TOPICS, id="left out"),
        pytest.param(
            samples("host-0", times=()),
            [("performance counters of esx-0", "it has no samples of the last minutes")],
            LOAD_TOPICS,
            id="empty",
        ),
        pytest.param(
            samples("host-0", *EACH, torn=2),
            [("2 counters of esx-0", "their samples make no sense, or are not as many as their times")],
            LOAD_TOPICS,
            id="torn",
        ),
        pytest.param(
            samples("host-0", (DEVICE, ""), (ADAPTER, "*")),
            [(f"{topic} of esx-0", "its counters are not reported one by one") for topic in ("device_load", "adapter_load")],
            ["device_load", "adapter_load"],
            id="of the host as a whole",
        ),
        pytest.param(
            samples("host-0", *EACH[:2], (STORE, "uuid-9")),
            [("datastore_load of esx-0", "its counters are not reported one by one")],
            ["datastore_load"],
            id="of a datastore that is not known",
        ),
        pytest.param(samples("host-0", *EACH[:2]), [], [], id="no datastore"),
        pytest.param(REFUSED, [("performance counters of esx-0", "refused")], LOAD_TOPICS, id="refused"),
    ],
)
def test_what_a_host_does_not_answer_is_a_hole_of_its_topic(
    monkeypatch: pytest.MonkeyPatch, answer: Samples | EndpointError | None, gaps: list[tuple[str, str]], incomplete: Sequence[str]
) -> None:
    loads = Loads(monkeypatch, datastore("ds-1", "VMFS", "ds:///vmfs/volumes/uuid-1/"))
    loads.answer = lambda host: answer if host == "host-0" else samples(host, *EACH)
    found = loads((1, 1), (1, 1))
    assert found.gaps == gaps
    assert found.complete == {f"host-{n}/{topic}": n == 1 or topic not in incomplete for n in range(2) for topic in LOAD_TOPICS}
    for topic, column, name in zip(LOAD_TOPICS, ("device", "hba", "datastore_id"), ("naa.6000", "vmhba1", "ds-1"), strict=True):
        rows = [(row["host_id"], row[column]) for row in found.tables[topic]]
        assert ("host-1", name) in rows
        assert (("host-0", name) in rows) is (isinstance(answer, Samples) and EACH[LOAD_TOPICS.index(topic)] in answer.series)
    assert loads.asked == [["host-0", "host-1"]] + ([["host-0"], ["host-1"]] if answer is REFUSED else []), "one by one where all fail"


def test_a_host_on_which_a_queue_fills_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    def series(**counters: int) -> dict[tuple[str, str], tuple[int, ...]]:
        return {(DEVICE_COUNTERS[name], "naa.6000"): (value,) * 15 for name, value in counters.items()}

    busy, idle = (series(commands=100, total=9, depth=64, kernel=waited) for waited in (9, 0))
    loads = Loads(monkeypatch)
    loads.answer = lambda host: Samples(host, TIMES, busy if host == "host-1" else idle)
    loads((1, 1), (1, 1), topics=["device_load"])
    assert loads.filling == {"host-1"}


def test_a_vcenter_that_reaches_nobody_any_more_is_not_asked_host_by_host(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = Loads(monkeypatch)
    loads.answer = lambda _: UNREACHABLE
    loads.circuit = type(loads.circuit)(1)
    found = loads((1, 1), (1, 1), topics=["device_load"])
    assert loads.asked == [["host-0", "host-1"]]
    assert [what for what, _ in found.gaps] == ["performance counters of esx-0", "performance counters of esx-1"]
    assert found.complete == {"host-0/device_load": False, "host-1/device_load": False}


@pytest.mark.parametrize(
    ("store", "gaps"),
    [
        pytest.param(datastore("ds-9", "VMFS", None), [("summary.url of datastore ds-9", "vCenter does not report it")], id="no URL"),
        pytest.param(has("Datastore", "ds-9", {}, {"summary.url": GONE, "summary.type": GONE}), [], id="it is gone"),
        pytest.param(
            has("Datastore", "ds-9", {"summary.type": "NFS"}, {"summary.url": "NoPermission"}),
            [("summary.url of datastore ds-9", "NoPermission")],
            id="not permitted",
        ),
        pytest.param(Ref("Datastore", "ds-9"), [("summary.url of datastore ds-9", "refused")], id="refused"),
        pytest.param(None, [("the list of datastores, to tell their counters apart", "refused")], id="no list"),
    ],
)
def test_counters_of_datastores_are_whole_where_every_datastore_is_known(
    monkeypatch: pytest.MonkeyPatch, store: ObjectProperties | Ref | None, gaps: list[tuple[str, str]]
) -> None:
    known = datastore("ds-1", "VMFS", "ds:///vmfs/volumes/uuid-1/")
    if store is None:
        loads = Loads(monkeypatch, lists={"Datastore": REFUSED})
    else:
        loads = Loads(monkeypatch, known, refused=[store]) if isinstance(store, Ref) else Loads(monkeypatch, known, store)
    loads.answer = lambda host: samples(host, (STORE, "uuid-1"))
    found = loads((1, 1), topics=["datastore_load"])
    assert found.gaps[: len(gaps)] == gaps
    assert found.complete == {"host-0/datastore_load": not gaps}
    assert [row["datastore_id"] for row in found.rows("datastore_load")] == (["ds-1"] if store else [])


def test_counters_that_are_not_known_make_their_topic_incomplete_and_none_ask_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads = Loads(monkeypatch)
    loads.answer = lambda host: samples(host, *EACH[:2])
    loads.known = {name: number for number, name in enumerate(NAMES) if name not in (DEVICE, STORE)}
    found = loads((1, 1))
    assert found.gaps[0] == (f"counters {STORE}, {DEVICE}", "it has none of these names")
    assert found.complete == {"host-0/device_load": False, "host-0/adapter_load": True, "host-0/datastore_load": False}
    none_known: list[dict[str, int] | EndpointError] = [{}, REFUSED]
    for loads.known in none_known:
        loads.asked.clear()
        found = loads((1, 1), topics=["device_load"])
        assert (loads.asked, found.complete) == ([], {"host-0/device_load": False})
    assert found.gaps == [("performance counters (device_load)", "refused")]
