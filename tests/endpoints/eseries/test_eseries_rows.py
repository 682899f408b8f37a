"""Records as public sources show them, and the rows they give. Values are typed by hand from the source that each test names."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.eseries import rows
from auditor.endpoints.eseries.reading import NULL_REF, System

A, B = "070000000000000000000001", "070000000000000000000002"


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("test"))


def system(**about: Any) -> System:
    return System("Proxy-1", record({"name": "stle2600-7_8", **about}))


def gaps(one: Record) -> list[str]:
    return [f"{gap.what}: {gap.why}" for gap in one.parse_errors.gaps("x")]


def volume(**changes: Any) -> Record:
    """Of VOLUMES in openstack/cinder, cinder/tests/unit/volume/drivers/netapp/eseries/fakes.py."""
    own: dict[str, Any] = {
        "volumeRef": "0200000060080E50002998A00000945355C37C19",
        "label": "1",
        "worldWideName": "60080E50002998A00000945355C37C19",
        "capacity": "10737418240",
        "status": "optimal",
        "volumeGroupRef": "0400000060080E50002998A00000945255C37C14",
        "currentManager": A,
        "preferredManager": A,
        "currentControllerId": A,
        "preferredControllerId": A,
        "cacheSettings": {"writeCacheEnable": True, "writeCacheActive": True},
    }
    return record(own | changes)


def test_a_volume_is_known_by_its_world_wide_name_with_its_size_pool_and_owner() -> None:
    read = volume()
    row = rows.volume_row(read, system())
    assert (row["device"], row["serial"]) == ("naa.60080e50002998a00000945355c37c19", "60080E50002998A00000945355C37C19")
    assert (row["volume_id"], row["name"], row["size_bytes"]) == ("Proxy-1/0200000060080e50002998a00000945355c37c19", "1", 10 << 30)
    assert (row["pool_id"], row["status"]) == ("Proxy-1/0400000060080e50002998a00000945255c37c14", "optimal")
    assert (row["owner_id"], row["preferred_owner_id"]) == (f"Proxy-1/{A}", f"Proxy-1/{A}")
    assert (row["qos_read"], row["qos_max_iops"], row["is_virtual"], row["kind"]) == (True, None, False, "lun")
    assert gaps(read) == []


@pytest.mark.parametrize(
    ("changes", "owners"),
    [
        pytest.param({"currentControllerId": B}, (f"Proxy-1/{B}", f"Proxy-1/{A}"), id="another controller answers for it"),
        pytest.param(
            {"currentControllerId": None, "preferredControllerId": None, "currentManager": B},
            (f"Proxy-1/{B}", f"Proxy-1/{A}"),
            id="by the older fields",
        ),
        pytest.param({"currentControllerId": "0" * 24}, (None, f"Proxy-1/{A}"), id="nobody's"),
        pytest.param(
            {"preferredControllerId": B, "preferredManager": A}, (f"Proxy-1/{A}", f"Proxy-1/{B}"), id="the newer field goes first"
        ),
    ],
)
def test_a_volume_says_who_answers_for_it_and_whom_it_was_given_to(changes: dict[str, Any], owners: tuple[str | None, str]) -> None:
    read = volume(**changes)
    row = rows.volume_row(read, system())
    assert (row["owner_id"], row["preferred_owner_id"]) == owners
    assert gaps(read) == []


@pytest.mark.parametrize(
    ("status", "offline", "state"),
    [
        pytest.param("optimal", True, "offline", id="well, and offline"),
        pytest.param("optimal", False, "optimal", id="well"),
        pytest.param("optimal", None, "optimal", id="a release that does not report it"),
        pytest.param("failed", True, "failed", id="what failed stays so"),
    ],
)
def test_a_volume_that_is_well_may_be_offline(status: str, offline: bool | None, state: str) -> None:
    # VolumeEx.offline of NetApp/santricity-webapi-javasdk.
    assert rows.volume_row(volume(status=status, offline=offline), system())["status"] == state


@pytest.mark.parametrize("group", [pytest.param(None, id="not reported"), pytest.param(NULL_REF, id="none")])
def test_a_volume_of_no_group_lies_in_no_pool(group: str | None) -> None:
    assert rows.volume_row(volume(volumeGroupRef=group), system())["pool_id"] is None


def test_an_owner_that_is_not_reported_is_a_gap() -> None:
    read = volume(currentControllerId=None, currentManager=None)
    assert rows.volume_row(read, system())["owner_id"] is None
    assert gaps(read) == ["test: currentControllerId of it: is null where an id was expected"]


@pytest.mark.parametrize(
    ("enabled", "active", "state"),
    [
        pytest.param(True, True, "on", id="on"),
        pytest.param(True, False, "suspended", id="enabled, and not in use now"),
        pytest.param(False, False, "off", id="off"),
        pytest.param("yes", True, None, id="no switch"),
    ],
)
def test_the_cache_of_writes_is_on_off_or_suspended(enabled: Any, active: bool, state: str | None) -> None:
    read = volume(cacheSettings={"writeCacheEnable": enabled, "writeCacheActive": active})
    assert rows.volume_row(read, system())["write_cache"] == state
    assert bool(gaps(read)) is (state is None)


def test_the_cache_of_a_thin_volume_stands_in_another_field_and_half_a_switch_is_none() -> None:
    own = {name: cell for name, cell in volume().value.items() if name not in ("cacheSettings", "label")}
    thin = record({**own, "name": "thin", "cache": {"writeCacheEnable": True, "writeCacheActive": True}})
    row = rows.volume_row(thin, system())
    assert (row["write_cache"], row["name"], gaps(thin)) == ("on", "thin", [])
    half = volume(cacheSettings={"writeCacheEnable": True})
    assert (rows.volume_row(half, system())["write_cache"], len(gaps(half))) == (None, 1)


def test_a_snapshot_that_hosts_can_be_given_is_a_copy_of_its_volume() -> None:
    # SNAPSHOT_VOLUME of the same file.
    view = record(
        {
            "viewRef": "35000000600A0980006077F80000F8BF566581AA",
            "worldWideName": "600A0980006077F80000F8BF566581AA",
            "label": "UZJ45SLUKNGWRF3QZHBTOG4C4E_DEL",
            "baseVol": "02000000600A0980006077F80000F89B56657E26",
            "baseVolumeCapacity": "1073741824",
            "status": "stopped",
            "currentManager": A,
            "preferredManager": A,
        }
    )
    row = rows.snapshot_row(view, system())
    assert (row["device"], row["size_bytes"]) == ("naa.600a0980006077f80000f8bf566581aa", 1 << 30)
    assert (row["copy_of"], row["pool_id"]) == ("Proxy-1/02000000600a0980006077f80000f89b56657e26", None)
    assert row["write_cache"] is None
    assert gaps(view) == []
    for base in (None, NULL_REF):
        assert rows.snapshot_row(record({**view.value, "baseVol": base}), system())["copy_of"] is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, ("hdd", 7200, "raidDiskPool"), id="DDP of SSC_POOLS in cinder's fakes.py"),
        pytest.param({"driveMediaType": "ssd", "spindleSpeed": 0}, ("ssd", None, "raidDiskPool"), id="flash does not spin"),
        pytest.param({"driveMediaType": "unknown"}, (None, None, "raidDiskPool"), id="not known to the array"),
        pytest.param({"driveMediaType": "all"}, ("mixed", 7200, "raidDiskPool"), id="both"),
        pytest.param({"spindleSpeed": None}, ("hdd", None, "raidDiskPool"), id="no speed"),
        pytest.param({"spindleSpeed": 0}, ("hdd", None, "raidDiskPool"), id="a speed of nothing"),
    ],
)
def test_a_pool_says_what_its_drives_are(changes: dict[str, Any], expected: tuple[Any, ...]) -> None:
    pool = record(
        {
            "volumeGroupRef": "0400000060080E5000290D8000009C9955828DD2",
            "label": "DDP",
            "raidLevel": "raidDiskPool",
            "driveMediaType": "hdd",
            "spindleSpeed": 7200,
            "totalRaidedSpace": "23459111370752",
        }
        | changes
    )
    row = rows.pool_row(pool, system(), 24)
    assert (row["media"], row["rpm"], row["raid_type"]) == expected
    assert (row["name"], row["disks"], row["size_bytes"]) == ("DDP", 24, 23_459_111_370_752)
    assert row["pool_id"] == "Proxy-1/0400000060080e5000290d8000009c9955828dd2"
    assert gaps(pool) == []


def test_a_pool_without_a_label_goes_by_its_name() -> None:
    assert rows.pool_row(record({"volumeGroupRef": "04", "name": "DDP"}), system(), 24)["name"] == "DDP"


LOAD = {
    "volumeId": "0200000060080E50002998A00000945355C37C19",
    "combinedIOps": 400.2,
    "readIOps": 100,
    "writeIOps": 300,
    "averageReadOpSize": 8192,
    "averageWriteOpSize": 65536,
    "combinedResponseTime": 4.5,
}


def test_load_is_a_mean_in_microseconds_and_bytes() -> None:
    # NetApp/santricity-webapi-javasdk, AnalysedVolumeStatistics: operations a second, bytes an operation, response time in milliseconds.
    load = record(LOAD)
    row = rows.load_row(load, system())
    assert (row["actual_iops"], row["latency_us"]) == (400, 4500)
    assert row["bytes_per_second"] == 100 * 8192 + 300 * 65_536
    assert row["average_io_bytes"] == (100 * 8192 + 300 * 65_536) // 400
    assert gaps(load) == []


@pytest.mark.parametrize(
    ("missing", "lost"),
    [
        pytest.param("combinedIOps", {"actual_iops", "latency_us"}, id="the rate"),
        pytest.param("combinedResponseTime", {"latency_us"}, id="the latency"),
        pytest.param("readIOps", {"bytes_per_second", "average_io_bytes"}, id="reads"),
        pytest.param("writeIOps", {"bytes_per_second", "average_io_bytes"}, id="writes"),
        pytest.param("averageReadOpSize", {"bytes_per_second", "average_io_bytes"}, id="the size of reads"),
        pytest.param("averageWriteOpSize", {"bytes_per_second", "average_io_bytes"}, id="the size of writes"),
    ],
)
def test_what_is_not_told_of_a_load_leaves_the_rest_of_it(missing: str, lost: set[str]) -> None:
    whole = rows.load_row(record(LOAD), system())
    load = record({name: value for name, value in LOAD.items() if name != missing})
    assert rows.load_row(load, system()) == whole | dict.fromkeys(lost)
    assert missing in "".join(gaps(load))


@pytest.mark.parametrize(
    ("kind", "size"), [pytest.param("writeIOps", 8192, id="reads alone"), pytest.param("readIOps", 65_536, id="writes alone")]
)
def test_a_volume_that_is_only_read_or_only_written_has_the_size_of_that(kind: str, size: int) -> None:
    assert rows.load_row(record(LOAD | {kind: 0.0}), system())["average_io_bytes"] == size


def test_operations_that_move_nothing_and_bytes_without_operations_have_no_size() -> None:
    sizes = {"averageReadOpSize": 0.0, "averageWriteOpSize": 0.0}
    assert rows.load_row(record(LOAD | sizes), system())["average_io_bytes"] is None
    assert rows.load_row(record(LOAD | {"readIOps": 0.0, "writeIOps": 0.0}), system())["average_io_bytes"] is None


def test_a_failure_is_open_and_named_by_its_kind() -> None:
    row = rows.failure_row(record({"failureType": "failedDrive", "objectType": "drive"}), system(), "1")
    assert [row[name] for name in ("alert_id", "summary", "code", "component", "is_open")] == [
        *("Proxy-1/1", "failedDrive", "failedDrive", "drive", True),
    ]


def test_a_controller_has_its_own_version_and_model() -> None:
    node = record({"controllerRef": "07A", "status": "optimal", "appVersion": "08.40.60.01", "modelName": "2806"})
    row = rows.node_row(node, system(), "A")
    assert tuple(row.values()) == ("Proxy-1/07a", "stle2600-7_8 A", "optimal", "08.40.60.01", "2806")


def test_a_volume_at_rest_has_no_latency_and_no_size_of_commands() -> None:
    idle = dict.fromkeys(("combinedIOps", "readIOps", "writeIOps", "averageReadOpSize", "averageWriteOpSize", "combinedResponseTime"), 0.0)
    # Of a volume without commands the last response time may still be told: it is of nothing that happened.
    row = rows.load_row(record({"volumeId": "02", **idle, "combinedResponseTime": 3.0}), system())
    assert (row["actual_iops"], row["latency_us"], row["average_io_bytes"], row["bytes_per_second"]) == (0, None, None, 0)


def test_a_host_has_the_code_of_its_type_and_the_name_of_its_group() -> None:
    # HOST of cinder's fakes.py; codes by index: netappeseries/santricity, na_santricity_facts.py.
    group = "8500000060080E500023C7340036035F515B78FC"
    host = record(
        {"hostRef": "8400000060080E500023C73400300381515BFBA3", "label": "stlrx300s7-55", "clusterRef": group, "hostTypeIndex": 6}
    )
    row = rows.host_row(host, system(), {6: "LNX", 10: "VmwTPGSALUA"}, {group: "esx"})
    assert row == {
        "array_host_id": "Proxy-1/8400000060080e500023c73400300381515bfba3",
        "name": "stlrx300s7-55",
        "host_group": "esx",
        "host_type": "LNX",
    }
    assert gaps(host) == []


@pytest.mark.parametrize(
    ("changes", "types", "expected", "gap"),
    [
        pytest.param({"clusterRef": NULL_REF}, {10: "VmwTPGSALUA"}, (None, "VmwTPGSALUA"), [], id="in no group"),
        pytest.param(
            {"hostTypeIndex": None},
            {10: "VmwTPGSALUA"},
            (None, None),
            ["test: hostTypeIndex of it: is null where a whole number was expected"],
            id="no type",
        ),
        pytest.param({}, None, (None, None), [], id="types were not read"),
        pytest.param(
            {}, {6: "LNX"}, (None, None), ["test: hostTypeIndex of it: is none that host-types lists"], id="a type that is not listed"
        ),
        pytest.param(
            {"clusterRef": "85"},
            {10: "VmwTPGSALUA"},
            (None, "VmwTPGSALUA"),
            ["test: clusterRef of it: is no group that host-groups lists"],
            id="a group that is not listed",
        ),
    ],
)
def test_what_is_not_listed_of_a_host_is_not_known(changes: Any, types: Any, expected: tuple[Any, ...], gap: list[str]) -> None:
    host = record({"hostRef": "84", "label": "h", "clusterRef": None, "hostTypeIndex": 10, **changes})
    row = rows.host_row(host, system(), types, {})
    assert (row["host_group"], row["host_type"]) == expected
    assert gaps(host) == gap


def test_a_type_without_a_code_goes_by_its_name() -> None:
    # A type of HOST_TYPES in cinder's fakes.py has name, index and code.
    assert rows.type_code(record({"name": "VmwTPGSALUA", "index": 10, "code": "VmwTPGSALUA"})) == (10, "VmwTPGSALUA")
    assert rows.type_code(record({"name": "Linux", "index": 6})) == (6, "Linux")
    assert rows.type_code(record({"name": "Windows", "index": 1, "code": "W2KNETNCL"})) == (1, "W2KNETNCL")
    assert rows.type_code(record({"name": "Linux"})) is None
    assert rows.type_code(record({"index": 6})) is None


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        pytest.param(
            {"type": "iscsi", "address": "iqn.1998-01.com.vmware:localhost-28a58148"},
            ("iqn.1998-01.com.vmware:localhost-28a58148", "iscsi"),
            id="iSCSI, as INITIATOR_NAME in cinder's fakes.py",
        ),
        pytest.param({"type": "fc", "address": "20130080E5322230"}, ("20130080e5322230", "fc"), id="Fibre Channel, as WWPN there"),
        pytest.param({"type": "fc", "address": "0x20130080E5322230"}, ("20130080e5322230", "fc"), id="Fibre Channel, as a number"),
        pytest.param({"type": "sas", "address": "50:06:05:B0:01:02:03:02"}, ("500605b001020302", "sas"), id="SAS, with colons"),
        pytest.param({"type": "nvmeof", "address": "nqn.2014-08.org:esx"}, ("nqn.2014-08.org:esx", "nvme"), id="NVMe"),
        pytest.param({"type": "iscsi", "address": "EUI.02004567A425678D"}, ("eui.02004567a425678d", "iscsi"), id="iSCSI, by an EUI"),
        pytest.param({"type": "iscsi", "address": "naa.52004567BA64678D"}, ("naa.52004567ba64678d", "iscsi"), id="iSCSI, by an NAA"),
    ],
)
def test_a_port_of_a_host_is_an_initiator(port: dict[str, str], expected: tuple[str, str]) -> None:
    read = record(port)
    row = rows.initiator_row(read, "1/84")
    assert row == {"array_host_id": "1/84", "initiator": expected[0], "kind": expected[1]}
    assert gaps(read) == []


def test_a_port_of_infiniband_is_none_of_an_esxi_host_and_an_odd_one_a_gap() -> None:
    assert rows.initiator_row(record({"type": "ib", "address": "x"}), "1/84") is None
    odd = record({"type": "carrier-pigeon", "address": "coo"})
    assert rows.initiator_row(odd, "1/84") == {"array_host_id": "1/84", "initiator": None, "kind": None}
    assert gaps(odd) == ["test: type of it: is none that is known", "test: address of it: is no initiator's name"]
    bare = record({})
    assert rows.initiator_row(bare, "1/84") == {"array_host_id": "1/84", "initiator": None, "kind": None}
    assert gaps(bare) == [
        *(f"test: {field} of it: is missing where a string was expected" for field in ("type", "address")),
        "test: address of it: is no initiator's name",
    ]
