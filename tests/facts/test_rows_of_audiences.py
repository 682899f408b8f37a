"""Who may see a volume by its array's own lists, and what was read of them."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import add, host, rows_of_step, vcenter

pytestmark = pytest.mark.long

# By array host, its initiators: a and b are of a host that was read whole, c and d of hosts whose devices and scheduling were not,
# e of a host of "vc-2", whose datastores were not read, f of one of "gone", which was not read, z of nobody.
HOSTS = {"ab": "ab", "c": "c", "d": "d", "e": "e", "f": "f", "ae": "ae", "ac": "ac", "az": "az", "z": "z", "none": ""}
# By volume, the array hosts it is connected to, the initiators that are logged in, and what has to be said of it:
# hosts, hosts read, datastores read.
VOLUMES: dict[str, tuple[tuple[str, ...], str, tuple[int, bool, bool]]] = {
    "one": (("ab",), "", (1, True, True)),
    "two": (("ab", "e"), "", (2, True, False)),
    "two of one": (("ae",), "", (2, True, False)),
    "devices unread": (("c",), "", (1, False, True)),
    "scheduling unread": (("d",), "", (1, False, True)),
    "one unread": (("ab", "c"), "", (2, False, True)),
    "one of one unread": (("ac",), "", (2, False, True)),
    "nothing requested": (("f",), "", (1, False, False)),
    "a stranger": (("z",), "", (0, False, False)),
    "one and a stranger": (("az",), "", (1, False, False)),
    "without initiators": (("none",), "", (0, True, True)),
    "not listed": (("gone",), "", (0, True, True)),
    "session": ((), "ab", (1, True, True)),
    "session of one unread": ((), "ac", (2, False, True)),
    "session of a stranger": ((), "az", (1, False, False)),
    "session elsewhere": ((), "ae", (2, True, False)),
    "both": (("ab", "e"), "c", (2, False, False)),
    "both of one": (("ab",), "a", (1, True, True)),
}


def vcenters() -> Facts:
    given: Facts = {}
    for endpoint, unread in (("vc", ()), ("vc-2", ("datastores",)), ("gone", ())):
        vcenter(given, endpoint, unread=unread)
    for endpoint, n, initiators, lost in (
        ("vc", 1, "ab", ""),
        ("vc", 2, "c", "devices"),
        ("vc", 3, "d", "device_scheduling"),
        ("vc-2", 1, "e", ""),
        ("gone", 1, "f", ""),
    ):
        host(given, endpoint, f"host-{n}", f"esx-{n} of {endpoint}", None, unread={lost})
        add(given, "hba", *({"endpoint": endpoint, "host_id": f"host-{n}", "hba": one, "initiator": one} for one in initiators))
        add(given, "hba", {"endpoint": endpoint, "host_id": f"host-{n}", "hba": "local"})
    given["reading"] = [row for row in given["reading"] if row["endpoint"] != "gone"]
    return given


def lists(given: Facts, endpoint: str, volume_id: str, array_hosts: tuple[str, ...], sessions: str = "") -> None:
    add(given, "array_connection", *({"endpoint": endpoint, "volume_id": volume_id, "array_host_id": name} for name in array_hosts))
    add(given, "array_session", *({"endpoint": endpoint, "volume_id": volume_id, "session_id": one, "initiator": one} for one in sessions))


def initiators(given: Facts, endpoint: str, names: dict[str, str]) -> None:
    rows = ({"endpoint": endpoint, "array_host_id": name, "initiator": one} for name, several in names.items() for one in several)
    add(given, "array_initiator", *rows)


def of_volumes() -> Facts:
    """ "fb" has array hosts and volumes of the same ids, with other initiators."""
    given = vcenters()
    initiators(given, "fa", HOSTS)
    initiators(given, "fb", {"ab": "z"})
    for volume, (array_hosts, sessions, _) in VOLUMES.items():
        lists(given, "fa", volume, array_hosts, sessions)
    lists(given, "fb", "one", ("ab",))
    add(given, "array_session", {"endpoint": "fa", "session_id": "s", "initiator": "a"})
    return given


def test_the_hosts_of_a_volume_are_counted_by_its_array_s_lists() -> None:
    found = {(row.pop("endpoint"), row.pop("volume_id")): tuple(row.values()) for row in rows_of_step("step_volume_audience", of_volumes())}
    assert found == {("fa", volume): wanted for volume, (_, _, wanted) in VOLUMES.items()} | {("fb", "one"): (0, False, False)}


# By device, the array hosts that each array lists, the hosts that are known to see it, and what has to be said of it:
# hosts read, datastores read.
DEVICES: dict[str, tuple[dict[str, tuple[str, ...]], tuple[str, ...], tuple[bool, bool]]] = {
    "listed": ({"fa": ("ab",)}, ("vc",), (True, True)),
    "of nobody": ({"fa": ()}, (), (True, True)),
    "seen by more": ({"fa": ()}, ("vc",), (False, False)),
    "of an unread host": ({"fa": ("c",)}, (), (False, True)),
    "of datastores not read": ({"fa": ("e",)}, (), (True, False)),
    "stretched": ({"fa": ("ab",), "fd": ("e",)}, ("vc", "vc-2"), (True, False)),
    "stretched, of an unread host": ({"fa": ("ab",), "fd": ("c",)}, ("vc",), (False, True)),
    "stretched, one not listed": ({"fa": ("ab",), "hosts not read": ("e",)}, ("vc",), (False, False)),
    "half of a pod": ({"fa": ("ab",)}, ("vc",), (False, False)),
    "of two arrays": ({"fa": ("ab",), "fd": ("e",)}, (), (False, False)),
    "array hosts not read": ({"hosts not read": ("ab",)}, (), (False, False)),
    "connections not read": ({"connections not read": ("ab",)}, (), (False, False)),
    "sessions not read": ({"sessions not read": ("ab",)}, (), (False, False)),
    "sessions read": ({"el": ("ab",)}, (), (True, True)),
    "nothing read": ({"nothing read": ("ab",)}, (), (False, False)),
}
KINDS = {"el": EndpointKind.ELEMENT, "sessions not read": EndpointKind.ELEMENT}
LOST = {"hosts not read": "array_hosts", "connections not read": "connections", "sessions not read": "sessions"}


def of_devices() -> Facts:
    given = vcenters()
    names = {name for arrays, _, _ in DEVICES.values() for name in arrays}
    for name in sorted(names):
        array(given, name, KINDS.get(name, EndpointKind.FLASHARRAY))
        initiators(given, name, HOSTS)
    for row in given["reading"]:
        row["complete"] &= LOST.get(row["endpoint"]) != row["topic"]
    given["reading"] = [row for row in given["reading"] if row["endpoint"] != "nothing read"]
    for device, (arrays, vcs, _) in DEVICES.items():
        for name, array_hosts in arrays.items():
            pod = {"pod": "pod"} if device.startswith(("stretched", "half")) else {}
            _volume(given, name, device, {"is_virtual": None if device == "listed" else False, "device": device, **pod})
            lists(given, name, device, array_hosts)
        add(given, "device", *({"endpoint": endpoint, "host_id": "host-1", **seen(device, "flasharray")} for endpoint in vcs))
    lists(given, "fd", "listed", ("z",))
    _volume(given, "fa", "virtual", {"is_virtual": True, "device": "virtual"})
    _volume(given, "fa", "no device", {})
    _volume(given, "no array", "of no array", {"device": "of no array"})
    return given


def _volume(given: Facts, endpoint: str, name: str, more: dict[str, Any]) -> None:
    add(given, "array_volume", {"endpoint": endpoint, "volume_id": name, "name": name, "qos_read": True, **more})


def test_a_device_s_hosts_are_known_by_the_lists_of_every_array_that_presents_it() -> None:
    found = {row["device"]: (row["hosts_read"], row["datastores_read"]) for row in rows_of_step("step_device_audience", of_devices())}
    assert found == {device: wanted for device, (_, _, wanted) in DEVICES.items()}


FLEETS = [of_volumes, of_devices]
