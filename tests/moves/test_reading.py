"""What a snapshot says of a machine and of datastores, as the machine's host sees them; what it does not say is None."""

from collections.abc import Iterator

import pytest

from auditor.facts.views import create_views
from auditor.model import EndpointKind
from auditor.moves.ends import Store
from auditor.moves.reading import STEPS, VIEWS, Facts, needed
from auditor.pipeline.policy import load_rule_set, needs_for
from tests.facts.fleets import array, hosts, on_all_hosts, seen, snapshot

pytestmark = pytest.mark.long

CURVE = '{"4096": 100, "65536": 1000}'


@pytest.fixture(scope="module")
def facts() -> Iterator[Facts]:
    """Two hosts with a machine each. "web" runs on the first, which does not have ds-3, cannot reach ds-4, and lists no mount of ds-5."""
    given = hosts(2)
    volumes = ({"name": f"v{n}", "device": f"naa.{n}", "qos_curve": CURVE, "qos_max_iops": 1000} for n in (1, 2))
    array(given, "sf", EndpointKind.ELEMENT, *volumes)
    given["array_volume_load"] = [{"endpoint": "sf", "volume_id": "v2", "actual_iops": 100, "latency_us": 0}]
    on_all_hosts(given, *(seen(f"naa.{n}", "solidfire") for n in (1, 2, 3)), seen("naa.4", "flasharray"))
    given["datastore"] = [
        {"datastore_id": f"ds-{n}", "name": f"store {n}", "type": "VMFS", "vmfs_uuid": f"uuid-{n}", "free_bytes": 10 * n}
        for n in range(1, 6)
    ]
    given["datastore_extent"] = [{"datastore_id": f"ds-{n}", "device": f"naa.{n}"} for n in range(1, 5)]
    given["datastore_mount"] = [
        {"datastore_id": f"ds-{n}", "host_id": host, "mounted": True, "accessible": n != 4}
        for n, host in ((1, "host-1"), (2, "host-1"), (3, "host-2"), (4, "host-1"))
    ]
    given["device_offload"] = [
        {"host_id": "host-1", "device": device, "clone_status": status}
        for device, status in (("naa.1", "supported"), ("naa.2", "unsupported"), ("naa.4", None))
    ]
    given["host_option"] = [{"host_id": "host-1", "key": "DataMover.HardwareAcceleratedMove", "value": "0"}]
    given["vm"] = [
        {"vm_id": f"vm-{n}", "name": name, "host_id": f"host-{n}", "disks_read": True, "power_state": "poweredOn"}
        for n, name in ((1, "web"), (2, "mail"))
    ]
    given["vm_disk"] = [
        {"vm_id": vm, "disk": disk, "datastore_id": store, "rdm_mode": mode, "disk_key": key, "controller": "pvscsi", "bus_sharing": bus}
        for vm, disk, store, mode, key, bus in (
            ("vm-1", "Hard disk 2", "ds-2", None, 2001, "physicalSharing"),
            ("vm-1", "Hard disk 1", "ds-1", None, 2000, "noSharing"),
            ("vm-1", "Hard disk 3", "ds-4", "physicalMode", 2002, "virtualSharing"),
            ("vm-2", "Hard disk 1", "ds-1", None, 2000, None),
        )
    ]
    given["vm_disk"] += [
        {"vm_id": "vm-2", "disk": controller, "datastore_id": "ds-1", "disk_key": 3000, "controller": controller}
        for controller in ("ide", "nvme", "sata")
    ]
    given["running_task"] = [
        {"task_id": "task-2", "entity_id": "vm-1", "description_id": "VirtualMachine.createSnapshot"},
        {"task_id": "task-1", "entity_id": "vm-2", "description_id": "VirtualMachine.relocate", "target_datastore_id": "ds-3"},
    ]
    opened = snapshot(given, sf=EndpointKind.ELEMENT)
    create_views(opened.connection, None, {*VIEWS, *STEPS})
    yield Facts(opened.connection)
    opened.connection.close()


def target(facts: Facts, store: str) -> Store:
    return facts.move("vc", "vm-1", store).target


