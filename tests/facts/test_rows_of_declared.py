"""What settings.yaml declares beside what is there, row by row; a host or array of the same ids elsewhere says other things."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .single import Rows, rows_over

HERE, BESIDE, ELSEWHERE = {"endpoint": "vc", "host_id": "h1"}, {"endpoint": "vc", "host_id": "h2"}, {"endpoint": "vc-2", "host_id": "h1"}
OTHERS = (BESIDE, ELSEWHERE)


def hosts(**read: bool) -> dict[str, Rows]:
    """h1, of which that much was read, and others with all of it."""
    return {
        "fact.host": [{**place, "name": f"{place['host_id']} of {place['endpoint']}", "cluster": "gold"} for place in (HERE, *OTHERS)],
        "step_host_reading": [{**HERE, **read}, *({**place, **dict.fromkeys(read, True)} for place in OTHERS)],
    }


def own(view: str, given: dict[str, Rows]) -> Rows:
    return [row for row in rows_over(view, given) if (row["endpoint"], row["host_id"]) == ("vc", "h1")]


def option(
    setting: str, wanted: str, now: dict[str, Any] | None, *, is_read: bool = True, families: str = "ontap", values: int = 1
) -> Rows:
    """The rows of h1 for one option that is declared."""
    wish = {"kind": "option", "thing": "", "setting": setting, "wanted": wanted, "wanted_values": values, "declared_at": "s:1"}
    given: dict[str, Rows] = {
        **hosts(options_read=is_read, devices_read=is_read),
        "step_declared_setting": [{**HERE, **wish}, {**HERE, **wish, "kind": "parameter"}],
        "fact.host_option": [
            *([{**HERE, "key": setting, **now}] if now else []),
            {**HERE, "key": "Another.Option", "value": "9", "value_type": "int"},
            *({**place, "key": setting, "value": "7", "value_type": "int"} for place in OTHERS),
        ],
        "step_host_offload": [{**HERE, "unsourced_arrays": "dothill"}, *({**place, "unsourced_arrays": "wrong"} for place in OTHERS)],
        "step_host_family": [{**HERE, "families": families}, *({**place, "families": "eternus-dx"} for place in OTHERS)],
    }
    return own("declared_option", given)


@pytest.mark.parametrize(
    ("now", "is_read", "expected"),
    [
        *[
            pytest.param({"value": "8", "value_type": kind}, True, ("8", 8, 256, True), id=f"a {kind}")
            for kind in ("long", "int", "short", "byte")
        ],
        pytest.param({"value": "on", "value_type": "string"}, True, ("on", None, None, True), id="a text"),
        pytest.param(None, True, (None, None, None, False), id="the host lists none"),
        pytest.param(None, False, (None, None, None, None), id="its options were not read"),
    ],
)
def test_an_option_has_the_value_of_its_own_host_beside_the_one_declared(
    now: dict[str, Any] | None, is_read: bool, expected: tuple[Any, ...]
) -> None:
    (row,) = option("SunRPC.MaxConnPerIP", "256", now, is_read=is_read)
    assert tuple(row[column] for column in ("value", "value_number", "wanted_number", "is_listed")) == expected
    place = {"resource_id": "h1/SunRPC.MaxConnPerIP", "resource_name": "SunRPC.MaxConnPerIP", "cluster": "gold", "host": "h1 of vc"}
    assert place.items() <= row.items()
    assert (row["option"], row["wanted"], row["declared_at"]) == ("SunRPC.MaxConnPerIP", "256", "s:1")


@pytest.mark.parametrize(
    ("setting", "needs_reboot", "acts_at_once"),
    [
        *[
            (name, True, False)
            for name in ("ISCSI.MaxIoSizeKB", "NFS.MaxQueueDepth", "NFS.MaxVolumes", "Net.TcpipHeapMax", "Net.TcpipHeapSize")
        ],
        ("SunRPC.MaxConnPerIP", True, False),
        ("Disk.QFullSampleSize", False, True),
        ("NFS.HeartbeatDelta", True, False),
        ("Misc.APDHandlingEnable", False, False),
    ],
)
def test_an_option_acts_at_once_or_with_a_restart_or_nobody_knows(setting: str, needs_reboot: bool, acts_at_once: bool) -> None:
    (row,) = option(setting, "1", None)
    assert (row["needs_reboot"], row["acts_at_once"]) == (needs_reboot, acts_at_once)
    assert option(setting, "1", None, values=2) == [], "of two values none is wanted"


@pytest.mark.parametrize(
    ("setting", "wanted", "more", "arrays"),
    [
        *[
            (name, "1", {}, "dothill")
            for name in ("DataMover.HardwareAcceleratedInit", "DataMover.HardwareAcceleratedMove", "VMFS3.HardwareAcceleratedLocking")
        ],
        ("VMFS3.HardwareAcceleratedLocking", "1", {"families": "eternus-dx, ontap"}, "dothill, eternus-dx"),
        ("VMFS3.HardwareAcceleratedLocking", "1", {"is_read": False}, None),
        ("VMFS3.HardwareAcceleratedLocking", "0", {}, ""),
        ("VMFS3.EnableBlockDelete", "1", {}, ""),
    ],
)
def test_an_offload_that_is_to_be_switched_on_is_hindered_by_arrays_of_which_no_source_says_that_they_take_it(
    setting: str, wanted: str, more: dict[str, Any], arrays: str | None
) -> None:
    (row,) = option(setting, wanted, None, **more)
    assert row["unsourced_arrays"] == arrays


def parameter(now: str | None, string: str | None, offered: Rows, *, is_read: bool = True, has_module: bool = True) -> dict[str, Any]:
    wish = {
        "kind": "parameter",
        "thing": "iscsi_vmk",
        "setting": "iscsivmk_LunQDepth",
        "wanted": "128",
        "wanted_values": 1,
        "declared_at": "s:1",
    }
    said = {"kind": "parameter", "thing": "iscsi_vmk", "setting": "iscsivmk_LunQDepth"}
    others = [{**place, "module": "iscsi_vmk"} for place in OTHERS] + [{**HERE, "module": "nfnic"}]
    given: dict[str, Rows] = {
        **hosts(modules_read=is_read),
        "step_declared_setting": [
            {**HERE, **wish},
            {**HERE, **wish, "kind": "option"},
            {**HERE, **wish, "thing": "lpfc", "wanted_values": 2},
        ],
        "fact.host_module": [
            *([{**HERE, "module": "iscsi_vmk", "option_string": string}] if has_module else []),
            *({**one, "option_string": "other=1"} for one in others),
        ],
        "fact.host_module_parameter": [
            *({**HERE, "module": "iscsi_vmk", **one} for one in offered),
            *({**one, "name": "iscsivmk_LunQDepth"} for one in others),
        ],
        "step_setting_now": [
            *([{**HERE, **said, "value": now}] if now else []),
            {**HERE, **said, "thing": "nfnic", "value": "1"},
            {**HERE, **said, "setting": "another", "value": "2"},
            {**HERE, **said, "kind": "option", "value": "3"},
            *({**place, **said, "value": "4"} for place in OTHERS),
        ],
    }
    (row,) = own("declared_parameter", given)
    return row


OFFERED: Rows = [{"name": "iscsivmk_LunQDepth"}, {"name": "another"}]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("64", "iscsivmk_LunQDepth=64", OFFERED, {}), (True, True, "64", 64), id="set"),
        pytest.param(("0x40", "iscsivmk_LunQDepth=0x40", OFFERED, {}), (True, True, "0x40", None), id="set in another way"),
        pytest.param((None, "another=1", OFFERED, {}), (True, True, "not set", None), id="not set"),
        pytest.param((None, "", OFFERED[1:], {}), (True, False, "not set", None), id="the module does not offer it"),
        pytest.param((None, "", [], {}), (True, None, "not set", None), id="the module lists nothing"),
        pytest.param((None, None, OFFERED[1:], {"is_read": False}), (True, None, None, None), id="its options were not read"),
        pytest.param((None, None, [], {"has_module": False}), (False, None, None, None), id="the host has no such module"),
        pytest.param((None, None, [], {"has_module": False, "is_read": False}), (None, None, None, None), id="its modules were not read"),
    ],
)
def test_a_parameter_has_what_its_own_module_says_beside_the_value_declared(given: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    now, string, offered, more = given
    row = parameter(now, string, offered, **more)
    assert tuple(row[column] for column in ("is_listed", "is_offered", "value", "value_number")) == expected
    place = {"resource_id": "h1/iscsi_vmk/iscsivmk_LunQDepth", "resource_name": "iscsi_vmk iscsivmk_LunQDepth", "host": "h1 of vc"}
    assert place.items() <= row.items()
    assert (row["wanted"], row["wanted_number"], row["option_string"], row["declared_at"]) == ("128", 128, string, "s:1")


@pytest.mark.parametrize(
    ("listed", "is_read", "value"),
    [
        pytest.param(1, True, "VMW_PSP_RR iops=10", id="one rule"),
        pytest.param(2, True, None, id="two of the same words"),
        pytest.param(0, True, "absent", id="none"),
        pytest.param(0, False, None, id="not read"),
        pytest.param(0, None, None, id="nobody read it"),
    ],
)
def test_a_claim_rule_has_the_policy_of_its_own_host_beside_the_one_declared(listed: int, is_read: bool | None, value: str | None) -> None:
    words = {"satp": "VMW_SATP_ALUA", "vendor": "PURE", "model": "FlashArray", "options": "", "claim_options": ""}
    rule = {**words, "rule_group": "user", "device": "", "driver": "", "transport": "", "default_psp": "VMW_PSP_RR"}
    wish = {
        **HERE,
        "kind": "claim_rule",
        "thing": json.dumps(words),
        "wanted": "VMW_PSP_RR iops=1",
        "wanted_values": 1,
        "declared_at": "s:1",
    }
    topics = [("multipathing", is_read), ("devices", True)]
    given: dict[str, Rows] = {
        **hosts(),
        "step_declared_setting": [
            wish, {**wish, "kind": "option"}, {**wish, "thing": json.dumps({**words, "vendor": "X"}), "wanted_values": 2},
        ],
        "fact.satp_rule": [
            *[{**HERE, **rule, "psp_options": "iops=10"}] * listed,
            *({**place, **rule, "psp_options": "iops=99"} for place in OTHERS),
        ],
        "fact.reading": [
            *({"endpoint": "vc", "scope": "h1", "topic": topic, "complete": whole} for topic, whole in topics if whole is not None),
            *({"endpoint": place["endpoint"], "scope": place["host_id"], "topic": "multipathing", "complete": True} for place in OTHERS),
        ],
    }  # fmt: skip
    (row,) = own("declared_claim_rule", given)
    assert (row["value"], row["wanted"], row["host"], row["declared_at"]) == (value, "VMW_PSP_RR iops=1", "h1 of vc", "s:1")
    assert (row["resource_id"], row["resource_name"]) == ("h1/VMW_SATP_ALUA PURE FlashArray  ", "VMW_SATP_ALUA PURE FlashArray")


def test_every_declared_setting_has_a_name_and_as_many_values_as_count() -> None:
    claim = json.dumps({"satp": "VMW_SATP_ALUA", "vendor": "PURE", "model": "FlashArray"})
    wishes = [("option", "", "Disk.MaxLUN"), ("parameter", "lpfc", "lpfc_lun_queue_depth"), ("claim_rule", claim, "")]
    given: dict[str, Rows] = {
        **hosts(),
        "step_declared_setting": [
            {**HERE, "kind": kind, "thing": thing, "setting": setting, "wanted_values": 2, "declared_values": "1, 2", "declared_at": "s:1"}
            for kind, thing, setting in wishes
        ],
        "step_declared_limit": [
            {"endpoint": "sf", "volume_id": "7", "volume": "fast", "wanted_values": 1, "declared_values": "9", "declared_at": "s:3"}
        ],
    }
    rows = rows_over("declared_value", given)
    assert {
        (row["kind"], row["resource_name"], row["host"], row["wanted_values"], row["declared_values"], row["declared_at"]) for row in rows
    } == {
        ("option", "Disk.MaxLUN", "h1 of vc", 2, "1, 2", "s:1"),
        ("parameter", "lpfc lpfc_lun_queue_depth", "h1 of vc", 2, "1, 2", "s:1"),
        ("claim_rule", "claim rule VMW_SATP_ALUA PURE FlashArray", "h1 of vc", 2, "1, 2", "s:1"),
        ("volume_limit", "fast", None, 1, "9", "s:3"),
    }
    ids = {"h1/option/Disk.MaxLUN", "h1/parameter/lpfc/lpfc_lun_queue_depth", f"h1/claim_rule/{claim}", "7/max_iops"}
    assert {row["resource_id"] for row in rows} == ids


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        pytest.param({"qos_read": True, "qos_max_iops": 500}, (False, "500", 500), id="its own ceiling"),
        pytest.param({"qos_read": True}, (False, "no limit", None), id="none"),
        pytest.param({"qos_read": True, "qos_policy_id": "p", "qos_policy": "gold"}, (True, "no limit", None), id="in a policy"),
        pytest.param({"qos_read": False, "qos_max_iops": None}, (None, None, None), id="not read"),
    ],
)
def test_a_volume_has_its_own_ceiling_beside_the_one_declared(volume: dict[str, Any], expected: tuple[Any, ...]) -> None:
    place = {"endpoint": "sf", "volume_id": "7"}
    wish = {"volume": "fast", "wanted": "1000", "wanted_values": 1, "declared_at": "s:3"}
    given: dict[str, Rows] = {
        "step_declared_limit": [{**place, **wish}, {**place, "volume_id": "8", **wish, "wanted_values": 2}],
        "fact.array_volume": [
            {**place, "is_virtual": False, **volume},
            {**place, "volume_id": "8"},
            {**place, "endpoint": "sf-2", "qos_read": True, "qos_max_iops": 1, "qos_policy_id": "wrong"},
        ],
        "step_array": [{"endpoint": "sf-2", "family": "wrong"}],
    }
    (row,) = rows_over("declared_volume_limit", given)
    assert (row["has_policy"], row["value"], row["own_max_iops"]) == expected
    assert (row["family"], row["wanted"], row["wanted_iops"], row["policy"]) == (None, "1000", 1000, volume.get("qos_policy"))
    assert (row["resource_id"], row["resource_name"], row["is_virtual"]) == ("7/max_iops", "fast", False)


@pytest.mark.parametrize(
    ("disk", "holds_back"),
    [
        pytest.param({"commands_per_second": 100.0, "io_bytes": 4096}, True, id="as many as it may"),
        pytest.param({"commands_per_second": 10.0, "io_bytes": 32_768}, False, id="a tenth"),
        pytest.param({"commands_per_second": 50.0, "io_bytes": 32_769}, True, id="half, each of which counts twice"),
        pytest.param({"commands_per_second": 50.0, "io_bytes": 32_768}, False, id="half, each of which counts once"),
        pytest.param({"commands_per_second": 50.0, "io_bytes": 4096, "policy_iops_limit": 50}, True, id="the lower of two limits"),
        pytest.param(
            {"commands_per_second": 50.0, "io_bytes": 4096, "iops_limit": None, "policy_iops_limit": 50}, True, id="that of its policy"
        ),
        pytest.param({"commands_per_second": None, "io_bytes": 4096}, True, id="what it does is not known"),
        pytest.param({"commands_per_second": 10.0, "io_bytes": None}, True, id="how large its commands are is not known"),
        pytest.param({"commands_per_second": 0.0, "io_bytes": None}, False, id="idle, of no size"),
    ],
)
def test_a_disk_that_vsphere_limits_holds_its_commands_back_where_it_does_as_much_as_it_may(disk: dict[str, Any], holds_back: bool) -> None:
    row = {**HERE, "device": "naa.1", "resource_name": "web disk", "iops_limit": 100, **disk}
    idle = {"commands_per_second": 0.0, "io_bytes": 4096, "iops_limit": 100}
    given: dict[str, Rows] = {
        "disk_stream": [
            row,
            {**HERE, "device": "naa.1", "resource_name": "without a limit", "commands_per_second": 999.0, "io_bytes": 4096},
            {**HERE, "device": None, "resource_name": "of no device", "iops_limit": 1, "commands_per_second": 9.0, "io_bytes": 4096},
            *({**place, "device": "naa.1", "resource_name": "elsewhere", **idle} for place in OTHERS),
        ],
    }
    found = {(one["endpoint"], one["host_id"]): one for one in rows_over("step_limited_disk", given)}
    assert {place: one["holds_back"] for place, one in found.items()} == {
        ("vc", "h1"): holds_back,
        ("vc", "h2"): False,
        ("vc-2", "h1"): False,
    }
    least = min(limit for limit in (row["iops_limit"], row.get("policy_iops_limit")) if limit is not None)
    assert found["vc", "h1"]["limited_disks"] == f"web disk: {least} IOPS"


def test_of_the_entries_for_a_volume_the_narrowest_on_its_own_array_count() -> None:
    """A volume of one id on two arrays: an entry that names one array is narrower there, and the one for all counts on the other."""
    volumes = [("sf", "7", "fast"), ("sf-2", "7", "fast"), ("sf", "8", "db[1]"), ("sf", "9", "twice"), ("sf", "10", "two")]
    entries = [
        ("fast", None, "1", 2, "s:1"), ("fast", "sf", "2", 3, "s:2"), ("db[1]", None, "3", 2, "s:3"),
        ("twice", None, "4", 2, "s:4"), ("twice", None, "4", 2, "s:5"), ("two", None, "5", 2, "s:6"), ("two", None, "6", 2, "s:7"),
    ]  # fmt: skip
    columns = ("thing", "of_endpoint", "value", "rank", "place")
    limits: Rows = [{"kind": "volume_limit", **dict(zip(columns, entry, strict=True))} for entry in entries]
    given: dict[str, Rows] = {
        "fact.array_volume": [
            {"endpoint": array, "volume_id": number, "name": name} for array, number, name in [*volumes, ("sf", "11", "none")]
        ],
        "fact.declared_setting": [*limits, {"kind": "option", "thing": "*", "value": "99", "rank": 9, "place": "s:9"}],
    }
    found = {(row["endpoint"], row["volume"]): row for row in rows_over("step_declared_limit", given)}
    told = {place: (row["wanted_values"], row["wanted"], row["declared_values"], row["declared_at"]) for place, row in found.items()}
    assert told == {
        ("sf", "fast"): (1, "2", "2", "s:2"),
        ("sf-2", "fast"): (1, "1", "1", "s:1"),
        ("sf", "db[1]"): (1, "3", "3", "s:3"),
        ("sf", "twice"): (1, "4", "4", "s:4, s:5"),
        ("sf", "two"): (2, None, "5, 6", "s:6, s:7"),
    }
