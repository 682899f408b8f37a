"""The object of an event is taken from its arguments and never guessed."""

from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.collect.events import _note


def host(name: str | None) -> Any:
    return vim.event.HostEventArgument(name="esx", **({} if name is None else {"host": vim.HostSystem(name)}))


def cluster(name: str) -> Any:
    return vim.event.ComputeResourceEventArgument(name="gold", computeResource=vim.ComputeResource(name))


def event(type_id: str, **arguments: Any) -> Any:
    return vim.event.EventEx(eventTypeId=type_id, **arguments)


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
