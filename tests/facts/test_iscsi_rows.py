"""Every column of the views `iscsi_parameter` and `claim_rule` over rows of what they read, with the same names on other hosts."""

from typing import Any

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
    told = {**values, "delayed_ack": False, "login_timeout_inherited": True}
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
        "step_iscsi_value": [
            {**place, **told},
            {**place, "target": "192.0.2.1:3260 iqn.mixed", "login_timeout_seconds": 5},
            {**place, "host_id": "h2", "login_timeout_seconds": 6},
            {**place, "hba": "vmhba65", "login_timeout_seconds": 7},
            {**place, "endpoint": "vc-2", "login_timeout_seconds": 8},
        ],
    }
    expected: ByName = {
        "h1/iqn.one": {
            **told,
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
            *of_vc({"host_id": "h2", **pure}, {"host_id": "h3", **pure}),
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
        | {"resource_name": "ALUA PURE FlashArray iops=1"},
        "h1/system ALUA  SSD SAN ": {"resource_name": "ALUA  SSD SAN", "rule_group": "system", "vendor": ""},
        "h1/ALUA NETAPP LUN C-Mode fc tpgs_on x": {
            "family": "ontap",
            "devices_of_family": 1,
            "transport": "fc",
            "options": "tpgs_on",
            "claim_options": "x",
        },
        f"h2/{mine}": {"devices_of_family": 0, "host": "host 2"},
        f"h3/{mine}": {"devices_of_family": None},
        f"vc-2/h1/{mine}": {"devices_of_family": 1, "host": "elsewhere"},
    }
    assert shown(rows_over("claim_rule", given), expected) == expected
