"""A row that does not say what it is counts as what it may be: adapters, devices and hosts."""

from typing import Any

import pytest

from tests.facts.without_kind import HOST, ON

from .numbered import with_paths
from .single import ByName, Rows, chained, of_vc, rows_over, shown


def test_an_adapter_of_no_known_kind_may_be_one_for_iscsi() -> None:
    adapters = [
        {**ON, "hba": hba, "kind": kind} for hba, kind in (("unknown", None), ("with target", None), ("iscsi", "iscsi"), ("fc", "fc"))
    ]
    asked = {"fact.reading": of_vc({"scope": "h", "topic": "port_binding", "complete": True})}
    bound: ByName = {"h/unknown": {"bound_vmknics": None}, "h/with target": {"bound_vmknics": None}, "h/iscsi": {"bound_vmknics": 0}}
    assert shown(rows_over("port_binding", {**HOST, "fact.hba": adapters, **asked}), bound) == bound
    targets = {"fact.iscsi_target": [{**ON, "hba": "with target", "kind": "static"}]}
    configured: ByName = {"h/unknown": {"targets": None}, "h/with target": {"targets": 1}, "h/iscsi": {"targets": 0}}
    assert shown(rows_over("iscsi_adapter", {**HOST, "fact.hba": adapters, **targets}), configured) == configured


def test_hosts_with_an_adapter_that_does_not_report_its_driver_are_listed_once() -> None:
    drivers = (("h", None), ("h", None), ("g", "lpfc"))
    rows = [{"endpoint": "vc", "host_id": host_id, "hba": str(n), "driver": driver} for n, (host_id, driver) in enumerate(drivers)]
    assert rows_over("step_nameless_adapter", {"fact.hba": rows}) == [ON]


@pytest.mark.parametrize(
    ("undriven", "nameless", "agrees"),
    [
        pytest.param(True, True, None, id="a device by an adapter that does not report its driver"),
        pytest.param(True, False, True, id="a device by several drivers"),
        pytest.param(False, True, True, id="such an adapter without a device"),
    ],
)
def test_depths_by_a_driver_are_alike_where_no_other_device_may_be_behind_it(undriven: bool, nameless: bool, agrees: bool | None) -> None:
    groups = [{**ON, "driver": driver, "devices": 1, "deepest_queue": 64} for driver in ("lpfc", None)[: 1 + undriven]]
    elsewhere = [{**ON, "host_id": "g"}, {**ON, "endpoint": "vc-2"}]
    given = {
        "fact.host": [*HOST["fact.host"], *elsewhere],
        "step_host_reading": [*HOST["step_host_reading"], *({**host, "devices_read": True} for host in elsewhere)],
        "step_host_group": [*groups, *({**host, "driver": driver, "devices": 1} for host in elsewhere for driver in ("nfnic", None))],
        "step_nameless_adapter": [ON, *elsewhere] if nameless else elsewhere,
    }
    found = [row for row in rows_over("driver_queue", given) if row["driver"] == "lpfc"]
    assert [row["queue_depth_agrees"] for row in found] == [agrees]
    given["step_nameless_adapter"] = [ON] if nameless else []
    far = [row["queue_depth_agrees"] for row in rows_over("driver_queue", given) if row["driver"] == "nfnic"]
    assert far == [True, True]


def test_a_host_that_does_not_tell_whether_a_disk_is_its_own_may_have_any_depth() -> None:
    """Of three hosts two have 64, which is what most have unless the fourth has another; 32 is never what most have."""
    hosts = [{"endpoint": "vc", "host_id": f"h{n}"} for n in range(4)]
    depths: dict[str, tuple[int, bool | None]] = {"h0": (64, True), "h1": (64, True), "h2": (32, True), "h3": (32, None)}
    given: dict[str, Rows] = {
        "fact.host": hosts,
        "step_host_reading": [{**host, "devices_read": True, "modules_read": True} for host in hosts],
        "step_host_group": [{**host, "driver": "lpfc", "devices": 1} for host in hosts],
        "device": of_vc(
            *(
                {"host_id": host_id, "device": "naa.1", "driver": "lpfc", "queue_depth": depth, "is_shared": is_shared}
                for host_id, (depth, is_shared) in depths.items()
            )
        ),
        "shared_device": of_vc({"device": "naa.1", "queue_depth_agrees": False, "queue_depths_known": False}),
        "step_device_row": [{"host_number": n, "device_number": 1, "driver_number": 1, "is_shared": n < 3 or None} for n in range(4)],
        "step_device_number": [{"device_number": 1, "device": "naa.1"}],
        "step_host_number": [{**host, "host_number": n} for n, host in enumerate(hosts)],
        "step_driver": [{"driver_number": 1, "driver": "lpfc"}],
    }
    assert {row["host_id"]: row["queue_depth_agrees"] for row in rows_over("driver_queue", given)} == dict.fromkeys(depths) | {"h2": False}


