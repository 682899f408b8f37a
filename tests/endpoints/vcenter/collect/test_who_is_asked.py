"""Which hosts of a vCenter are asked, in which order, and what is said of the others: every reader is put in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect import topics
from auditor.endpoints.vcenter.collect.live import LIVE_TOPICS
from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen, gap, readings
from auditor.endpoints.vcenter.collect.vms import MachinesSeen
from auditor.facts.needs import EVERYTHING, Needs
from auditor.facts.schema import HOST_TOPICS, VCENTER_TOPICS
from auditor.model import Share

from .answering import ENDPOINT, REFUSED, Found, has

VCENTER: Any = object()
LOST = "vCenter is not connected to it; what vCenter remembers of it is not taken for its state"
HOSTS = ["host-1", "host-2", "host-7", "lost-4"]
OF_NO_HOST = ("hosts", "datastores", "vms", "pods", "tasks", "extensions", "storage_policies", "tags", "events", "storage_events")


class Readers:
    """Stands for all that read a part of a vCenter; notes who was called, and with what."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.called: list[str] = []
        self.asked: dict[str, tuple[Any, int]] = {}
        self.machines: list[tuple[frozenset[str], set[str]]] = []
        self.loaded: list[tuple[str, Any]] = []
        self.paths: list[str] = []
        self.refused: set[str] = set()
        for topic in (*OF_NO_HOST[3:], "datastores"):
            patch.setattr(topics, f"collect_{'changes' if topic == 'events' else topic}", self._whole(topic))
        own = ("collect_hosts", "collect_vms", "collect_disk_load", "read_each", "read_live", "storage_of", "network_of", "send_for_load")
        for name in own:
            patch.setattr(topics, name, getattr(self, f"_{name}"))
        patch.setattr(topics, "expected_of", lambda properties: properties)

    def _whole(self, topic: str) -> Callable[..., Iterator[Facts]]:
        def collect(vcenter: Any, endpoint: Any, circuit: Circuit, paths: Any) -> Iterator[Facts]:
            assert (vcenter, circuit._patience, tuple(paths)) == (VCENTER, topics.PATIENCE, ALL.properties(topic))
            self.called.append(topic)
            yield readings(endpoint, "", {topic: True})

        return collect

    def _collect_hosts(self, _vcenter: Any, endpoint: Any, _circuit: Any, _paths: Any) -> Generator[Facts, None, list[HostSeen]]:
        self.called.append("hosts")
        yield readings(endpoint, "", {"hosts": True})
        yield gap(endpoint, "a host", "has no name")
        return [HostSeen(Ref("HostSystem", name), f"of {name}", "lost" not in name, software_iscsi=None) for name in HOSTS]

    def _collect_vms(self, _vcenter: Any, endpoint: Any, _circuit: Any, _paths: Any, *, seen: MachinesSeen) -> Iterator[Facts]:
        self.called.append("vms")
        self.machines.append((frozenset(seen.lost), set()))
        yield readings(endpoint, "", {"vms": True})

    def _collect_disk_load(self, _vcenter: Any, endpoint: Any, machines: MachinesSeen, filling: set[str], _circuit: Any) -> Iterator[Facts]:
        self.machines.append((frozenset(machines.lost), set(filling)))
        yield readings(endpoint, "", {"disk_load": True})

    def _read_each(self, _vcenter: Any, kind: str, paths: Any, refs: Any, _circuit: Any) -> Iterator[Any]:
        assert kind == "HostSystem"
        self.paths = list(paths)
        for ref in refs:
            yield (ref, REFUSED) if ref.value in self.refused else has("HostSystem", ref.value, {"of": ref.value})

    def _read_live(self, _vcenter: Any, endpoint: Any, host: HostSeen, drivers: Any, *, circuit: Circuit, topics: Any) -> list[Facts]:
        assert host.id not in self.asked
        self.asked[host.id] = (drivers, circuit._patience)
        return [readings(endpoint, host.id, dict.fromkeys(topics, True))]

    def _storage_of(self, endpoint: Any, host: HostSeen, properties: Any, of: Any) -> Generator[Facts, None, frozenset[str]]:
        assert properties.values["of"] == host.id
        yield readings(endpoint, host.id, dict.fromkeys((one for one in of if one != "network"), True))
        return frozenset({f"driver of {host.id}"})

    def _network_of(self, endpoint: Any, host: HostSeen, properties: Any) -> Iterator[Facts]:
        assert properties.values["of"] == host.id
        yield readings(endpoint, host.id, {"network": True})

    def _send_for_load(
        self, _vcenter: Any, endpoint: Any, hosts: Any, tasks: Any, _circuit: Any, of: Any, filling: set[str]
    ) -> Iterator[Facts]:
        self.loaded = [(host.id, getattr(expected, "id", expected)) for host, expected in hosts]
        tasks.send(lambda: [readings(endpoint, host.id, dict.fromkeys(of, True)) for host, _ in hosts])
        filling.update(host.id for host, _ in hosts[:1])
        yield from ()


