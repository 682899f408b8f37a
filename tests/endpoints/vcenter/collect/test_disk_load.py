"""What single virtual disks do, by the counters of their machines: many machines in one question, and holes reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.disk_load import asked_of, collect_disk_load
from auditor.endpoints.vcenter.collect.load_figures import DISK_COUNTERS
from auditor.endpoints.vcenter.collect.vms import MachinesSeen
from auditor.endpoints.vcenter.performance import Samples
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.schema import Batch
from auditor.model import Gap
from auditor_lab.scenario import load_scenario
from auditor_lab.wire import Fault

from .answering import ENDPOINT, REFUSED, Closed
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


@pytest.mark.long
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


READS = DISK_COUNTERS["reads"]
TIMES = (datetime(2026, 11, 1, 12, 0, 20, tzinfo=UTC),)


def answer(machine: str, torn: int = 0, times: tuple[datetime, ...] = TIMES) -> Samples:
    """What a machine answers: of a disk, of all disks together, and of something that was not asked."""
    return Samples(machine, times, {(READS, "scsi0:0"): (7,), (READS, ""): (9,), (READS, "*"): (9,), ("x", "scsi0:1"): (9,)}, torn)


@pytest.mark.parametrize(
    ("lacking", "answers", "gaps"),
    [
        pytest.param([], {"vm-1": answer("vm-1"), "vm-2": answer("vm-2")}, [], id="all"),
        pytest.param([READS], {"vm-1": answer("vm-1"), "vm-2": answer("vm-2")}, [f"counters {READS}"], id="a counter that it lacks"),
        pytest.param(
            [READS, DISK_COUNTERS["writes"]],
            {"vm-1": answer("vm-1"), "vm-2": answer("vm-2")},
            [f"counters {READS}, {DISK_COUNTERS['writes']}"],
            id="two",
        ),
        pytest.param([], {"vm-1": answer("vm-1")}, ["performance counters of virtual machine vm-2"], id="a machine is silent"),
        pytest.param(
            [],
            {"vm-1": answer("vm-1", torn=1), "vm-2": answer("vm-2", times=())},
            ["performance counters of virtual machine vm-1 and 1 more"],
            id="samples that make no sense, and none of the last minutes",
        ),
        pytest.param(
            [], {"vm-1": REFUSED, "vm-2": answer("vm-2")}, ["performance counters of virtual machine vm-1"], id="refused: each by itself"
        ),
        pytest.param(
            [], {"vm-1": answer("vm-1"), "vm-2": answer("vm-2"), "together": REFUSED}, [], id="refused together, and answered one by one"
        ),
        pytest.param(list(DISK_COUNTERS.values()), {}, [..., "performance counters of virtual machine vm-1 and 1 more"], id="no counter"),
    ],
)
def test_the_load_of_disks_is_whole_where_every_machine_gave_every_counter(
    monkeypatch: pytest.MonkeyPatch, lacking: Sequence[str], answers: Mapping[str, Any], gaps: list[Any]
) -> None:
    machines = MachinesSeen(refs=[Ref("VirtualMachine", "vm-1"), Ref("VirtualMachine", "vm-2")], complete=True)
    known = {name: key for key, name in enumerate(DISK_COUNTERS.values()) if name not in lacking}

    def query(_vcenter: Any, asked: Sequence[Ref], counters: Mapping[str, int], _last: int) -> list[Samples]:
        assert counters == known
        given = [answers[one.value] for one in asked if one.value in answers]
        if REFUSED in given or (len(asked) > 1 and "together" in answers):
            raise REFUSED
        return given

    monkeypatch.setattr("auditor.endpoints.vcenter.performance.counter_keys", lambda _vcenter: {**known, "other": 99})
    monkeypatch.setattr("auditor.endpoints.vcenter.performance.query_samples", query)
    found = list(collect_disk_load(cast(Any, None), ENDPOINT, machines, (), Closed(9)))
    batches = [batch for batch in found if isinstance(batch, Batch)]
    tables = {batch.table: batch.columns for batch in batches}
    assert tables["reading"]["complete"] == [not gaps]
    partly = MachinesSeen(refs=machines.refs, complete=False)
    *_, reading = collect_disk_load(cast(Any, None), ENDPOINT, partly, (), Closed(9))
    assert isinstance(reading, Batch)
    assert reading.columns["complete"] == [False], "not all machines were listed"
    told = [one for one in found if isinstance(one, Gap)]
    assert [gap.what for gap in told] == [gap.what if wanted is ... else wanted for gap, wanted in zip(told, gaps, strict=True)]
    assert {gap.endpoint for gap in told} <= {"vc-east"}
    loads = [pair for one in batches if one.table == "vm_disk_load" for pair in zip(one.columns["vm_id"], one.columns["node"], strict=True)]
    given = [name for name, one in answers.items() if one is not REFUSED]
    assert loads == [(name, "scsi0:0") for name in given]
