"""Steps that say whose share a datastore mounts, and who uses a volume, over rows of what they read, with the same ids elsewhere."""

from typing import Any

import pytest

from .single import Keyed, Rows, by, of_vc

SERVERS: dict[str, tuple[str, str]] = {
    # datastore: what it mounts
    "plain": ("192.0.2.1", "/vol"),
    "deep": ("192.0.2.1", "/vol/deep/x/"),
    "root": ("192.0.2.1", "/"),
    "other svm": ("192.0.2.2", "/vol"),
    "other filer": ("192.0.2.3", "/vol"),
    "two svms": ("192.0.2.1, 192.0.2.2", "/vol"),
    "two svms, one twice": ("192.0.2.2,192.0.2.1,192.0.2.2", "/vol"),
    "two filers": ("192.0.2.9", "/vol"),
    "one cluster twice": ("192.0.2.5", "/vol"),
    "foreign": ("198.51.100.7", "/vol"),
    "foreign, v6": ("FD00::7", "/vol"),
    "a name": ("Filer.Example ", "/vol"),
    "a name, not exported": ("filer.example", "/nowhere"),
    "declared address": ("Named-1", "/vol"),
    "declared family": ("isilon.example", "/vol"),
    "an address and a name": ("198.51.100.7,filer.example", "/vol"),
    "declared, among several": ("198.51.100.7,isilon.example", "/vol"),
    "two addresses of one svm": ("192.0.2.1,192.0.2.10", "/vol"),
    "two volumes": ("192.0.2.1", "/dup"),
    "no share": ("192.0.2.1", "/nowhere"),
    "of no svm": ("192.0.2.8", "/nowhere"),
    "volumes not read": ("192.0.2.4", "/vol"),
    "addresses not read": ("192.0.2.6", "/vol"),
    "a PowerStore": ("192.0.2.60", "/vm"),
    "a PowerStore, by another path": ("192.0.2.60", "/vm/deep/x"),
    "of two families": ("192.0.2.61", "/vm"),
}


def shares(*, read: bool | None) -> Keyed:
    """Whose shares these are; `read`: of every ONTAP of the fleet."""

    def share(endpoint: str, svm: str, volume: str, path: str | None, kind: str = "share") -> dict[str, Any]:
        return {"endpoint": endpoint, "svm": svm, "volume_id": volume, "export_path": path, "kind": kind}

    def address(endpoint: str, number: int, svm: str | None) -> dict[str, Any]:
        return {"endpoint": endpoint, "address_id": str(number), "address": f"192.0.2.{number}", "svm": svm}

    whole = {"volumes_read": True, "addresses_read": True}
    tables: dict[str, Rows] = {
        "fact.datastore": [
            *of_vc(*({"datastore_id": name, "nfs_host": host, "nfs_path": path} for name, (host, path) in SERVERS.items())),
            *of_vc({"datastore_id": "no mount"}),
            {"endpoint": "vc-2", "datastore_id": "plain", "nfs_host": "192.0.2.3", "nfs_path": "/vol"},
            {"endpoint": "vc-2", "datastore_id": "deep", "nfs_host": "filer.example", "nfs_path": "/nowhere"},
            {"endpoint": "vc-2", "datastore_id": "foreign", "nfs_host": "isilon.example", "nfs_path": "/vol"},
        ],
        "fact.declared_nfs_server": [
            {"server": "named-*", "address": "192.0.2.1"},
            {"server": "named-1", "family": "wrong"},
            {"server": "isilon.*", "family": "isilon"},
        ],
        "fact.array_address": [
            address("f1", 1, "a"),
            address("f1", 2, "b"),
            address("f1", 10, "a"),
            address("f2", 3, "a"),
            *(address(name, 9, "a") for name in ("f1", "f2")),
            *(address(name, 5, "a") for name in ("f1", "f1 again")),
            address("f1", 8, None),
            address("f3", 4, "a"),
            address("f4", 6, "a"),
            address("ps", 60, "nas-1"),
            address("ps", 61, "nas-1"),
            address("f2", 61, "a"),
        ],
        "step_array": [
            {"endpoint": "f1", "array_key": "k1"},
            {"endpoint": "f1 again", "array_key": "k1"},
            *({"endpoint": name, "array_key": f"key of {name}", "family": "ontap"} for name in ("f2", "f3")),
            {"endpoint": "ps", "array_key": "ps", "family": "powerstore"},
        ],
        "step_volume": [
            share("f1", "a", "root", "/"),
            share("f1", "a", "v1", "/vol"),
            share("f1", "a", "v2", "/vol/deep/"),
            share("f1", "b", "v3", "/vol"),
            share("f2", "a", "v1 of f2", "/vol"),
            share("f1", "a", "not mounted", None),
            share("f1", "a", "lun", "/vol/deep/x", "lun"),
            *(share("f1", "a", volume, "/dup") for volume in ("v4", "v5")),
            share("f1 again", "a", "v1", "/vol"),
            share("f3", "a", "v1", "/vol"),
            share("f4", "a", "v1", "/vol"),
            share("ps", "nas-1", "export", "/vm"),
            share("ps", "nas-2", "another", "/vm"),
        ],
        "step_endpoint_reading": [
            *({"endpoint": name, **whole} for name in ("f1", "f1 again", "f2", "ps")),
            {"endpoint": "f3", **whole, "volumes_read": False},
            {"endpoint": "f4", **whole, "addresses_read": False},
        ],
        "step_ontap_reading": [{"volumes_read": read, "addresses_read": read}],
    }
    return by("step_nfs_server", "endpoint datastore_id", tables)