ALL = Needs(EVERYTHING.facts, EVERYTHING.topics | {*OF_NO_HOST})


def collected(*, needs: Needs = ALL, share: Share = ENDPOINT.share, comparison: Any = None) -> Found:
    limits = dataclasses.replace(ENDPOINT.limits, concurrency=5)
    endpoint = dataclasses.replace(ENDPOINT, limits=limits, share=share)
    return Found(topics.collect_vcenter(VCENTER, endpoint, needs, comparison))


def test_every_host_that_is_connected_is_asked_and_each_topic_has_a_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(monkeypatch)
    found = collected()
    assert readers.called == list(OF_NO_HOST)
    assert readers.asked == {host: (frozenset({f"driver of {host}"}), 10) for host in HOSTS[:3]}, (
        "twice as many as are asked at once may fail"
    )
    assert readers.loaded == [(host, host) for host in HOSTS[:3]]
    assert readers.machines == [(frozenset({"lost-4"}), set()), (frozenset({"lost-4"}), {"host-1"})]
    assert found.gaps == [("a host", "has no name"), ("host of lost-4", LOST)]
    read = [(row["scope"], row["topic"]) for row in found.tables["reading"]]
    of_no_host = [("", topic) for topic in {*VCENTER_TOPICS, *OF_NO_HOST}]
    assert sorted(read) == sorted([*of_no_host, *((host, topic) for host in HOSTS for topic in HOST_TOPICS)])
    assert not any(row["complete"] for row in found.tables["reading"] if row["scope"] == "lost-4")


def test_storage_that_cannot_be_read_is_a_hole_and_the_host_is_asked_without_its_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(monkeypatch)
    readers.refused = {"host-2"}
    found = collected()
    assert ("storage and network of of host-2", "refused") in found.gaps
    assert (readers.asked["host-2"][0], readers.asked["host-7"][0]) == (None, frozenset({"driver of host-7"}))
    assert readers.loaded[1] == ("host-2", REFUSED)
    unread = {row["topic"] for row in found.tables["reading"] if row["scope"] == "host-2" and row["complete"] is False}
    assert unread == set(HOST_TOPICS) - set(LIVE_TOPICS) - {"device_load", "adapter_load", "datastore_load"}


def test_only_what_is_needed_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(monkeypatch)
    found = collected(needs=Needs(frozenset(), frozenset({"hosts", "options"})))
    assert (readers.called, readers.loaded, readers.paths) == (["hosts"], [], [])
    assert readers.asked == dict.fromkeys(HOSTS[:3], (None, 10))
    assert {row["topic"] for row in found.tables["reading"]} == {"hosts", "options"}
    readers.asked.clear()
    found = collected(needs=Needs(frozenset(), frozenset({"network"})))
    assert (readers.asked, found.tables) == ({}, {}), "without a list of hosts there is none to ask"


def test_each_of_several_readers_asks_its_own_hosts_and_the_first_reads_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = [Share(number, 2) for number in range(2)]
    asked = []
    for share in shares:
        readers = Readers(monkeypatch)
        found = collected(share=share)
        asked.append(set(readers.asked))
        assert asked[-1] == {host for host in HOSTS[:3] if share.has(host)} != set()
        assert readers.called == (list(OF_NO_HOST) if share.is_first else ["hosts"])
        assert ("a host", "has no name") in found.gaps
        of_list = [row for row in found.tables["reading"] if row["topic"] == "hosts"]
        assert len(of_list) == share.is_first
        if share.is_first:
            _, (_, filling) = readers.machines
            assert filling == {host for host in HOSTS if not share.has(host)} | {host for host, _ in readers.loaded[:1]}
    assert asked[0] | asked[1] == set(HOSTS[:3])


def test_a_host_that_an_earlier_run_may_answer_for_is_asked_only_where_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = Readers(monkeypatch)
    steps: list[str] = []

    def may_take(host: HostSeen, properties: Any) -> bool:
        assert properties.values["of"] == host.id
        steps.append(f"compare {host.id}")
        return host.id != "host-1"

    comparison = SimpleNamespace(paths=("also.this",), taken=frozenset({"host-2"}), may_take=may_take)
    comparison.look_at_hosts = lambda: steps.append(f"look after {' '.join(readers.called)}")
    comparison.settle = lambda: steps.append(f"settle after {' '.join(readers.called)}")
    collected(comparison=comparison)
    assert steps == ["look after hosts", "compare host-1", "compare host-2", "compare host-7", "settle after hosts datastores"]
    assert readers.asked == {host: (frozenset({f"driver of {host}"}), 10) for host in ("host-1", "host-7")}
    assert readers.paths[-1] == "also.this"
    assert readers.called == list(OF_NO_HOST), "the datastores once"
