"""VMware's govc reads and writes storage policies of the lab's vCenter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor_lab.authority import Authority
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import PASSWORD, USER
from tests.lab.govc import Govc, govc_for
from tests.lab.pbm.conftest import POLICIES, SYSTEM


@pytest.fixture
def govc(govc_binary: str, tmp_path: Path, authority: Authority, serve_vcenter: Callable[..., VCenterServer]) -> Govc:
    server = serve_vcenter(parse_scenario(POLICIES, "policies").vcenters[0])
    authority.write(tmp_path / "ca.pem")
    return govc_for(govc_binary, server, tmp_path / "ca.pem", USER, PASSWORD)


def names(govc: Govc) -> set[str]:
    return {line.partition("  ")[2] for line in govc("storage.policy.ls").splitlines()}


def policy_of(govc: Govc, name: str) -> dict[str, str]:
    """Where a policy fits and who complies, as govc prints it."""
    lines = govc("storage.policy.info", "-c", "-s", name).splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def test_govc_lists_policies(govc: Govc) -> None:
    assert names(govc) == {name for name, _ in SYSTEM.values()} | {"Gold", "On gold"}
    assert govc("storage.policy.ls", "-i", "VVol No Requirements Policy").strip() == "f4e5bade-15a2-4805-bf8e-52318c4ce443"
    assert "not found" in govc("storage.policy.ls", "none", fails=True)


def test_govc_tells_where_a_policy_fits_and_which_machines_comply(govc: Govc) -> None:
    gold, on_gold = policy_of(govc, "Gold"), policy_of(govc, "On gold")
    assert (gold["Compliant VMs"], gold["Compatible Datastores"], gold["Description"]) == ("gold-1", "vvol-a", "three ceilings")
    assert (on_gold["Compliant VMs"], on_gold["Compatible Datastores"]) == ("plain", "fast")


def test_govc_makes_a_policy_of_a_tag_and_removes_it(govc: Govc) -> None:
    key = govc("storage.policy.create", "-d", "not for databases", "-category", "tier", "-tag", "bronze", "Cheap").strip()
    (policy,) = json.loads(govc("storage.policy.info", "-s", "-json", "Cheap"))["policies"]
    assert policy["profile"]["profileId"]["uniqueId"] == key
    assert policy["profile"]["description"] == "not for databases"
    assert policy["compatibleDatastores"] == ["slow"]
    assert "Cheap" in govc("storage.policy.create", "-category", "tier", "-tag", "gold", "Cheap", fails=True)  # the name is taken
    govc("storage.policy.rm", "Cheap")
    assert "Cheap" not in names(govc)


def test_govc_cannot_remove_a_policy_that_machines_have(govc: Govc) -> None:
    assert "in use" in govc("storage.policy.rm", "Gold", fails=True)
    assert "Gold" in names(govc)


def test_govc_sees_that_the_encryption_policy_is_carried_out_by_an_io_filter(govc: Govc) -> None:
    def filters(name: str) -> list[str]:
        (policy,) = json.loads(govc("storage.policy.info", "-i", "-json", name))["policies"]
        return [one["filterType"] for each in policy["filterMap"] for one in each.get("iofilters", [])]

    assert (filters("VM Encryption Policy"), filters("Gold")) == (["ENCRYPTION"], [])
