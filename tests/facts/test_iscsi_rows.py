"""Every column of the views `iscsi_adapter`, `iscsi_parameter` and `claim_rule` over rows of what they read, among their like."""

from typing import Any

import pytest

from .single import ByName, Rows, of_vc, rows_over, shown


def target(iqn: str, family: str | None, host_id: str = "h1", **more: Any) -> dict[str, Any]:
    """A static target, as the view `iscsi_target` has it; its family is what its name tells."""
    own = {
        "endpoint": "vc",
        "host_id": host_id,
        "hba": "vmhba64",
        "iqn": iqn,
        "family": family,
        "resource_id": f"{host_id}/{iqn}",
        "resource_name": iqn,
    }
    return {**own, "kind": "static", "address": "192.0.2.1", "port": "3260", **more}


def through(iqn: str, family: str | None, paths: int, **more: Any) -> dict[str, Any]:
    """Devices of a family that are reached through a target."""
    return {"endpoint": "vc", "host_id": "h1", "hba": "vmhba64", "target": iqn, "family": family, "paths": paths, **more}


def test_a_target_has_its_own_parameters_and_the_family_of_what_lies_behind_it() -> None:
    values = {"login_timeout_seconds": 30, "noop_out_interval_seconds": 15, "noop_out_timeout_seconds": 10, "recovery_timeout_seconds": 25}
    reported = {**values, "delayed_ack": False, "login_timeout_inherited": True}
    place = {"endpoint": "vc", "host_id": "h1", "hba": "vmhba64", "target": "192.0.2.1:3260 iqn.one"}
    given: dict[str, Rows] = {
        "iscsi_target": [
            target("iqn.one", "other", cluster="gold", host="name of h1"),
            target("iqn.two", "flasharray"),
            target("iqn.mixed", "other"),
            target("iqn.half", "other"),
            target("iqn.alike", "ontap"),
            target("iqn.empty", "other"),
            target("iqn.nobody", None),
            target("iqn.one", "other", host_id="h2"),
            target("iqn.one", "other", hba="vmhba65", resource_id="h1/vmhba65"),
            target("iqn.one", "other", endpoint="vc-2"),
        ],
        "step_iscsi_family": [
            through("iqn.one", "solidfire", 2),
            through("iqn.one", "solidfire", 3),
            through("iqn.mixed", "ontap", 1),
            through("iqn.mixed", "flasharray", 1),
            through("iqn.half", "ontap", 1),
            through("iqn.half", None, 1),
            through("iqn.alike", "flasharray", 1),
            through("iqn.alike", "dell-sc", 1),
            through("iqn.one", "dell-sc", 7, host_id="h2"),
            through("iqn.one", "eternus-dx", 8, hba="vmhba65"),
            through("iqn.one", "ontap", 9, endpoint="vc-2"),
        ],
        "step_host_reading": [
            *of_vc({"host_id": "h1", "paths_read": True}, {"host_id": "h2", "paths_read": True}),
            {"endpoint": "vc-2", "host_id": "h1", "paths_read": True},
        ],
        "step_iscsi_value": [
            {**place, **reported},
            {**place, "target": "192.0.2.1:3260 iqn.mixed", "login_timeout_seconds": 5},
            {**place, "host_id": "h2", "login_timeout_seconds": 6},
            {**place, "hba": "vmhba65", "login_timeout_seconds": 7},
            {**place, "endpoint": "vc-2", "login_timeout_seconds": 8},
        ],
    }
    expected: ByName = {
        "h1/iqn.one": {
            **reported,
            "family": "solidfire",
            "families": "solidfire",
            "paths": 5,
            "cluster": "gold",
            "host": "name of h1",
            "kind": "static",
        }
        | {"resource_name": "iqn.one", "address": "192.0.2.1", "port": "3260", "iqn": "iqn.one", "hba": "vmhba64"},
        "h1/iqn.two": {"family": "flasharray", "families": None, "paths": None, "login_timeout_seconds": None},
        "h1/iqn.mixed": {"family": None, "families": "flasharray, ontap", "paths": 2, "login_timeout_seconds": 5},
        "h1/iqn.half": {"family": None, "families": "ontap", "paths": 2},
        "h1/iqn.alike": {"family": "ontap", "families": "dell-sc, flasharray"},
        "h1/iqn.empty": {"family": "other", "families": None},
        "h1/iqn.nobody": {"family": None},
        "h2/iqn.one": {"family": "dell-sc", "paths": 7, "login_timeout_seconds": 6},
        "h1/vmhba65": {"family": "eternus-dx", "paths": 8, "login_timeout_seconds": 7},
        "vc-2/h1/iqn.one": {"family": "ontap", "paths": 9, "login_timeout_seconds": 8},
    }
    assert shown(rows_over("iscsi_parameter", given), expected) == expected


