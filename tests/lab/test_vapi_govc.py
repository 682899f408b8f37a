"""VMware's govc reads and writes tags of the lab's vCenter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor_lab.authority import Authority
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import PASSWORD, SMALL, USER
from tests.lab.govc import Govc, govc_for

TAGS = """
    profiles: [{name: gold image, kind: configuration-profile, clusters: [one], options: {Disk.QFullSampleSize: 16}}]
    tag_categories:
      - {name: owner, cardinality: SINGLE, tags: [{name: storage, description: the storage team, objects: [esx-1]}, {name: compute}]}
      - {name: tier, associable_types: [Datastore], tags: [{name: gold, objects: [fast]}]}
"""
HOST = "/dc-1/host/one/esx-{}"


@pytest.fixture
def govc(govc_binary: str, tmp_path: Path, authority: Authority, serve_vcenter: Callable[..., VCenterServer]) -> Govc:
    server = serve_vcenter(parse_scenario(SMALL + TAGS, "tags").vcenters[0])
    authority.write(tmp_path / "ca.pem")
    return govc_for(govc_binary, server, tmp_path / "ca.pem", USER, PASSWORD)


def test_govc_lists_categories_and_tags(govc: Govc) -> None:
    assert sorted(govc("tags.category.ls").split()) == ["owner", "tier"]
    assert sorted(line.split() for line in govc("tags.ls").splitlines()) == [["compute", "owner"], ["gold", "tier"], ["storage", "owner"]]
    assert govc("tags.ls", "-c", "tier").split() == ["gold", "tier"]
    (owner,) = json.loads(govc("tags.category.info", "-json", "owner"))
    assert owner["cardinality"] == "SINGLE"
    (storage,) = json.loads(govc("tags.info", "-json", "storage"))
    assert (storage["description"], storage["category_id"]) == ("the storage team", owner["name"])  # govc looks the name up


def test_govc_tells_what_a_tag_is_attached_to_and_what_an_object_has(govc: Govc) -> None:
    assert govc("tags.attached.ls", "storage").split() == ["HostSystem:host-11"]
    assert govc("tags.attached.ls", "-r", HOST.format(1)).split() == ["storage"]
    assert govc("tags.attached.ls", "-r", HOST.format(2)).split() == []


def test_govc_attaches_and_detaches(govc: Govc) -> None:
    govc("tags.attach", "compute", HOST.format(2))
    assert govc("tags.attached.ls", "compute").split() == ["HostSystem:host-12"]
    assert "invalid_argument" in govc("tags.attach", "compute", HOST.format(1), fails=True)  # it has a tag of that category
    govc("tags.detach", "compute", HOST.format(2))
    assert govc("tags.attached.ls", "compute").split() == []


def test_govc_creates_changes_and_removes(govc: Govc) -> None:
    category = govc("tags.category.create", "-d", "where it stands", "-m", "site").strip()
    assert category.startswith("urn:vmomi:InventoryServiceCategory:")
    tag = govc("tags.create", "-c", "site", "north").strip()
    govc("tags.update", "-n", "south", tag)
    assert govc("tags.ls", "-c", "site").split() == ["south", "site"]
    assert "already_exists" in govc("tags.create", "-c", "site", "south", fails=True)
    govc("tags.rm", tag)
    govc("tags.category.rm", "site")
    assert sorted(govc("tags.category.ls").split()) == ["owner", "tier"]


def test_govc_reads_whether_a_configuration_profile_manages_a_cluster(govc: Govc) -> None:
    ask = ("session.login", "-r", "-X", "GET")
    assert json.loads(govc(*ask, "/api/esx/settings/clusters/domain-c4/enablement/configuration")) == {"enabled": True}
    assert json.loads(govc(*ask, "/api/esx/settings/clusters/domain-c5/enablement/configuration")) == {"enabled": False}
    assert "404" in govc(*ask, "/api/esx/settings/clusters/domain-c9/enablement/configuration", fails=True)


def test_govc_with_a_wrong_password_is_refused(govc: Govc) -> None:
    assert "401 Unauthorized" in govc("tags.ls", fails=True, password="wrong")
