"""Every column of step_share_twin and step_datastore_lack, among datastores and hosts of the same ids in another vCenter."""

from typing import Any

from .single import Rows, of_vc, rows_over


def far(*rows: dict[str, Any]) -> Rows:
    """These rows, of the other vCenter."""
    return [{"endpoint": "vc-2", **row} for row in rows]


def by_store(view: str, tables: dict[str, Rows]) -> dict[str, tuple[Any, ...]]:
    """By vCenter and datastore, what the view has of it, in the order of its columns."""
    return {f"{row['endpoint']}/{row['datastore_id']}": tuple(row.values())[2:] for row in rows_over(view, tables)}


SHARES = {
    "vc/s1": ("NFS", "/a", ["f"]),
    "vc/s2": ("NFS41", "/a", ["f"]),
    "vc/s3": ("NFS", "/b", ["localhost"]),
    "vc/s4": ("NFS", "/c", ["f1"]),
    "vc/s5": ("NFS", "/c", ["f1"]),
    "vc/s6": ("NFS", "/c", ["10.0.0.9"]),
    "vc/s7": ("NFS", "/d", ["f.example.net"]),
    "vc/s8": ("NFS", "/e", ["::1"]),
    "vc/s9": ("NFS", "/alone", ["f"]),
    "vc/s0": ("NFS", "/g", ["f.example.net"]),
    "vc-2/s1": ("NFS", "/a", ["f"]),
    "vc-2/s3": ("NFS", "/b", ["localhost"]),
    "vc-2/s4": ("NFS", "/c", ["f1"]),
    "vc-2/s5": ("NFS", "/c", ["f1"]),
    "vc-2/s7": ("NFS", "/d", ["f"]),
    "vc-2/s8": ("NFS", "/e", ["::1"]),
    "vc-2/s0": ("NFS", "/g", ["10.0.0.8", "f"]),
    "vc/s10": ("NFS", "/f", ["f1"]),
    "vc-2/s10": ("NFS41", "/f", ["10.0.0.9"]),
    "vc/s11": (None, "/h", ["f"]),
    "vc-2/s11": ("NFS", "/h", ["f"]),
}
"""Type, path and addresses of the server; s4 and s5 of vc differ in how the path is written. A host of example.net mounts vc-2's s0."""


def test_shares_are_told_by_server_and_path_and_by_who_has_them() -> None:
    keys = {name: dict(zip(("endpoint", "datastore_id"), name.split("/"), strict=True)) for name in SHARES}
    clustered = [{"host_id": host, "cluster_id": "c1"} for host in ("h1", "h2")]
    found = by_store(
        "step_share_twin",
        {
            "step_nfs_server": [keys[name] | {"path": path, "addresses": addresses} for name, (_, path, addresses) in SHARES.items()],
            "fact.datastore": [keys[name] | {"name": name.replace("/", " "), "type": kind} for name, (kind, _, _) in SHARES.items()],
            "fact.host": [
                *of_vc(*clustered, {"host_id": "h3", "name": "esx-3.example.org"}),
                *far(*clustered, {"host_id": "h4", "name": "ESX-4.Example.net"}),
            ],
            "fact.datastore_mount": [
                *of_vc({"datastore_id": "s4", "host_id": "h1"}, *({"datastore_id": name, "host_id": "h2"} for name in ("s5", "s6"))),
                *of_vc({"datastore_id": "s4", "host_id": "h3"}),
                *far(*({"datastore_id": name, "host_id": "h1"} for name in ("s4", "s5"))),
                *far({"datastore_id": "s0", "host_id": "h4"}),
            ],
        },
    )
    # the other version by, and how many more may; other vCenters, and how many more may; another name by, and how many more may
    assert found == {
        "vc/s1": ("vc s2", 0, 1, 0, None, 0),
        "vc/s2": ("vc s1, vc-2 s1", 0, 0, 0, None, 0),
        "vc/s3": (None, 0, 0, 0, None, 0),
        "vc/s4": (None, 0, 1, 0, "vc s5", 1),
        "vc/s5": (None, 0, 1, 0, "vc s4", 0),
        "vc/s6": (None, 0, 0, 2, None, 1),
        "vc/s7": (None, 0, 0, 1, None, 0),
        "vc/s8": (None, 0, 0, 0, None, 0),
        "vc-2/s1": ("vc s2", 0, 1, 0, None, 0),
        "vc-2/s3": (None, 0, 0, 0, None, 0),
        "vc-2/s4": (None, 0, 1, 1, None, 0),
        "vc-2/s5": (None, 0, 1, 1, None, 0),
        "vc-2/s7": (None, 0, 0, 1, None, 0),
        "vc/s0": (None, 0, 1, 0, None, 0),
        "vc-2/s0": (None, 0, 1, 0, None, 0),
        "vc-2/s8": (None, 0, 0, 0, None, 0),
        "vc/s10": (None, 1, 0, 0, None, 0),
        "vc-2/s10": (None, 1, 0, 0, None, 0),
    }