def test_a_claim_rule_is_told_once_with_the_devices_of_its_family_on_its_own_host() -> None:
    pure = {"satp": "ALUA", "vendor": "PURE", "model": "FlashArray", "rule_group": "user", "default_psp": "RR", "psp_options": "iops=1"}
    hosts = of_vc(*({"host_id": f"h{number}", "name": f"host {number}", "cluster": "gold", "version": "8.0.3"} for number in (1, 2, 3)))
    given: dict[str, Rows] = {
        "fact.satp_rule": [
            *of_vc({"host_id": "h1", **pure, "description": "mine"}, {"host_id": "h1", **pure, "description": "again"}),
            *of_vc({"host_id": "h1", "satp": "ALUA", "vendor": "", "model": "SSD SAN", "rule_group": "system", "psp_options": ""}),
            *of_vc({"host_id": "h1", "satp": "ALUA", "vendor": "", "model": "", "device": "naa.1"}),
            *of_vc(
                {
                    "host_id": "h1",
                    "satp": "ALUA",
                    "vendor": "NETAPP",
                    "model": "LUN C-Mode",
                    "transport": "fc",
                    "options": "tpgs_on",
                    "claim_options": "x",
                }
            ),
            *of_vc({"host_id": "h2", **pure, "description": "its own"}, {"host_id": "h3", **pure}),
            *of_vc({"host_id": "h2", "satp": "ALUA", "vendor": "IBM", "model": "", "psp_options": "iops=1;iops=1000"}),
            {"endpoint": "vc-2", "host_id": "h1", **pure},
        ],
        "fact.host": [*hosts, {"endpoint": "vc-2", "host_id": "h1", "name": "elsewhere"}],
        "step_host_reading": [
            *({"endpoint": "vc", "host_id": f"h{number}", "devices_read": number != 3} for number in (1, 2, 3)),
            {"endpoint": "vc-2", "host_id": "h1", "devices_read": True},
        ],
        "device": [
            *of_vc(*({"host_id": "h1", "device": f"naa.{number}", "family": "flasharray"} for number in (1, 2))),
            *of_vc({"host_id": "h1", "device": "naa.3", "family": "ontap"}, {"host_id": "h3", "device": "naa.1", "family": "flasharray"}),
            {"endpoint": "vc-2", "host_id": "h1", "device": "naa.1", "family": "flasharray"},
        ],
    }
    mine = "user ALUA PURE FlashArray RR iops=1"
    expected: ByName = {
        f"h1/{mine}": {**pure, "family": "flasharray", "devices_of_family": 2, "host": "host 1", "cluster": "gold", "version": "8.0.3"}
        | {"resource_name": "ALUA PURE FlashArray iops=1", "description": None, "rule_policy": "RR iops=1"}
        | {"clear_options": "iops=1"},
        "h1/system ALUA  SSD SAN ": {"resource_name": "ALUA  SSD SAN", "rule_group": "system", "vendor": ""},
        "h1/ALUA NETAPP LUN C-Mode fc tpgs_on x": {
            "family": "ontap",
            "devices_of_family": 1,
            "transport": "fc",
            "options": "tpgs_on",
            "claim_options": "x",
        },
        f"h2/{mine}": {"devices_of_family": 0, "host": "host 2", "description": "its own"},
        "h2/ALUA IBM  iops=1;iops=1000": {"vendor": "IBM", "model": "", "rule_group": None, "clear_options": None},
        f"h3/{mine}": {"devices_of_family": None},
        f"vc-2/h1/{mine}": {"devices_of_family": 1, "host": "elsewhere"},
    }
    assert shown(rows_over("claim_rule", given), expected) == expected