@pytest.mark.parametrize(
    "read", [pytest.param(True, id="read whole"), pytest.param(None, id="no ONTAP"), pytest.param(False, id="not read whole")]
)
def test_a_datastore_mounts_the_deepest_share_of_the_filer_whose_address_it_names(read: bool | None) -> None:
    everywhere = "f1, f1 again, f2, f3, f4"

    def mount(family: str | None, array: str | None = None, volume: str | None = None, exported: str | None = everywhere) -> dict[str, Any]:
        return {"family": family, "array_endpoint": array, "volume_id": volume, "exported_by": exported}

    other = "other" if read else None
    expected = {
        "plain": mount("ontap", "f1", "v1"),
        "deep": mount("ontap", "f1", "v2"),
        "root": mount("ontap", "f1", "root", "f1"),
        "other svm": mount("ontap", "f1", "v3"),
        "other filer": mount("ontap", "f2", "v1 of f2"),
        "two svms": mount("ontap", "f1"),
        "two svms, one twice": mount("ontap", "f1"),
        "two filers": mount("ontap"),
        "one cluster twice": mount("ontap", "f1", "v1"),
        "foreign": mount(other),
        "foreign, v6": mount(other),
        "a name": mount(None),
        "a name, not exported": mount(other, exported=None),
        "declared address": mount("ontap", "f1", "v1"),
        "declared family": mount("isilon"),
        "an address and a name": mount(None),
        "declared, among several": mount("isilon"),
        "two addresses of one svm": mount("ontap", "f1", "v1"),
        "two volumes": mount("ontap", "f1", exported="f1"),
        "no share": mount("ontap", "f1", exported=None),
        "of no svm": mount(other, exported=None),
        "volumes not read": mount("ontap", "f3"),
        "addresses not read": mount("ontap", "f4"),
        "a PowerStore": mount("powerstore", "ps", "export", "ps"),
        "a PowerStore, by another path": mount("powerstore", "ps", "export", "ps"),
        "of two families": mount(None, exported="ps"),
    }
    rows = shares(read=read)
    keyed = {("vc", name): row for name, row in expected.items()}
    keyed["vc-2", "plain"] = mount("ontap", "f2", "v1 of f2")
    keyed["vc-2", "deep"] = mount(other, exported=None)
    keyed["vc-2", "foreign"] = mount("isilon")
    assert {key: {column: row[column] for column in mount(None)} for key, row in rows.items()} == keyed
    named = {
        "two svms, one twice": ["192.0.2.1", "192.0.2.2"],
        "foreign, v6": ["fd00::7"],
        "a name": ["filer.example"],
        "declared address": ["192.0.2.1"],
        "declared family": ["isilon.example"],
    }
    assert {name: rows["vc", name]["addresses"] for name in named} == named
    assert rows["vc-2", "foreign"]["addresses"] == ["isilon.example"]
    assert (rows["vc", "deep"]["path"], rows["vc", "root"]["path"], rows["vc", "a name"]["server"]) == (
        "/vol/deep/x",
        "/",
        "Filer.Example ",
    )


