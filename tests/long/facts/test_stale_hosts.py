"""An old entry of a host that was registered anew is left out and named; any other host that is lost stays unread."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from auditor.facts.snapshots.merging import merge
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.model import EndpointKind, Gap
from tests.facts.fleets import WHEN, Facts, builder, endpoints, snapshot

BOARD = "4c4c4544-0043-3010-8052-b4c04f4d4c32"
ANSWERS: dict[str, Any] = {"host_id": "host-1", "name": "esx-1", "connection_state": "connected", "hardware_uuid": BOARD}
LOST = ANSWERS | {"host_id": "host-2", "name": "192.0.2.7", "connection_state": "notResponding"}
ELSEWHERE = {"endpoint": "vc-b"}


def fleet(*hosts: dict[str, Any]) -> Facts:
    """These hosts, with a device each, a machine each, and readings of each; the last is the one that was lost."""
    return {
        "host": list(hosts),
        "device": [{**_of(host), "device": "naa.1"} for host in hosts],
        "vm": [{**_of(host), "vm_id": f"vm-{n}"} for n, host in enumerate(hosts)],
        "vm_disk": [{"endpoint": host.get("endpoint", "vc"), "vm_id": f"vm-{n}"} for n, host in enumerate(hosts)],
        "reading": [
            {"endpoint": host.get("endpoint", "vc"), "scope": scope, "topic": topic, "complete": host is not hosts[-1] or not scope}
            for host in hosts
            for scope, topic in ((host["host_id"], "devices"), ("", "hosts"))
        ],
    }


def _of(host: dict[str, Any]) -> dict[str, Any]:
    return {"endpoint": host.get("endpoint", "vc"), "host_id": host["host_id"]}


def read(given: Facts, *more: Gap) -> Snapshot:
    """With the gap that the collector leaves for the host that was lost."""
    found = builder(given)
    for gap in (_gap_of(given), *more):
        found.add(gap)
    readings = endpoints(vc_b=EndpointKind.VCENTER)
    return found.finish(readings, started=WHEN, finished=WHEN)


def _gap_of(given: Facts) -> Gap:
    lost = given["host"][-1]
    return Gap(lost.get("endpoint", "vc"), f"host {lost['name']}", "vCenter is not connected to it")


def left(found: Snapshot) -> list[str]:
    """The hosts that a snapshot has, and the tables that still have a row of the second one or of its machine."""
    hosts = found.connection.execute("SELECT endpoint || '/' || name FROM fact.host ORDER BY ALL").fetchall()
    rows = {
        "device": "endpoint || host_id NOT IN (SELECT endpoint || host_id FROM fact.host)",
        "vm": "endpoint || host_id NOT IN (SELECT endpoint || host_id FROM fact.host)",
        "vm_disk": "endpoint || vm_id NOT IN (SELECT endpoint || vm_id FROM fact.vm)",
        "reading": "scope <> '' AND endpoint || scope NOT IN (SELECT endpoint || host_id FROM fact.host)",
    }
    stray = [table for table, where in rows.items() if found.connection.execute(f"SELECT 1 FROM fact.{table} WHERE {where}").fetchone()]
    return [*itertools.chain.from_iterable(hosts), *stray]


def notes(found: Snapshot) -> list[str]:
    return [f"{one.name}: {note}" for one in found.readings for note in one.notes]


@pytest.mark.parametrize("state", ["notResponding", "disconnected"])
def test_an_old_entry_of_the_same_vcenter_is_left_out(state: str) -> None:
    found = read(fleet(ANSWERS, LOST | {"connection_state": state}))
    assert left(found) == ["vc/esx-1"]
    assert found.gaps == ()
    [note] = notes(found)
    assert note == (
        f"vc: 192.0.2.7 (host-2, {state}) is the old entry of a host that answers as esx-1: the UUID of the machine is the same."
        " The old entry was not judged; remove it from vc."
    )


def test_an_old_entry_of_another_vcenter_is_left_out() -> None:
    found = read(fleet(ELSEWHERE | ANSWERS, LOST | {"host_id": "host-1", "hardware_uuid": BOARD.upper()}))
    assert left(found) == ["vc-b/esx-1"]
    assert found.gaps == ()
    assert "answers as esx-1 at vc-b:" in notes(found)[0]


def test_what_else_was_not_read_of_the_vcenter_stays_a_gap() -> None:
    other = Gap("vc", "devices of esx-1", "permission System.Read is missing")
    found = read(fleet(ANSWERS, LOST), other)
    assert found.gaps == (other,)
    assert [one.complete for one in found.readings] == [False, True]


@pytest.mark.parametrize(
    "hosts",
    [
        pytest.param((ANSWERS | {"hardware_uuid": "b" * 8}, LOST), id="another machine"),
        pytest.param((ANSWERS | {"hardware_uuid": None}, LOST | {"hardware_uuid": None}), id="no UUID was reported"),
        pytest.param((ANSWERS | {"connection_state": "disconnected"}, LOST), id="nothing answers"),
        pytest.param((ANSWERS | {"connection_state": None}, LOST), id="nobody knows whether it answers"),
        pytest.param((ANSWERS, LOST | {"connection_state": None}), id="nobody knows whether it is lost"),
        pytest.param((ANSWERS, ANSWERS | {"host_id": "host-3", "name": "esx-3"}, LOST), id="two boards have one UUID"),
        *(
            pytest.param((ANSWERS | {"hardware_uuid": uuid}, LOST | {"hardware_uuid": uuid}), id=f"{uuid}: the maker set none")
            for uuid in (f"{8 * c}-{4 * c}-{4 * c}-{4 * c}-{12 * c}" for c in "0f")
        ),
        pytest.param(
            tuple(host | {"hardware_uuid": "03000200-0400-0500-0006-000700080009"} for host in (ANSWERS, LOST)),
            id="the default of a BIOS",
        ),
    ],
)
def test_any_other_lost_host_stays_unread(hosts: tuple[dict[str, Any], ...]) -> None:
    given = fleet(*hosts)
    found = read(given)
    assert left(found) == sorted(f"vc/{host['name']}" for host in hosts)
    assert found.gaps == (_gap_of(given),)
    assert notes(found) == []


def test_both_entries_answer_and_both_are_judged() -> None:
    """Two vCenters can be connected to one host for a moment; each entry is a reading."""
    given = fleet(ELSEWHERE | ANSWERS, ANSWERS)
    assert left(snapshot(given, vc_b=EndpointKind.VCENTER)) == ["vc-b/esx-1", "vc/esx-1"]


def test_an_old_entry_is_left_out_where_two_collectors_read_the_vcenters(tmp_path: Path) -> None:
    old, new = fleet(LOST), fleet(ELSEWHERE | ANSWERS)
    lost = builder(old)
    lost.add(_gap_of(old))
    vc, vc_b = endpoints(vc_b=EndpointKind.VCENTER)
    lost.finish((vc,), started=WHEN, finished=WHEN).save(tmp_path / "old")
    builder(new).finish((vc_b,), started=WHEN, finished=WHEN).save(tmp_path / "new")
    both = load_snapshot(merge({"old": tmp_path / "old", "new": tmp_path / "new"}))
    assert left(both) == ["vc-b/esx-1"]
    assert both.gaps == ()
    assert [(one.name, one.complete, len(one.notes)) for one in both.readings] == [("vc", True, 1), ("vc-b", True, 0)]