@pytest.mark.parametrize(
    ("rule", "reported"),
    [
        pytest.param({}, True, id="vendor and model"),
        pytest.param({"model": ""}, True, id="vendor alone"),
        pytest.param({"model": None}, True, id="vendor, and a model that is not told"),
        pytest.param({"vendor": ""}, False, id="model alone"),
        pytest.param({"device": "naa.1"}, False, id="one device"),
        pytest.param({"driver": "qlnativefc"}, False, id="one driver"),
        pytest.param({"transport": "fc"}, False, id="one transport"),
        pytest.param({"driver": None}, None, id="driver not told"),
    ],
)
def test_a_claim_rule_goes_by_the_inquiry_alone_where_all_else_is_empty(rule: dict[str, Any], *, reported: bool | None) -> None:
    whole = {"vendor": "PURE", "model": "FlashArray", "device": "", "driver": "", "transport": "", "default_psp": "RR", "psp_options": ""}
    given: dict[str, Rows] = {
        "fact.satp_rule": of_vc({"host_id": "h1", "satp": "ALUA", **whole, **rule}),
        "fact.host": of_vc({"host_id": "h1"}),
        "step_host_reading": of_vc({"host_id": "h1"}),
    }
    (row,) = rows_over("claim_rule", given)
    assert (row["names_inquiry_alone"], row["rule_policy"]) == (reported, "RR")


