"""A host on which somebody works is not held to the state of its paths, disks and adapters; its settings are judged all the same."""

from collections.abc import Mapping

import pytest

from .fleets import Facts, hosts, seen
from .judged import judged, shipped

STATES = {
    *("active_paths", "dead_paths", "usable_paths", "disabled_paths", "working_paths"),
    *("device_state", "status", "is_online", "hosts_without_access"),
}
"""Columns that say in which state things are just now."""

JUDGED_ALL_THE_SAME: Mapping[str, str] = {
    "multipath/disabled-path": "an administrator disabled it, and it stays so when the host is at work again",
    "multipath/device-override": "what somebody set on a device stays; the number of paths only says whether a choice is made",
}
"""Rules that weigh a state and hold for hosts in maintenance mode as well, each with the reason."""


def fleet(*, in_maintenance_mode: bool | None) -> Facts:
    """Of two hosts, the second has an adapter without a link: half of a disk's paths are dead, another disk and an endpoint are lost."""
    given = hosts()
    given["host"][1]["in_maintenance_mode"] = in_maintenance_mode
    for host, is_well in zip(given["host"], (True, False), strict=True):
        on = {"host_id": host["host_id"]}
        given.setdefault("hba", []).extend(
            {**on, "hba": hba, "kind": kind, "driver": driver, "status": "online" if is_well or hba != "vmhba2" else "offline"}
            for hba, kind, driver in (("vmhba1", "fc", "lpfc"), ("vmhba2", "fc", "lpfc"), ("vmhba64", "iscsi", "iscsi_vmk"))
        )
        state = "ok" if is_well else "lostCommunication"
        for device, hbas, transport, more in (
            ("naa.1", ("vmhba1", "vmhba2"), "fc", {}),
            ("naa.2", ("vmhba64",), "iscsi", {"operational_state": state}),
            ("naa.3", ("vmhba64",), "iscsi", {"is_protocol_endpoint": True}),
        ):
            given.setdefault("device", []).append({**on, **seen(device, "ontap"), "is_protocol_endpoint": False, **more})
            given.setdefault("path", []).extend(
                {**on, "device": device, "hba": hba, "path": f"{hba} {target}", "target": target, "transport": transport}
                | {"psp": "VMW_PSP_RR", "state": "active" if is_well or (device, hba) == ("naa.1", "vmhba1") else "dead"}
                for hba in hbas
                for target in ("a1", "a2")
            )
    return given


STATE_RULES = ("multipath/path-count", "multipath/device-state", "multipath/adapter-state", "iscsi/paths", "vvol/pe-paths")


@pytest.mark.parametrize("rule", STATE_RULES)
@pytest.mark.parametrize(
    ("in_maintenance_mode", "verdict"),
    [
        pytest.param(False, "fail", id="at work"),
        pytest.param(True, "not_applicable", id="in maintenance mode"),
        pytest.param(None, "fail", id="not reported"),
    ],
)
def test_states_of_a_host_count_unless_somebody_works_on_it(rule: str, in_maintenance_mode: bool | None, verdict: str) -> None:
    """check_vmware_esx leaves storage of such a host out, with a warning; its users ask for none (check_vmware_esx#144)."""
    found = judged(rule, fleet(in_maintenance_mode=in_maintenance_mode))
    bad = {"multipath/path-count": "naa.1", "multipath/adapter-state": "vmhba2", "vvol/pe-paths": "naa.3"}.get(rule, "naa.2")
    assert found[f"host-2/{bad}"] == verdict
    assert found[f"host-1/{bad}"] == "pass"


def test_a_host_at_work_is_held_to_the_paths_that_one_in_maintenance_mode_has() -> None:
    given = fleet(in_maintenance_mode=False)
    given["host"][0]["in_maintenance_mode"] = True
    assert judged("multipath/path-count", given)["host-2/naa.1"] == "fail"


def test_each_rule_about_a_state_asks_whether_somebody_works_on_the_host_or_says_why_not() -> None:
    about = {rule.id: rule.weighed for rule in shipped() if STATES & rule.weighed}
    asking = {rule for rule, columns in about.items() if {"in_maintenance_mode", "answering_hosts"} & columns}
    assert asking >= {*STATE_RULES, "datastore/accessible"}
    assert about.keys() - asking == JUDGED_ALL_THE_SAME.keys()
