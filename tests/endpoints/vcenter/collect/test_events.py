"""The object of an event is taken from its arguments and never guessed."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.collect import events
from auditor.endpoints.vcenter.collect.events import Happened, _note, happened_since
from auditor.errors import RefusedError
from tests.endpoints.vcenter.collect.answering import ENDPOINT


def host(name: str | None) -> Any:
    return vim.event.HostEventArgument(name="esx", **({} if name is None else {"host": vim.HostSystem(name)}))


def cluster(name: str) -> Any:
    return vim.event.ComputeResourceEventArgument(name="gold", computeResource=vim.ComputeResource(name))


def event(type_id: str, **arguments: Any) -> Any:
    return vim.event.EventEx(eventTypeId=type_id, **arguments)


def task(entity: Any) -> Any:
    return vim.event.TaskEvent(info=vim.TaskInfo(entity=entity))


@pytest.mark.parametrize(
    ("happened", "hosts", "clusters", "is_told"),
    [
        pytest.param(event("esx.problem.x", host=host("host-1")), {"host-1"}, set(), True, id="its host"),
        pytest.param(event("esx.problem.x", objectId="host-2", objectType=vim.HostSystem), {"host-2"}, set(), True, id="its object"),
        pytest.param(event("esx.problem.x", computeResource=cluster("domain-c1")), set(), {"domain-c1"}, True, id="its cluster alone"),
        # docs/domain/facts.md#9-5: recorded hosts of 5.5 and 9.0.
        pytest.param(event("esx.problem.x"), set(), set(), False, id="no host argument, of a host"),
        pytest.param(event("esx.problem.x", host=host(None)), set(), set(), False, id="a host argument without a host"),
        pytest.param(event("vprob.storage.connectivity.lost"), set(), set(), False, id="no host argument, of an older host"),
        pytest.param(event("com.vmware.license.x"), set(), set(), True, id="no host argument, of vCenter itself"),
        pytest.param(event("com.vmware.x", objectId="vm-1", objectType=vim.VirtualMachine), set(), set(), True, id="another object"),
        pytest.param(
            event("esx.problem.x", host=host("host-1"), computeResource=cluster("domain-c1")),
            {"host-1"},
            set(),
            True,
            id="its host, and its cluster",
        ),
        pytest.param(
            event("esx.problem.x", computeResource=vim.event.ComputeResourceEventArgument(name="gold")),
            set(),
            set(),
            False,
            id="a cluster without an id",
        ),
        pytest.param(event("esx.problem.x", objectType=vim.HostSystem), set(), set(), False, id="an object without an id"),
        pytest.param(task(vim.HostSystem("host-3")), {"host-3"}, set(), True, id="the host of a task"),
        pytest.param(task(vim.Datastore("datastore-1")), set(), set(), True, id="a task of something else"),
        pytest.param(vim.event.TaskEvent(), set(), set(), True, id="a task that is not described"),
        pytest.param(
            event("esx.problem.x", vm=vim.event.VmEventArgument(name="v", vm=vim.VirtualMachine("vm-1"))),
            set(),
            set(),
            True,
            id="a machine",
        ),
    ],
)
def test_an_event_of_a_host_names_it_or_is_known_not_to(happened: Any, hosts: set[str], clusters: set[str], is_told: bool) -> None:
    seen: set[str] = set()
    seen_clusters: set[str] = set()
    assert _note(happened, seen, seen_clusters) is is_told
    assert (seen, seen_clusters) == (hosts, clusters)


class Log:
    """An event manager, and its collector, with these pages of events."""

    def __init__(self, *pages: list[Any]) -> None:
        self.pages, self.is_gone = [*pages, []], False
        self.begins: Any = None

    def CreateCollectorForEvents(self, wanted: Any) -> Any:  # noqa: N802  its name in vSphere
        self.begins = wanted.time.beginTime
        return self

    def RewindCollector(self) -> None:  # noqa: N802  its name in vSphere
        pass

    def ReadNextEvents(self, most: int) -> list[Any]:  # noqa: N802  its name in vSphere
        assert most == 1000
        return self.pages.pop(0)

    def DestroyCollector(self) -> None:  # noqa: N802  its name in vSphere
        self.is_gone = True


SINCE = datetime(2026, 11, 1, tzinfo=UTC)


def happened(log: Log) -> Happened:
    vcenter: Any = SimpleNamespace(content=SimpleNamespace(eventManager=log))
    try:
        return happened_since(vcenter, ENDPOINT, SINCE)
    finally:
        assert (log.is_gone, log.begins) == (True, SINCE)


def test_the_events_of_every_page_are_noted_and_counted() -> None:
    license_event = event("com.vmware.license.x")
    log = Log([event("esx.problem.x", host=host("host-1")), license_event], [event("esx.problem.x", computeResource=cluster("domain-c1"))])
    assert happened(log) == Happened(frozenset({"host-1"}), frozenset({"domain-c1"}), 3)
    assert happened(Log()) == Happened(frozenset(), frozenset(), 0)


@pytest.mark.parametrize("most", [2, 3])
def test_which_hosts_changed_is_not_said_where_an_event_names_none_or_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    with pytest.raises(RefusedError, match="names none"):
        happened(Log([event("com.vmware.license.x"), event("esx.problem.x")]))
    monkeypatch.setattr(events, "MOST_EVENTS", most)
    pages = [event("com.vmware.license.x")] * 2, [event("com.vmware.license.x")]
    if most == 3:
        assert happened(Log(*pages)).events == 3
    else:
        with pytest.raises(RefusedError, match="more than 2 events"):
            happened(Log(*pages))
