"""Records of NimbleOS as rows: what is read, what is not known, and what leaves a gap."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.nimble import rows
from auditor.endpoints.nimble.hosts import connection_rows, host_row, initiator_rows
from auditor.facts.volume_states import WAITING_COPY

GROUP = "0249686580b78e0b16000000000000000000000003"

# Values of hpe-storage/nimble-python-sdk, its page "Using" (get_started/using): a volume that an array answered.
VOLUME = {
    "id": "0649686580b78e0b16000000000000000000000005",
    "name": "myvol2",
    "agent_type": "none",
    "clone": False,
    "folder_id": "",
    "folder_name": "",
    "limit_iops": -1,
    "limit_mbps": -1,
    "pool_id": "0a49686580b78e0b16000000000000000000000001",
    "serial_number": "2ee4231f34e21d4b6c9ce900966ee6fe",
    "size": 2048,
    "vol_state": "online",
}


def record(value: dict[str, Any], **changes: Any) -> tuple[Record, ParseErrors]:
    errors = ParseErrors("GET things")
    return Record({**value, **changes}, "thing 1", errors), errors


def gaps(errors: ParseErrors) -> list[str]:
    return [f"{gap.what}: {gap.why}" for gap in errors.gaps("nb")]


def test_a_volume_as_an_array_answered_it() -> None:
    volume, errors = record(VOLUME)
    row = rows.volume_row(volume, {})
    assert row == {
        "volume_id": "0649686580b78e0b16000000000000000000000005",
        "name": "myvol2",
        "kind": "lun",
        "serial": "2ee4231f34e21d4b6c9ce900966ee6fe",
        "device": "eui.2ee4231f34e21d4b6c9ce900966ee6fe",
        "is_virtual": False,
        "vvol_id": None,
        "status": "online",
        "size_bytes": 2_147_483_648,  # as its cache_needed_for_pin, which is the whole volume
        "pool_id": "0a49686580b78e0b16000000000000000000000001",
        "copy_of": None,
        "qos_max_iops": None,
        "qos_max_bytes_per_second": None,
        "qos_group_id": None,
        "qos_group": None,
        "qos_group_max_iops": None,
        "qos_group_max_bytes_per_second": None,
        "qos_read": True,
    }
    assert gaps(errors) == []


@pytest.mark.parametrize(
    ("changes", "iops", "bytes_per_second", "is_read"),
    [
        pytest.param({"limit_iops": 256, "limit_mbps": 1}, 256, 1_048_576, True, id="the lowest"),
        pytest.param({"limit_iops": 4_294_967_294}, 4_294_967_294, None, True, id="the highest"),
        pytest.param({"limit_iops": "5000"}, 5000, None, True, id="a number as text"),
        pytest.param({"limit_iops": 255}, None, None, False, id="below the range"),
        pytest.param({"limit_iops": 4_294_967_295}, None, None, False, id="above the range"),
        pytest.param({"limit_mbps": 0}, None, None, False, id="0, which no document gives a meaning"),
        pytest.param({"limit_iops": -2}, None, None, False, id="another negative number"),
        pytest.param({"limit_iops": None}, None, None, False, id="null"),
        pytest.param({"limit_mbps": True}, None, None, False, id="a word"),
        pytest.param({"limit_iops": -1.0}, None, None, False, id="a fraction"),
        pytest.param({"limit_iops": "many", "limit_mbps": 1}, None, 1_048_576, False, id="one of two is not understood"),
    ],
)
def test_only_minus_one_is_no_ceiling(changes: dict[str, Any], iops: int | None, bytes_per_second: int | None, is_read: bool) -> None:
    volume, errors = record(VOLUME, **changes)
    assert rows.ceilings(volume) == rows.Ceilings(iops, bytes_per_second, is_read)
    assert bool(gaps(errors)) is not is_read


def test_a_release_without_ceilings_leaves_them_unknown() -> None:
    volume, errors = record({key: value for key, value in VOLUME.items() if not key.startswith("limit_")})
    assert rows.volume_row(volume, {})["qos_read"] is False
    assert gaps(errors) == [
        "GET things: limit_iops of thing 1: is missing where a whole number was expected",
        "GET things: limit_mbps of thing 1: is missing where a whole number was expected",
    ]


def test_a_folder_holds_for_its_volumes_besides_their_own_ceilings() -> None:
    folder, _ = record({"id": "2F01", "name": "batch", "limit_iops": 20_000, "limit_mbps": -1, "volume_list": [{"id": "06"}, {"id": "07"}]})
    held = rows.ceilings(folder)
    row = rows.folder_row(folder, held)
    assert (row["policy_id"], row["kind"], row["max_iops"], row["is_shared"], row["volumes"]) == ("2f01", "folder", 20_000, True, 2)
    assert row["is_read"] is True
    for listed, count in (({"volume_list": None}, 0), ({}, None), ({"volume_list": "06"}, None)):
        bare, errors = record({"id": "2F01", "name": "batch", **listed})
        assert rows.folder_row(bare, held)["volumes"] == count
        assert gaps(errors) == (["GET things: volume_list of thing 1: is not a list"] if listed.get("volume_list") else [])
    volume, errors = record(VOLUME, folder_id="2F01", folder_name="batch", limit_iops=1000)
    inside = rows.volume_row(volume, {"2f01": ("batch", held)})
    assert (inside["qos_max_iops"], inside["qos_group"], inside["qos_group_max_iops"], inside["qos_read"]) == (1000, "batch", 20_000, True)
    assert gaps(errors) == []


@pytest.mark.parametrize(
    ("folders", "why"),
    [
        pytest.param(None, "whose ceilings were not read", id="folders were not read"),
        pytest.param({}, "which GET folders did not list", id="this one was not listed"),
    ],
)
def test_the_qos_of_a_volume_in_an_unread_folder_is_unknown(folders: dict[str, Any] | None, why: str) -> None:
    volume, errors = record(VOLUME, folder_id="2f01", folder_name="batch")
    row = rows.volume_row(volume, folders)
    assert (row["qos_group_id"], row["qos_read"]) == ("2f01", False)
    assert gaps(errors) == [f"GET things: folder_id of thing 1: is batch, {why}"]
    alone, errors = record(VOLUME)
    assert rows.volume_row(alone, folders)["qos_read"] is True, "it lies in no folder"
    assert gaps(errors) == []


def test_a_virtual_volume_has_no_name_at_a_host() -> None:
    row = rows.volume_row(record(VOLUME, agent_type="vvol")[0], {})
    assert (row["kind"], row["is_virtual"], row["device"], row["vvol_id"]) == ("vvol", True, None, None)


@pytest.mark.parametrize(
    ("field", "value", "column"),
    [
        ("agent_type", "kubernetes", "is_virtual"),
        ("vol_state", "melted", "status"),
        ("serial_number", "2ee4231f34e21d4b6c9ce900966ee6f", "device"),
        ("size", -5, "size_bytes"),
        ("agent_type", None, "kind"),
        ("serial_number", None, "device"),
        ("vol_state", None, "status"),
        ("folder_id", None, "qos_group_id"),
    ],
)
def test_what_is_not_understood_is_unknown_and_leaves_a_gap(field: str, value: Any, column: str) -> None:
    volume, errors = record(VOLUME, **{field: value})
    assert rows.volume_row(volume, {})[column] is None
    assert len(gaps(errors)) == 1


@pytest.mark.parametrize(
    ("state", "reason", "status"),
    [
        ("offline", "replica", "offline (replica)"),
        ("offline", "serial_number_collision", "offline (serial_number_collision)"),
        ("offline", "pool_free_space_exhausted", "offline"),
        ("offline", None, "offline"),
        ("online", "replica", "online"),
    ],
)
def test_a_copy_that_is_offline_by_design_has_a_state_of_its_own(state: str, reason: str | None, status: str) -> None:
    """nimble-golang-sdk, NsOfflineReason: another volume, on another array or on this one, serves in its place."""
    volume, errors = record(VOLUME, vol_state=state, offline_reason=reason)
    assert rows.volume_row(volume, {})["status"] == status
    assert gaps(errors) == []


def test_a_clone_names_what_it_was_cloned_from() -> None:
    assert rows.volume_row(record(VOLUME, clone=True, parent_vol_id="0601")[0], {})["copy_of"] == "0601"
    assert rows.volume_row(record(VOLUME, clone=True, parent_vol_name="gold")[0], {})["copy_of"] == "gold"
    assert rows.volume_row(record(VOLUME, clone=True, parent_vol_id="", parent_vol_name="")[0], {})["copy_of"] is None
    assert rows.volume_row(record(VOLUME, clone=False, parent_vol_id="0601")[0], {})["copy_of"] is None


# What an array answered, whose own screen had 0.403 ms for its reads: centreon/centreon-plugins, issue 3197.
ANSWERED = {
    "combined_iops": 374,
    "combined_latency": 94,
    "combined_throughput": 4_975_613,
    "read_iops": 30,
    "read_latency": 403,
    "write_iops": 342,
    "write_latency": 93,
}


def test_the_load_is_a_mean_and_its_latency_is_that_of_reads_and_writes_together() -> None:
    load, errors = record(VOLUME, avg_stats_last_5mins=ANSWERED)
    row = rows.load_row(load)
    assert (row["actual_iops"], row["bytes_per_second"], row["average_io_bytes"]) == (374, 4_975_613, 13_303)
    assert (row["latency_us"], row["throttle_us"]) == (118, None), "30 of 403 and 342 of 93 microseconds; combined_latency fits neither"
    assert gaps(errors) == []


@pytest.mark.parametrize(
    ("changes", "latency_us"),
    [
        pytest.param({"write_iops": 0, "write_latency": 0}, 403, id="reads alone"),
        pytest.param({"read_latency": 0}, None, id="reads that took no time at all"),
        pytest.param({"read_iops": 0, "write_iops": 0}, None, id="neither reads nor writes"),
        pytest.param({"read_latency": None}, None, id="not told of reads"),
        pytest.param({"combined_iops": 0, "combined_throughput": 0}, None, id="idle"),
    ],
)
def test_a_latency_that_is_not_told_of_all_commands_is_not_known(changes: dict[str, Any], latency_us: int | None) -> None:
    assert rows.load_row(record(VOLUME, avg_stats_last_5mins={**ANSWERED, **changes})[0])["latency_us"] == latency_us


def test_a_volume_that_does_not_tell_what_it_does_is_not_idle() -> None:
    split = {"read_iops": 0, "write_iops": 0, "read_latency": 0, "write_latency": 0}
    for read, known in (((0, 0), (None, None)), ((0, 512), (0, 512)), ((3, 0), (3, 0))):  # all 0: idle, or not filled by the array
        figures = split | {"combined_iops": read[0], "combined_throughput": read[1]}
        row = rows.load_row(record(VOLUME, avg_stats_last_5mins=figures)[0])
        assert (row["actual_iops"], row["bytes_per_second"]) == known
    half, errors = record(VOLUME, avg_stats_last_5mins=split | {"combined_iops": 192})
    assert [rows.load_row(half)[name] for name in ("actual_iops", "bytes_per_second", "average_io_bytes")] == [192, None, None]
    assert len(gaps(errors)) == 1
    missing, errors = record(VOLUME)
    assert rows.load_row(missing)["actual_iops"] is None
    assert gaps(errors) == ["GET things: avg_stats_last_5mins of thing 1: is missing where an object was expected"]


def test_an_alarm_says_whether_anybody_acknowledged_it() -> None:
    alarm = {"id": "d101", "severity": "critical", "status": "open", "activity": "a disk  failed", "object_name": "slot 7", "type": 14010}
    row = rows.alarm_row(record(alarm)[0])
    assert row == {
        "alert_id": "d101",
        "severity": "critical",
        "own_severity": "critical",
        "code": "14010",
        "component": "slot 7",
        "summary": "a disk failed",
        "is_open": True,
    }
    assert rows.alarm_row(record(alarm, status="acknowledged")[0])["is_open"] is False
    assert rows.alarm_row(record(alarm, object_name=None, array="nb-a1", type=None)[0]) == {**row, "component": "nb-a1", "code": None}
    assert rows.alarm_row(record(alarm, object_name="-", array="nb-a1")[0])["component"] == "nb-a1"
    assert rows.alarm_row(record(alarm, object_name="", array="-")[0])["component"] is None
    unsaid, errors = record(alarm, status=None)
    assert rows.alarm_row(unsaid)["is_open"] is None
    assert len(gaps(errors)) == 1
    unheard, errors = record(alarm, status="snoozed", severity="apocalyptic")
    assert (rows.alarm_row(unheard)["is_open"], rows.alarm_row(unheard)["severity"]) == (None, None)
    assert len(gaps(errors)) == 2


def test_controllers_of_two_arrays_are_told_apart() -> None:
    controller = {"id": "c301", "name": "A", "array_name": "nb-a2", "state": "standby", "model": "AF40"}
    row = rows.node_row(record(controller)[0], {"nb-a1": "6.1", "nb-a2": "6.0"})
    assert (row["name"], row["state"], row["version"], row["model"]) == ("nb-a2 A", "standby", "6.0", "AF40")
    assert rows.node_row(record(controller)[0], {})["version"] is None
    nameless, errors = record({"id": "c301", "name": "", "array_name": ""})
    row = rows.node_row(nameless, {"nb-a1": "6.1"})
    assert [row["name"], row["state"], row["version"]] == [None, None, None]
    assert gaps(errors) == ["GET things: state of thing 1: is missing where a string was expected"]


@pytest.mark.parametrize(("all_flash", "media"), [(True, "ssd"), (False, "mixed"), (None, None), ("yes", None)])
def test_a_pool_is_all_flash_or_a_hybrid(all_flash: Any, media: str | None) -> None:
    pool, errors = record({"id": "0a01", "name": "default", "capacity": 100, "all_flash": all_flash})
    row = rows.pool_row(pool)
    assert (row["media"], row["size_bytes"]) == (media, 100)
    assert bool(gaps(errors)) is (media is None)


def test_a_protocol_endpoint_has_a_name_at_hosts() -> None:
    endpoint = {"id": "2b01", "state": "deprecated", "serial_number": "C7EEF900C7CC0AD06C9CE9003A6EB93C"}
    row = rows.protocol_endpoint_row(record(endpoint)[0])
    assert (row["device"], row["state"]) == ("eui.c7eef900c7cc0ad06c9ce9003a6eb93c", "deprecated")
    for changes in ({"serial_number": None}, {"serial_number": "c7ee"}, {"state": None}):
        odd, errors = record(endpoint, **changes)
        row = rows.protocol_endpoint_row(odd)
        assert [row["device" if "serial_number" in changes else "state"], len(gaps(errors))] == [None, 1]


def test_initiators_by_either_protocol_and_one_that_is_anybody() -> None:
    group = {
        "id": GROUP,
        "name": "esx",
        "host_type": "auto",
        "iscsi_initiators": [{"iqn": "IQN.1998-01.com.vmware:a"}],
        "fc_initiators": None,
    }
    assert tuple(host_row(record(group)[0]).values()) == (GROUP, "esx", None, "auto")
    assert list(initiator_rows(record(group)[0])) == [{"array_host_id": GROUP, "initiator": "iqn.1998-01.com.vmware:a", "kind": "iscsi"}]
    # openstack/cinder, tests/unit/volume/drivers/hpe/test_nimble.py: wwpn with colons.
    by_fc, _ = record(group, iscsi_initiators=None, fc_initiators=[{"wwpn": "10:00:00:00:00:00:00:01"}])
    assert [row["initiator"] for row in initiator_rows(by_fc)] == ["1000000000000001"]
    anybody, errors = record(group, iscsi_initiators=[{"iqn": "*", "ip_address": "192.0.2.7"}])
    assert list(initiator_rows(anybody)) == []
    assert gaps(errors) == ["GET things: iscsi_initiators of thing 1: admit any initiator that comes from an address"]
    unread, errors = record({"id": GROUP, "fc_initiators": [{"wwpn": "10:00:00:00:00:00:00:01"}]})
    assert [row["initiator"] for row in initiator_rows(unread)] == ["1000000000000001"]
    assert gaps(errors) == ["GET things: iscsi_initiators of thing 1: is not a list"]
    assert host_row(unread)["host_type"] == ""
    none = {"id": GROUP, "iscsi_initiators": None, "fc_initiators": None}
    for field, odd in (("iscsi", "iqn.x"), ("iscsi", {"iqn": ""}), ("fc", {"wwpn": "1"}), ("fc", {})):
        unheard, errors = record(none, **{f"{field}_initiators": [odd]})
        assert list(initiator_rows(unheard)) == []
        assert [gap.rpartition(": ")[2] for gap in gaps(errors)] == ["hold what is no initiator's name"]


def test_access_is_to_volumes_and_one_that_is_open_to_all_is_no_list_of_hosts() -> None:
    access = {"id": "0d01", "apply_to": "both", "vol_id": "0601", "initiator_group_id": GROUP, "lun": 0}
    assert list(connection_rows(record(access)[0])) == [{"volume_id": "0601", "array_host_id": GROUP, "lun": 0}]
    unnumbered, errors = record(access, lun=None)
    assert [row["lun"] for row in connection_rows(unnumbered)] == [None]
    assert gaps(errors) == []
    for missing, form in (("vol_id", "an id"), ("initiator_group_id", "an id"), ("apply_to", "a string")):
        unheard, errors = record({name: cell for name, cell in access.items() if name != missing})
        assert list(connection_rows(unheard)) == []
        assert gaps(errors) == [f"GET things: {missing} of thing 1: is missing where {form} was expected"]
    for other in ("pe", "snapshot", "vvol_snapshot"):
        unheard, errors = record(access, apply_to=other)
        assert list(connection_rows(unheard)) == []
        assert gaps(errors) == []
    everyone, errors = record(access, initiator_group_id="")
    assert list(connection_rows(everyone)) == []
    assert gaps(errors) == ["GET things: initiator_group_id of thing 1: is empty: every initiator may reach the volume"]
    strange, errors = record(access, apply_to="moon")
    assert list(connection_rows(strange)) == []
    assert len(gaps(errors)) == 1


@pytest.mark.parametrize(
    ("role", "state", "found"),
    [
        # hpe-storage/nimble-golang-sdk, ns_volume_replication_role.go.
        pytest.param("synchronous_upstream", "online", [], id="the one that hosts use"),
        pytest.param("synchronous_downstream", WAITING_COPY, [], id="the one that waits"),
        pytest.param("periodic_snapshot_upstream", "online", [], id="copied now and then"),
        pytest.param("no_replication", "online", [], id="alone"),
        pytest.param(None, "online", [], id="not told"),
        pytest.param("mirror", "online", ["GET things: replication_role of thing 1: is 'mirror', which is not known"], id="another word"),
    ],
)
def test_of_two_volumes_that_are_kept_alike_one_waits(role: str | None, state: str, found: list[str]) -> None:
    volume, errors = record(VOLUME, replication_role=role)
    assert rows.volume_row(volume, {})["status"] == state
    assert gaps(errors) == found
