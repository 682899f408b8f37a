"""One share that is mounted by NFS 3 and by NFS 4.1, or under several names of its server."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, hosts, serves, unanswered
from .judged import evaluated, judged

pytestmark = pytest.mark.long

RULE = "datastore/one-nfs-version"


def mounts(*shares: tuple[str | None, str, str], **more: Any) -> Facts:
    """Datastores of these types, servers and paths; their ids and names are ds-1, ds-2 and so on."""
    given = hosts()
    given["datastore"] = [
        {"datastore_id": f"ds-{at}", "name": f"ds-{at}", "type": kind, "nfs_host": server, "nfs_path": path, **more}
        for at, (kind, server, path) in enumerate(shares, 1)
    ]
    return given


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        pytest.param(("NFS", "filer", "/vol/a"), ("NFS41", "filer", "/vol/a"), "fail", id="one name"),
        pytest.param(("NFS", "Filer.", "/vol/a/"), ("NFS41", "filer", "/vol/a"), "fail", id="case, dot and slash"),
        pytest.param(("NFS", "filer", "/vol/a"), ("NFS41", "filer.example.net", "/vol/a"), "fail", id="the short name and the long one"),
        pytest.param(("NFS", "10.0.0.2", "/vol/a"), ("NFS41", "10.0.0.1,10.0.0.2", "/vol/a"), "fail", id="one of several addresses"),
        pytest.param(("NFS", "filer-1", "/vol/a"), ("NFS41", "10.0.0.1", "/vol/a"), "unknown", id="a name, and an address"),
        pytest.param(("NFS", "10.0.0.1", "/vol/a"), ("NFS41", "10.0.0.2", "/vol/a"), "unknown", id="two addresses"),
        pytest.param(("NFS", "a.example.net", "/vol/a"), ("NFS41", "a.example.org", "/vol/a"), "unknown", id="of two domains"),
        pytest.param(("NFS", "10", "/vol/a"), ("NFS41", "10.0.0.1", "/vol/a"), "unknown", id="a number is no short name of an address"),
        pytest.param(("NFS", "filer", "/vol/a"), ("NFS41", "filer", "/vol/b"), "pass", id="another path"),
        pytest.param(("NFS", "filer", "/vol/a"), ("NFS", "filer.example.net", "/vol/a"), "pass", id="one version"),
        pytest.param(("NFS41", "filer", "/vol/a"), ("NFS41", "filer", "/vol/a"), "pass", id="NFS 4.1 of two data centers"),
    ],
)
def test_a_share_is_mounted_by_one_version(first: tuple[str, str, str], second: tuple[str, str, str], verdict: str) -> None:
    assert judged(RULE, mounts(first, second)) == {"ds-1": verdict, "ds-2": verdict}


def test_the_other_datastore_is_named() -> None:
    evaluation = evaluated(mounts(("NFS", "filer", "/a"), ("NFS41", "filer", "/a")), RULE)
    assert {finding.observed for finding in evaluation.findings()} == {"the other version by ds-1", "the other version by ds-2"}
    evaluation.close()


def test_versions_are_compared_across_vcenters() -> None:
    given = mounts(("NFS", "filer", "/vol/a"))
    given["reading"] += [{**row, "endpoint": "vc-2"} for row in given["reading"]]
    given["datastore"].append(
        {"endpoint": "vc-2", "datastore_id": "ds-2", "name": "far", "type": "NFS41", "nfs_host": "filer", "nfs_path": "/vol/a"}
    )
    assert judged(RULE, given) == {"ds-1": "fail", "ds-2": "fail"}


def test_a_vcenter_that_was_not_read_may_have_the_other_version() -> None:
    given = mounts(("NFS", "filer", "/vol/a"))
    assert judged(RULE, given) == {"ds-1": "pass"}
    unanswered(given, "vc-2")
    assert judged(RULE, given) == {"ds-1": "unknown"}


def test_two_addresses_of_one_array_are_one_server_where_the_volume_is_one() -> None:
    given = mounts(("NFS", "10.0.0.1", "/vol_a"), ("NFS41", "10.0.0.2", "/vol_a"), ("NFS41", "10.0.9.9", "/vol_a"))
    array(given, "ontap-1", EndpointKind.ONTAP, {"name": "vol_a", "kind": "share", "export_path": "/vol_a"})
    serves(given, "ontap-1", "10.0.0.1", "10.0.0.2")
    assert judged(RULE, given) == {"ds-1": "fail", "ds-2": "fail", "ds-3": "pass"}


def test_two_addresses_of_one_array_are_open_where_its_volumes_were_not_read() -> None:
    given = mounts(("NFS", "10.0.0.1", "/vol_a"), ("NFS41", "10.0.0.2", "/vol_a"))
    array(given, "ontap-1", EndpointKind.ONTAP, read=False)
    serves(given, "ontap-1", "10.0.0.1", "10.0.0.2")
    assert judged(RULE, given) == {"ds-1": "unknown", "ds-2": "unknown"}


def test_two_arrays_may_export_the_same_path() -> None:
    given = mounts(("NFS", "10.0.0.1", "/vol_a"), ("NFS41", "10.0.0.2", "/vol_a"))
    for name, address in (("ontap-1", "10.0.0.1"), ("ontap-2", "10.0.0.2")):
        array(given, name, EndpointKind.ONTAP, {"name": "vol_a", "kind": "share", "export_path": "/vol_a"})
        serves(given, name, address)
    assert judged(RULE, given) == {"ds-1": "pass", "ds-2": "pass"}


def test_a_declared_address_joins_a_name_to_it() -> None:
    given = mounts(("NFS", "filer", "/vol/a"), ("NFS41", "10.0.0.1", "/vol/a"))
    given["declared_nfs_server"] = [{"server": "filer", "address": "10.0.0.1"}]
    assert judged(RULE, given) == {"ds-1": "fail", "ds-2": "fail"}


def of_two_vcenters(first: str, second: str, *, kind: str = "NFS", **more: Any) -> Facts:
    """A share of each of these servers, each in a vCenter of its own; Storage I/O Control is on."""
    given = mounts((kind, first, "/vol/a"), sioc_enabled=True, **more)
    given["reading"] += [{**row, "endpoint": "vc-2"} for row in given["reading"]]
    given["datastore"] += [{**row, "endpoint": "vc-2", "datastore_id": "ds-2", "nfs_host": second} for row in given["datastore"]]
    return given


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        pytest.param("filer", "filer", "fail", id="one name"),
        pytest.param("filer", "filer.example.net", "unknown", id="the short name and the long one"),
        pytest.param("10.0.0.1", "10.0.0.1", "fail", id="one address"),
        pytest.param("filer", "10.0.0.1", "unknown", id="a name, and an address"),
        pytest.param("192.168.5.2", "192.168.5.2", "unknown", id="the controller of each Nutanix host"),
        pytest.param("127.0.0.1", "127.0.0.1", "pass", id="each host's own"),
    ],
)
def test_a_share_that_two_vcenters_have_is_not_one_for_storage_io_control(first: str, second: str, verdict: str) -> None:
    """VMware: datastores with Storage I/O Control are managed by one vCenter. Nutanix: 192.168.5.2 is each host's own."""
    assert judged("sioc/supported-datastore", of_two_vcenters(first, second)) == {"ds-1": verdict, "ds-2": verdict}