def test_an_adapter_has_its_own_parameters_and_what_all_of_its_targets_tell() -> None:
    hosts = {"h1": (True, True, True), "h2": (False, True, True), "h3": (True, False, True), "h4": (True, True, False)}
    read = ("hbas_read", "devices_read", "paths_read")
    adapters = [("vc", "h1", f"vmhba{number}") for number in (64, 65, 66, 67, 68)]
    adapters += [("vc", host, "vmhba64") for host in ("h2", "h3", "h4")] + [("vc-2", "h1", "vmhba64")]
    values = {
        # the adapter's target: its LoginTimeout, its DelayedAck
        ("vc", "h1", "vmhba64", "one"): (30, True),
        ("vc", "h1", "vmhba64", "two"): (5, False),
        ("vc", "h1", "vmhba65", "one"): (30, True),
        ("vc", "h1", "vmhba65", "two"): (None, None),
        ("vc", "h1", "vmhba67", "one"): (30, None),
        ("vc", "h1", "vmhba68", "one"): (30, True),
        ("vc", "h2", "vmhba64", "one"): (6, True),
        ("vc", "h3", "vmhba64", "one"): (7, True),
        ("vc-2", "h1", "vmhba64", "one"): (8, False),
    }
    families = {"vmhba64": ("ontap", "flasharray", "ontap"), "vmhba65": ("ontap", None), "vmhba67": ("dell-sc",)}
    own = {"login_timeout_seconds": 1, "noop_out_interval_seconds": 2, "noop_out_timeout_seconds": 3, "recovery_timeout_seconds": 4}
    places = ("endpoint", "host_id", "hba")
    given: dict[str, Rows] = {
        "fact.hba": [
            *(
                {**dict(zip(places, adapter, strict=True)), "kind": "iscsi", "driver": "iscsi_vmk", "is_software": True}
                for adapter in adapters
            ),
            *of_vc({"host_id": "h1", "hba": "vmhba1", "kind": "fc"}),
        ],
        "fact.host": [
            *of_vc(*({"host_id": host, "name": f"name of {host}", "cluster": "gold"} for host in hosts)),
            {"endpoint": "vc-2", "host_id": "h1", "name": "elsewhere"},
        ],
        "step_host_reading": [
            *of_vc(*({"host_id": host, **dict(zip(read, those, strict=True))} for host, those in hosts.items())),
            {"endpoint": "vc-2", "host_id": "h1", **dict.fromkeys(read, True)},
        ],
        "fact.iscsi_target": [
            *(
                {**dict(zip(places, place, strict=True)), "kind": "static", "address": "192.0.2.1", "port": 3260, "iqn": f"iqn.{iqn}"}
                for *place, iqn in values
            ),
            *of_vc({"host_id": "h1", "hba": "vmhba64", "kind": "send", "address": "192.0.2.1", "port": 3260}),
            *of_vc({"host_id": "h1", "hba": "vmhba68", "kind": "static", "address": "192.0.2.9", "port": 3260, "iqn": "iqn.silent"}),
        ],
        "step_iscsi_value": [
            *(
                {
                    **dict(zip(places, place, strict=True)),
                    "target": f"192.0.2.1:3260 iqn.{iqn}",
                    "login_timeout_seconds": timeout,
                    "delayed_ack": ack,
                }
                for (*place, iqn), (timeout, ack) in values.items()
            ),
            *of_vc({"host_id": "h1", "hba": "vmhba64", "target": "", "delayed_ack": False, **own}),
            *of_vc({"host_id": "h1", "hba": "vmhba65", "target": "", "login_timeout_seconds": 11}),
            *of_vc({"host_id": "h2", "hba": "vmhba64", "target": "", "login_timeout_seconds": 12}),
            {"endpoint": "vc-2", "host_id": "h1", "hba": "vmhba64", "target": "", "login_timeout_seconds": 13},
        ],
        "step_iscsi_family": [
            *(
                {"endpoint": "vc", "host_id": host, "hba": hba, "target": str(number), "family": family}
                for host in hosts
                for hba, several in families.items()
                for number, family in enumerate(several)
            ),
            {"endpoint": "vc-2", "host_id": "h1", "hba": "vmhba64", "target": "0", "family": "eternus-dx"},
        ],
    }
    lowest, highest, delayed = "lowest_login_timeout_seconds", "highest_login_timeout_seconds", "targets_with_delayed_ack"
    unknown = {lowest: None, highest: None, delayed: None}
    expected: ByName = {
        "h1/vmhba64": {**own, "delayed_ack": False, "targets": 2, lowest: 5, highest: 30, delayed: 1, "families": "flasharray, ontap"}
        | {
            "family_count": 2,
            "host": "name of h1",
            "cluster": "gold",
            "driver": "iscsi_vmk",
            "is_software": True,
            "resource_name": "vmhba64",
        },
        "h1/vmhba65": {**unknown, "targets": 2, "families": None, "family_count": None, "login_timeout_seconds": 11},
        "h1/vmhba66": {**unknown, "targets": 0, "families": None, "family_count": 0, "login_timeout_seconds": None},
        "h1/vmhba67": {"targets": 1, lowest: 30, highest: 30, delayed: None, "families": "dell-sc", "family_count": 1},
        "h1/vmhba68": {**unknown, "targets": 2},
        "h2/vmhba64": {**unknown, "targets": None, "families": "flasharray, ontap", "login_timeout_seconds": 12},
        "h3/vmhba64": {"targets": 1, lowest: 7, highest: 7, delayed: 1, "families": None, "family_count": None},
        "h4/vmhba64": {**unknown, "targets": 0, "families": None, "family_count": None},
        "vc-2/h1/vmhba64": {
            "targets": 1,
            lowest: 8,
            highest: 8,
            delayed: 0,
            "families": "eternus-dx",
            "family_count": 1,
            "host": "elsewhere",
        }
        | {"login_timeout_seconds": 13},
    }
    assert shown(rows_over("iscsi_adapter", given), expected) == expected
