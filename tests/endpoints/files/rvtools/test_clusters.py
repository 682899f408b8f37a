"""Which host of an export is one whose files are read: where it may be two, neither."""

import pytest

from auditor.bounds.limits import EVIDENCE_HELD_BYTES, WORKBOOK_BYTES
from auditor.endpoints.files.rvtools import Export
from auditor.endpoints.files.rvtools.clusters import Cluster, clusters_by_host, clusters_of_hosts
from auditor.endpoints.files.rvtools.workbook import sheets_in
from auditor.endpoints.files.streams import Budget
from tests.endpoints.files.rvtools.workbooks import rows, workbook

Row = tuple[str, str, str, str]
A, B = ("gold", "dc-1", "vc-1"), ("tin", "dc-1", "vc-1")


def export(*hosts: Row) -> Export:
    """An export whose vHost has these hosts, each with cluster, datacenter and vCenter."""
    made = Export("export.xlsx")
    table = rows("Host, CPU Model, Cluster, Datacenter, VI SDK Server", *([host, "Xeon", *place] for host, *place in hosts))
    for sheet in sheets_in(workbook({"vHost": table}), Budget(WORKBOOK_BYTES, EVIDENCE_HELD_BYTES)):
        made.add(sheet)
    return made


@pytest.mark.parametrize(
    ("hosts", "names", "clusters"),
    [
        pytest.param([("esx-1.x.net", *A)], ["esx-1.x.net"], {"esx-1.x.net": "gold"}, id="alike"),
        pytest.param([("ESX-1.X.net", *A)], ["esx-1.x.NET"], {"esx-1.x.NET": "gold"}, id="but for case"),
        pytest.param([("esx-1", *A)], ["esx-1.x.net"], {"esx-1.x.net": "gold"}, id="the export without its domain"),
        pytest.param([("Esx-1.x.net", *A)], ["esx-1"], {"esx-1": "gold"}, id="its files without its domain"),
        pytest.param([("esx-1.y.net", *A)], ["esx-1.x.net"], {}, id="another domain"),
        pytest.param([("esx-1.x.net", *A), ("esx-1.y.net", *B)], ["esx-1"], {}, id="one of two domains"),
        pytest.param([("esx-1", *A)], ["esx-1.x.net", "esx-1.y.net"], {}, id="either of two whose files are read"),
        pytest.param([("esx-1", *A), ("esx-1.x.net", *B)], ["esx-1.x.net"], {"esx-1.x.net": "tin"}, id="the whole name goes first"),
        pytest.param([("esx-1.x.net", *A), ("esx-1.x.net", *B)], ["esx-1.x.net"], {}, id="two clusters"),
        pytest.param([("esx-1.x.net", *A), ("esx-1.x.net", "gold", "dc-2", "vc-1")], ["esx-1.x.net"], {}, id="of two datacenters"),
        pytest.param([("esx-1.x.net", *A), ("esx-1.x.net", "gold", "dc-1", "vc-2")], ["esx-1.x.net"], {}, id="of two vCenters"),
        pytest.param([("esx-1.x.net", "", "dc-1", "vc-1")], ["esx-1.x.net"], {}, id="no cluster"),
        pytest.param([("10.0.0.1", *A)], ["10.0.0.1"], {"10.0.0.1": "gold"}, id="an address"),
        pytest.param([("10.0.0.1", *A)], ["10.0.0.2"], {}, id="another address"),
        pytest.param([("10", *A)], ["10.0.0.1"], {}, id="a number is no short name of an address"),
        pytest.param([("fe80::1", *A)], ["fe80::2"], {}, id="another address of the newer kind"),
        pytest.param([("esx-2.x.net", *A)], ["esx-1.x.net"], {}, id="another host"),
    ],
)
def test_a_host_has_the_cluster_of_the_one_host_that_it_is(hosts: list[Row], names: list[str], clusters: dict[str, str]) -> None:
    assert {name: cluster.name for name, cluster in clusters_by_host([export(*hosts)], names).items()} == clusters


def test_two_exports_that_agree_name_a_cluster_and_two_that_differ_do_not() -> None:
    one, other = export(("esx-1", *A)), export(("esx-1", *B))
    assert clusters_by_host([one, one], ["esx-1"])["esx-1"].id == "vc-1/dc-1/gold"
    assert clusters_by_host([one, other], ["esx-1"]) == {}


GOLD, TIN, OTHER_GOLD = Cluster("gold", "vc/dc/gold"), Cluster("tin", "vc/dc/tin"), Cluster("gold", "vc-2/dc/gold")
Own = dict[str, str | None]


@pytest.mark.parametrize(
    ("own", "chosen", "exported", "expected"),
    [
        pytest.param({"a": "case", "b": "case"}, [], {}, {"a": "case", "b": "case"}, id="a folder of several"),
        pytest.param({"a": "case"}, [], {}, {"a": None}, id="a folder of one"),
        pytest.param({"a": None, "b": None}, [], {}, {"a": None, "b": None}, id="no folder"),
        pytest.param(
            {"a": "case", "b": "case", "c": "case"},
            [],
            {"a": GOLD, "b": TIN},
            {"a": GOLD.id, "b": TIN.id, "c": None},
            id="an export has them in two clusters",
        ),
        pytest.param({"a": "Gold", "b": "Gold"}, [], {"a": GOLD}, {"a": "Gold", "b": "Gold"}, id="an export agrees with the folder"),
        pytest.param({"a": "case", "b": "case"}, ["case"], {"a": GOLD}, {"a": "case", "b": "case"}, id="somebody names it"),
        pytest.param({"a": "gold", "b": None}, ["gold"], {"b": GOLD}, {"a": "gold", "b": "gold"}, id="one is named, one exported"),
        pytest.param(
            {"a": "gold", "b": None, "c": None},
            ["gold"],
            {"b": GOLD, "c": OTHER_GOLD},
            {"a": "gold", "b": GOLD.id, "c": OTHER_GOLD.id},
            id="two clusters of one name",
        ),
    ],
)
def test_what_somebody_names_counts_before_an_export_and_an_export_before_a_folder(
    own: Own, chosen: list[str], exported: dict[str, Cluster], expected: Own
) -> None:
    found = clusters_of_hosts(own, chosen, exported)
    assert {host: cluster and cluster.id for host, cluster in found.items()} == expected
