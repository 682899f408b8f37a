"""What the lab's ONTAP cluster tells of the account, of vVols and of SVMs' policies is in the vendor's shapes."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor_lab.arrays.ontap.parts import LunDescription, NodeDescription, SvmDescription
from tests.lab.ontap.test_ontap_records import examples, kinds

PE, VVOL = "/vol/vm_luns_01/pe", "/vol/vm_luns_01/data.vmdk"


@pytest.fixture
def vvols(incident: Any) -> Any:
    svms = tuple(dataclasses.replace(each, qos_policy="vmware-shared") if each.name == "svm-vmware" else each for each in incident.svms)
    return dataclasses.replace(
        incident,
        svms=svms,
        nodes=(*incident.nodes, NodeDescription(name="flash", all_flash=True)),
        luns=(
            *incident.luns,
            LunDescription(name="pe", volume="vm_luns_01", kind="protocol_endpoint"),
            LunDescription(name="data.vmdk", volume="vm_luns_01", kind="vvol", bound_to=(PE,)),
        ),
    )


def test_a_binding_names_both_its_ends(serve: Any, vvols: Any) -> None:
    printed = kinds(examples("vvol_binding", "VvolBinding"))
    with serve(vvols) as (session, _):
        (record,) = session.get("/api/protocols/san/vvol-bindings?fields=**").json()["records"]
        brief = session.get("/api/protocols/san/vvol-bindings", headers={"Accept": "application/json"}).json()["records"]
        classes = {each["name"]: each["class"] for each in session.get("/api/storage/luns?fields=class").json()["records"]}
    assert {path for path in kinds([record]) if "_links" not in path} == {path for path in printed if "_links" not in path}
    assert (record["vvol"]["name"], record["protocol_endpoint"]["name"]) == (VVOL, PE)
    assert [set(each) for each in brief] == [{"vvol", "protocol_endpoint"}]
    assert (classes[PE], classes[VVOL]) == ("protocol_endpoint", "vvol")


def test_an_account_is_told_who_it_is_and_what_it_may(serve: Any, incident: Any) -> None:
    printed = kinds(examples("whoami", "Whoami"))
    for permissions, role, access in ((("read", "write"), "admin", "all"), (("read",), "readonly", "readonly")):
        with serve(dataclasses.replace(incident, permissions=frozenset(permissions))) as (session, server):
            answer = session.get("/api/security/login/whoami").json()
            assert server.requests == ["GET security/login/whoami"]
        assert answer == {"username": "audit", "roles": [role], "privileges": [{"path": "/api", "access": access}]}
        assert {path for path in printed if "_links" not in path} <= set(kinds([answer]))


def test_an_svm_names_its_policy_and_counts_as_one_of_its_objects(serve: Any, vvols: Any) -> None:
    with serve(vvols) as (session, _):
        svms = {each["name"]: each for each in session.get("/api/svm/svms?fields=qos_policy").json()["records"]}
        (policy,) = session.get("/api/storage/qos/policies?name=vmware-shared&fields=object_count").json()["records"]
    assert svms["svm-vmware"]["qos_policy"] == {"uuid": policy["uuid"], "name": "vmware-shared"}
    assert "qos_policy" not in svms["svm-dr"]
    assert policy["object_count"] == 1


def test_a_node_tells_its_clock_and_whether_it_is_all_flash(serve: Any, vvols: Any) -> None:
    with serve(vvols) as (session, _):
        nodes = session.get("/api/cluster/nodes?fields=date,is_all_flash_optimized").json()["records"]
    assert [each["is_all_flash_optimized"] for each in nodes] == [False, False, True]
    assert all(abs(datetime.fromisoformat(each["date"]) - datetime.now(UTC)) < timedelta(minutes=1) for each in nodes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(
            {"svms": (SvmDescription(name="svm-vmware", qos_policy="gone"), SvmDescription(name="svm-dr"))}, "QoS policy", id="policy"
        ),
        pytest.param(
            {"luns": (LunDescription(name="v", volume="vm_luns_01", kind="vvol", bound_to=("/vol/x/pe",)),)}, "LUN", id="endpoint"
        ),
    ],
)
def test_what_is_named_must_be_there(incident: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"no {said} named"):
        dataclasses.replace(incident, **change)