def test_a_device_may_be_behind_a_raised_driver_where_its_own_is_not_reported_or_it_may_be_local() -> None:
    device = {**ON, "is_protocol_endpoint": False, "is_namespace": False, "queue_depth": 128}
    devices: dict[str, dict[str, Any]] = {
        "raised": {"driver": "lpfc", "is_shared": True},
        "may be local": {"driver": "lpfc", "is_shared": None},
        "local": {"driver": "lpfc", "is_shared": False},
        "driver not reported": {"driver": None, "is_shared": True},
    }
    rows = [{**device, **own, "device": name, "resource_id": name} for name, own in devices.items()]
    elsewhere = {**device, "host_id": "g", "device": "by several drivers", "resource_id": "g", "driver": None, "is_shared": True}
    module = {
        "module": "lpfc",
        "stock_depth": 64,
        "configured_depth": 128,
        "depth_is_configured": True,
        "depth_parameter": "lpfc_lun_queue_depth",
    }
    given: dict[str, Rows] = {"device_demand": [*rows, elsewhere], "host_module": [{**ON, **module}], "step_nameless_adapter": [ON]}
    expected: ByName = {
        "raised": {"is_raised": True, "stock_depth": 64},
        "may be local": {"is_raised": None, "stock_depth": 64},
        "driver not reported": {"is_raised": None, "stock_depth": None},
    }
    assert shown(rows_over("raised_device", given), expected) == expected


NAMED: dict[str, Any] = {"satp": "ALUA", "vendor": "PURE", "model": "FlashArray"}


@pytest.mark.parametrize(
    ("known", "is_native", "claimed"),
    [
        pytest.param(NAMED, True, True, id="all"),
        pytest.param(NAMED | {"vendor": None}, True, None, id="no vendor"),
        pytest.param(NAMED | {"model": None}, True, None, id="no model"),
        pytest.param(NAMED | {"satp": None}, True, None, id="no SATP of the native plug-in"),
        pytest.param(NAMED | {"satp": None}, False, False, id="another plug-in's, which has none"),
        pytest.param(NAMED | {"satp": None, "vendor": None}, False, None, id="another plug-in's, and no vendor"),
    ],
)
def test_a_device_has_a_claim_rule_where_all_that_rules_go_by_is_known_of_it(
    known: dict[str, Any], is_native: bool, claimed: bool | None
) -> None:
    at = {**ON, "device": "naa.1"}
    given: dict[str, Rows] = {
        "fact.satp_rule": [{**ON, **NAMED, "device": "", "driver": "", "transport": "", "default_psp": "", "psp_options": ""}],
        "fact.reading": of_vc({"scope": "h", "topic": "multipathing", "complete": True}),
    }
    steps = ("step_claim", "step_claim_of_class")
    [row] = chained("device_claim", with_paths([{**at, **known, "is_native": is_native}], given), *steps)
    assert row["has_claim_rule"] is claimed


def test_policies_of_a_family_are_known_where_no_lun_of_an_unknown_one_may_be_of_it() -> None:
    lun = {**ON, "is_shared": True, "is_protocol_endpoint": False, "active_paths": 2, "psp": "VMW_PSP_RR", "rr_policy": "latency"}
    endpoint = {"host_id": "endpoints", "is_protocol_endpoint": True}
    paths = [
        {**lun, "device": "naa.1", "family": "ontap"},
        {**lun, "device": "naa.2", "family": None, "psp": "VMW_PSP_FIXED"},
        {**lun, **endpoint, "device": "naa.3", "family": "ontap"},
        {**lun, **endpoint, "device": "naa.4", "family": None},
        {**lun, "host_id": "calm", "device": "naa.1", "family": "ontap"},
        {**lun, "host_id": "calm", "device": "naa.5", "family": None, "is_shared": False},
        {**lun, "host_id": "open", "device": "naa.3", "family": "ontap", "is_protocol_endpoint": True},
        {**lun, "host_id": "open", "device": "naa.6", "family": None, "active_paths": None},
    ]
    known: dict[str, Any] = {"psps_are_known": True, "round_robins_are_known": True}
    expected: ByName = {
        "h/ontap": {"luns": 1, "psps_are_known": None, "round_robin_devices": 1, "round_robins_are_known": True},
        "h/?": {"luns": 1, "psps": "VMW_PSP_FIXED", "round_robin_devices": 0},
        "endpoints/ontap": {"luns": 0, "psps_are_known": True, "round_robin_devices": 1, "round_robins_are_known": None},
        "endpoints/?": {"luns": 0, "round_robin_devices": 1},
        "calm/ontap": {"luns": 1, "round_robin_devices": 1, **known},
        "open/ontap": {"luns": None, "psps_are_known": None, "round_robin_devices": 1, "round_robins_are_known": None},
        "open/?": {"luns": None, "round_robin_devices": None},
    }
    assert shown(chained("family_path_policy", with_paths(paths, {})), expected) == expected


