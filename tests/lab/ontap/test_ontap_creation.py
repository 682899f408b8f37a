"""What the lab's ONTAP cluster makes anew, and fields that are named with their place; as NetApp's Ansible modules send them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW = {"name": "new", "svm": {"name": "svm-vmware"}}


@pytest.fixture
def session(serve: Any, incident: Any) -> Iterator[httpx.Client]:
    with serve(dataclasses.replace(incident, job_seconds=0.0)) as (session, _):
        yield session


def records(session: httpx.Client, path: str, **query: str) -> list[Any]:
    found: list[Any] = session.get(f"/api/{path}", params={"fields": "**", **query}).json()["records"]
    return found


def make(session: httpx.Client, path: str, body: Any) -> int:
    return session.post(f"/api/{path}", params={"return_timeout": "10"}, json=body).status_code


def test_a_policy_group_is_made_once_with_its_limits(session: httpx.Client) -> None:
    limits = {"max_throughput_iops": 3000, "capacity_shared": True}
    assert make(session, "storage/qos/policies", {**NEW, "fixed": limits}) in (201, 202)
    (made,) = records(session, "storage/qos/policies", name="new")
    assert (made["fixed"]["max_throughput_iops"], made["fixed"]["capacity_shared"], made["fixed"]["min_throughput_iops"]) == (3000, True, 0)
    assert make(session, "storage/qos/policies", {**NEW, "fixed": limits}) == 409


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({**NEW}, id="no limits"),
        pytest.param({**NEW, "fixed": {"max_throughput_iops": -1}}, id="a limit below zero"),
        pytest.param({**NEW, "fixed": {"most": 5}}, id="an unknown limit"),
        pytest.param({"name": "new", "svm": {"name": "svm-none"}, "fixed": {}}, id="an unknown SVM"),
        pytest.param({"svm": {"name": "svm-vmware"}, "fixed": {}}, id="no name"),
    ],
)
def test_a_policy_group_that_is_none_is_refused(session: httpx.Client, body: Any) -> None:
    assert make(session, "storage/qos/policies", body) == 400
    assert not records(session, "storage/qos/policies", name="new")


def test_a_schedule_is_made_and_changed(session: httpx.Client) -> None:
    assert make(session, "cluster/schedules", {"name": "new", "cron": {"minutes": [30], "hours": [0, 12]}}) in (201, 202)
    (made,) = records(session, "cluster/schedules", name="new")
    assert made["cron"] == {"minutes": [30], "hours": [0, 12]}
    session.patch(f"/api/cluster/schedules/{made['uuid']}?return_timeout=10", json={"cron": {"minutes": [5]}})
    assert records(session, "cluster/schedules", name="new")[0]["cron"] == {"minutes": [5]}
    assert make(session, "cluster/schedules", {"name": "odd", "cron": {"minutes": [60]}}) == 400


def test_a_lun_is_mapped_to_a_group_once(session: httpx.Client) -> None:
    body = {"lun": {"name": "/vol/vm_luns_01/ds02"}, "igroup": {"name": "esx-twin"}, "svm": {"name": "svm-vmware"}}
    before = records(session, "protocols/san/lun-maps", **{"igroup.name": "esx-twin"})
    assert make(session, "protocols/san/lun-maps", body) in (201, 202)
    after = records(session, "protocols/san/lun-maps", **{"igroup.name": "esx-twin"})
    assert len(after) == len(before) + 1
    assert len({one["logical_unit_number"] for one in after}) == len(after)
    assert make(session, "protocols/san/lun-maps", body) == 400


def test_a_field_may_be_named_with_its_place(session: httpx.Client) -> None:
    (volume,) = records(session, "storage/volumes", name="vm_nfs_01")
    session.patch(f"/api/storage/volumes/{volume['uuid']}?return_timeout=10", json={"qos.policy.name": "vmware-2000", "state": "online"})
    assert records(session, "storage/volumes", name="vm_nfs_01")[0]["qos"]["policy"]["name"] == "vmware-2000"
    answer = session.patch(f"/api/storage/volumes/{volume['uuid']}", json={"state": "offline"})
    assert answer.status_code == 400