def test_only_hosts_of_one_cluster_and_vcenter_divide_a_share() -> None:
    # By vCenter, path and datastore, the hosts that mount it.
    mounts: dict[tuple[str, str], dict[str, str]] = {
        ("vc", "/chain"): {"a1": "h1 h2", "a2": "h2", "a3": "h7"},  # all that have a2 have a1
        ("vc", "/two"): {"b1": "h1 h2", "b2": "h1"},  # all that have b2 have b1; in the other vCenter it is the other way round
        ("vc-2", "/two"): {"b1": "h1", "b2": "h1 h2"},
        ("vc", "/both"): {"c1": "h1", "c2": "h1"},
        ("vc-2", "/elsewhere"): {"c1": "h2", "c2": "h3"},  # what mounts them there says nothing here
        ("vc", "/far"): {"d1": "h5", "d2": "h6"},  # hosts of two clusters; the other vCenter's hosts of these ids are of one
        ("vc", "/twice"): {"e1": "h1 h5", "e2": "h2 h8"},  # in each of two clusters
    }
    servers = {"e2": "10.0.0.9"}
    clusters = {"c1": "h1 h2 h7", "c5": "h5 h8", "c6": "h6"}
    keys = [(vcenter, path, store, hosts) for (vcenter, path), stores in mounts.items() for store, hosts in stores.items()]
    found = by_store(
        "step_share_twin",
        {
            "step_nfs_server": [
                {"endpoint": vcenter, "datastore_id": store, "path": path, "addresses": [servers.get(store, "localhost")]}
                for vcenter, path, store, _ in keys
            ],
            "fact.datastore": [{"endpoint": vcenter, "datastore_id": store, "name": store, "type": "NFS"} for vcenter, _, store, _ in keys],
            "fact.host": [
                *of_vc(*({"host_id": host, "cluster_id": cluster} for cluster, hosts in clusters.items() for host in hosts.split())),
                *far(*({"host_id": f"h{number}", "cluster_id": "c1"} for number in range(1, 9))),
            ],
            "fact.datastore_mount": [
                {"endpoint": vcenter, "datastore_id": store, "host_id": host} for vcenter, _, store, hosts in keys for host in hosts.split()
            ],
        },
    )
    assert {name: by_other_name for name, (*_, by_other_name, _) in found.items() if by_other_name} == {
        "vc/a1": "a3",
        "vc/a2": "a3",
        "vc/a3": "a1, a2",
        "vc-2/c1": "c2",
        "vc-2/c2": "c1",
    }
    assert {name: may_be for name, (*_, may_be) in found.items() if may_be} == {"vc/e1": 1, "vc/e2": 1}