@pytest.mark.parametrize(
    ("first", "second", "hosts_of", "verdict"),
    [
        pytest.param("filer", "filer.example.net", ("esx-1.example.net", "esx-2.example.net"), "fail", id="one domain"),
        pytest.param(
            "filer", "filer.example.net", ("esx-1.example.org", "esx-2.example.net"), "unknown", id="a short name of another domain"
        ),
        pytest.param("filer", "filer", ("esx-1.Example.net", "esx-2.example.net"), "fail", id="one short name, of one domain"),
        pytest.param("filer", "filer", ("esx-1.example.org", "esx-2.example.net"), "unknown", id="one short name, of two domains"),
        pytest.param("filer", "filer", ("10.1.0.1", "esx-2.example.net"), "fail", id="one short name, and hosts by their addresses"),
        pytest.param("filer", "filer.0.0.1", ("10.0.0.1", "esx-2.example.net"), "unknown", id="an address is in no domain"),
    ],
)
def test_a_short_name_is_one_server_of_two_vcenters_where_its_hosts_are_of_one_domain(
    first: str, second: str, hosts_of: tuple[str, str], verdict: str
) -> None:
    """Two sites may each have a filer of that name: Storage I/O Control is not switched off for that."""
    given = of_two_vcenters(first, second)
    given["host"] = [{"endpoint": endpoint, "host_id": "h", "name": name} for endpoint, name in zip(("vc", "vc-2"), hosts_of, strict=True)]
    given["datastore_mount"] = [
        {"endpoint": endpoint, "datastore_id": datastore, "host_id": "h"} for endpoint, datastore in (("vc", "ds-1"), ("vc-2", "ds-2"))
    ]
    assert judged("sioc/supported-datastore", given) == {"ds-1": verdict, "ds-2": verdict}


