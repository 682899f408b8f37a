"""Steps of a few lines, each over rows of what it reads: deduplication anywhere, ports of a module, devices singled out by a rule."""

from typing import Any

import pytest

from .single import by, of_vc, rows_over


@pytest.mark.parametrize(
    ("schedules", "may_start"),
    [
        pytest.param([{"start_minutes": "[60]"}], True, id="at one o'clock"),
        pytest.param([{"start_minutes": "[]"}], False, id="never"),
        pytest.param([{"start_minutes": "[]"}, {"start_minutes": "[60]"}], True, id="one of two"),
        pytest.param([{"schedule": "daily at noon"}], True, id="at times that were not understood"),
        pytest.param([{"schedule": "auto"}], False, id="as much is changed: not by the clock"),
        pytest.param([{"schedule": "auto", "policy": "nightly"}], True, id="a policy sets the time"),
        pytest.param([{}], False, id="no schedule"),
    ],
)
def test_deduplication_that_lies_on_several_pools_may_start(schedules: list[dict[str, Any]], may_start: bool) -> None:
    rows = [{"endpoint": "f", "state": "enabled", "operation_state": "idle", "volume_id": str(n)} | one for n, one in enumerate(schedules)]
    (found,) = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": rows})
    assert (found["may_start"], found["may_run"]) == (may_start, False)


@pytest.mark.parametrize(
    ("states", "may_run"),
    [
        pytest.param(["active"], True, id="it runs"),
        pytest.param(["idle"], False, id="it rests"),
        pytest.param([None], True, id="not reported"),
        pytest.param(["idle", "active"], True, id="one of two"),
    ],
)
def test_deduplication_that_lies_on_several_pools_may_run(states: list[str | None], may_run: bool) -> None:
    rows = [{"endpoint": "f", "start_minutes": "[]", "operation_state": one, "volume_id": str(n)} for n, one in enumerate(states)]
    (found,) = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": rows})
    assert (found["may_start"], found["may_run"]) == (False, may_run)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        pytest.param({}, 1, id="its pool is not known"),
        pytest.param({"pool_id": "p"}, 0, id="it lies on one pool"),
        pytest.param({"state": "disabled"}, 0, id="it is off"),
        pytest.param({"state": None}, 1, id="whether it is on is not reported"),
    ],
)
def test_deduplication_of_one_pool_or_none_is_left_out(given: dict[str, Any], count: int) -> None:
    row = {"endpoint": "f", "volume_id": "v", "state": "enabled", "start_minutes": "[60]"} | given
    assert len(rows_over("step_efficiency_anywhere", {"fact.array_efficiency": [row]})) == count


def test_a_module_has_as_many_ports_as_a_host_has_adapters_of_it() -> None:
    # The hosts h1 have one name in two vCenters; the other host's adapters were not read, or one of them names no module.
    adapters = [("vc", "h1", "qlnativefc"), ("vc", "h1", "qlnativefc"), ("vc", "h1", "lpfc"), ("vc 2", "h1", "nfnic")]
    adapters += [("vc", "unread", "lpfc"), ("vc", "nameless", "lpfc"), ("vc 2", "nameless", "lpfc"), ("vc 2", "nameless", "lpfc")]
    keyed = by(
        "step_module_port",
        "endpoint host_id module",
        {
            "fact.hba": [
                {"endpoint": vc, "host_id": host, "hba": f"vmhba{n}", "driver": module} for n, (vc, host, module) in enumerate(adapters)
            ],
            "step_host_reading": [
                {"endpoint": vc, "host_id": host, "hbas_read": host != "unread"} for vc, host in sorted({one[:2] for one in adapters})
            ],
            "step_nameless_adapter": [{"endpoint": "vc 2", "host_id": "nameless"}],
        },
    )
    assert {key: row["ports"] for key, row in keyed.items()} == {
        ("vc", "h1", "qlnativefc"): 2,
        ("vc", "h1", "lpfc"): 1,
        ("vc", "nameless", "lpfc"): 1,
        ("vc 2", "h1", "nfnic"): 1,
    }


def test_a_rule_that_names_a_device_singles_it_out_on_its_host_alone() -> None:
    rules = [("vc", "h1", "naa.1"), ("vc", "h1", "naa.1"), ("vc", "h1", ""), ("vc 2", "h1", "naa.2")]
    rows = rows_over(
        "step_singled_out",
        {
            "fact.satp_rule": [{"endpoint": vc, "host_id": host, "device": device} for vc, host, device in rules],
            "step_host_number": [
                {"endpoint": vc, "host_id": host, "host_number": number}
                for vc, host, number in (("vc", "h1", 1), ("vc", "h2", 2), ("vc 2", "h1", 3))
            ],
            "step_device_number": [{"device": f"naa.{n}", "device_number": n} for n in (1, 2)],
        },
    )
    assert [(row["host_number"], row["device_number"], row["is_singled_out"]) for row in rows] == [(1, 1, True), (3, 2, True)]


def test_what_a_host_has_not_is_singled_out_nowhere() -> None:
    rules = of_vc({"host_id": "h1", "device": "naa.gone"}, {"host_id": "gone", "device": "naa.1"})
    number, device = of_vc({"host_id": "h1", "host_number": 1}), [{"device": "naa.1", "device_number": 1}]
    assert rows_over("step_singled_out", {"fact.satp_rule": rules, "step_host_number": number, "step_device_number": device}) == []