def test_a_volume_is_used_by_the_datastores_hosts_and_disks_that_lie_on_it() -> None:
    tables: dict[str, Rows] = {
        "step_volume": [
            {"endpoint": "east", "volume_id": "lun", "name": "lun", "device": "naa.1", "svm": "s", "pool_id": "p"},
            {"endpoint": "west", "volume_id": "lun", "name": "lun of west", "device": "naa.2", "is_virtual": False},
            {"endpoint": "east", "volume_id": "ambiguous", "device": "naa.3"},
            {"endpoint": "east", "volume_id": "share"},
            {"endpoint": "west", "volume_id": "share"},
            {"endpoint": "east", "volume_id": "bound", "is_virtual": True, "vvol_id": "ID-1", "device": "naa.1"},
            {"endpoint": "east", "volume_id": "no disk", "is_virtual": True, "vvol_id": "id-9"},
            {"endpoint": "west", "volume_id": "bound", "is_virtual": True},
            {"endpoint": "east", "volume_id": "of two endpoints", "is_virtual": True, "vvol_id": "id-8"},
            {"endpoint": "east", "volume_id": "unused"},
        ],
        "step_array_device": [{"device": f"naa.{number}", "is_ambiguous": number == 3} for number in (1, 2, 3)],
        "step_seen_device": [
            *({"endpoint": vcenter, "device": "naa.1", "hosts": 2, "host_names": "h1, h2"} for vcenter in ("vc", "vc-2")),
            *of_vc({"device": "naa.3", "hosts": 9, "host_names": "wrong"}, {"device": "pe.1", "hosts": 4, "host_names": "all of pe.1"}),
            *of_vc({"device": "pe.2", "hosts": 5, "host_names": "all of pe.2"}),
        ],
        "step_datastore_volume": [
            *of_vc({"datastore_id": "ds-1", "device": "naa.1", "array_endpoint": "east", "volume_id": "lun"}),
            *of_vc({"datastore_id": "ds-2", "device": "naa.1", "array_endpoint": "east", "volume_id": "lun"}),
            *of_vc({"datastore_id": "nfs", "array_endpoint": "east", "volume_id": "share"}, {"datastore_id": "nothing"}),
            {"endpoint": "vc-2", "datastore_id": "nfs", "array_endpoint": "west", "volume_id": "share"},
        ],
        "fact.datastore": [
            *of_vc(*({"datastore_id": name, "name": f"name of {name}"} for name in ("ds-1", "ds-2", "nfs", "nothing"))),
            {"endpoint": "vc-2", "datastore_id": "nfs", "name": "elsewhere"},
        ],
        "fact.datastore_mount": [
            *of_vc(
                *({"datastore_id": name, "host_id": "h1"} for name in ("ds-1", "nfs", "nothing")), {"datastore_id": "nfs", "host_id": "h2"}
            ),
            {"endpoint": "vc-2", "datastore_id": "nfs", "host_id": "h1"},
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "name": "host 1"}, {"host_id": "h2", "name": "host 2"}),
            {"endpoint": "vc-2", "host_id": "h1", "name": "host of vc-2"},
        ],
        "step_vvol_place": [
            *({"endpoint": "east", "volume_id": "bound", "device": device} for device in ("pe.2", "pe.1")),
            {"endpoint": "east", "volume_id": "no disk", "device": "pe.2"},
            {"endpoint": "west", "volume_id": "bound", "device": "pe.9"},
            *({"endpoint": "east", "volume_id": "of two endpoints", "device": device} for device in ("pe.2", "pe.1")),
        ],
        "step_vvol_vm": [{"vvol_id": "id-1", "disk": "vm disk", "host": "its host", "host_keys": ["vc/h1"], "datastore": "vvols"}],
    }
    names = ("device", "datastores", "hosts", "host_names", "vm_disk")

    def use(*values: Any) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    expected: Keyed = {
        ("east", "lun"): use("naa.1", "name of ds-1, name of ds-2", 2, "h1, h2", None),
        ("west", "lun"): use("naa.2", None, None, None, None),
        ("east", "ambiguous"): use("naa.3", None, None, None, None),
        ("east", "share"): use(None, "name of nfs", 2, "host 1, host 2", None),
        ("west", "share"): use(None, "elsewhere", 1, "host of vc-2", None),
        ("east", "bound"): use("pe.1, pe.2", "vvols", 1, "its host", "vm disk"),
        ("east", "no disk"): use("pe.2", None, 5, "all of pe.2", None),
        ("west", "bound"): use("pe.9", None, None, None, None),
        ("east", "of two endpoints"): use("pe.1, pe.2", None, None, None, None),
        ("east", "unused"): use(None, None, None, None, None),
    }
    rows = by("step_volume_use", "endpoint volume_id", tables)
    assert {key: {name: row[name] for name in names} for key, row in rows.items()} == expected
    assert [rows["east", "lun"][name] for name in ("volume", "svm", "pool_id")] == ["lun", "s", "p"]


