"""The whole row of each host that an array knows: whose its initiators are, and what it may reach."""

from collections.abc import Callable, Collection

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

HOSTS = (("vc", "esx-1", "gold"), ("vc", "esx-2", "gold"), ("vc", "esx-3", "lead"), ("vc", "esx-4", None), ("vc-2", "esx-2", "tin"))
KNOWN: dict[str, tuple[str, ...]] = {
    "two ports": ("vc esx-1 a", "vc esx-1 b"),
    "of one cluster": ("vc esx-1 a", "vc esx-2 a"),
    "of two clusters": ("vc esx-1 a", "vc esx-3 a"),
    "of none too": ("vc esx-1 a", "vc esx-4 a"),
    "lone": ("vc esx-4 a",),
    "of two of one id": ("vc esx-2 a", "vc-2 esx-2 a"),
    "listed twice": ("of both",),
    "with strangers": ("z", "vc esx-1 a", "y"),
    "strangers": ("z",),
    "empty": (),
}


def vcenters(unlisted: Collection[str] = (), without_adapters: Collection[str] = ()) -> Facts:
    """Both vCenters; the adapters of one host are known to each of them under another host's name."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint, unread={"hosts"} if endpoint in unlisted else ())
    for endpoint, name, cluster in HOSTS:
        host(given, endpoint, name, f"{name} of {endpoint}", cluster, unread={"hbas"} if f"{endpoint} {name}" in without_adapters else ())
        key = {"endpoint": endpoint, "host_id": name}
        ports = ({**key, "hba": port, "kind": "fc", "initiator": f"{endpoint} {name} {port}"} for port in "ab")
        add(given, "hba", *ports, {**key, "hba": "local", "kind": "block"})
    for endpoint, name in (("vc", "esx-3"), ("vc-2", "esx-2")):
        add(given, "hba", {"endpoint": endpoint, "host_id": name, "hba": "shared", "initiator": "of both"})
    add(given, "hba", {"endpoint": "vc", "host_id": "not listed", "hba": "x", "initiator": "z"})
    return given


def fleet() -> Facts:
    """ "fb" has hosts and volumes of the same ids as "fa", and its lists were not read whole; of "gone" nothing was."""
    given = vcenters()
    volumes = [{"name": f"{n}", "volume_id": f"{n}", "device": f"naa.{n}", "qos_max_iops": 100 * n} for n in range(1, 4)]
    array(given, "fa", EndpointKind.FLASHARRAY, *volumes)
    array(given, "fb", EndpointKind.FLASHARRAY, {"name": "far 1", "volume_id": "1", "device": "naa.far", "qos_max_iops": 7})
    for row in given["reading"]:
        row["complete"] &= (row["endpoint"], row["topic"]) not in (("fb", "array_hosts"), ("fb", "connections"))
    for name, initiators in KNOWN.items():
        key = {"endpoint": "fa", "array_host_id": name}
        add(given, "array_host", {**key, "name": f"the {name}", "host_group": "group", "host_type": "vmware"})
        add(given, "array_initiator", *({**key, "initiator": one} for one in initiators))
    for endpoint, name, initiators in (("fb", "two ports", ("vc esx-3 b",)), ("fb", "strangers", ("z",)), ("gone", "two ports", ())):
        key = {"endpoint": endpoint, "array_host_id": name}
        add(given, "array_host", {**key, "name": f"far {name}"})
        add(given, "array_initiator", *({**key, "initiator": one} for one in initiators))
    for endpoint, name, volume in (
        ("fa", "two ports", "1"),
        ("fa", "two ports", "2"),
        ("fa", "two ports", "1"),
        ("fa", "lone", "9"),
        ("fb", "two ports", "1"),
    ):
        add(given, "array_connection", {"endpoint": endpoint, "array_host_id": name, "volume_id": volume})
    add(given, "datastore", *({"endpoint": "vc", "datastore_id": f"ds-{n}", "name": f"ds-{n}", "type": "VMFS"} for n in (1, 2)))
    add(given, "datastore_extent", *({"endpoint": "vc", "datastore_id": f"ds-{n}", "device": f"naa.{n}"} for n in (1, 2)))
    return given


def strangers(unlisted: Collection[str] = (), without_adapters: Collection[str] = ()) -> Facts:
    """One array host that no adapter is known of."""
    given = vcenters(unlisted, without_adapters)
    array(given, "fa", EndpointKind.FLASHARRAY)
    add(given, "array_host", {"endpoint": "fa", "array_host_id": "strangers", "name": "strangers"})
    return given


def hosts_not_listed() -> Facts:
    return strangers(unlisted={"vc-2"})


def adapters_of_one_not_read() -> Facts:
    return strangers(without_adapters={"vc esx-2"})


def a_port_that_does_not_report_its_number() -> Facts:
    return with_one_more("fc")


def an_adapter_that_does_not_report_its_name() -> Facts:
    return with_one_more("iscsi")


def a_converged_port_that_does_not_report_its_number() -> Facts:
    return with_one_more("fcoe")


def an_adapter_without_a_name_of_no_known_kind() -> Facts:
    return with_one_more(None)


def with_one_more(kind: str | None) -> Facts:
    given = strangers()
    add(given, "hba", {"endpoint": "vc", "host_id": "esx-1", "hba": "c", "kind": kind})
    return given


def no_host() -> Facts:
    given = strangers()
    return given | {"host": [], "hba": []}


FLEETS = [
    fleet,
    hosts_not_listed,
    adapters_of_one_not_read,
    a_port_that_does_not_report_its_number,
    a_converged_port_that_does_not_report_its_number,
    an_adapter_that_does_not_report_its_name,
    an_adapter_without_a_name_of_no_known_kind,
    no_host,
]
USUAL: Row = {
    "endpoint": "fa",
    "cluster": None,
    "host": None,
    "family": "flasharray",
    "host_group": "group",
    "host_type": "vmware",
    "initiators_unseen": None,
    "initiator_kinds": None,
    "is_esxi": True,
    "volumes": 0,
    "volume_names": None,
    "devices": None,
    "datastores": None,
    "qos": None,
}


def known(name: str, initiators: int | None, seen: int | None, esxi_hosts: int | None, names: str | None, **more: object) -> Row:
    """A host of "fa": how many initiators it has, how many of them an ESXi host has, and which hosts these are."""
    about = {"resource_id": name, "array_host_id": name, "resource_name": f"the {name}"}
    return {**about, "initiators": initiators, "initiators_seen": seen, "esxi_hosts": esxi_hosts, "host_names": names, **more}


FAR: Row = {"endpoint": "fb", "host_group": None, "host_type": None, "volumes": None}
QOS = "the volume itself: 100 IOPS; the volume itself: 200 IOPS"
TOLD: Row = {"volumes": 2, "volume_names": "1, 2", "devices": "naa.1, naa.2", "datastores": "ds-1, ds-2", "qos": QOS}
EXPECTED = expected(
    USUAL,
    known("two ports", 2, 2, 1, "esx-1 of vc", host="esx-1 of vc", cluster="gold", **TOLD),
    known("of one cluster", 2, 2, 2, "esx-1 of vc, esx-2 of vc", cluster="gold"),
    known("of two clusters", 2, 2, 2, "esx-1 of vc, esx-3 of vc"),
    known("of none too", 2, 2, 2, "esx-1 of vc, esx-4 of vc"),
    known("lone", 1, 1, 1, "esx-4 of vc", host="esx-4 of vc", volumes=1),
    known("of two of one id", 2, 2, 2, "esx-2 of vc, esx-2 of vc-2"),
    # Where two vCenters list the same adapter it is of both hosts, and of none alone.
    known("listed twice", 1, 1, 2, "esx-2 of vc-2, esx-3 of vc"),
    known("with strangers", 3, 1, 1, "esx-1 of vc", host="esx-1 of vc", cluster="gold", initiators_unseen="y, z"),
    known("strangers", 1, 0, 0, None, is_esxi=False, initiators_unseen="z"),
    known("empty", 0, 0, None, None, is_esxi=False),
    known("two ports", None, None, 1, "esx-3 of vc", host="esx-3 of vc", cluster="lead", resource_name="far two ports", **FAR)
    | {"volume_names": "far 1", "devices": "naa.far", "qos": "the volume itself: 7 IOPS"},
    known("strangers", None, None, 0, None, is_esxi=None, initiators_unseen="z", resource_name="far strangers", **FAR),
    known("two ports", None, None, None, None, is_esxi=None, resource_name="far two ports", **FAR) | {"endpoint": "gone", "family": None},
)


@pytest.mark.long
def test_each_host_of_an_array_is_told_with_whose_initiators_it_has() -> None:
    assert rows_by_id("array_host", fleet()) == EXPECTED


@pytest.mark.parametrize("given", FLEETS[1:])
def test_a_stranger_may_be_an_esxi_host_where_not_every_adapter_of_every_host_was_read(given: Callable[[], Facts]) -> None:
    assert [row["is_esxi"] for row in rows_by_id("array_host", given()).values()] == [None]


@pytest.mark.parametrize(
    ("kind", "is_esxi"),
    [
        pytest.param("sas", None, id="what vCenter has of a SAS adapter is not the port that an array knows"),
        pytest.param("nvme", None, id="vCenter has no name of an NVMe host"),
        pytest.param("fc", False, id="a Fibre Channel port that no host has"),
    ],
)
def test_a_stranger_by_sas_or_nvme_may_be_an_esxi_host(kind: str, is_esxi: bool | None) -> None:
    given = strangers()
    add(given, "array_initiator", {"endpoint": "fa", "array_host_id": "strangers", "initiator": "500605b000000001", "kind": kind})
    assert [row["is_esxi"] for row in rows_by_id("array_host", given).values()] == [is_esxi]


def test_a_stranger_may_be_an_esxi_host_by_one_of_its_initiators() -> None:
    given = strangers()
    of = {"endpoint": "fa", "array_host_id": "strangers"}
    add(
        given,
        "array_initiator",
        *({**of, "initiator": f"500605b00000000{number}", "kind": kind} for number, kind in enumerate(("fc", "sas"))),
    )
    assert [row["is_esxi"] for row in rows_by_id("array_host", given).values()] == [None]


def test_the_kinds_of_the_initiators_of_a_host_are_told_once_each() -> None:
    given = strangers()
    of = {"endpoint": "fa", "array_host_id": "strangers"}
    add(given, "array_initiator", *({**of, "initiator": f"{kind} {number}", "kind": kind} for kind in ("iscsi", "fc") for number in (1, 2)))
    assert [row["initiator_kinds"] for row in rows_by_id("array_host", given).values()] == ["fc, iscsi"]