def test_hosts_are_counted_for_each_cluster_that_has_a_datastore() -> None:
    works = {"connection_state": "connected", "in_maintenance_mode": False, "cluster_id": "c1"}
    members = [{"host_id": f"h{number}", "name": name, **works} for number, name in ((1, "esx-1"), (2, "esx-2"), (3, None))]
    both = [{"host_id": "h1", "device": device} for device in ("naa.6", "naa.7")]  # each disk of a datastore that it has
    found = by_store(
        "step_datastore_lack",
        {
            "fact.host": [*of_vc(*members, {**works, "host_id": "h4", "cluster_id": None}), *far(*members)],
            "step_host_reading": [
                *of_vc(*({"host_id": f"h{number}", "devices_read": number != 3} for number in (1, 2, 3, 4))),
                *far(*({"host_id": f"h{number}", "devices_read": True} for number in (1, 2, 3))),
            ],
            "fact.datastore_mount": [
                *of_vc(*({"datastore_id": "a", "host_id": host} for host in ("h1", "h2"))),
                *of_vc(*({"datastore_id": store, "host_id": "h1"} for store in ("b", "c"))),
                *of_vc({"datastore_id": "d", "host_id": "h4"}),
                *far(*({"datastore_id": "a", "host_id": host} for host in ("h1", "h2", "h3"))),
                *far(*({"datastore_id": store, "host_id": "h1"} for store in ("b", "c"))),
            ],
            "fact.datastore_extent": [
                *of_vc({"datastore_id": "a", "device": "naa.1"}, {"datastore_id": "c", "device": "naa.3"}),
                *far(*({"datastore_id": store, "device": device} for store, device in (("b", "naa.6"), ("b", "naa.7"), ("c", "naa.8")))),
            ],
            "fact.device": [*of_vc({"host_id": "h2", "device": "naa.3"}), *far({"host_id": "h3", "device": "naa.3"}, *both)],
        },
    )
    # hosts, how many more may be among them, who lacks it, and how many more may
    assert found == {
        "vc/a": (3, 0, "h3", 0),
        "vc/b": (1, 0, None, 0),
        "vc/c": (2, 1, "esx-2", 1),
        "vc-2/a": (3, 0, None, 0),
        "vc-2/b": (1, 0, None, 0),
        "vc-2/c": (1, 0, None, 0),
    }


def test_hosts_lack_what_most_of_their_cluster_have_and_namespaces_where_they_have_an_adapter_for_them() -> None:
    hosts = [f"h{number}" for number in range(1, 6)]
    adapters = [("h1", "nvmetcp"), ("h1", "nvmetcp"), ("h2", None), ("h3", "qlnativefc"), ("h3", "qlnativefc"), ("h4", "nvme_pcie")]
    mounts = {"half": "h1 h2", "most": "h1 h2 h3", "namespace": "h1 h2 h3", "another": "h1 h2 h5"}
    disks = {"half": "naa.1", "most": "naa.2", "namespace": "eui.3", "another": "uuid.4"}
    works = {"connection_state": "connected", "in_maintenance_mode": False, "cluster_id": "c1"}
    found = by_store(
        "step_datastore_lack",
        {
            "fact.host": of_vc(*({"host_id": host, "name": host, **works} for host in hosts)),
            "step_host_reading": of_vc(*({"host_id": host, "devices_read": True, "hbas_read": host != "h5"} for host in hosts)),
            "fact.datastore_mount": of_vc(
                *({"datastore_id": store, "host_id": host} for store, several in mounts.items() for host in several.split())
            ),
            "fact.datastore_extent": of_vc(*({"datastore_id": store, "device": device} for store, device in disks.items())),
            "fact.hba": [
                *of_vc(
                    *({"host_id": host, "driver": driver, "kind": "nvme"} for host, driver in adapters), {"host_id": "h4", "kind": "fc"}
                ),
                *far({"host_id": "h4", "driver": "nvmetcp", "kind": "nvme"}),
            ],
        },
    )
    # hosts, how many more may be among them, who lacks it, and how many more may
    assert found == {
        "vc/half": (2, 0, None, 0),
        "vc/most": (5, 0, "h4, h5", 0),
        "vc/namespace": (3, 1, None, 1),
        "vc/another": (4, 0, "h3", 0),
    }
