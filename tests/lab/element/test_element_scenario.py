"""The hosts that the scenario's cluster lets in are those that its vCenter has."""

from __future__ import annotations

from auditor_lab.arrays.element.cluster import Cluster
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.state.hosts import HostState
from auditor_lab.vcenter.state.storage_paths import initiator


def test_an_access_group_names_the_adapters_of_the_hosts_that_see_its_volumes() -> None:
    fleet = load_scenario("solidfire-vvols")
    cluster = Cluster(next(array for array in fleet.element if array.name == "sf-prod"))
    (group,) = cluster.access_groups
    (hosts,) = [each.hosts for each in fleet.vcenters[0].clusters if each.name == "sf-vmfs"]
    states = [HostState(host, "host-1") for host in hosts]
    assert set(group.initiators.values()) == {initiator(state, state.hbas["vmhba64"]) for state in states}
    volumes = {f"naa.{cluster.description.volume_naa(volume.id)}" for volume in cluster.volumes.values() if volume.access_groups}
    assert [volumes == set(state.devices) for state in states] == [True, True]