def test_an_endpoint_is_the_deepest_of_its_cluster_where_none_of_an_unknown_family_may_be_deeper() -> None:
    def endpoint(place: str, device: str, family: str | None, dsnro: int) -> dict[str, Any]:
        own = {
            "device": device,
            "family": family,
            "dsnro": dsnro,
            "queue_depth": 1024,
            "resource_id": f"{place}/{device}",
            "domain_id": place[:-1],
        }
        return {**ON, "host_id": place, **own, "is_protocol_endpoint": True}

    rows = [endpoint("a1", "pe.1", "ontap", 128), endpoint("a2", "pe.1", "ontap", 64), endpoint("a2", "pe.2", None, 256)]
    rows += [endpoint("b1", "pe.1", "ontap", 128), endpoint("b1", "pe.3", "solidfire", 256)]
    given: dict[str, Rows] = {"device": rows, "step_domain_reading": of_vc(*({"domain_id": one, "scheduling_read": True} for one in "ab"))}
    behind = {"a1/pe.1": None, "a2/pe.1": True, "a2/pe.2": None, "b1/pe.1": False, "b1/pe.3": False}
    assert {row["resource_id"]: row["is_behind_cluster"] for row in rows_over("protocol_endpoint", given)} == behind


def hosts_numbered(*rows: dict[str, Any]) -> dict[str, Rows]:
    """Devices of one host in numbers, each of an inquiry of its own."""
    listed = [{"host_number": 1, "device_number": n, "inquiry_number": n, "driver_number": 1} | row for n, row in enumerate(rows, 1)]
    return {
        "step_device_row": listed,
        "step_host_number": [{**ON, "host_number": 1, "place_number": 1}],
        "step_place": of_vc({"place_number": 1, "domain_id": "gold", "cluster": "gold"}),
        "step_device_number": [{"device_number": n, "device": f"naa.{n}"} for n in range(1, 1 + len(rows))],
        "step_inquiry": [{"inquiry_number": n, "family": "other", "is_namespace": False} for n in range(1, 1 + len(rows))],
        "step_driver": [{"driver_number": 1, "driver": "lpfc"}],
    }


def test_what_hosts_make_of_a_disk_that_may_be_their_own_is_not_known() -> None:
    found = rows_over(
        "step_device_group", hosts_numbered(*({"is_shared": one, "dsnro": 32, "queue_depth": 64} for one in (True, None, False)))
    )
    columns = ("device", "may_be_local", "dsnro", "queue_depth", "hosts")
    assert sorted(tuple(row[column] for column in columns) for row in found) == [
        ("naa.1", False, 32, 64, 1),
        ("naa.2", True, None, None, 1),
    ]


def test_nobody_knows_the_family_of_a_disk_that_may_be_the_hosts_own() -> None:
    given = hosts_numbered({}, {})
    seen = {"host_number": 1, "driver_number": 1, "devices": 1}
    given["step_host_inquiry"] = [{**seen, "inquiry_number": 1, "may_be_local": False}, {**seen, "inquiry_number": 2, "may_be_local": True}]
    assert sorted(str(row["family"]) for row in rows_over("step_host_group", given)) == ["None", "other"]


@pytest.mark.parametrize(("may_be_local", "agrees"), [(False, True), (True, None)])
def test_hosts_agree_on_a_device_where_none_may_have_a_disk_of_that_name(may_be_local: bool, agrees: bool | None) -> None:
    group = {
        "device": "naa.1",
        "domain_id": "gold",
        "driver": "lpfc",
        "dsnro": 32,
        "queue_depth": 64,
        "hosts": 1,
        "is_protocol_endpoint": False,
    }
    given: dict[str, Rows] = {
        "step_device_group": of_vc({**group, "may_be_local": False}, {**group, "may_be_local": may_be_local}),
        "step_domain_reading": of_vc({"domain_id": "gold", "scheduling_read": True}),
        "step_vcenter_reading": [{"hosts_read": True}],
    }
    [row] = rows_over("shared_device", given)
    assert (row["dsnro_agrees"], row["queue_depth_agrees"]) == (agrees, agrees)