@pytest.mark.parametrize(
    ("server", "verdict"),
    [("192.168.5.2", "unknown"), ("127.0.0.1", "pass"), ("169.254.1.1", "pass"), ("localhost", "pass"), ("filer", "fail")],
)
def test_what_is_a_hosts_own_address_says_nothing_in_another_vcenter(server: str, verdict: str) -> None:
    given = of_two_vcenters(server, server)
    given["datastore"][1]["type"] = "NFS41"
    assert judged(RULE, given) == {"ds-1": verdict, "ds-2": verdict}
    alone = mounts(("NFS", server, "/vol/a"), ("NFS41", server, "/vol/a"))
    assert judged(RULE, alone) == {"ds-1": "fail", "ds-2": "fail"}


def divided(first: str, second: str, on_first: tuple[int, ...] = (1,), on_second: tuple[int, ...] = (2,), kind: str = "NFS") -> Facts:
    """A path of two servers, and the numbers of the hosts that mount it from each; hosts 1 and 2 are of one cluster, 3 of another."""
    given = mounts((kind, first, "/vol/a"), (kind, second, "/vol/a/"))
    given |= {table: rows for table, rows in hosts(3).items() if table in ("host", "reading")}
    given["host"][2] |= {"cluster_id": "c2", "cluster": "iron"}
    given["datastore_mount"] = [
        {"datastore_id": f"ds-{at}", "host_id": f"host-{number}", "mounted": True, "accessible": True}
        for at, numbers in enumerate((on_first, on_second), 1)
        for number in numbers
    ]
    return given


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        pytest.param(divided("filer", "filer.example.net"), "fail", id="the short name and the long one"),
        pytest.param(divided("filer", "filer"), "fail", id="the path with a slash at its end"),
        pytest.param(divided("filer", "10.0.0.1"), "unknown", id="a name, and an address"),
        pytest.param(divided("filer", "10.0.0.1", (1, 2), (1, 2)), "pass", id="each host has both, as of two filers"),
        pytest.param(divided("filer", "filer.example.net", (1, 2), (1,)), "pass", id="a host has both, and the other one of them"),
        pytest.param(divided("filer", "filer.example.net", (1, 2), (3,)), "pass", id="another cluster has its own name for it"),
        pytest.param(divided("filer", "filer.example.net", (1, 3), (2, 3)), "fail", id="and a host of another cluster has both"),
        pytest.param(divided("filer", "filer.example.net", kind="NFS41"), "not_applicable", id="NFS 4.1"),
    ],
)
def test_hosts_of_a_cluster_mount_a_share_by_one_name(given: Facts, verdict: str) -> None:
    assert judged("datastore/one-server-name", given) == {"ds-1": verdict, "ds-2": verdict}


@pytest.mark.parametrize("topic", ["hosts", "datastores"])
def test_one_name_is_known_where_hosts_and_datastores_were_read(topic: str) -> None:
    given = divided("filer", "other", (1, 2), (1, 2))
    for row in given["reading"]:
        row["complete"] &= row["topic"] != topic
    assert {*judged("datastore/one-server-name", given).values()} == {"unknown"}
