"""Records of a Storage Center into rows, and its lists into topics, with no manager: every column, and what is left open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.dell_sc import rows, volumes
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.qos import Limits
from auditor.endpoints.dell_sc.reading import Center, Reading, unless_unknown
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError, PermissionMissingError
from auditor.model import Endpoint, EndpointKind, Gap, Secret

if TYPE_CHECKING:
    from auditor.endpoints.dell_sc.client import StorageManager

DC = Endpoint("sc", EndpointKind.DELL_SC, "127.0.0.1", 3033, "", Secret("env", ("NONE",)))


def record(value: dict[str, Any]) -> Record:
    return Record(Attributes(value), "it", ParseErrors("x"))


def errors(one: Record) -> list[str]:
    """The fields that could not be understood."""
    return [what for (what, _), labels in one.parse_errors._heard.items() for _ in labels]


def named(number: Any, name: str) -> dict[str, Any]:
    return {"instanceId": f"7.{number}", "instanceName": name}


# Rows


def test_a_controller_and_a_storage_type_have_their_name_or_that_of_their_instance() -> None:
    controller = {"instanceId": "7.1", "name": "SN 1", "instanceName": "other", "status": "Up", "version": "7.3", "model": "SCv3020"}
    node = {"node_id": "7.1", "name": "SN 1", "state": "Up", "version": "7.3", "model": "SCv3020"}
    assert rows.node_row(record(controller)) == node
    bare = record({"instanceId": "7.1", "instanceName": "other", "status": "Up"})
    assert rows.node_row(bare) == {**node, "name": "other", "version": None, "model": None}
    assert errors(bare) == []
    assert rows.pool_row(record({**named(2, "other"), "name": "gold", "redundancy": "Redundant"})) == {
        "pool_id": "7.2",
        "name": "gold",
        "raid_type": "Redundant",
    }
    unnamed = record(named(2, "other"))
    assert rows.pool_row(unnamed) == {"pool_id": "7.2", "name": "other", "raid_type": None}
    assert errors(unnamed) == []


PROFILE = {
    **named(3, "other"),
    "name": "Prod",
    "profileType": "VolumeQosProfile",
    "relativePriority": "Low",
    "maxIops": 5000,
    "bandwidthLimitMbPerSecond": 50,
    "volumeCount": 2,
}


def test_a_profile_becomes_a_policy_with_its_answer_as_evidence() -> None:
    given = record(PROFILE)
    row, limits = rows.policy_row(given, PROFILE)
    assert row == {
        "policy_id": "7.3",
        "name": "Prod",
        "kind": "volume_profile",
        "min_iops": None,
        "max_iops": 5000,
        "burst_iops": None,
        "max_bytes_per_second": 50 << 20,
        "priority": "Low",
        "is_shared": False,
        "is_read": True,
        "raw": json.dumps(PROFILE, sort_keys=True),
        "volumes": 2,
    }
    assert (limits.max_iops, limits.is_read, errors(given)) == (5000, True, [])


@pytest.mark.parametrize(
    ("changes", "columns", "wrong"),
    [
        pytest.param(
            {"profileType": "GroupQosProfile"}, {"kind": "group_profile", "is_shared": True, "is_read": True}, [], id="of a group"
        ),
        pytest.param({"name": None}, {"name": "other"}, [], id="without a name"),
        pytest.param({"volumeCount": "x"}, {"volumes": None}, ["volumeCount"], id="a count that is none"),
        pytest.param(
            {"profileType": "Odd"}, {"kind": None, "is_shared": None, "is_read": False}, ["profileType", "limits"], id="of an unknown kind"
        ),
        pytest.param({"profileType": None}, {"kind": None, "is_read": False}, ["profileType", "limits"], id="without its kind"),
        pytest.param({"maxIops": "many"}, {"kind": "volume_profile", "is_read": False}, ["limits"], id="a limit that is none"),
    ],
)
def test_a_profile_that_is_not_understood_is_not_read(changes: dict[str, Any], columns: dict[str, Any], wrong: list[str]) -> None:
    value = {**PROFILE, **changes}
    given = record(value)
    row, limits = rows.policy_row(given, value)
    assert {name: row[name] for name in columns} == columns
    assert (errors(given), limits.is_read) == (wrong, row["is_read"])


def test_a_profile_that_counts_no_volumes_has_no_count() -> None:
    given = record({key: value for key, value in PROFILE.items() if key != "volumeCount"})
    assert (rows.policy_row(given, PROFILE)[0]["volumes"], errors(given)) == (None, [])


@pytest.mark.parametrize(
    ("switches", "tiers"),
    [((True, False, False), 1), ((True, True, True), 3), ((False, True, True), 2), ((False,) * 3, None), ((True, None, False), None)],
)
def test_a_storage_profile_uses_the_tiers_that_are_on(switches: tuple[bool | None, ...], tiers: int | None) -> None:
    given = record({f"useTier{number}Storage": switch for number, switch in enumerate(switches, start=1)})
    assert rows.tiers(given) == tiers
    assert bool(errors(given)) == (tiers is None)


DEVICE = "6000d31000fcbe000000000000000003"
VOLUME = {
    "instanceId": "7.9", "name": "capped", "serialNumber": "0000fcbe-3", "deviceId": DEVICE, "status": "Up",
    "configuredSize": "1.073741824E9 Bytes", "storageType": named(2, "gold"),
}  # fmt: skip
VOLUME_ROW = {
    "volume_id": "7.9",
    "name": "capped",
    "kind": "lun",
    "serial": "0000fcbe-3",
    "device": f"naa.{DEVICE}",
    "is_virtual": False,
    "vvol_id": None,
    "status": "Up",
    "size_bytes": 1 << 30,
    "pool_id": "7.2",
}


def test_a_volume_has_its_device_size_and_pool() -> None:
    given = record(VOLUME)
    assert (rows.volume_row(given), errors(given)) == (VOLUME_ROW, [])
    odd = record({**VOLUME, "serialNumber": None, "configuredSize": "much", "storageType": None})
    assert rows.volume_row(odd) == {**VOLUME_ROW, "serial": None, "size_bytes": None, "pool_id": None}
    assert sorted(errors(odd)) == ["configuredSize", "storageType"]
    assert errors(missing := record({})) == []
    assert (rows.size(missing, "configuredSize"), errors(missing)) == (None, ["configuredSize"])


LIMITED, SHARED, ODD = (Limits(100, 5, "Low", is_read=True), Limits(900, 7, None, is_read=True), Limits())
PROFILES = {"7.3": LIMITED, "7.4": SHARED, "7.5": ODD, "7.1": Limits(priority="Medium", is_read=True)}
QOS: dict[str, Any] = {
    "qos_policy_id": "7.3",
    "qos_policy": "Prod",
    "qos_min_iops": None,
    "qos_max_iops": 100,
    "qos_burst_iops": None,
    "qos_max_bytes_per_second": 5,
    "qos_shared": False,
    "qos_priority": "Low",
    "qos_group_id": None,
    "qos_group": None,
    "qos_group_max_iops": None,
    "qos_group_max_bytes_per_second": None,
    "qos_read": True,
    "qos_curve": None,
}
NOTHING = {**dict.fromkeys(QOS), "qos_read": False}
IN_GROUP = {"qos_group_id": "7.4", "qos_group": "Tenant", "qos_group_max_iops": 900, "qos_group_max_bytes_per_second": 7}
OWN = {"volumeQosProfile": named(3, "Prod")}


@pytest.mark.parametrize(
    ("given", "has_qos", "qos", "wrong"),
    [
        pytest.param(OWN, True, QOS, [], id="its own"),
        pytest.param({**OWN, "groupQosProfile": named(4, "Tenant")}, True, {**QOS, **IN_GROUP}, [], id="and a group's"),
        pytest.param({**OWN, "groupQosProfile": None}, True, QOS, [], id="no group"),
        pytest.param(
            {"volumeQosProfile": named(1, "Default")}, True, {**NOTHING, "qos_priority": "Medium", "qos_read": True}, [], id="that of all"
        ),
        pytest.param({}, False, {**NOTHING, "qos_read": True}, [], id="a release without"),
        pytest.param({}, True, NOTHING, ["volumeQosProfile"], id="a release with, and none reported"),
        pytest.param(OWN, False, QOS, [], id="reported all the same"),
        pytest.param(
            {"volumeQosProfile": named(5, "Odd")},
            True,
            {**NOTHING, "qos_policy_id": "7.5", "qos_policy": "Odd", "qos_shared": False},
            [],
            id="one that was not understood",
        ),
        pytest.param(
            {"volumeQosProfile": named(8, "New")},
            True,
            {**NOTHING, "qos_policy_id": "7.8", "qos_policy": "New", "qos_shared": False},
            ["QoS profile"],
            id="one that was not listed",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": named(8, "New")},
            True,
            {**QOS, "qos_group_id": "7.8", "qos_group": "New", "qos_read": False},
            ["QoS profile"],
            id="a group's that was not listed",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": named(5, "Odd")},
            True,
            {**QOS, "qos_group_id": "7.5", "qos_group": "Odd", "qos_read": False},
            [],
            id="a group's that was not understood",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": {"instanceId": "7.4"}},
            True,
            {**QOS, **IN_GROUP, "qos_group": None, "qos_read": False},
            ["instanceName"],
            id="a group's without a name",
        ),
        pytest.param(
            {"volumeQosProfile": {"instanceId": "7.3"}},
            True,
            {**QOS, "qos_policy": None, "qos_shared": None, "qos_read": False},
            ["instanceName"],
            id="one without a name",
        ),
    ],
)
def test_a_volume_is_limited_by_its_own_profile_and_its_groups(
    given: dict[str, Any], has_qos: bool, qos: dict[str, Any], wrong: list[str]
) -> None:
    configuration = record({"storageProfile": named(6, "Recommended"), **given})
    found = rows.configured(configuration, PROFILES, {"7.6": 2}, has_qos=has_qos)
    assert found == {"tiering": "Recommended", "tiers": 2, **qos}
    assert [what.rpartition(".")[2] for what in errors(configuration)] == wrong


def test_what_a_volume_was_given_may_be_unknown() -> None:
    for has_qos in (True, False):
        assert rows.configured(None, PROFILES, {"7.6": 2}, has_qos=has_qos) == {"tiering": None, "tiers": None, **NOTHING}
    strange = record({"storageProfile": named(8, "New"), **OWN})
    found = rows.configured(strange, PROFILES, {"7.6": 2}, has_qos=True)
    assert (found["tiering"], found["tiers"], errors(strange)) == ("New", None, ["storageProfile"])
    without = record(OWN)
    found = rows.configured(without, PROFILES, {"7.6": 2}, has_qos=True)
    assert (found["tiering"], found["tiers"], errors(without)) == (None, None, ["storageProfile"])


USAGE = {"averageKbPerIo": 4, "totalKbPerSecond": 800, "totalIops": 200, "ioPending": 3}
LOAD = {
    "volume_id": "7.9",
    "average_io_bytes": 4096,
    "actual_iops": 200,
    "utilization": None,
    "latency_us": None,
    "client_queue_depth": 3,
    "bytes_per_second": 800 * 1024,
}


def test_a_sample_is_of_kilobytes_of_1024() -> None:
    assert rows.load_row("7.9", record(USAGE)) == LOAD
    idle = rows.load_row("7.9", record({**USAGE, "averageKbPerIo": 0, "totalKbPerSecond": 0}))
    assert (idle["average_io_bytes"], idle["bytes_per_second"]) == (None, 0), "no I/O has no size"
    assert rows.load_row("7.9", record({**USAGE, "totalKbPerSecond": None}))["bytes_per_second"] is None


def sample(time: Any, number: int) -> Record:
    return record({"time": time, "totalIops": number})


def test_the_newest_sample_is_the_one_whose_time_is_last() -> None:
    early, late, zoned = (
        sample("2026-01-07T14:07:10+00:00", 1), sample("2026-01-07T15:07:10+00:00", 2), sample("2026-01-07T14:30:00-06:00", 3)
    )  # fmt: skip
    assert rows.latest([]) is None
    for alone in (early, sample(None, 4)):
        assert rows.latest([alone]) is alone
    assert rows.latest([early, late]) is late
    assert rows.latest([late, early]) is late
    assert rows.latest([late, zoned, early]) is zoned, "20:30 in UTC"
    undated = [late, sample("04/03/2015 12:01:08 AM", 5)]
    assert (rows.latest(undated), errors(late)) == (None, ["time"])


def test_a_server_and_its_adapters_become_a_host_and_initiators() -> None:
    server = record({"instanceId": "7.1", "name": "esx", "operatingSystem": named(1, "VMware ESXi 7")})
    assert rows.host_row(server, "cluster") == {
        "array_host_id": "7.1",
        "name": "esx",
        "host_group": "cluster",
        "host_type": "VMware ESXi 7",
    }
    odd = record({"instanceId": "7.1", "name": "esx"})
    assert (rows.host_row(odd, None)["host_type"], errors(odd)) == (None, ["operatingSystem"])


@pytest.mark.parametrize(
    ("hba", "initiator", "kind", "wrong"),
    [
        pytest.param({"portType": "FibreChannel", "name": "21:00:00:24:FF:30:44:1C"}, "21000024ff30441c", "fc", [], id="Fibre Channel"),
        pytest.param({"portType": "Sas", "name": "21000024FF30441C"}, "21000024ff30441c", "sas", [], id="SAS"),
        pytest.param({"portType": "FibreChannel", "name": "iqn.x"}, None, "fc", ["name"], id="Fibre Channel with an IQN"),
        pytest.param({"portType": "Iscsi", "name": "IQN.1998-01.com:ESX"}, "iqn.1998-01.com:esx", "iscsi", [], id="iSCSI"),
        pytest.param({"portType": "Iscsi", "iscsiName": "eui.5", "name": "x"}, "eui.5", "iscsi", [], id="by its iSCSI name"),
        pytest.param({"portType": "Iscsi", "iscsiName": "", "name": "naa.5"}, "naa.5", "iscsi", [], id="an iSCSI name that is empty"),
        pytest.param({"portType": "Iscsi", "name": "21000024FF30441C"}, None, "iscsi", ["name"], id="iSCSI with a WWPN"),
        pytest.param({"portType": "Odd", "name": "iqn.x"}, "iqn.x", None, ["portType"], id="an unknown port"),
        pytest.param({"name": "iqn.x"}, "iqn.x", None, ["portType"], id="a port without its type"),
        pytest.param({"portType": "Iscsi"}, None, "iscsi", ["name", "name"], id="no name"),
    ],
)
def test_an_initiator_has_a_name_of_its_kind(hba: dict[str, Any], initiator: str | None, kind: str | None, wrong: list[str]) -> None:
    given = record(hba)
    assert rows.initiator_row(given, "7.1") == {"array_host_id": "7.1", "initiator": initiator, "kind": kind}
    assert errors(given) == wrong


@pytest.mark.parametrize(
    ("used", "luns", "wrong"),
    [
        ([1, 2, 1], [1, 2], 0), ([0], [0], 0), ([], [None], 0), (None, [None], 1), ([True], [None], 1), ([-1], [None], 1),
        ([2**31 - 1], [2**31 - 1], 0), ([1, 2**31], [None], 1), ("1", [None], 1),
    ],
)  # fmt: skip
def test_the_luns_of_a_mapping_are_listed_once(used: Any, luns: list[int | None], wrong: int) -> None:
    given = record({"lunUsed": used})
    assert (rows.luns(given), len(errors(given))) == (luns, wrong)


# Topics


@dataclass
class Manager:
    """A manager that answers lists, objects and computations, or raises."""

    lists: Mapping[str, Any] = field(default_factory=dict)
    computed: Mapping[str, Any] = field(default_factory=dict)
    one: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def _answer(self, answer: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    def storage_centers(self) -> Any:
        return self._answer(self.lists["StorageCenter"])

    def objects(self, kind: str, serial: int) -> Any:
        assert serial == 7
        return self._answer(self.lists.get(kind, []))

    def object(self, path: str) -> Any:
        return self._answer(self.one.get(path, EndpointError("nothing there", why="", do="")))

    def compute(self, path: str, params: Any = None) -> Any:
        self.asked.append((path, params))
        return self._answer(self.computed.get(path, []))

    def add_note(self, text: str) -> None:
        self.notes.append(text)


def reading_of(manager: Manager, **given: Any) -> Reading:
    return Reading(cast("StorageManager", manager), DC, **given)


def center(*, has_qos: bool = True, volume_ids: list[str] | None = None) -> Center:
    return Center(7, record({}), has_qos, volume_ids=volume_ids)


def columns_of(items: Any) -> tuple[dict[str, list[Any]], list[Gap]]:
    """The columns of all batches together, and the gaps."""
    listed = list(items)
    columns: dict[str, list[Any]] = {}
    for batch in (item for item in listed if not isinstance(item, Gap)):
        assert batch.table in ("array_volume", "array_volume_load")
        for name, values in batch.columns.items():
            columns.setdefault(name, []).extend(values)
    gaps = [item for item in listed if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} | set(columns.get("endpoint", ())) <= {"sc"}
    return columns, gaps


def configuration(volume: int) -> dict[str, Any]:
    return {"instanceId": f"7.{volume}", "storageProfile": named(6, "Recommended"), **OWN}


TIERS = {**named(6, "Recommended"), "useTier1Storage": True, "useTier2Storage": True, "useTier3Storage": False}


def test_each_volume_is_read_with_what_it_was_given_from_the_list_or_by_itself() -> None:
    two = {**VOLUME, "instanceId": "7.10"}
    one_by_one = {"StorageCenter/ScVolume/7.10/VolumeConfiguration": configuration(10)}
    manager = Manager({"ScVolume": [VOLUME, two], "ScVolumeConfiguration": [configuration(9)], "ScStorageProfile": [TIERS]}, one=one_by_one)
    there = center()
    columns, gaps = columns_of(volumes.volumes(reading_of(manager, profiles=PROFILES), there))
    assert (columns["volume_id"], columns["qos_max_iops"], columns["tiers"], gaps) == (["7.9", "7.10"], [100, 100], [2, 2], [])
    assert there.volume_ids == ["7.9", "7.10"]


def test_a_volume_of_which_nothing_more_is_known_stays_and_is_a_gap() -> None:
    manager = Manager({"ScVolume": [VOLUME], "ScVolumeConfiguration": NotThereError("no list", why="", do="")})
    columns, gaps = columns_of(volumes.volumes(reading_of(manager), center(has_qos=False)))
    assert (columns["volume_id"], columns["qos_read"], columns["tiering"]) == (["7.9"], [False], [None])
    assert [(gap.what, gap.why) for gap in gaps] == [("ScVolume/GetList: VolumeConfiguration of ScVolume 7.9", "nothing there")]
    manager.one = {"StorageCenter/ScVolume/7.9/VolumeConfiguration": {"storageProfile": None}}
    _, [first, *_] = columns_of(volumes.volumes(reading_of(manager), center(has_qos=False)))
    assert first.what == "ScVolume/GetList: VolumeConfiguration.storageProfile of ScVolume 7.9"


def test_many_volumes_come_in_batches_of_a_thousand() -> None:
    manager = Manager({"ScVolume": [{**VOLUME, "instanceId": f"7.{n}"} for n in range(1001)]})
    manager.lists = {**manager.lists, "ScVolumeConfiguration": [configuration(n) for n in range(1001)], "ScStorageProfile": [TIERS]}
    batches = [item for item in volumes.volumes(reading_of(manager, profiles=PROFILES), center()) if not isinstance(item, Gap)]
    assert [len(batch.columns["volume_id"]) for batch in batches] == [1000, 1]
    [empty] = volumes.volumes(reading_of(Manager()), center())
    assert not isinstance(empty, Gap)
    assert empty.table == "array_volume"


LATEST = "StorageCenter/StorageCenter/7/GetLatestVolumeIoUsage"


def test_the_load_of_each_volume_is_its_newest_sample_from_the_list_or_by_itself() -> None:
    early, late = ({**USAGE, "time": f"2026-01-07T1{hour}:00:00+00:00", "totalIops": hour} for hour in (4, 5))
    history = "StorageCenter/ScVolume/7.{}/GetHistoricalIoUsage"
    manager = Manager(
        computed={
            LATEST: [{**USAGE, "instanceId": "7.9"}],
            history.format(10): [early, late, "odd"],
            history.format(12): NotThereError("gone", why="", do=""),
        }
    )
    before = datetime.now(UTC) - timedelta(hours=1, seconds=1)
    columns, gaps = columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=["7.9", "7.10", "7.11", "7.12"])))
    assert (columns["volume_id"], columns["actual_iops"]) == (["7.9", "7.10"], [200, 5])
    assert sorted((gap.what.partition(": ")[2], gap.why) for gap in gaps) == [
        ("GetHistoricalIoUsage of ScVolume 7.12", "gone"),
        ("the record of ScVolume 7.11", "was not in the answer"),
    ]
    params = [given for path, given in manager.asked if path == history.format(10)]
    started = datetime.fromisoformat(params[0]["HistoricalFilter"].pop("StartTime"))
    assert before <= started <= before + timedelta(seconds=60)
    assert params == [{"HistoricalFilter": {"FilterTime": "Other", "UseCurrent": True}}]
    assert manager.notes == [f"sc: {volumes.NO_LATENCY}"]
    columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=[])))
    assert len(manager.notes) == 1, "it is noted once"


def test_a_load_is_not_whole_where_the_volumes_were_not_read() -> None:
    manager = Manager(computed={LATEST: [{**USAGE, "instanceId": "7.9"}]})
    columns, [gap] = columns_of(volumes.volume_load(reading_of(manager), center()))
    assert (columns["volume_id"], gap.what.partition(": ")[2]) == (["7.9"], "completeness of the answer")
    assert columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=["7.9"])))[1] == []


# Storage Centers


def storage_center(serial: Any, **fields: Any) -> dict[str, Any]:
    return {"instanceId": str(serial), "scSerialNumber": serial, "version": "7.3.20.19", "connected": True, **fields}


def test_the_storage_centers_that_can_be_reached_are_asked_and_the_others_are_gaps_of_each_topic() -> None:
    manager = Manager(
        {
            "StorageCenter": [
                storage_center("x"),
                storage_center(1, connected=False, connectionError="powered off"),
                storage_center(2, connected=False),
                storage_center(3, version="6.5"),
                storage_center(4, version=None),
                storage_center(5, version="7.0"),
                storage_center(5),
            ]
        }
    )
    reading = reading_of(manager)
    reached = reading.reached()
    assert [(one.serial, one.has_qos) for one in reached] == [(3, False), (4, True), (5, True)]
    assert [one.about.value["version"] for one in reached] == ["6.5", None, "7.0"]
    assert reading.reached() is reached, "asked once"
    gaps = [item for item in reading.each("volumes", lambda _, __: iter(())) if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} == {"sc"}
    assert [gap.what for gap in gaps[:2]] == ["volumes of Storage Center 1", "volumes of Storage Center 2"]
    assert [gap.why.rpartition(": ")[2] for gap in gaps[:2]] == ["powered off", "it does not say why"]
    assert len(gaps) == 4, "a serial number that is none, and one Storage Center twice"


def test_an_account_that_sees_no_storage_center_has_a_gap() -> None:
    reading = reading_of(Manager({"StorageCenter": []}))
    assert reading.reached() == []
    [gap] = reading.each("volumes", lambda _, __: iter(()))
    assert isinstance(gap, Gap)
    assert gap.what == "volumes of every Storage Center"


def test_a_storage_center_that_refuses_does_not_keep_the_others_from_being_read() -> None:
    reading = reading_of(Manager({"StorageCenter": [storage_center(1), storage_center(2)]}))

    def read(failure: Exception) -> Callable[[Reading, Center], Any]:
        def each(given: Reading, one: Center) -> Any:
            assert given is reading
            if one.serial == 1:
                raise failure
            yield Gap("sc", "read", str(one.serial))

        return each

    refused, other = reading.each("volumes", read(EndpointError("no permission", why="", do="")))
    assert (refused, other) == (Gap("sc", "volumes of Storage Center 1", "no permission"), Gap("sc", "read", "2"))
    for silent in (EndpointUnreachableError("silent", why="", do=""), CredentialsError("refused", why="", do="")):
        with pytest.raises(type(silent)):
            list(reading.each("volumes", read(silent)))


def test_a_record_counts_once_in_its_class_and_what_is_no_record_is_a_gap() -> None:
    reading, parse_errors = reading_of(Manager()), ParseErrors("x")
    first = list(reading.once("ScVolume", [{"INSTANCEID": "7.1", "inner": {"NAME": "x"}}, "odd", {"instanceId": "7.1"}], parse_errors))
    assert [one.label for one in first] == ["ScVolume 7.1"]
    assert first[0].value.get("instanceId") == "7.1", "found whatever its case"
    assert len(list(parse_errors.gaps("sc"))) == 2
    assert list(reading.once("ScVolume", [{"instanceId": "7.1"}], parse_errors)) == []
    assert len(list(reading.once("ScServer", [{"instanceId": "7.1"}], parse_errors))) == 1, "another class"


def test_objects_are_asked_one_by_one_and_an_error_costs_only_its_own() -> None:
    reading = reading_of(Manager())
    failure = EndpointError("gone", why="", do="")

    def ask(wanted: str) -> str:
        if wanted == "b":
            raise failure
        return wanted.upper()

    assert list(reading.one_by_one(["a", "b", "c"], ask)) == [("a", "A"), ("b", failure), ("c", "C")]
    assert list(reading.one_by_one([], ask)) == []
    for silent in (EndpointUnreachableError("silent", why="", do=""), CredentialsError("refused", why="", do="")):
        failing: Any = silent

        def refuse(_: str, failing: Any = failing) -> str:
            raise failing

        with pytest.raises(type(silent)):
            list(reading.one_by_one(["a"], refuse))


def test_a_list_that_a_manager_does_not_have_is_empty_and_one_that_it_refuses_is_not() -> None:
    def failing(error: Exception) -> Callable[[], list[Any]]:
        def ask() -> list[Any]:
            raise error

        return ask

    assert unless_unknown(lambda: [1]) == [1]
    for unknown in (EndpointError("status 500", why="", do=""), NotThereError("no such", why="", do="")):
        assert unless_unknown(failing(unknown)) == []
    for refused in (PermissionMissingError("no right", why="", do=""), EndpointUnreachableError("silent", why="", do="")):
        with pytest.raises(type(refused)):
            unless_unknown(failing(refused))
