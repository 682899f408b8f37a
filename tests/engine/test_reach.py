"""What changes reach: which hosts stand on what they write, and what that lies on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from auditor.engine.fixes.reach import FACTS, with_reach
from auditor.facts.needs import needs
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import Change, EndpointReading, FixClass, Reach, Resource, Target

AT = datetime(2026, 11, 21, tzinfo=UTC)
ONE, TWO = ("vc", "gold", "esx-1"), ("vc", "silver", "esx-2")

TABLES: Mapping[str, list[dict[str, Any]]] = {
    "host": [
        {"endpoint": "vc", "host_id": "host-1", "name": "esx-1", "cluster": "gold"},
        {"endpoint": "vc", "host_id": "host-2", "name": "esx-2", "cluster": "silver"},
    ],
    "device": [
        {"endpoint": "vc", "host_id": "host-1", "device": "naa.1"},
        {"endpoint": "vc", "host_id": "host-2", "device": "naa.2"},
        {"endpoint": "vc", "host_id": "host-2", "device": "naa.pe"},
    ],
    "datastore": [
        {"endpoint": "vc", "datastore_id": "ds-1", "name": "store-1", "pod_id": "pod-1"},
        {"endpoint": "vc", "datastore_id": "ds-2", "name": "store-2", "pod_id": "pod-1"},
        {"endpoint": "vc", "datastore_id": "ds-nfs", "name": "share"},
    ],
    "datastore_extent": [
        {"endpoint": "vc", "datastore_id": "ds-1", "device": "naa.1"},
        {"endpoint": "vc", "datastore_id": "ds-2", "device": "naa.2"},
    ],
    "datastore_mount": [
        {"endpoint": "vc", "datastore_id": "ds-1", "host_id": "host-1"},
        {"endpoint": "vc", "datastore_id": "ds-2", "host_id": "host-2"},
        {"endpoint": "vc", "datastore_id": "ds-nfs", "host_id": "host-1"},
    ],
    "vm_disk": [{"endpoint": "vc", "vm_id": "vm-1", "datastore_id": "ds-1"}],
    "array_volume": [
        {"endpoint": "sf", "volume_id": "1", "name": "vol-1", "device": "naa.1", "qos_policy_id": "10", "qos_group_id": None},
        {"endpoint": "sf", "volume_id": "2", "name": "vol-2", "device": "naa.2", "qos_policy_id": "20", "qos_group_id": "g"},
        {"endpoint": "sf", "volume_id": "3", "name": "vol-3", "device": "naa.3", "qos_policy_id": "20", "qos_group_id": "g"},
        {"endpoint": "sf", "volume_id": "4", "name": "vvol", "is_virtual": True, "qos_policy_id": "30"},
        {"endpoint": "sf", "volume_id": "5", "name": "export", "qos_policy_id": "40"},
    ],
    "array_protocol_endpoint": [{"endpoint": "sf", "device": "naa.pe"}],
    "array_qos_policy": [
        {"endpoint": "sf", "policy_id": "10", "volumes": 1},
        {"endpoint": "sf", "policy_id": "20", "volumes": None},
        {"endpoint": "sf", "policy_id": "50", "volumes": 0},
        {"endpoint": "sf", "policy_id": "60", "volumes": 2},
    ],
}


def snapshot(*, unread: Collection[tuple[str, str, str]] = (), left_out: Collection[str] = (), asked: Any = None) -> Snapshot:
    """The tables above; `unread` are (endpoint, scope, topic)."""
    builder = SnapshotBuilder()
    for table, rows in TABLES.items():
        columns = dict.fromkeys(column for row in rows for column in row)
        builder.add(Batch(table, {column: [row.get(column) for row in rows] for column in columns}))
    read = [("vc", "", topic) for topic in ("hosts", "datastores")] + [("vc", one, "devices") for one in ("host-1", "host-2")]
    read += [("sf", "", topic) for topic in ("volumes", "protocol_endpoints")]
    topics = [(*one, one not in set(unread)) for one in dict.fromkeys([*read, *unread])]
    builder.add(Batch("reading", dict(zip(("endpoint", "scope", "topic", "complete"), map(list, zip(*topics, strict=True)), strict=True))))
    kinds = {"vc": "vcenter", "sf": "element"}
    readings = tuple(
        EndpointReading(name, kind, name, None, "verified", AT, AT, complete=True, left_out=name in left_out)
        for name, kind in kinds.items()
    )
    return builder.finish(readings, started=AT, finished=AT, asked=needs(FACTS) if asked is None else asked)


def change(remediator: str, endpoint: str = "sf", host: str | None = None, cluster: str | None = None, **keys: str) -> Change:
    resource = Resource("any", next(iter(keys.values()), "it"), "it", endpoint, cluster, host)
    target = Target(endpoint, tuple(sorted(keys.items())))
    return Change(remediator, FixClass.ONLINE, target, 1, 2, ("a/b",), resource, "why")


def reach(one: Change, **given: Any) -> Reach:
    (found,) = with_reach(snapshot(**given), [one])
    assert found.reach is not None
    return found.reach


SIOC = change("datastore.sioc", "vc", datastore_id="ds-1")
VOLUME = change("element.volume_limits", volume_id="1")


@pytest.mark.parametrize(
    ("one", "hosts"),
    [
        pytest.param(SIOC, (ONE,), id="a datastore: who mounts it"),
        pytest.param(change("datastore.sioc", "vc", datastore_id="ds-nfs"), (ONE,), id="an NFS datastore"),
        pytest.param(change("pod.io_metric", "vc", pod_id="pod-1"), (ONE, TWO), id="a datastore cluster: who mounts any of its datastores"),
        pytest.param(change("vm.disk_limit", "vc", "esx-1", vm_id="vm-1", disk_key="1"), (), id="a disk is felt on its machine's host"),
        pytest.param(VOLUME, (ONE,), id="a volume: who sees its device"),
        pytest.param(change("element.volume_limits", volume_id="2"), (TWO,), id="a volume of a group"),
        pytest.param(change("element.volume_limits", volume_id="4"), (TWO,), id="a virtual volume: who sees a protocol endpoint"),
        pytest.param(change("element.volume_limits", volume_id="5"), None, id="a share, by whose name hosts mount nobody knows"),
        pytest.param(change("element.volume_limits", volume_id="9"), None, id="a volume that was not read"),
        pytest.param(change("element.qos_policy", policy_id="10"), (ONE,), id="a policy: who uses a volume under it"),
        pytest.param(change("element.qos_policy", policy_id="20"), (TWO,), id="a policy that does not count its volumes"),
        pytest.param(change("element.qos_policy", policy_id="50"), (), id="a policy of no volume"),
        pytest.param(change("element.qos_policy", policy_id="60"), None, id="a policy of volumes that were not found"),
        pytest.param(change("ontap.efficiency_priority", policy_id="x"), None, id="a setting of nobody knows which volumes"),
        pytest.param(change("flasharray.host_personality", host="esx-2", name="esx-2"), (TWO,), id="what an array keeps of a host"),
        pytest.param(change("flasharray.host_personality", host="esx-9", name="esx-9"), None, id="of a host that nobody knows"),
        pytest.param(change("device.dsnro", "vc", "esx-1", host_id="host-1", device="naa.1"), (), id="a queue of one host"),
        pytest.param(change("host.option", "vc", "esx-1", host_id="host-1", option="A"), (), id="an option of one host"),
    ],
)
def test_the_hosts_that_stand_on_what_is_written_are_known_or_said_not_to_be(one: Change, hosts: Any) -> None:
    assert reach(one).hosts == hosts


@pytest.mark.parametrize(
    ("one", "names"),
    [
        pytest.param(SIOC, {"store-1", "naa.1", "vol-1"}, id="a datastore"),
        pytest.param(change("pod.io_metric", "vc", pod_id="pod-1"), {"store-1", "naa.1", "vol-1", "store-2", "naa.2", "vol-2"}, id="pod"),
        pytest.param(change("device.dsnro", "vc", "esx-2", device="naa.2"), {"store-2", "naa.2", "vol-2"}, id="a queue"),
        pytest.param(change("vm.disk_limit", "vc", "esx-1", vm_id="vm-1"), {"store-1", "naa.1", "vol-1"}, id="a disk"),
        pytest.param(change("element.qos_policy", policy_id="20"), {"store-2", "naa.2", "vol-2", "naa.3", "vol-3"}, id="a policy"),
        pytest.param(change("element.volume_limits", volume_id="3"), {"store-2", "naa.2", "vol-2", "naa.3", "vol-3"}, id="a group's"),
        pytest.param(change("host.option", "vc", "esx-1", host_id="host-1"), set(), id="an option"),
    ],
)
def test_the_storage_that_a_change_reaches_is_named(one: Change, names: set[str]) -> None:
    objects = reach(one).objects
    assert objects is not None
    assert {name for _, name, _ in objects} == names


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "datastore", "volume"),
    [
        pytest.param({"unread": [("vc", "", "hosts")]}, None, None, id="hosts were not listed"),
        pytest.param({"unread": [("vc", "", "datastores")]}, None, None, id="datastores"),
        pytest.param({"unread": [("sf", "", "volumes")]}, (ONE,), None, id="volumes"),
        pytest.param({"left_out": ["vc"]}, None, None, id="a vCenter was left out by choice"),
        pytest.param({"left_out": ["sf"]}, (ONE,), None, id="an array was"),
        pytest.param({"asked": needs([("host", "name")])}, None, None, id="no rule asked for devices"),
        pytest.param({"unread": [("vc", "host-2", "devices")]}, (ONE,), (ONE, TWO), id="one host did not answer: it may use the volume"),
    ],
)
def test_what_was_not_read_is_not_taken_for_no_host(given: Any, datastore: Any, volume: Any) -> None:
    assert reach(SIOC, **given).hosts == datastore
    assert reach(VOLUME, **given).hosts == volume