def test_pools_and_file_systems_are_used_by_those_who_use_their_volumes() -> None:
    def use(endpoint: str, volume: str, name: str, **more: Any) -> dict[str, Any]:
        texts = {"device": f"device of {volume}", "datastores": f"store of {volume}", "host_names": f"hosts of {volume}"}
        return {"endpoint": endpoint, "volume_id": volume, "volume": name, "svm": "svm", "pool_id": "p", **texts, **more}

    uses = [
        use("east", "v1", "fs"),
        use("east", "v2", "/vol/fs/lun"),
        use("east", "v3", "/vol/fs/qtree/lun", pool_id="q"),
        use("east", "v4", "alone", pool_id=None, svm=None),
        use("west", "v1", "fs"),
    ]
    qos: Rows = [
        {"endpoint": "east", "volume_id": "other", "qos": "wrong"},
        {"endpoint": "east", "volume_id": "v1", "qos": "100 IOPS"},
        {"endpoint": "west", "volume_id": "v1", "qos": "900 IOPS"},
    ]
    pools = by("step_pool_use", "endpoint pool_id", {"step_volume_use": uses, "step_volume_qos": qos})
    members = by("step_volume_member", "endpoint volume_id", {"step_volume_use": uses})

    def texts(*volumes: str) -> dict[str, Any]:
        parts = {"devices": "device", "datastores": "store", "host_names": "hosts"}
        return {name: ", ".join(f"{word} of {volume}" for volume in volumes) for name, word in parts.items()}

    assert pools == {
        ("east", "p"): {"volumes": 2, "volume_names": "/vol/fs/lun, fs", **texts("v1", "v2"), "qos": "100 IOPS"},
        ("east", "q"): {"volumes": 1, "volume_names": "/vol/fs/qtree/lun", **texts("v3"), "qos": None},
        ("west", "p"): {"volumes": 1, "volume_names": "fs", **texts("v1"), "qos": "900 IOPS"},
    }
    assert members == {("east", name): {"path": "svm:fs"} for name in ("v1", "v2", "v3")} | {("west", "v1"): {"path": "svm:fs"}}
    member_rows: Rows = [{"endpoint": endpoint, "volume_id": volume, **row} for (endpoint, volume), row in members.items()]
    paths = by("step_path_use", "endpoint path", {"step_volume_member": member_rows, "step_volume_use": uses, "step_volume_qos": qos})
    assert paths == {
        ("east", "svm:fs"): {"volumes": "/vol/fs/lun, /vol/fs/qtree/lun, fs", **texts("v1", "v2", "v3"), "qos": "100 IOPS"},
        ("west", "svm:fs"): {"volumes": "fs", **texts("v1"), "qos": "900 IOPS"},
    }
