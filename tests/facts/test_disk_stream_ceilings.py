"""What a ceiling of an array is worth to a disk, and whether the disk is held at it."""

from typing import Any

import pytest

from tests.facts.disk_streams import BEGUN, ENDED

from .elsewhere import with_namesakes
from .single import by


@pytest.mark.parametrize(
    ("family", "given", "expected"),
    [
        pytest.param("solidfire", {"qos_max_iops": 1000, "cost": 4.0}, 250.0, id="by the volume's own curve"),
        pytest.param("solidfire", {"qos_max_iops": 1000}, None, id="no curve"),
        pytest.param("ontap", {"qos_max_iops": 1000, "cost": 4.0}, 1000.0, id="operations of any size"),
        pytest.param("flasharray", {"qos_max_iops": 1000, "qos_max_bytes_per_second": 4096000}, 500.0, id="bytes are the tighter"),
        pytest.param("flasharray", {"qos_max_iops": 100, "qos_max_bytes_per_second": 4096000}, 100.0, id="operations are"),
        pytest.param("ontap", {"qos_max_bytes_per_second": 4096000}, 500.0, id="bytes alone"),
        pytest.param("ontap", {"qos_max_iops": 9, "qos_max_bytes_per_second": 9, "average_io_bytes": None}, None, id="of no known size"),
        pytest.param("ontap", {"qos_max_iops": 9, "average_io_bytes": None}, 9.0, id="of no known size, and none in bytes"),
        pytest.param("ontap", {}, None, id="no ceiling"),
        pytest.param("dell-sc", {"qos_max_iops": 9}, None, id="of a family that may count otherwise"),
        pytest.param(None, {"qos_max_iops": 9}, None, id="of no known family"),
    ],
)
def test_a_ceiling_is_worth_what_its_family_counts(family: str | None, given: dict[str, Any], expected: float | None) -> None:
    figures = {
        "average_io_bytes": 8192,
        "actual_iops": 7,
        "latency_us": 1500,
        "throttle_us": 500,
        "burst_credit": 5,
        **{k: v for k, v in given.items() if k == "average_io_bytes"},
    }
    qos = {key: value for key, value in given.items() if key.startswith("qos_")}
    key = {"endpoint": "east", "volume_id": "1"}
    tables = with_namesakes(
        {
            "step_volume": [key, {"endpoint": "east", "volume_id": "idle"}],
            "fact.array_volume_load": [key | figures],
            "step_array": [{"endpoint": "east", "family": family}],
            "step_volume_qos": [key | qos | {"is_capped": True}, {"endpoint": "east", "volume_id": "2", "qos_max_iops": 1}],
            "step_curve_cost": [key | {"cost": given.get("cost")}, {"endpoint": "east", "volume_id": "2", "cost": 9.0}],
            "fact.reading": [
                {"endpoint": "east", "scope": scope, "topic": topic, "complete": True, "read_at": at}
                for scope, topic, at in (("", "volume_load", ENDED), ("", "disk_load", BEGUN), ("h1", "volume_load", BEGUN))
            ],
        }
    )
    assert by("step_volume_load", "endpoint volume_id", tables)["east", "1"] == {
        "is_capped": True,
        "qos_max_iops": qos.get("qos_max_iops"),
        "qos_max_bytes_per_second": qos.get("qos_max_bytes_per_second"),
        "average_io_bytes": figures["average_io_bytes"],
        "iops": 7,
        "latency_ms": 2.0 if family in ("flasharray", None) else 1.5,
        "is_at_limit": True,
        "ceiling_use_at_least": 1.0,
        "qos_wait": "held back by a ceiling that was not found: the wait is QoS",
        "burst_credit": 5,
        "limit_per_second": expected,
        "read_at": ENDED,
    }


@pytest.mark.parametrize(
    ("figures", "latency", "is_at_limit"),
    [
        pytest.param({"latency_us": 250, "utilization": 1.0}, 0.25, True, id="at its ceiling"),
        pytest.param({"latency_us": 250, "utilization": 0.99}, 0.25, False, id="below it"),
        pytest.param({"latency_us": 250, "throttle_us": 0}, 0.25, False, id="not held back"),
        pytest.param({"latency_us": 0, "utilization": 0.5}, None, False, id="commands that take no time: not measured"),
        pytest.param({}, None, None, id="the array does not tell"),
    ],
)
def test_a_volume_is_at_its_ceiling_where_its_array_says_so(
    figures: dict[str, Any], latency: float | None, is_at_limit: bool | None
) -> None:
    key = {"endpoint": "east", "volume_id": "1"}
    array = {"endpoint": "east", "family": "solidfire"}
    tables: dict[str, list[dict[str, Any]]] = {"step_volume": [key], "fact.array_volume_load": [key | figures], "step_array": [array]}
    found = by("step_volume_load", "volume_id", tables)["1",]
    assert (found["latency_ms"], found["is_at_limit"]) == (latency, is_at_limit)


@pytest.mark.parametrize(("family", "latency"), [("flasharray", None), ("ontap", 0.25), ("solidfire", 0.25), (None, None)])
def test_the_latency_of_a_volume_without_the_share_of_its_qos(family: str | None, latency: float | None) -> None:
    """A FlashArray tells it apart from the latency, so without it the whole is not known."""
    key = {"endpoint": "east", "volume_id": "1"}
    tables: dict[str, list[dict[str, Any]]] = {
        "step_volume": [key],
        "fact.array_volume_load": [key | {"latency_us": 250}],
        "step_array": [{"endpoint": "east", "family": family}],
    }
    assert by("step_volume_load", "volume_id", tables)["1",]["latency_ms"] == latency
