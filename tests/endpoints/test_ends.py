"""How the reading of an endpoint ended is shown as the report has it, also where only all endpoints together say it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.collect import collect_again, collect_fleet
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.parts import Part, filled_table_files
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.fleet.loading import Fleet
from auditor.model import Endpoint, EndpointKind, EndpointReading, Gap, Secret

pytestmark = pytest.mark.long

WHEN = datetime(2026, 11, 29, tzinfo=UTC)
BOARD = "4c4c4544-0043-3010-8052-b4c04f4d4c32"
LOST_GAP = Gap("vc-a", "host 192.0.2.7", "vCenter is not connected to it")
HUGE = frozenset({("vc-b", "vm", "memory_mb")})


def vcenter(name: str) -> Endpoint:
    return Endpoint(name, EndpointKind.VCENTER, f"{name}.example.net", 443, "audit", Secret("env", ("X",)))


def part(name: str, host: dict[str, Any], *gaps: Gap, huge: frozenset[tuple[str, str, str]] = frozenset()) -> Part:
    builder = SnapshotBuilder()
    row = {"endpoint": name, "host_id": "host-1", **host}
    builder.add(Batch("host", {column: [value] for column, value in row.items()}))
    reading = EndpointReading(name, "vcenter", f"{name}:443", "8.0.3", "verified", WHEN, WHEN, complete=not gaps, identity=name)
    return Part(reading, gaps, filled_table_files(builder.so_far()), huge)


def shown(*parts: Part) -> tuple[Snapshot, list[tuple[str, str]]]:
    """The snapshot of these endpoints, and what progress was told after their readers."""
    told: list[tuple[str, str]] = []

    def elsewhere(*_: object) -> Iterator[Part]:
        yield from parts

    fleet = Fleet(Path("fleet.yaml"), tuple(vcenter(one.reading.name) for one in parts))
    return collect_fleet(fleet, lambda name, text: told.append((name, text)), EVERYTHING, remote_reader=elsewhere), told


ANSWERS = part("vc-b", {"name": "esx-1", "connection_state": "connected", "hardware_uuid": BOARD})
LOST = {"name": "192.0.2.7", "connection_state": "notResponding", "hardware_uuid": BOARD}


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        pytest.param((part("vc-a", LOST, LOST_GAP), ANSWERS), [("vc-a", "read")], id="the old entry of a host was all that was not read"),
        pytest.param(
            (part("vc-a", LOST, LOST_GAP, Gap("vc-a", "tasks", "no answer")), ANSWERS), [], id="and something else was not read either"
        ),
        pytest.param((part("vc-a", {**LOST, "hardware_uuid": "x"}, LOST_GAP), ANSWERS), [], id="another machine"),
        pytest.param((replace(ANSWERS, huge=HUGE),), [("vc-b", "read with gaps")], id="a number that no column holds"),
        pytest.param((ANSWERS,), [], id="read whole"),
    ],
)
def test_an_end_that_others_change_is_shown_once_more(parts: tuple[Part, ...], told: list[tuple[str, str]]) -> None:
    snapshot, found = shown(*parts)
    assert found == told
    ends = {one.reading.name: "read" if one.reading.complete else "read with gaps" for one in parts} | dict(found)
    assert {one.name: "read" if one.complete else "read with gaps" for one in snapshot.readings} == ends, "as the report has it"


def test_an_endpoint_that_is_read_again_is_shown_as_the_report_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before, _ = shown(part("vc-a", {**LOST, "hardware_uuid": "x"}, LOST_GAP), ANSWERS)
    again, told = part("vc-a", LOST, LOST_GAP), list[tuple[str, str]]()

    def read(_endpoint: Endpoint, builder: SnapshotBuilder, *_: object) -> EndpointReading:
        builder.add_part(again)
        return again.reading

    monkeypatch.setattr("auditor.endpoints.collect.read_endpoint", read)
    fleet = Fleet(Path("fleet.yaml"), (vcenter("vc-a"), vcenter("vc-b")))
    snapshot = collect_again(fleet, before, ["vc-a"], lambda name, text: told.append((name, text)))
    assert told == [("vc-a", "read")]
    assert all(one.complete for one in snapshot.readings)
