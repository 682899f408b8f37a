"""Every column of the view `target_port` over rows of what it reads, and of the step of families behind iSCSI targets."""

from typing import Any

import pytest

from .single import ByName, Rows, by, of_vc, rows_over, shown

HOSTS = {"h1": "gold", "h2": "gold", "h3": "silver", "h4": "gold", "h5": "gold", "h6": "gold", "h7": "gold", "h8": None}


def login(target: str | None, host: str, hba: str = "vmhba1", device: str = "naa.a", **more: Any) -> dict[str, Any]:
    """A path of an adapter to a port."""
    return {"endpoint": "vc", "host_id": host, "hba": hba, "device": device, "transport": "fc", "target": target, **more}


def adapter(host: str, hba: str, deepest: int | None, at_least: int | None, endpoint: str = "vc") -> dict[str, Any]:
    """An adapter with the deepest queue of a disk behind it."""
    depths = {"deepest_queue_depth": deepest, "deepest_queue_depth_at_least": at_least}
    return {"endpoint": endpoint, "host_id": host, "hba": hba, "host": f"{host} of {endpoint}", **depths}


def ports(*, all_hosts_listed: bool) -> Rows:
    """Ports that several hosts reach; of each port one thing is not known."""
    return rows_over(
        "target_port",
        {
            "step_path": [
                *(login("whole", "h1", device=device) for device in ("naa.b", "naa.a")),
                login("whole", "h1", "vmhba2"),
                login("whole", "h2"),
                login("whole", "h1", endpoint="vc-2"),
                login("over Ethernet", "h1", transport="fcoe"),
                login("two clusters", "h1"),
                login("two clusters", "h3"),
                login("one in no cluster", "h1"),
                login("one in no cluster", "h8"),
                login("no adapter", "h4", "vmhba9"),
                *(login("paths not read", host) for host in ("h1", "h5")),
                *(login("devices not read", host) for host in ("h1", "h6")),
                *(login("domain not known", host) for host in ("h1", "h7")),
                login("may let others in", "h1", device="naa.half"),
                login("its hosts not read", "h1", device="naa.hosts"),
                login("its connections not read", "h1", device="naa.connections"),
                login("nobody's", "h1", device="naa.nobody"),
                login("iSCSI", "h1", transport="iscsi"),
                login(None, "h1"),
                login("of a host that is gone", "ghost"),
            ],
            "fact.host": [
                *of_vc(*({"host_id": host, "cluster": cluster} for host, cluster in HOSTS.items())),
                {"endpoint": "vc-2", "host_id": "h1", "cluster": "far"},
                {"endpoint": "vc-2", "host_id": "h2", "cluster": "far"},
            ],
            "adapter": [
                adapter("h1", "vmhba1", 64, 64),
                adapter("h1", "vmhba2", 32, 32),
                adapter("h2", "vmhba1", 128, 128),
                adapter("h3", "vmhba1", None, 8),
                *(adapter(host, "vmhba1", 4, 4) for host in ("h5", "h6", "h7", "h8")),
                adapter("h1", "vmhba1", 16, 16, endpoint="vc-2"),
            ],
            "step_host_reading": [
                *of_vc(*({"host_id": host, "paths_read": host != "h5", "domain_id": "d1"} for host in HOSTS if host not in ("h6", "h7"))),
                *of_vc({"host_id": "h6", "paths_read": True, "domain_id": "d2"}, {"host_id": "h7", "paths_read": True, "domain_id": "d7"}),
                {"endpoint": "vc-2", "host_id": "h1", "paths_read": True, "domain_id": "d2"},
                {"endpoint": "vc-2", "host_id": "h2", "paths_read": False, "domain_id": "d2"},
            ],
            "step_domain_reading": [
                *of_vc({"domain_id": "d1", "devices_read": True}, {"domain_id": "d2", "devices_read": False}),
                {"endpoint": "vc-2", "domain_id": "d1", "devices_read": False},
                {"endpoint": "vc-2", "domain_id": "d2", "devices_read": True},
            ],
            "step_volume_audience": [
                *({"endpoint": name, "hosts_read": True} for name in ("fa", "fa", "hosts", "connections", "half")),
                {"endpoint": "half", "hosts_read": False},
            ],
            "step_endpoint_reading": [
                {"endpoint": name, "array_hosts_read": name != "hosts", "connections_read": name != "connections"}
                for name in ("fa", "half", "hosts", "connections")
            ],
            "step_vcenter_reading": [{"hosts_read": all_hosts_listed}],
            "step_seen_device": [
                *of_vc({"device": "naa.a", "family": "flasharray"}, {"device": "naa.b", "family": "ontap"}),
                {"endpoint": "vc-2", "device": "naa.a", "family": "as vc-2 has it"},
            ],
            "step_array_device": [
                {"device": f"naa.{device}", "array_name": f"array {name}", "array_endpoint": name}
                for device, name in (("a", "fa"), ("half", "half"), ("hosts", "hosts"), ("connections", "connections"))
            ],
        },
    )


