"""What is read from an ETERNUS DX is whole, or says where it is not; what it does not have is not taken for unread, nor the other way."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import qos, rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import Answer, understood
from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.eternus.collect import collect_eternus
from auditor.endpoints.eternus.records import Affinity, Host, Lun, Pool, Volume
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import ARRAY_TOPICS
from auditor.facts.snapshots.snapshot import SnapshotBuilder
from auditor.model import Endpoint, EndpointKind, Secret
from auditor_lab.arrays.eternus.description import (
    AffinityDescription,
    CategoryDescription,
    EternusDescription,
    GroupDescription,
    HostDescription,
    LimitDescription,
    PortDescription,
    UserDescription,
    VolumeDescription,
)
from auditor_lab.scenario import load_scenario
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected
from tests.endpoints.eternus.eternus_peer import ABOUT, Peer, captured, endpoint_of, lab, says
from tests.waiting import SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MB = 1 << 20
UID = "600000e00d2a0000002a0115"
IQN = "iqn.1998-01.com.vmware:esx-07-12345678901234567890-abcdef"  # longer than its column
DX = EternusDescription(
    name="dx200",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix=UID,
    serial_number="4601417434",
    categories=(CategoryDescription(3, LimitDescription(1000, 50)), CategoryDescription(4, read=LimitDescription(10, 20))),
    volumes=(
        VolumeDescription("capped", size_mb=1024, category=3),
        VolumeDescription("free", size_mb=2048, type="Open", pool="RG-1"),
        VolumeDescription("reads", size_mb=1024, read_category=4),
    ),
    users=(UserDescription("watcher", "Monitor"),),
    hosts=(HostDescription("esx_0", "10000090FAD00102", "VMware", 13), HostDescription("esx_1", iscsi_name=IQN)),
    ports=(PortDescription("CM#0 CA#0 Port#0", hosts={"esx_1": "second"}), PortDescription("CM#1 CA#0 Port#0")),
    port_groups=(GroupDescription("ports", ("CM#0 CA#0 Port#0", "CM#1 CA#0 Port#0")),),
    host_groups=(GroupDescription("cluster", ("esx_0",)),),
    lun_groups=(GroupDescription("first", ("free", "capped")), GroupDescription("second", ("capped",))),
    affinities=(AffinityDescription("ports", "cluster", "first"),),
)
OLD = EternusDescription(
    name="dx100",
    firmware="V10L87-9000",
    model_name="ET103ACU",
    uid_prefix=UID,
    volumes=(VolumeDescription("seven", category=7), VolumeDescription("free")),
    users=(UserDescription("watcher", "Monitor"),),
)


def collected(
    description: EternusDescription, folder: Path, *, user: str = "audit", asked: Needs = EVERYTHING, faults: Iterable[Fault] = ()
) -> Collected:
    with (
        lab(description, folder, user=user, timeout=3 * SHORT_SECONDS if faults else 30.0) as (server, endpoint),
        open_eternus(endpoint) as array,
    ):
        server.faults.active.extend(faults)
        return Collected(collect_eternus(array, endpoint, asked), asked.topics_of(EndpointKind.ETERNUS))


def from_peer(folder: Path, **answers: str) -> Collected:
    with Peer(says(**answers)) as peer, open_eternus(endpoint_of(peer, folder)) as array:
        return Collected(collect_eternus(array, array.endpoint))


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


# QoS: what there is, what there is not, what is not known


def test_a_category_is_a_policy_and_its_volumes_have_its_ceilings(tmp_path: Path) -> None:
    found = collected(DX, tmp_path)
    policies = {row["policy_id"]: row for row in found.tables["array_qos_policy"]}
    assert len(policies) == 45, "categories 1 to 15 of all I/O, reads and writes; 0 is unlimited and no policy"
    policy = policies["volume-qos/3"]
    assert (policy["name"], policy["kind"], policy["max_iops"], policy["max_bytes_per_second"], policy["volumes"]) == (
        "category 3",
        "category",
        1000,
        50 * MB,
        1,
    )
    assert (policy["is_read"], policy["is_shared"]) == (True, False)
    assert json.loads(policy["raw"])["1"] == "000003e8", "as it came"
    assert (policies["volume-qos/5"]["max_iops"], policies["volume-qos/5"]["is_read"]) == (None, True), "nobody set it"
    assert (policies["volume-qos-read/4"]["max_iops"], policies["volume-qos-read/4"]["volumes"]) == (10, 1)
    volumes = {row["name"]: row for row in found.tables["array_volume"]}
    assert volumes["capped"]["qos_policy_id"] == "volume-qos/3"
    assert (volumes["capped"]["qos_max_iops"], volumes["capped"]["qos_max_bytes_per_second"], volumes["capped"]["qos_read"]) == (
        1000,
        50 * MB,
        True,
    )
    assert (volumes["free"]["qos_policy_id"], volumes["free"]["qos_max_iops"], volumes["free"]["qos_read"]) == (None, None, True)


def test_a_volume_whose_reads_alone_have_a_ceiling_is_not_called_unlimited(tmp_path: Path) -> None:
    reads = next(row for row in collected(DX, tmp_path).tables["array_volume"] if row["name"] == "reads")
    assert (reads["qos_max_iops"], reads["qos_reads_policy_id"], reads["qos_writes_policy_id"]) == (None, "volume-qos-read/4", None)
    assert reads["qos_read"] is False


def test_before_the_table_the_categories_are_fixed(tmp_path: Path) -> None:
    found = collected(OLD, tmp_path)
    assert found.complete["qos_policies"]
    assert found.complete["volumes"]
    assert found.column("array_volume", "name", "qos_max_iops", "qos_max_bytes_per_second", "qos_read") == [
        ("seven", 1020, 200 * MB, True),
        ("free", None, None, True),
    ]
    policies = {row["policy_id"]: row["max_iops"] for row in found.tables["array_qos_policy"]}
    assert len(policies) == 15
    assert (policies["volume-qos/1"], policies["volume-qos/15"]) == (15000, 60)


def test_an_array_that_has_no_qos_has_unlimited_volumes_and_no_gap(tmp_path: Path) -> None:
    s1 = next(one for one in load_scenario("eternus-vaai").eternus if one.name == "dx90-l66")
    found = collected(s1, tmp_path)
    assert found.complete["qos_policies"]
    assert found.complete["volumes"]
    assert found.tables["array_qos_policy"] == []
    assert found.column("array_volume", "qos_read", "qos_policy_id", "qos_max_iops") == [(True, None, None)] * 2
    assert found.column("array", "version", "generation") == [("V10L66-0000", None)], "an S1 does not tell that it is one"


@pytest.mark.parametrize(
    ("firmware", "text", "known"),
    [
        pytest.param("V10L66-0000", "01\r\n0030", True, id="it says that it does not have the command"),
        pytest.param("V10L66-0000", "01\r\n9000", True, id="it says that its model does not"),
        pytest.param(
            "V10L66-0000", "          ^\r\nError: Unknown command", True, id="a caret for the account that the command is made for"
        ),
        pytest.param("V11L30-0000", "01\r\n0030", False, id="a firmware that must have it"),
        pytest.param("V10L66-0000", "01\r\n5003", False, id="no right to ask"),
        pytest.param("V10L66-0000", "01\r\n0020", False, id="another error"),
        pytest.param("V10L66-0000", "Volume  Limit\r\n0  3", False, id="text in an unknown form"),
        pytest.param("V10L66-0000", "00", False, id="an empty answer"),
    ],
)
def test_no_qos_is_told_from_qos_that_was_not_read(tmp_path: Path, firmware: str, text: str, known: bool) -> None:
    volumes = f"00\r\n0001\r\n{volume(1)}"
    about = "00\r\n" + ABOUT.replace("V11L30-0000", firmware)
    found = from_peer(tmp_path, show_enclosure_status=about, show_volume_qos=text, show_volumes=volumes)
    assert found.complete["qos_policies"] is known
    assert found.column("array_volume", "volume_id", "qos_read") == [("1", known)]
    assert found.complete["volumes"] is known


def test_a_caret_for_people_does_not_prove_that_there_is_no_qos(tmp_path: Path) -> None:
    s1 = next(one for one in load_scenario("eternus-vaai").eternus if one.name == "dx90-l66")
    found = collected(s1, tmp_path, user="watcher")
    assert found.incomplete() == {"qos_policies", "volumes"}
    assert found.column("array_volume", "qos_read") == [False, False]
    assert all(row["device"] for row in found.tables["array_volume"])


def table_line(*pairs: tuple[int, int], number: int = 1) -> str:
    limits = [*pairs, *[(0xFFFF, 0xFFFF)] * (3 - len(pairs))]
    return "\t".join([f"{number:02x}", *(f"{value:08x}" for pair in limits for value in pair), *["0000ffff"] * 6])


def part(iops: int | None = None, mb: int | None = None) -> qos.Limit:
    """A limit whose other number is not known."""
    return qos.Limit(iops, mb, is_whole=False)


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        pytest.param(table_line((1000, 50)), qos.Limit(1000, 50), id="both"),
        pytest.param(table_line((0xFFFF, 0xFFFF)), qos.Limit(None, None), id="as nobody set it"),
        pytest.param(table_line((0xFFFF, 50)), part(mb=50), id="65535 I/O operations, or nobody set them"),
        pytest.param(table_line((0xFFFF, qos.MOST_MB_PER_SECOND)), None, id="65535 I/O operations, or nobody set them; no throughput"),
        pytest.param(table_line((1000, 0xFFFF)), qos.Limit(1000, 0xFFFF), id="65535 MB/s, which nothing reaches"),
        pytest.param(table_line((1000, qos.MOST_MB_PER_SECOND)), qos.Limit(1000, None), id="the largest throughput is none"),
        pytest.param(table_line((qos.MOST_IOPS, 50)), qos.Limit(None, 50), id="the most operations are none"),
        pytest.param(table_line((0, 50)), part(mb=50), id="zero, which cannot be set"),
        pytest.param(table_line((1000, 0)), part(iops=1000), id="zero of throughput"),
        pytest.param(table_line((0, 0xFFFF)), None, id="zero, and what may be none"),
        pytest.param(table_line((qos.MOST_IOPS, 0)), None, id="no ceiling in operations, and zero"),
        pytest.param("01\tffgg\t0001\tffff\tffff\tffff\tffff", part(mb=1), id="hex that is none"),
        pytest.param("01\t\t0001\tffff\tffff\tffff\tffff", part(mb=1), id="nothing"),
        pytest.param("01\t\tzz\tffff\tffff\tffff\tffff", None, id="neither"),
    ],
)
def test_a_limit_is_understood_or_unknown_but_never_guessed(line: str, limit: qos.Limit | None) -> None:
    parse_errors = ParseErrors("table")
    found = qos.table(Answer("x", ("0001\t", line), by_machine=True), parse_errors.add)
    assert found[1].limits["volume-qos"] == limit
    assert parse_errors.any is (limit is None or not limit.is_whole)


def test_an_unlimited_category_with_limits_is_not_believed() -> None:
    parse_errors = ParseErrors("table")
    found = qos.table(Answer("x", ("0001", table_line((1000, 50), number=0)), by_machine=True), parse_errors.add)
    assert set(found[0].limits.values()) == {None}
    assert "unlimited" in next(parse_errors.gaps("dx")).why


@pytest.mark.parametrize(
    ("lines", "assigned", "complained"),
    [
        pytest.param(["0000\tv\t01\t00\t02"], {0: (1, 0, 2)}, False, id="three categories"),
        pytest.param(["000A\tv\t0F\t"], {10: (15, 0, 0)}, False, id="one, before V11L30"),
        pytest.param(["0000\tv\t10\t00\t00"], {0: (None, 0, 0)}, True, id="a category that there is not"),
        pytest.param(["0000\tv\t01\tzz\t00"], {0: (1, None, 0)}, True, id="hex that is none"),
        pytest.param(["0000\tv\t01\t02"], {0: (1, 2, None)}, True, id="a field short"),
        pytest.param(["0000\tv\t01\t00\t00", "0000\tv\t02\t00\t00"], {0: (1, 0, 0)}, True, id="the same volume twice"),
        pytest.param(["0000"], {}, True, id="a number alone"),
        pytest.param(["no\tv\t01\t00\t00"], {}, True, id="a number that is none"),
    ],
)
def test_a_volume_is_in_the_categories_it_tells(lines: list[str], assigned: dict[int, tuple[int | None, ...]], complained: bool) -> None:
    parse_errors = ParseErrors("volume-qos")
    found = qos.assignments(Answer("x", (f"{len(lines):04X}", *lines), by_machine=True), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in found.items()} == assigned
    assert parse_errors.any is complained


def test_a_volume_that_the_categories_do_not_tell_of_is_unknown(tmp_path: Path) -> None:
    found = from_peer(
        tmp_path,
        show_volumes=f"00\r\n0002\r\n{volume(1)}\r\n{volume(2)}",
        show_volume_qos="00\r\n0001\r\n0001\tv\t01\t00\t00",
        show_qos_bandwidth_limit="00\r\n0002\r\n" + "\r\n".join(table_line((0xFFFF, 0xFFFF), number=n) for n in (0, 1)),
    )
    assert found.column("array_volume", "volume_id", "qos_read") == [("1", True), ("2", False)]
    assert "volume 2" in found.gap_text()


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


def volume(number: int, *, size: str = "0000000000200000", uid: str = "", pool: str = "0000") -> str:
    fields = [f"{number:04X}", f"v{number}", "A001", "0B", "00", pool, "P", size, *["00"] * 12, uid or f"{UID.upper()}{number:04X}0000"]
    return "\t".join([*fields, "00", "00", "FF"])


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


# Recorded answers


def answer_of(record: str, command: str) -> Answer:
    nobody = Endpoint("dx", EndpointKind.ETERNUS, "127.0.0.1", 22, "", Secret("env", ("NONE",)))
    return understood(nobody, command, captured(f"eternus-cli-{record}"), is_read=True)


def test_the_recorded_machine_answers_become_rows() -> None:
    parse_errors = ParseErrors("captures")
    identity = machine.identity(answer_of("cinder/show_enclosure_status_5", "show enclosure-status"), parse_errors)
    assert identity is not None
    assert (identity.name, identity.model, identity.serial_number, identity.firmware) == (
        "ETDX200S3_1",
        "ET203ACU",
        "4601417434",
        "V10L87-9000",
    )
    assert rows.array_row(identity, by_machine=True)["generation"] == "S3"
    table = qos.table(answer_of("cinder/show_qos_bandwidth_limit_8", "show qos-bandwidth-limit"), parse_errors.add)
    assert len(table) == 16
    assert table[0].limits["volume-qos"] == qos.Limit(None, None)
    assert table[10].limits["volume-qos-write"] == qos.Limit(10, 10)
    assert list(qos.table(answer_of("cinder/show_qos_bandwidth_limit_14", "show qos-bandwidth-limit"), parse_errors.add)) == [0]
    after = qos.assignments(answer_of("cinder/show_volume_qos_13", "show volume-qos"), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in after.items()} == {0: (1, 0, 0)}
    before = qos.assignments(answer_of("cinder/show_volume_qos_6", "show volume-qos"), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in before.items()} == {0: (15, 0, 0), 1: (13, 0, 0)}
    assert not parse_errors.any


@pytest.mark.parametrize(("record", "numbers"), [("show_volumes_12", (0, 1)), ("show_volumes_4", (0,))])
def test_the_recorded_volumes_have_the_device_name_that_the_rule_says(record: str, numbers: tuple[int, ...]) -> None:
    parse_errors = ParseErrors("captures")
    found = [rows.volume_row(one, parse_errors) for one in machine.volumes(answer_of(f"cinder/{record}", "show volumes"), parse_errors)]
    assert [row["volume_id"] for row in found] == [str(number) for number in numbers]
    assert found[0]["device"] == "naa.600000e00d2a0000002a011500140000", "lower case; these tests' volume numbers are not the UID's"
    assert found[0]["size_bytes"] == 1 << 30
    assert found[0]["pool_id"] == "0/abcd1234_TPP"
    assert "is 1376, and there are" in next(parse_errors.gaps("dx")).why, "the record announces more volumes than it holds"


def test_the_recorded_text_becomes_rows() -> None:
    parse_errors = ParseErrors("captures")
    identity = text.identity(answer_of("delfin/STORAGE_MODEL_DATA", "show enclosure-status"), parse_errors)
    assert identity is not None
    assert (identity.name, identity.model, identity.serial_number, identity.firmware) == (
        "dx100-test",
        "ET103ACU",
        "4601620378",
        "V10L50-9003",
    )
    volumes = list(text.volumes(answer_of("delfin/VOLUMES", "show volumes -mode uid"), parse_errors))
    assert volumes[3] == Volume(3, "LUN03", "Available", "0/Pool0", 20480 * MB, "600000E00D29000000291B6B00030000")
    assert len(volumes) == 5
    assert all(one.uid is not None and int(one.uid[24:28], 16) == one.number for one in volumes), "docs/domain/arrays.md#device-names"
    early = list(text.volumes(answer_of("delfin/VOLUME_DATAS", "show raid-groups"), parse_errors))
    assert early[3] == Volume(3, "OVM_Repo2", "Broken", "0/JJ", 204800 * MB, None)
    assert list(text.raid_groups(answer_of("delfin/POOL_OLD_DATAS", "show raid-groups"), parse_errors)) == [
        Pool(0, "JJ", "RAID0", "CM#0", 1676288 * MB)
    ]
    assert not parse_errors.any


def test_the_recorded_hosts_become_rows() -> None:
    parse_errors = ParseErrors("captures")
    fc = list(text.fc_hosts(answer_of("delfin/FC_HOSTS_INFO", "show host-wwn-names"), parse_errors))
    assert len(fc) == 7
    assert fc[6] == Host(7, "h_g_1_0", "12ac13ab15af21ae", "fc", "AIX")
    iscsi = list(text.iscsi_hosts(answer_of("delfin/ISCSI_HOST_INFO", "show host-iscsi-names"), parse_errors))
    assert [(one.number, one.name, one.initiator) for one in iscsi] == [
        (0, "iscsi_host_0", "iqn.2006-08.com.huawei:21004447dcca426::0"),
        (1, "iscsi_host-1_0", "iqn.2006-08.com.huawei:21004447dcca426::1"),
        (2, "iscsi_1_0", "iqn.2007-08.com.huawei:21004447dcca426::7"),
    ]
    assert [one.response for one in iscsi] == ["AIX", "AIX", "Default"]
    sas = list(text.fc_hosts(answer_of("delfin/SAS_HOST_INFO", "show host-sas-addresses"), parse_errors, "sas"))
    assert sas[0] == Host(6, "sas_g_0_0", "12ab13ac14ad15af", "sas", "AIX VxVM")
    groups = text.host_groups(answer_of("delfin/HOST_GROUPS_INFO", "show host-groups -all"))
    assert groups == {f"{n}/dbs0{n // 2 + 1}_{n % 2}": f"dbs0{n // 2 + 1}" for n in range(6)}
    affinities = list(text.affinities(answer_of("delfin/MASKING_VIEWS_INFO", "show host-affinity"), parse_errors))
    assert len(affinities) == 15
    assert set(affinities) >= {
        Affinity("6/Dorado5000V6_0", 7),
        Affinity("4/Dorado5500v6_0", 9),
        Affinity("20/AIX206_0", 8),
        Affinity("2/RH197_0", 5),
    }
    assert text.open_ports(answer_of("delfin/GET_MAPPING", "show mapping")) == {"CM#0 CA#1 Port#1": 2, "CM#1 CA#1 Port#1": 1}
    assert list(text.lun_group(answer_of("delfin/VOLUME_DETAILS_INFO", "show lun-groups -lg-number 0"), parse_errors)) == [
        Lun(n, n) for n in range(3)
    ]
    assert not parse_errors.any


words = st.text(alphabet="0123456789abcdefABCDEFxz \t-#", max_size=40)


@settings(max_examples=60, derandomize=True, database=None)
@given(st.lists(words, max_size=6), st.booleans())
def test_whatever_lines_come_nothing_breaks_and_nothing_is_lost_silently(lines: list[str], by_machine: bool) -> None:
    answer = Answer("show x", tuple(lines), by_machine)
    ruled = Answer("show x", ("No. Name Size", "--- ---- ------ ---", *lines), by_machine=False)
    for read in (machine.volumes, machine.fc_hosts, machine.iscsi_hosts):
        parse_errors = ParseErrors("x")
        found = list(read(Answer("show x", tuple(lines), by_machine=True), parse_errors))
        ended = any(line.lower().startswith("ffff") for line in lines)  # the number of no volume
        assert parse_errors.any or ended or len(found) == len(lines) - 1, "each record is a row or a complaint"
    list(machine.thin_pools(Answer("show x", tuple(lines), by_machine=True), ParseErrors("x")))
    list(machine.lun_group(Answer("show x", tuple(lines), by_machine=True), ParseErrors("x")))
    for read_text in (text.volumes, text.raid_groups, text.thin_pools, text.fc_hosts, text.iscsi_hosts, text.affinities, text.lun_group):
        list(read_text(ruled, ParseErrors("x")))
        list(read_text(answer, ParseErrors("x")))
    qos.table(answer, ParseErrors("x").add)
    qos.assignments(answer, ParseErrors("x").add)
    text.open_ports(ruled)
    text.host_groups(ruled)
