"""What single virtual disks do, by the counters of their machines: many machines in one question, and holes reported."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.disk_load import asked_of
from auditor.endpoints.vcenter.collect.vms import MachinesSeen
from auditor.endpoints.vcenter.session import open_vcenter
from auditor_lab.scenario import load_scenario
from auditor_lab.wire import Fault

from .test_load import Serve, collect, load_of, rewritten

if TYPE_CHECKING:
    from auditor.model import Endpoint
    from auditor_lab.vcenter.server import VCenterServer

TREMBLE = 0.06


@pytest.fixture
def busy(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint]:
    """S2's vCenter: fq-erp-1 and fq-erp-2 have an LSI SAS disk each on one device."""
    return serve_vcenter(load_scenario("flasharray-queues").vcenters[0])


def test_a_disk_of_every_running_machine_shows_what_it_sends(busy: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = busy
    before = Counter(server.requests)
    found = collect(endpoint, "vm_disk_load", "vm", "vm_disk")
    assert (found.gaps, found.incomplete()) == ([], set())
    assert (Counter(server.requests) - before)["QueryPerf"] == 2  # the hosts' devices, then all machines
    assert {(row["vm_id"], row["node"]) for row in found.rows("vm_disk_load")} == {(r["vm_id"], r["node"]) for r in found.rows("vm_disk")}
    names = {row["vm_id"]: row["name"] for row in found.rows("vm")}
    rows = {(names[row["vm_id"]], row["node"]): row for row in found.rows("vm_disk_load")}
    for row in (rows["fq-erp-1", "scsi0:0"], rows["fq-erp-2", "scsi0:0"]):
        assert row["samples"] == 15
        assert row["outstanding"] == pytest.approx(32, rel=TREMBLE)  # LSI SAS sends 32 of a disk: docs/domain/facts.md#8-1
        assert row["commands_per_second"] == pytest.approx(32 / 0.006 / 2, rel=TREMBLE)  # DSNRO leaves both 32 places at 6 ms each
        assert row["latency_ms"] == pytest.approx(12, rel=TREMBLE)  # 6 in the array, and as long in the kernel
        assert row["io_bytes"] == pytest.approx(8192, rel=TREMBLE)
        assert row["sampled_at"] - row["window_begin"] == timedelta(seconds=15 * 20)
    idle = rows["fq-app-1", "scsi0:1"]
    assert [idle[name] for name in ("commands_per_second", "outstanding", "latency_ms", "io_bytes")] == [0, 0, 0, None]


def test_of_too_many_machines_those_are_asked_whose_host_has_a_queue_that_fills() -> None:
    machines = MachinesSeen(
        refs=[Ref("VirtualMachine", f"vm-{n}") for n in range(5)],
        limited={"vm-3"},
        host_of={"vm-0": "host-1", "vm-1": "host-2", "vm-3": "host-2", "vm-4": "host-2"},
    )
    assert [one.value for one in asked_of(machines, {"host-1"}, most=4)] == ["vm-0", "vm-2", "vm-3"]  # of vm-2 no host is known
    assert asked_of(machines, set(), most=5) == machines.refs


def test_the_counters_of_a_disk_are_those_of_the_node_it_is_attached_to(busy: tuple[VCenterServer, Endpoint]) -> None:
    _, endpoint = busy
    found = collect(endpoint, "vm_disk", "vm_disk_load")
    nodes = {(row["vm_id"], row["node"]) for row in found.rows("vm_disk")}
    assert {(row["vm_id"], row["node"]) for row in found.rows("vm_disk_load")} <= nodes
    assert all(re.fullmatch(r"scsi\d:\d+", node) for _, node in nodes)


def test_a_machine_whose_counters_are_cut_short_leaves_a_gap(busy: tuple[VCenterServer, Endpoint]) -> None:
    _, endpoint = busy
    with rewritten(endpoint, rb"<value>([0-9]+),[0-9,]*</value></value></returnval>", rb"<value>\1</value></value></returnval>") as vcenter:
        found = load_of(vcenter, "vm_disk_load")
    assert ("", "disk_load") in found.incomplete()
    assert any("performance counters of virtual machine" in gap.what for gap in found.gaps)


def test_a_vcenter_whose_answer_makes_no_sense_leaves_a_gap_and_no_row(busy: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = busy
    server.faults.active.append(Fault("garbage", "QueryPerf"))
    with open_vcenter(endpoint) as vcenter:
        found = load_of(vcenter, "vm_disk_load")
    assert found.rows("vm_disk_load") == []
    assert ("", "disk_load") in found.incomplete()