@pytest.mark.parametrize("all_hosts_listed", [False, True], ids=["a vCenter did not list its hosts", "all hosts are listed"])
def test_a_port_has_the_queues_of_all_that_reach_it_where_all_of_them_are_known(all_hosts_listed: bool) -> None:
    whole = {"initiators": 4, "deepest_queue_depth": 128, "queue_depths_seen": 240, "queue_depths": 240}
    only_if_listed = {"queue_depths_seen": 64, "queue_depths": 64 if all_hosts_listed else None}
    expected: ByName = {
        "whole": whole
        | {"resource_name": "whole", "target": "whole", "cluster": "gold", "host": None, "family": "flasharray", "array_name": "array fa"}
        | {"host_names": "h1 of vc, h1 of vc-2, h2 of vc"},
        "vc-2/whole": {**whole, "cluster": "far", "family": "as vc-2 has it"},
        "over Ethernet": {"initiators": 1, "queue_depths": 64},
        "two clusters": {"cluster": None, "initiators": 2, "queue_depths_seen": 72, "queue_depths": None},
        "one in no cluster": {"cluster": None, "queue_depths": 68},
        "no adapter": {"initiators": 1, "host_names": "h4", "deepest_queue_depth": None, "queue_depths_seen": 0, "queue_depths": None},
        "paths not read": {"queue_depths_seen": 68, "queue_depths": None},
        "devices not read": {"queue_depths_seen": 68, "queue_depths": None},
        "domain not known": {"queue_depths_seen": 68, "queue_depths": None},
        "may let others in": {**only_if_listed, "array_name": "array half"},
        "its hosts not read": only_if_listed,
        "its connections not read": only_if_listed,
        "nobody's": {**only_if_listed, "array_name": None, "family": None},
    }
    assert shown(ports(all_hosts_listed=all_hosts_listed), expected) == expected


def test_the_families_behind_an_iscsi_target_are_those_of_the_devices_of_its_paths() -> None:
    path = {"host_id": "h1", "hba": "vmhba64", "target": "iqn.a", "transport": "iscsi"}
    found = by(
        "step_iscsi_family",
        "endpoint host_id hba target family",
        {
            "step_path": [
                *of_vc(*({**path, "device": device} for device in ("naa.1", "naa.2", "naa.3", "naa.nobody"))),
                *of_vc({**path, "device": "naa.1", "transport": "fc"}, {**path, "device": "naa.1", "hba": None}),
                {**path, "endpoint": "vc-2", "device": "naa.1"},
            ],
            "step_seen_device": [
                *of_vc(*({"device": f"naa.{n}", "family": family} for n, family in ((1, "ontap"), (2, "ontap"), (3, "flasharray")))),
                {"endpoint": "vc-2", "device": "naa.1", "family": "solidfire"},
            ],
        },
    )
    where = ("vc", "h1", "vmhba64", "iqn.a")
    assert found == {
        (*where, "ontap"): {"paths": 2},
        (*where, "flasharray"): {"paths": 1},
        (*where, None): {"paths": 1},
        ("vc-2", "h1", "vmhba64", "iqn.a", "solidfire"): {"paths": 1},
    }
