"""The view `step_device_wait`: whether QoS of an array holds back what is behind a device name, in words."""

from typing import Any

import pytest

from .single import rows_over


def waits(loads: dict[str, tuple[bool | None, str | None]], device: dict[str, Any] | None = None, **volume: Any) -> dict[str, str | None]:
    """By device, the words; each of `loads` is an array on which a volume of the device lies, with what its load says."""
    found = rows_over(
        "step_device_wait",
        {
            "step_volume": [
                {"endpoint": name, "volume_id": "v", "device": "d", "is_virtual": False, "kind": "lun"} | volume for name in loads
            ],
            "step_array_device": [{"device": "d", "is_ambiguous": False, "volume_id": "v"} | (device or {})],
            "step_volume_load": [
                {"endpoint": name, "volume_id": volume_id, "is_at_limit": held, "qos_wait": words}
                for name, (is_at_limit, text) in loads.items()
                for volume_id, held, words in (("v", is_at_limit, text), ("another", True, "another volume's"))
                if text is not None or volume_id != "v"
            ],
        },
    )
    return {row["device"]: row["qos_wait"] for row in found}


@pytest.mark.parametrize(
    ("loads", "words"),
    [
        pytest.param({"a": (True, "at its ceiling")}, "at its ceiling", id="held"),
        pytest.param({"a": (False, "below its ceiling")}, "below its ceiling", id="not held"),
        pytest.param({"a": (True, "at a's ceiling"), "b": (False, "below b's")}, "at a's ceiling", id="held by one of two arrays"),
        pytest.param(
            {"a": (True, "at a's ceiling"), "b": (None, "unread")}, "at a's ceiling", id="held by one, and of the other nothing is known"
        ),
        pytest.param({"a": (False, "below a's"), "b": (False, "below b's")}, "below a's; below b's", id="by neither"),
        pytest.param({"a": (False, "below a's"), "b": (None, "unread")}, None, id="of the other it is not known"),
        pytest.param({"a": (False, "below a's"), "b": (None, None)}, None, id="the other's load was not read"),
    ],
)
def test_a_device_waits_for_qos_where_a_volume_of_it_is_at_a_ceiling(loads: dict[str, Any], words: str | None) -> None:
    assert waits(loads) == {"d": words}


@pytest.mark.parametrize(
    ("device", "volume", "is_there"),
    [
        pytest.param({"is_ambiguous": True}, {}, False, id="two arrays claim it"),
        pytest.param({"volume_id": None}, {}, False, id="no volume is known to be its own"),
        pytest.param({}, {"is_virtual": True}, False, id="a virtual volume"),
        pytest.param({}, {"kind": "protocol_endpoint"}, False, id="a protocol endpoint"),
        pytest.param({}, {"is_virtual": None, "kind": None}, True, id="a volume whose kind is not reported"),
    ],
)
def test_only_volumes_of_one_device_count(device: dict[str, Any], volume: dict[str, Any], is_there: bool) -> None:
    assert waits({"a": (True, "at its ceiling")}, device, **volume) == ({"d": "at its ceiling"} if is_there else {})


def behind(*held: tuple[str, bool | None, dict[str, Any]], **more: Any) -> dict[str, str | None]:
    """By device, the words of a protocol endpoint with these virtual volumes behind it, on an array that has a namesake."""
    volumes = [{"endpoint": "a", "volume_id": name, "is_virtual": True, "vvol_id": name.upper(), **about} for name, _, about in held]
    found = rows_over(
        "step_device_wait",
        {
            "step_volume": [*volumes, *more.get("volumes", [])],
            "step_array_device": more.get("devices", []),
            "step_vvol_place": [{"endpoint": "a", "volume_id": name, "device": "pe"} for name, _, _ in held],
            "step_volume_load": [
                *({"endpoint": "a", "volume_id": name, "is_at_limit": is_at_limit} for name, is_at_limit, _ in held),
                *({"endpoint": "elsewhere", "volume_id": name, "is_at_limit": True} for name, _, _ in held),
            ],
            "step_vvol_vm": [{"vvol_id": "of a disk", "disk": "web/disk 1"}],
        },
    )
    return {row["device"]: row["qos_wait"] for row in found}


def test_behind_a_protocol_endpoint_those_at_their_ceilings_are_named() -> None:
    held = [("of a disk", True, {"name": "n1"}), ("v2", True, {"name": "n2"}), ("v3", True, {})]
    words = "behind it at their ceilings: n2, v3, web/disk 1: their wait is QoS"
    assert behind(*held, ("v4", False, {"name": "n4"}), ("v5", None, {"name": "n5"})) == {"pe": words}


def test_one_that_is_held_is_enough_and_none_gives_no_row() -> None:
    assert behind(("v1", True, {}), ("v2", False, {})) == {"pe": "behind it at their ceilings: v1: their wait is QoS"}
    assert behind(("v1", False, {}), ("v2", None, {})) == {}


def test_a_name_that_is_a_volumes_own_is_not_one_of_a_protocol_endpoint() -> None:
    lun = {"endpoint": "a", "volume_id": "lun", "device": "pe", "is_virtual": False, "kind": "lun"}
    owner = {"device": "pe", "is_ambiguous": False, "volume_id": "lun"}
    assert behind(("v1", True, {}), volumes=[lun], devices=[owner]) == {"pe": None}
