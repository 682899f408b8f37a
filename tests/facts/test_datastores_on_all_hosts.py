"""Which hosts of a cluster lack a datastore of the others."""

from collections.abc import Mapping
from typing import Any

import pytest

from .fleets import Facts, hosts, seen
from .judged import judged

pytestmark = pytest.mark.long

RULE = "datastore/on-all-hosts"


def cluster(count: int, *mounting: int, kind: str = "VMFS", sees: tuple[int, ...] = (), device: str = "naa.1", **host: Any) -> Facts:
    """A cluster of so many hosts that answer, of which some mount a datastore and some see its disk; the last host is as `host` has it."""
    given = hosts(count)
    for one in given["host"]:
        one |= {"connection_state": "connected", "in_maintenance_mode": False}
    given["host"][-1] |= host
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": kind}]
    given["datastore_mount"] = [
        {"datastore_id": "ds", "host_id": f"host-{number}", "mounted": True, "accessible": True} for number in mounting
    ]
    if kind == "VMFS":
        given["datastore_extent"] = [{"datastore_id": "ds", "device": device, "partition": 1}]
        given["device"] = [{"host_id": f"host-{number}", **seen(device, "ontap")} for number in sees]
    return given


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        pytest.param(cluster(3, 1, 2, 3), "pass", id="all have it"),
        pytest.param(cluster(3, 1, 2), "fail", id="a third lacks it"),
        pytest.param(cluster(3, 1, 2, kind="NFS"), "fail", id="a share"),
        pytest.param(cluster(3, 1, 2, kind="VVOL"), "fail", id="virtual volumes"),
        pytest.param(cluster(3, 1, sees=(1,)), "not_applicable", id="its disk is seen by its host alone"),
        pytest.param(cluster(3, 1, sees=(1, 3)), "fail", id="another host sees its disk"),
        pytest.param(cluster(3, 1, sees=(1, 3), device="mpx.vmhba0:C0:T0:L0"), "not_applicable", id="each host has a disk of that name"),
        pytest.param(cluster(3, 1, kind="NFS"), "not_applicable", id="a share of one host, as a backup server's"),
        pytest.param(cluster(3, 1, 2, connection_state="notResponding"), "pass", id="the third does not answer"),
        pytest.param(cluster(3, 1, 2, in_maintenance_mode=True), "pass", id="the third is in maintenance mode"),
        pytest.param(cluster(3, 1, 2, in_maintenance_mode=None), "unknown", id="the third does not report it"),
        pytest.param(cluster(3, 1, 2, cluster_id=None, cluster=None), "pass", id="the third is in no cluster"),
        pytest.param(cluster(3, 1, 2, cluster_id="c2", cluster="iron"), "pass", id="the third is in another cluster"),
        pytest.param(cluster(2, 1, 2, cluster_id="c2", cluster="iron"), "not_applicable", id="one host of each cluster"),
        pytest.param(cluster(3), "not_applicable", id="no host mounts it"),
    ],
)
def test_a_host_lacks_what_others_of_its_cluster_have(given: Facts, verdict: str) -> None:
    """VMware's checklist for vSphere HA: all hosts of a cluster have access to the same datastores (docs/domain/facts.md#5-14)."""
    assert judged(RULE, given) == {"ds": verdict}


def test_what_an_administrator_unmounted_is_not_lacking() -> None:
    given = cluster(3, 1, 2, 3)
    given["datastore_mount"][2] |= {"mounted": False, "accessible": False}
    assert judged(RULE, given) == {"ds": "pass"}


def test_hosts_of_two_clusters_are_held_to_their_own() -> None:
    given = cluster(4, 1, 2, 3)
    for host in given["host"][2:]:
        host |= {"cluster_id": "c2", "cluster": "iron"}
    assert judged(RULE, given) == {"ds": "pass"}
    given["datastore_extent"], given["device"] = (
        [{"datastore_id": "ds", "device": "naa.1"}],
        [{"host_id": "host-4", **seen("naa.1", "ontap")}],
    )
    assert judged(RULE, given) == {"ds": "fail"}


def unread(given: Facts, scope: str, topic: str) -> Facts:
    """With this reading not whole."""
    for row in given["reading"]:
        row["complete"] &= (row["scope"], row["topic"]) != (scope, topic)
    return given


UNREAD: Mapping[str, tuple[Facts, str]] = {
    "hosts, and all that are known have it": (unread(cluster(2, 1, 2), "", "hosts"), "unknown"),
    "hosts, and one of them lacks it": (unread(cluster(3, 1, 2), "", "hosts"), "unknown"),
    "datastores, and all have it": (unread(cluster(2, 1, 2), "", "datastores"), "unknown"),
    "devices of a host that does not mount it": (unread(cluster(2, 1, sees=(1,)), "host-2", "devices"), "unknown"),
    "devices of a host that does not answer": (
        unread(cluster(2, 1, sees=(1,), connection_state="notResponding"), "host-2", "devices"),
        "not_applicable",
    ),
    "devices of such a host, and it is a share": (unread(cluster(2, 1, kind="NFS"), "host-2", "devices"), "not_applicable"),
    "devices of such a host, and two others have it": (unread(cluster(3, 1, 2), "host-3", "devices"), "fail"),
    "hosts, and the one that mounts it is in no cluster": (unread(cluster(1, 1, cluster_id=None, cluster=None), "", "hosts"), "unknown"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_was_not_read_is_no_reason_to_pass(name: str) -> None:
    given, verdict = UNREAD[name]
    assert judged(RULE, given) == {"ds": verdict}
