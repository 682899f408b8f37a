"""What single virtual disks do, by the counters of their machines: asked of few machines in one question, and holes told."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.lab.scenario import load_scenario
from auditor.lab.wire import Fault

from .test_load import Serve, collect, load_of, rewritten

if TYPE_CHECKING:
    from auditor.lab.vcenter.server import VCenterServer
    from auditor.model import Endpoint

TREMBLE = 0.06


@pytest.fixture
def busy(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint]:
    """S2's vCenter: fq-erp-1 and fq-erp-2 have an LSI SAS disk each on one device; all other machines are on PVSCSI."""
    return serve_vcenter(load_scenario("flasharray-queues").vcenters[0])


def test_a_disk_shows_what_its_controller_sends_and_only_machines_on_short_ones_are_asked(busy: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = busy
    before = Counter(server.requests)
    found = collect(endpoint, "vm_disk_load", "vm")
    assert (found.gaps, found.incomplete()) == ([], set())
    assert (Counter(server.requests) - before)["QueryPerf"] == 1
    names = {row["vm_id"]: row["name"] for row in found.rows("vm")}
    rows = {(names[row["vm_id"]], row["node"]): row for row in found.rows("vm_disk_load")}
    assert set(rows) == {("fq-erp-1", "scsi0:0"), ("fq-erp-2", "scsi0:0")}
    for row in rows.values():
        assert row["samples"] == 15
        assert row["outstanding"] == pytest.approx(32, rel=TREMBLE)  # LSI SAS sends 32 of a disk: docs/domain/facts.md#8-1
        assert row["commands_per_second"] == pytest.approx(32 / 0.006 / 2, rel=TREMBLE)  # DSNRO leaves both 32 places at 6 ms each


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
    assert found.incomplete() == {("", "disk_load")}
    assert any("performance counters of virtual machine" in gap.what for gap in found.gaps)


def test_a_vcenter_whose_answer_makes_no_sense_leaves_a_gap_and_no_row(busy: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = busy
    server.faults.active.append(Fault("garbage", "QueryPerf"))
    with open_vcenter(endpoint) as vcenter:
        found = load_of(vcenter, "vm_disk_load")
    assert found.rows("vm_disk_load") == []
    assert found.incomplete() == {("", "disk_load")}
