"""The state that is reported for volumes and LUNs of a stopped SVM, and of an SVM that is a copy of another."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import OntapCluster
from auditor.facts.needs import needs
from auditor.facts.volume_states import WAITING_COPY
from auditor_lab.wire import Fault

from .ontap_cluster import CLUSTER, Served, collected, serving

if TYPE_CHECKING:
    from pathlib import Path

VOLUMES = needs([("array_volume", "status")])


def with_svms(served: Served, luns: str | None = None, **changes: Any) -> tuple[set[str | None], list[str]]:
    """The states of all volumes where each SVM has these fields, Ellipsis takes one away; and the gaps. `luns` is the LUNs' own state."""
    server, endpoint, clock = served

    def alter(body: Any) -> Any:
        changed = [{**each, **changes} for each in body["records"]]
        return {**body, "records": [{name: value for name, value in each.items() if value is not ...} for each in changed]}

    server.alterations["GET svm/svms"] = alter
    if luns is not None:
        server.alterations["GET storage/luns"] = lambda body: {
            **body,
            "records": [{**each, "status": {**each["status"], "state": luns}} for each in body["records"]],
        }
    found = collected(endpoint, clock, VOLUMES)
    wanted = [row for row in found.tables["array_volume"] if luns is None or row["kind"] == "lun"]
    assert {row["kind"] for row in wanted} >= ({"lun", "share"} if luns is None else {"lun"})
    return {row["status"] for row in wanted}, [gap.what for gap in found.gaps]


@pytest.mark.parametrize(
    ("svm", "state"),
    [
        pytest.param({}, "online", id="as they are"),
        pytest.param({"state": "stopped"}, "SVM stopped", id="stopped"),
        pytest.param({"state": "starting"}, "SVM starting", id="starting"),
        # NetAppDocs/ontap#504 and #1922: the destination SVM is started only when it takes over, by hand or by itself.
        pytest.param({"state": "stopped", "subtype": "dp_destination"}, WAITING_COPY, id="a copy for disaster recovery"),
        pytest.param({"state": "stopped", "subtype": "sync_destination"}, WAITING_COPY, id="a copy of MetroCluster"),
        pytest.param({"state": "running", "subtype": "sync_destination"}, "online", id="that has taken over"),
        pytest.param({"state": "stopped", "subtype": "sync_source"}, "SVM stopped", id="the original is stopped"),
    ],
)
def test_a_volume_is_there_for_hosts_when_its_svm_runs(served: Served, svm: dict[str, Any], state: str) -> None:
    assert with_svms(served, **svm) == ({state}, [])


@pytest.mark.parametrize("state", ["resting", None, ...], ids=["another word", "none", "left out"])
def test_a_volume_whose_svm_has_no_known_state_is_neither_there_nor_away(served: Served, state: Any) -> None:
    states, gaps = with_svms(served, state=state)
    assert states == {None}
    assert len(gaps) == 1
    assert gaps[0].startswith("GET svm/svms: state of SVM ")


def test_a_lun_that_is_away_itself_is_away_in_any_svm(served: Served) -> None:
    for state in ("running", "stopped", "resting"):
        assert with_svms(served, "space_error", state=state)[0] == {"space_error"}


def test_nothing_is_there_for_certain_when_the_svms_may_not_be_read(served: Served) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", "GET svm/svms", status=403))
    found = collected(endpoint, clock, VOLUMES)
    assert {row["status"] for row in found.tables["array_volume"]} == {None}
    assert [gap.what for gap in found.gaps] == ["GET svm/svms: the states and QoS policies of SVMs, which hold for their volumes as well"]


@pytest.mark.parametrize(("version", "is_asked"), [("9.8.0", False), ("9.9.1", True)])
def test_a_release_without_qos_of_svms_tells_their_states_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_asked: bool
) -> None:
    """netapp-ontap 9.8 has no Svm.qos_policy, 9.9.1 has; a field that a release does not know costs it the whole list."""
    asked: list[str] = []
    get = OntapCluster.get

    def kept(cluster: OntapCluster, path: str, **params: str) -> dict[str, Any]:
        asked.extend([params["fields"]] if path == "svm/svms" else [])
        return get(cluster, path, **params)

    monkeypatch.setattr(OntapCluster, "get", kept)
    with serving(tmp_path, dataclasses.replace(CLUSTER, version=version)) as (_, endpoint, clock):
        found = collected(endpoint, clock, VOLUMES)
    assert ["qos_policy" in fields for fields in asked] == [is_asked]
    assert {row["status"] for row in found.tables["array_volume"]} == {"online"}
    assert {row["qos_read"] for row in found.tables["array_volume"]} == {is_asked}
    assert len(found.gaps) == (not is_asked)
