"""Rows of views of devices as the steps hold them: hosts, names, inquiries and paths under numbers and keys."""

from collections.abc import Mapping, Sequence
from typing import Any

from .single import Rows

_OF_ROWS = ("host_number", "device_number", "inquiry_number", "queue_depth", "dsnro", "is_protocol_endpoint", "is_shared")
_INQUIRY = ("device_type", "vendor", "model", "family")
_POLICY = ("satp", "psp", "rr_policy", "rr_iops", "rr_bytes", "rr_use_unoptimized", "working_paths")

_AGREE = {"paths_differ": False, "policies_differ": False}

PATH_STEPS = ("step_path", "step_path_row", "step_path_of_set", "step_path_set", "step_policy_options", "step_policy", "step_device_path")
"""The steps from facts to `step_device_path`, in order."""


def with_numbers(tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """These tables with the numbers of the hosts and device names in them; rows of `device` become those of its steps."""
    rows = [row for several in tables.values() for row in several]
    hosts = sorted({(row["endpoint"], row["host_id"]) for row in rows if row.get("endpoint") and row.get("host_id")})
    names = sorted({row["device"] for row in rows if row.get("device") is not None})
    devices = tables.get("device", [])
    inquiries = _distinct(devices, _INQUIRY)
    arrays = sorted({row["array_name"] for row in devices if row.get("array_name")})
    numbered = [
        {**row, **_numbers(row, hosts, names), "inquiry_number": inquiries.index(tuple(row.get(name) for name in _INQUIRY))}
        for row in devices
    ]
    vcenters = sorted({endpoint for endpoint, _ in hosts})
    of_name = {row["device"]: row for row in reversed(devices)}
    steps: dict[str, Rows] = {
        "step_host_number": [
            {"host_number": at, "endpoint": endpoint, "host_id": host_id, "endpoint_number": vcenters.index(endpoint), "place_number": at}
            | _first(devices, {"endpoint": endpoint, "host_id": host_id}, ("cluster", "host"))
            for at, (endpoint, host_id) in enumerate(hosts)
        ],
        "step_device_number": [
            {"device_number": at, "device": name}
            | {key: of_name.get(name, {}).get(key) for key in ("array_name", "volume")}
            | {"array_name_number": _place(arrays, of_name.get(name, {}).get("array_name"))}
            for at, name in enumerate(names)
        ],
    }
    if devices:
        steps["step_device_of_class"] = [{key: cell for key, cell in row.items() if key != "inquiry_number"} for row in numbered]
        steps["step_device_row"] = [{key: row.get(key) for key in _OF_ROWS} for row in numbered]
        steps["step_inquiry"] = [{"inquiry_number": at, **dict(zip(_INQUIRY, one, strict=True))} for at, one in enumerate(inquiries)]
        steps["step_device_hosts"] = [{"device_number": names.index(name), "hosts": row.get("hosts")} for name, row in of_name.items()]
    return {**steps, **{name: several for name, several in tables.items() if name != "device"}}


def with_paths(rows: Rows, tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """These tables beside the steps of rows of `path_policy`; each row has paths of its own; native unless it is not."""
    numbered = with_numbers({**tables, "device": rows})
    own = numbered["step_device_row"]
    policies = _distinct(rows, _POLICY)
    keys = [policies.index(tuple(row.get(name) for name in _POLICY)) for row in rows]
    kept = ("host_number", "device_number", "inquiry_number", "is_protocol_endpoint", "is_shared")
    steps: dict[str, Rows] = {
        "step_device_path": [
            {**{key: row[key] for key in kept}, "set_key": at, "policy_key": keys[at], **_AGREE} for at, row in enumerate(own)
        ],
        "step_path_set": [
            {"set_key": at, "satp": row.get("satp"), "psp": row.get("psp"), "active_paths": row.get("active_paths")}
            | {"undetermined": 0 if row.get("active_paths") is not None else 1}
            for at, row in enumerate(rows)
        ],
        "step_policy": [{"policy_key": at, **dict(zip(_POLICY, one, strict=True))} for at, one in enumerate(policies)],
        "step_path_of_class": [
            {"has_paths": True, "is_native": True, **row, "host_number": at["host_number"], "device_number": at["device_number"]}
            for row, at in zip(rows, own, strict=True)
        ],
        "step_host_reading": [{**_place_of(row), "paths_read": True} for row in numbered["step_host_number"]],
    }
    return {**numbered, **steps}


def _distinct(rows: Rows, names: Sequence[str]) -> list[tuple[Any, ...]]:
    return list(dict.fromkeys(tuple(row.get(name) for name in names) for row in rows))


def _numbers(row: Mapping[str, Any], hosts: Sequence[tuple[str, str]], names: Sequence[str]) -> dict[str, int]:
    return {"host_number": hosts.index((row["endpoint"], row["host_id"])), "device_number": names.index(row["device"])}


def _first(rows: Rows, where: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """These cells of the first row that has those of `where`."""
    found = next((row for row in rows if all(row.get(key) == cell for key, cell in where.items())), {})
    return {name: found.get(name) for name in names}


def _place(words: Sequence[str], word: str | None) -> int | None:
    return None if word is None else words.index(word)


def _place_of(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"endpoint": row["endpoint"], "host_id": row["host_id"]}
