"""What is believed of a storage adapter's driver: its version by the vendors' sheets, and its depth where two readings differ."""

from __future__ import annotations

from typing import Any

import pytest

from .single import Rows, of_vc, rows_over

AT = {"endpoint": "vc", "host_id": "h1"}
LOST, STOPS = "does not report a lost path", "stops the host"


def module_row(words: Rows | None = None, *, version: str | None = None, listed: str | None = None, ports: int = 2) -> dict[str, Any]:
    """The row of Emulex's driver on h1, beside the same one in another vCenter and another one of h1, which say other things.

    Args:
        words: of its option string.
        version: of the driver.
        listed: its depth as the host lists it.
        ports: how many it has.
    """
    module = "lpfc"
    words = words or []
    string = " ".join(f"{word['name']}={word.get('number')}" for word in words)
    own = {**AT, "module": module, "option_string": string, "version": version}
    elsewhere = {**own, "endpoint": "vc-2", "version": "10.2.300.0-1vmw.550.0.1", "option_string": ""}
    given: dict[str, Rows] = {
        "fact.host": [AT, {**AT, "endpoint": "vc-2"}],
        "step_host_reading": [{**one, "modules_read": True} for one in (AT, {**AT, "endpoint": "vc-2"})],
        "fact.host_module": [own, elsewhere],
        "fact.host_module_parameter": of_vc({**AT, "module": module, "name": "lpfc_lun_queue_depth", "value": listed}),
        "step_depth_parameter": [{"module": name, "depth_parameter": "lpfc_lun_queue_depth"} for name in ("lpfc", "lpfc820")],
        "step_module_word": [
            *({**AT, "module": module, "times_given": 1, "is_known": True, **word} for word in words),
            {**AT, "module": "lpfc820", "times_given": 1, "is_known": True, "name": "lpfc_lun_queue_depth", "number": 7},
        ],
        "step_module_port": [{**AT, "module": module, "ports": ports}],
        "step_driver_fault": [
            {"module": "lpfc", "made_for": "55[0-9]", "first_version": [10, 0], "fixed_version": [10, 2, 455, 0], "fault": LOST},
            {"module": "lpfc", "made_for": "90[0-9]", "first_version": [14, 4, 390, 20], "fixed_version": [14, 4, 390, 21], "fault": STOPS},
        ],
    }
    [row] = [row for row in rows_over("host_module", given) if row["endpoint"] == "vc"]
    return row


@pytest.mark.parametrize(
    ("version", "fault"),
    [
        pytest.param("10.2.309.8-2vmw.550.0.0.1331820", LOST, id="on a sheet"),
        pytest.param("10.0.0.0-1vmw.551.0.0.1", LOST, id="the first of them"),
        pytest.param("9.9.1.0-1vmw.550.0.0.1", "", id="before the first"),
        pytest.param("10.2.455.0-1vmw.550.0.0.1", "", id="the version that mends it"),
        pytest.param("10.2.309.8-2vmw.600.0.0.1331820", "", id="made for another release"),
        pytest.param("900.14.4.390.20-36vmw.901.0.24957456", STOPS, id="of ESXi 9"),
        pytest.param("14.4.390.20-36vmw.803.0.1", "", id="the same for another release"),
        pytest.param("10.2.309.8", None, id="the release it is made for is not told"),
        pytest.param("14.2.641.5", "", id="likewise, of no version on a sheet"),
        pytest.param(None, None, id="no version"),
        pytest.param("unknown", None, id="no number"),
    ],
)
def test_a_driver_is_faulty_by_its_version_and_the_release_that_it_is_made_for(version: str | None, fault: str | None) -> None:
    row = module_row(version=version)
    assert (row["driver_fault"], row["is_on_sheet"], row["driver_version"]) == (fault, True, version)


ALL: dict[str, Any] = {"name": "lpfc_lun_queue_depth", "number": 64}


@pytest.mark.parametrize(
    ("words", "more", "depth", "is_set"),
    [
        pytest.param([ALL], {"listed": "64"}, 64, True, id="both say 64"),
        pytest.param([ALL], {"listed": " 64 "}, 64, True, id="with blanks"),
        pytest.param([ALL], {"listed": ""}, 64, True, id="the list has no value"),
        pytest.param([ALL], {"listed": "32"}, None, None, id="they differ"),
        pytest.param([], {"listed": "32"}, None, None, id="the list alone has one"),
        pytest.param([], {"listed": ""}, None, False, id="neither has one"),
        pytest.param([{"name": "LPFC_lun_queue_depth", "number": 64}], {}, None, None, id="a name in capitals"),
        pytest.param([ALL, {"name": "lpfc0_LUN_queue_depth", "number": 64}], {}, None, None, id="that of a port in capitals"),
        pytest.param([ALL, {"name": "lpfc0_lun_queue_depth", "number": 64}], {}, 64, True, id="all ports, and one port alike"),
        pytest.param([ALL, {"name": "lpfc0_lun_queue_depth", "number": 32}], {}, None, True, id="all ports, and one port otherwise"),
        pytest.param([ALL, {"name": "lpfc0_lun_queue_depth", "number": 32}], {"ports": 1}, 32, True, id="the only port has its own"),
        pytest.param(
            [ALL, *({"name": f"lpfc{n}_lun_queue_depth", "number": depth} for n, depth in ((0, 30), (1, 32)))],
            {},
            None,
            True,
            id="two own depths",
        ),
        pytest.param([{"name": "lpfc0_lun_queue_depth", "number": 32}], {}, None, True, id="one of two ports alone"),
    ],
)
def test_a_depth_is_configured_where_every_reading_and_every_port_says_the_same(
    words: Rows, more: dict[str, Any], depth: int | None, is_set: bool | None
) -> None:
    row = module_row(words, **more)
    assert (row["configured_depth"], row["depth_is_configured"]) == (depth, is_set)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("lpfc_lun_queue_depth", (True, 0, 0, 1), id="of all ports"),
        pytest.param("lpfc0_lun_queue_depth", (False, 1, 1, 1), id="of a port"),
        pytest.param("LPFC_lun_queue_depth", (None, None, None, None), id="in capitals"),
        pytest.param("LPFC0_lun_queue_depth", (None, None, None, None), id="of a port, in capitals"),
    ],
)
def test_a_name_in_capitals_is_not_known_to_set_anything(name: str, expected: tuple[Any, ...]) -> None:
    module = {**AT, "module": "lpfc", "depth_parameter": "lpfc_lun_queue_depth", "option_string": f"{name}=64", "resource_id": "h1/lpfc"}
    given: dict[str, Rows] = {
        "host_module": [module],
        "step_host_reading": [{**AT, "hbas_read": True}],
        "step_nameless_adapter": [{**AT, "endpoint": "vc-2"}],
        "step_module_word": [
            {**AT, "module": "lpfc", "name": name, "value": "64", "number": 64, "values_given": 1, "settings": f"{name}=64"}
        ],
    }
    [row] = rows_over("module_instance", given)
    assert tuple(row[column] for column in ("sets_all_ports", "instances_set", "instance_values", "port_depths")) == expected
    assert row["ports"] == 0, "an adapter of no driver in another vCenter is not this host's"