def test_a_machine_has_its_disks_its_tasks_and_its_hosts_option(facts: Facts) -> None:
    web, mail = (facts.move("vc", f"vm-{n}", "ds-3").machine for n in (1, 2))
    assert [disk.name for disk in web.disks] == ["Hard disk 1", "Hard disk 2", "Hard disk 3"]
    assert [disk.name for disk in web.copied] == ["Hard disk 1", "Hard disk 2"]
    assert [disk.shares_bus for disk in web.disks] == [False, True, True]
    assert [disk.shares_bus for disk in mail.disks] == [None, False, False, False], "of SCSI alone a release says nothing, and may share it"
    assert (web.host, web.uses_offload, web.tasks_read) == ("esx-1", False, True)
    assert [(task.description, task.is_move) for task in web.tasks] == [("VirtualMachine.createSnapshot", False)]
    assert [(task.task_id, task.is_move, task.target_id) for task in mail.tasks] == [("task-1", True, "ds-3")]
    assert mail.uses_offload is None, "its host did not report the option"
    assert facts.moves_to("vc", "ds-3") == ["vm-2"]
    assert facts.moves_to("vc", "ds-1") == []
    assert facts.has_moves()


def test_the_datastores_that_disks_are_copied_from_are_the_sources(facts: Facts) -> None:
    move = facts.move("vc", "vm-1", "ds-2")
    assert [store.name for store in move.sources] == ["store 1"], "a disk lies on the target, and a mapping stays where it is"
    assert [store.name for store in facts.move("vc", "vm-1", "ds-3").sources] == ["store 1", "store 2"]
    assert facts.move("vc", "vm-1", "ds-3").running is None
    running = facts.move("vc", "vm-2", "ds-3").running
    assert running is not None
    assert running.task_id == "task-1"
    assert facts.move("vc", "vm-2", "ds-2").running is None, "it is being moved elsewhere"


def test_a_datastore_is_what_the_machines_host_sees_of_it(facts: Facts) -> None:
    stores = [target(facts, f"ds-{n}") for n in range(1, 6)]
    assert [one.is_mounted for one in stores] == [True, True, False, False, False]
    assert [one.can_clone for one in stores] == [True, False, None, None, None]
    assert [one.free_bytes for one in stores] == [10, 20, 30, 40, 50]
    assert [one.devices for one in stores] == [("naa.1",), ("naa.2",), ("naa.3",), ("naa.4",), ()]
    assert (stores[0].neighbours, stores[0].neighbour_count) == (("mail",), 1)


def test_the_array_behind_it_is_known_where_it_was_read(facts: Facts) -> None:
    first, _, third, fourth, _ = (target(facts, f"ds-{n}") for n in range(1, 6))
    assert (first.array_key, first.arrays, first.family) == ("solidfire id of sf", "sf", "solidfire")
    assert (third.array_key, third.arrays, third.family) == (None, None, "solidfire")
    assert (fourth.arrays, fourth.family, fourth.has_array_qos, fourth.pool) == (None, "flasharray", None, None)
    assert (first.max_iops, first.command_cost) == (1000, 10.0), "64 KiB on its own curve"
    assert first.ceiling == 100 * (64 << 10)
    assert (third.command_cost, fourth.command_cost) == (None, 1.0)
    assert first.pool is not None
    assert [load.per_second for load in first.pool.loads] == [None], "its load was not read, nor its pool: its own volume stands for it"
    assert first.latency_ms is None


def test_a_latency_of_0_beside_commands_was_not_measured(facts: Facts) -> None:
    store = target(facts, "ds-2")
    assert store.latency_ms is None
    assert store.pool is not None
    assert [(load.per_second, load.latency_ms) for load in store.pool.loads] == [(100, None)]


def test_an_audit_by_all_rules_reads_all_that_a_check_asks() -> None:
    audit = needs_for(load_rule_set())
    assert needed().topics - audit.topics == set()
    assert [fact for fact in sorted(needed().facts) if not audit.reads(fact)] == []
    assert ("datastore", "free_bytes") not in needs_for(load_rule_set(only=("array/node-state",))).facts, "where no datastores are read"
