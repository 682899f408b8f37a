"""What is read from an ETERNUS DX is whole, or says where it is not; what it does not have is not taken for unread, nor the other way."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.eternus import rows
from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.eternus.collect import collect_eternus
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import ARRAY_TOPICS
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.model import EndpointKind
from auditor_lab.arrays.eternus.description import (
    PortDescription,
    VolumeDescription,
)
from auditor_lab.scenario import load_scenario
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected
from tests.endpoints.eternus.eternus_collecting import DX, IQN, MB, UID, collected, from_peer, volume
from tests.endpoints.eternus.eternus_peer import ABOUT, lab
from tests.waiting import SHORT_SECONDS

if TYPE_CHECKING:
    from pathlib import Path


# What each kind of account is shown


def test_a_software_account_is_told_firmware_volumes_and_qos(tmp_path: Path) -> None:
    found = collected(DX, tmp_path)
    assert list(found.complete) == list(ARRAY_TOPICS[EndpointKind.ETERNUS])
    assert found.incomplete() == {"pools", "array_hosts", "connections"}
    assert found.tables["array"] == [
        {
            "endpoint": "dx-east",
            "family": "eternus-dx",
            "name": "dx200",
            "array_id": "4601417434",
            "version": "V11L30-0000",
            "model": "ET203ACU",
            "generation": "S3",
            "reports_alerts": False,
        }
    ]
    assert found.column("array_volume", "volume_id", "name", "device", "size_bytes", "pool_id") == [
        ("0", "capped", f"naa.{UID}00000000", 1024 * MB, "0/Pool0"),
        ("1", "free", f"naa.{UID}00010000", 2048 * MB, "1/RG-1"),
        ("2", "reads", f"naa.{UID}00020000", 1024 * MB, "0/Pool0"),
    ]
    assert found.column("array_initiator", "array_host_id", "initiator", "kind") == [
        ("0/esx_0", "10000090fad00102", "fc"),
        ("1/esx_1", IQN, "iscsi"),
    ]
    assert found.column("array_pool", "pool_id", "size_bytes") == [("0/Pool0", 4096 * MB)], "thin pools; RAID groups it is not told"
    for what in ("raid-groups", "host-groups", "host-affinity"):
        assert f"show {what}" in found.gap_text()


def test_an_account_for_people_is_told_everything_but_qos(tmp_path: Path) -> None:
    found = collected(DX, tmp_path, user="watcher")
    assert found.incomplete() == {"qos_policies", "volumes"}
    assert found.column("array", "version", "model", "generation", "array_id") == [("V11L30-0000", "ET203ACU", "S3", "4601417434")]
    assert sorted(found.column("array_pool", "pool_id", "raid_type", "node_id", "size_bytes"), key=str) == [
        ("0/Pool0", "RAID5", None, 4096 * MB),
        ("1/RG-1", "RAID5", "CM#1", 4096 * MB),
    ]
    assert found.column("array_volume", "volume_id", "name", "device", "size_bytes", "pool_id", "qos_read") == [
        ("0", "capped", f"naa.{UID}00000000", 1024 * MB, "0/Pool0", False),
        ("1", "free", f"naa.{UID}00010000", 2048 * MB, "1/RG-1", False),
        ("2", "reads", f"naa.{UID}00020000", 1024 * MB, "0/Pool0", False),
    ]
    assert found.column("array_host", "array_host_id", "name", "host_group", "host_type") == [
        ("0/esx_0", "esx_0", "cluster", "VMware"),
        ("1/esx_1", "esx_1", None, "Default"),
    ]
    assert found.column("array_initiator", "array_host_id", "initiator", "kind") == [
        ("0/esx_0", "10000090fad00102", "fc"),
        ("1/esx_1", IQN, "iscsi"),
    ]
    assert sorted(found.column("array_connection", "array_host_id", "volume_id", "lun")) == [
        ("0/esx_0", "0", 1),
        ("0/esx_0", "1", 0),
        ("1/esx_1", "0", 0),
    ]


def test_what_was_read_fits_the_tables(tmp_path: Path) -> None:
    builder = SnapshotBuilder()
    for user in ("audit", "watcher"):
        for item in collected(DX, tmp_path, user=user).items:
            builder.add(item)


# Generation


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        pytest.param("ET203ACU", "S3", id="a recorded DX200 S3"),
        pytest.param("ET103ACU", "S3", id="a recorded DX100 S3"),
        pytest.param("ET092DC", "S2", id="the digit that cinder takes for an S2"),
        pytest.param("ETERNUS DX90", None, id="a name without it"),
        pytest.param("ET09F24A", None, id="a letter in its place"),
        pytest.param("ET091", None, id="a 1 there is in no source"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_generation_is_told_by_the_model_name_or_not_at_all(model: str, generation: str | None) -> None:
    assert rows.generation(model) == generation


# What is asked


def test_only_what_is_needed_is_asked(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        del server.requests[:]
        found = Collected(collect_eternus(array, endpoint, needs({("array", "version")})))
        assert server.requests == ["show enclosure-status"]
        assert found.complete == {"array": True}
        del server.requests[:]
        Collected(collect_eternus(array, endpoint, needs({("array_volume", "qos_max_iops")})))
        assert sorted(server.requests) == ["show qos-bandwidth-limit", "show volume-qos", "show volumes"]


# Trouble


@pytest.mark.parametrize(
    ("operation", "topics"),
    [
        pytest.param("show enclosure-status", {"array"}, id="the array"),
        pytest.param("show volume-qos", {"qos_policies", "volumes"}, id="QoS of volumes"),
        pytest.param("show qos-bandwidth-limit", {"qos_policies", "volumes"}, id="categories"),
        pytest.param("show volumes", {"volumes"}, id="volumes"),
    ],
)
@pytest.mark.parametrize("kind", ["garbage", "drop"])
def test_what_cannot_be_asked_leaves_a_gap_and_the_rest_is_read(tmp_path: Path, kind: str, operation: str, topics: set[str]) -> None:
    found = collected(DX, tmp_path, faults=[Fault(kind, operation)])
    assert found.incomplete() - {"pools", "array_hosts", "connections"} == topics
    read = {"show enclosure-status": "array_volume", "show volumes": "array"}.get(operation, "array_host")
    assert found.tables[read], "the rest is there"
    assert len(found.tables["array_volume"]) == (0 if operation == "show volumes" else 3)


@pytest.mark.parametrize(
    ("topics", "questions"),
    [
        pytest.param(("array", "pools", "qos_policies", "volumes", "array_hosts", "connections"), 2, id="from the beginning"),
        pytest.param(("pools", "array_hosts", "connections"), 2, id="where a topic is several questions"),
    ],
)
def test_an_array_that_has_fallen_silent_is_not_asked_every_question(tmp_path: Path, topics: tuple[str, ...], questions: int) -> None:
    with lab(DX, tmp_path, timeout=3 * SHORT_SECONDS) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("drop"))
        found = Collected(collect_eternus(array, endpoint, Needs(EVERYTHING.facts, frozenset(topics))))
        assert found.incomplete() == set(topics)
        assert "had stopped answering" in found.gap_text()
        asked = [line for line in server.requests[2:] if line != "login"]
        assert len(set(asked)) <= questions


@pytest.mark.parametrize(
    ("line", "column", "value", "why"),
    [
        pytest.param(volume(1, size="00002z"), "size_bytes", None, "'00002z', no hexadecimal number", id="a size that is no hex"),
        pytest.param(volume(1, uid="600000E00D2A"), "device", None, "not 32 hexadecimal digits", id="a UID that is too short"),
        pytest.param(volume(1, uid="X" * 32), "device", None, "not 32 hexadecimal digits", id="a UID that is no hex"),
        pytest.param(volume(1, pool="pool"), "pool_id", None, "'pool', no hexadecimal number", id="a pool that is no number"),
        pytest.param(f"{volume(1)}\t77\tnew", "size_bytes", 1024 * MB, "", id="more fields than we know"),
    ],
)
def test_a_field_that_is_not_understood_is_null_and_its_row_stays(tmp_path: Path, line: str, column: str, value: Any, why: str) -> None:
    found = from_peer(tmp_path, show_volumes=f"00\r\n0001\r\n{line}", show_enclosure_status="00\r\n" + ABOUT.replace("V11L30", "V10L66"))
    [row] = found.tables["array_volume"]
    assert (row["volume_id"], row[column]) == ("1", value)
    assert found.complete["volumes"] is not bool(why)
    assert why in found.gap_text()


@pytest.mark.parametrize(
    ("lines", "ids", "why"),
    [
        pytest.param([volume(1), volume(1)], ["1"], "came twice", id="the same number twice"),
        pytest.param([volume(1), "0002\tv"], ["1"], "fields where more than 20 were expected", id="a record cut in half"),
        pytest.param([volume(1), "zz\tv"], ["1"], "'zz', no hexadecimal number", id="a number that is none"),
    ],
)
def test_a_record_that_cannot_be_understood_is_left_out_and_complained_about(
    tmp_path: Path, lines: list[str], ids: list[str], why: str
) -> None:
    found = from_peer(
        tmp_path,
        show_volumes="\r\n".join(["00", f"{len(lines):04X}", *lines]),
        show_enclosure_status="00\r\n" + ABOUT.replace("V11L30", "V10L66"),
    )
    assert found.column("array_volume", "volume_id") == ids
    assert not found.complete["volumes"]
    assert why in found.gap_text()


@pytest.mark.parametrize("announced", [pytest.param("0003", id="more than came"), pytest.param("0001", id="fewer than came")])
def test_an_answer_with_another_number_of_records_than_it_announces_is_not_whole(tmp_path: Path, announced: str) -> None:
    found = from_peer(tmp_path, show_volumes=f"00\r\n{announced}\r\n{volume(1)}\r\n{volume(2)}")
    assert len(found.tables["array_volume"]) == 2
    assert not found.complete["volumes"]
    assert "and there are 2" in found.gap_text()


def test_2001_volumes_are_all_read_in_small_batches(tmp_path: Path) -> None:
    many = dataclasses.replace(
        DX,
        volumes=tuple(VolumeDescription(f"v{n}", category=3) for n in range(2001)),
        lun_groups=(),
        affinities=(),
        ports=(),
        port_groups=(),
    )
    found = collected(many, tmp_path, asked=needs({("array_volume", "device")}))
    assert found.complete["volumes"]
    assert len(set(found.column("array_volume", "device"))) == 2001
    assert found.largest_batch <= 1000
    assert found.tables["array_qos_policy"][2]["volumes"] == 2001


def test_an_answer_that_comes_slowly_but_comes_is_whole(tmp_path: Path) -> None:
    with lab(DX, tmp_path, timeout=3 * SHORT_SECONDS) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("slow", "show volumes", seconds=0.005))
        found = Collected(collect_eternus(array, endpoint, needs({("array_volume", "device")})))
    assert found.complete["volumes"]
    assert len(found.tables["array_volume"]) == 3


# Hosts and who sees what


def test_a_port_without_affinity_leaves_a_gap_for_everybody_sees_all_there(tmp_path: Path) -> None:
    opened = dataclasses.replace(
        DX, ports=(PortDescription("CM#0 CA#0 Port#0", affinity=False, luns=("free",)), PortDescription("CM#1 CA#0 Port#0"))
    )
    found = collected(opened, tmp_path, user="watcher")
    assert not found.complete["connections"]
    assert "CM#0 CA#0 Port#0: its host affinity is off" in found.gap_text()


def test_an_early_command_line_tells_no_uid_in_text_and_its_affinities_port_by_port(tmp_path: Path) -> None:
    dx60 = next(one for one in load_scenario("eternus-vaai").eternus if one.name == "dx60-l66")
    found = collected(dx60, tmp_path, user="watcher")
    assert found.column("array_volume", "volume_id", "device", "size_bytes", "pool_id") == [("1", None, 4 << 40, "0/RG-1")]
    assert "the UID of volume 1" in found.gap_text()
    assert found.complete["pools"]
    assert found.complete["connections"]
    assert found.column("array_connection", "array_host_id") == ["0/esx-dx-9_0", "1/esx-dx-9_1", "2/esx-dx-10_0", "3/esx-dx-10_1"]


def test_every_array_of_the_incident_tells_which_firmware_is_behind_which_device(tmp_path: Path) -> None:
    for one in load_scenario("eternus-vaai").eternus:
        found = collected(one, tmp_path, asked=needs({("array", "version"), ("array_volume", "device")}))
        assert found.gaps == []
        assert found.column("array", "version") == [one.firmware]
        assert found.column("array_volume", "device") == [f"naa.{one.uid(number).lower()}" for number in one.volume_numbers()]
