"""The lab's ONTAP cluster answers reads as the REST reference says, asked by a plain HTTP client and not by ours."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.ontap.parts import ScheduleDescription
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

COLLECTIONS = (
    "cluster/nodes",
    "cluster/schedules",
    "svm/svms",
    "storage/luns",
    "storage/volumes",
    "storage/aggregates",
    "storage/disks",
    "storage/qos/policies",
    "storage/qos/workloads",
    "storage/volume-efficiency-policies",
    "protocols/san/igroups",
    "protocols/san/lun-maps",
    "snapmirror/relationships",
    "snapmirror/policies",
    "cluster/counter/tables",
    "cluster/counter/tables/disk:constituent/rows",
    "cluster/counter/tables/headroom_aggregate/rows",
    "cluster/counter/tables/lun/rows",
    "private/cli/storage/raid-options",
)


@pytest.fixture(scope="module")
def session(serve: Any, incident: OntapDescription) -> Iterator[httpx.Client]:
    with serve(incident) as (session, _):
        yield session


def get(session: httpx.Client, path: str, **query: Any) -> Any:
    answer = session.get(f"/api/{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(session: httpx.Client, path: str, **query: Any) -> list[str]:
    return [record["name"] for record in get(session, path, **query)["records"]]


def test_a_description_is_plain_data(incident: OntapDescription) -> None:
    assert msgspec.convert(msgspec.to_builtins(incident), OntapDescription) == incident


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"version": "9.14"}, "9.14.1", id="a version that is none"),
        pytest.param({"nodes": ()}, "no node named", id="an aggregate on a node that is not there"),
        pytest.param({"svms": ()}, "no SVM named", id="a volume in an SVM that is not there"),
        pytest.param({"aggregates": ()}, "no aggregate named", id="a volume on an aggregate that is not there"),
        pytest.param({"volumes": ()}, "no volume named", id="a LUN in a volume that is not there"),
        pytest.param({"schedules": ()}, "no schedule named", id="a relationship with a schedule that is not there"),
        pytest.param({"qos_policies": ()}, "no QoS policy named", id="a LUN with a QoS policy that is not there"),
        pytest.param({"igroups": ()}, "no igroup named", id="a LUN mapped to nobody"),
        pytest.param({"snapmirror_policies": ()}, "no SnapMirror policy named", id="a relationship with a policy that is not there"),
        pytest.param({"efficiency_policies": ()}, "no efficiency policy named", id="a volume with an efficiency policy that is not there"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(incident: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(incident, **change)


@pytest.mark.parametrize(
    ("schedule", "runs"),
    [
        pytest.param({"interval": "PT20M"}, 3.0, id="an interval"),
        pytest.param({"interval": "P1D"}, 1 / 24, id="an interval of a day"),
        pytest.param({"minutes": (0, 15, 30, 45)}, 4.0, id="four minutes of every hour"),
        pytest.param({"minutes": (0,), "hours": tuple(range(0, 24, 2))}, 0.5, id="every second hour"),
        pytest.param({"minutes": (0,), "hours": (1,), "weekdays": (0,)}, 1 / 168, id="once a week"),
    ],
)
def test_a_schedule_knows_how_often_it_fires(schedule: dict[str, Any], runs: float) -> None:
    assert ScheduleDescription(name="x", **schedule).runs_an_hour() == pytest.approx(runs)


@given(path=st.sampled_from(COLLECTIONS), size=st.integers(1, 40), order=st.booleans(), limit=st.integers(1, 40))
@settings(max_examples=40)
def test_following_the_links_loses_and_doubles_nothing(incident: Any, path: str, size: int, order: bool, limit: int) -> None:
    from auditor_lab.arrays.ontap.cluster import Cluster
    from auditor_lab.arrays.ontap.collection import Collection
    from auditor_lab.arrays.ontap.resources import BY_PATH

    # Without the network, so that many collections and page sizes can be tried; the same through HTTP is the next test.
    resource, cluster = BY_PATH[path], Cluster(dataclasses.replace(incident, page_limit=limit))
    records = [resource.record(cluster, each) for each in resource.objects(cluster)]
    positions = {resource.key(record): place for place, record in enumerate(records)}
    expected = list(positions)
    assert len(expected) == len(records) > 0, "keys tell records apart"
    address = f"/api/{path}?max_records={size}&fields=**" + (f"&order_by={resource.keys[0]}" if order else "")
    read: list[tuple[str, ...]] = []
    while address:
        query = dict(httpx.URL(address).params)
        answer = Collection(resource, cluster, positions, query, address).answer(hal=False)
        assert answer["num_records"] == len(answer["records"]) <= min(size, limit)
        read += [resource.key(record) for record in answer["records"]]
        address = answer.get("_links", {}).get("next", {}).get("href", "")
        assert len(read) <= len(expected), "pages overlap"
    assert read == (sorted(expected, key=lambda key: key[0]) if order else expected)


@pytest.mark.parametrize("path", COLLECTIONS)
def test_pages_read_through_http_hold_every_record_once(session: httpx.Client, path: str) -> None:
    whole = get(session, path, fields="*")["records"]
    address, read = f"/api/{path}?fields=*&max_records=2", []
    while address:
        answer = session.get(address).json()
        read += answer["records"]
        address = answer["_links"].get("next", {}).get("href", "")
    links = [record.get("_links") for record in read]
    assert [record.get("_links") for record in whole] == links
    assert {link is None for link in links} == {path.startswith("private/")}
    assert len(read) == len(whole) > 0


def test_an_answer_is_cut_without_being_asked_when_the_cluster_is_slow(serve: Any, incident: Any) -> None:
    with serve(dataclasses.replace(incident, page_limit=20)) as (session, _):
        answer = get(session, "storage/volumes")
        assert answer["num_records"] == 20
        assert get(session, "storage/volumes", return_records="false") == {
            "num_records": 28,
            "_links": {"self": {"href": "/api/storage/volumes?return_records=false"}},
        }
        rest = session.get(answer["_links"]["next"]["href"]).json()
    assert (rest["num_records"], "next" in rest["_links"]) == (8, False)


def test_a_collection_tells_little_unless_fields_are_asked_for(session: httpx.Client) -> None:
    def known(**query: Any) -> set[str]:
        return set(get(session, "storage/volumes", name="vm_nfs_01", **query)["records"][0])

    assert known() == {"uuid", "name", "_links"}
    assert known(fields="state,efficiency.policy.name") == {"uuid", "name", "_links", "state", "efficiency"}
    # efficiency, qos, nas and the measured values are expensive: they have to be asked for.
    assert {"state", "svm", "size"} <= known(fields="*")
    assert not {"efficiency", "nas", "metric", "statistics"} & known(fields="*")
    assert {"efficiency", "nas", "metric", "statistics", "state"} <= known(fields="**")
    assert {"efficiency", "state"} <= known(fields="*,efficiency.policy.name")
    (record,) = get(session, "storage/volumes", name="vm_nfs_01", fields="efficiency.policy.name")["records"]
    assert record["efficiency"] == {"policy": {"name": "default"}}


def test_a_single_record_is_whole_and_a_field_asked_about_is_answered(session: httpx.Client) -> None:
    (brief,) = get(session, "storage/luns", **{"status.state": "online", "location.logical_unit": "ds01"})["records"]
    assert brief["status"] == {"state": "online"}
    whole = session.get(brief["_links"]["self"]["href"]).json()
    assert whole["serial_number"] == "80D7A]KjYhJR"
    assert "lun_maps" not in whole


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        pytest.param("storage/luns", {"os_type": "linux"}, ["/vol/vm_luns_01/ds02"], id="equal"),
        pytest.param("storage/luns", {"os_type": "!vmware"}, ["/vol/vm_luns_01/ds02"], id="not equal"),
        pytest.param("storage/luns", {"name": "*twin01"}, ["/vol/twin_luns_01/twin01"], id="a wildcard"),
        pytest.param("storage/luns", {"os_type": "linux|windows"}, ["/vol/vm_luns_01/ds02"], id="one of several"),
        pytest.param("storage/luns", {"os_type": '"linux|windows"'}, [], id="quoted"),
        pytest.param("storage/luns", {"qos_policy.name": "!null"}, ["/vol/twin_luns_01/twin01"], id="set"),
        pytest.param(
            "storage/luns",
            {"qos_policy.name": "null", "os_type": "vmware"},
            ["/vol/vm_luns_01/ds01", "/vol/twin_luns_01/twin02"],
            id="not set, and equal",
        ),
        pytest.param("storage/luns", {"qos_policy.name": "!other"}, ["/vol/twin_luns_01/twin01"], id="what is not set is not unlike"),
        pytest.param("storage/luns", {"status.mapped": "false"}, [], id="a boolean"),
        pytest.param("storage/aggregates", {"block_storage.primary.disk_count": ">20"}, ["aggr_10k", "aggr_twin"], id="greater"),
        pytest.param("storage/aggregates", {"block_storage.primary.disk_count": "10..12"}, ["aggr_dr"], id="a range"),
        pytest.param("storage/volumes", {"aggregates.name": "aggr_dr", "name": "*twin_3"}, ["dr_twin_3"], id="an element of a list"),
        pytest.param("storage/volumes", {"type": "rw", "nas.path": "!null"}, ["vm_nfs_01", "twin_nfs_01"], id="NFS datastores"),
        pytest.param(
            "storage/aggregates",
            {"order_by": "block_storage.primary.disk_count,name desc"},
            ["aggr_dr", "aggr_twin", "aggr_10k"],
            id="ordered by two fields",
        ),
    ],
)
def test_a_query_chooses_records(session: httpx.Client, path: str, query: dict[str, str], expected: list[str]) -> None:
    assert names(session, path, **query) == expected


@pytest.mark.parametrize(
    ("path", "query", "status", "code", "target"),
    [
        pytest.param("storage/luns", {"fields": "colour"}, 400, "262197", "fields", id="a field that there is not"),
        pytest.param("storage/luns", {"fields": "space.colour"}, 400, "262197", "fields", id="a field below another"),
        pytest.param("storage/luns", {"colour": "red"}, 400, "262179", "colour", id="a query by no field"),
        pytest.param("storage/luns", {"max_records": "none"}, 400, "262197", "max_records", id="a page of no size"),
        pytest.param("storage/luns", {"order_by": "name up"}, 400, "262197", "order_by", id="no direction"),
        pytest.param("storage/luns", {"start.uuid": "gone"}, 400, "262197", "start.uuid", id="a page that is gone"),
        pytest.param("storage/luns/0", {}, 404, "4", "uuid", id="no such record"),
        pytest.param("cluster/jobs/0", {}, 404, "4", "uuid", id="no such job"),
        pytest.param("storage/unicorns", {}, 404, "3", None, id="no such API"),
        pytest.param("cluster/counter/tables/unicorn/rows", {}, 404, "3", None, id="no such counter table"),
    ],
)
def test_a_mistake_is_answered_as_an_error_object(
    session: httpx.Client, path: str, query: dict[str, str], status: int, code: str, target: str | None
) -> None:
    answer = session.get(f"/api/{path}", params=query)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error.get("target")) == (status, code, target)
    assert error["message"]


def test_unknown_fields_can_be_ignored_and_known_ones_may_be_unset_everywhere(session: httpx.Client) -> None:
    assert len(names(session, "storage/luns", fields="colour", ignore_unknown_fields="true")) == 4
    assert names(session, "storage/luns", fields="vvol.is_bound", name="*ds01") == ["/vol/vm_luns_01/ds01"]


def test_without_hal_only_the_link_to_the_next_page_is_left(session: httpx.Client) -> None:
    answer = session.get("/api/storage/luns?max_records=1&fields=svm", headers={"Accept": "application/json"})
    body = answer.json()
    assert (answer.headers["Content-Type"], list(body["_links"])) == ("application/json", ["next"])
    assert "_links" not in body["records"][0]
    assert "_links" not in body["records"][0]["svm"]
    assert session.get("/api/cluster").headers["Content-Type"] == "application/hal+json"


@pytest.mark.parametrize(
    "auth", [("audit", "wrong"), ("somebody", "right"), ("audit", "päss:wörd")], ids=["password", "user", "letters beyond ASCII"]
)
def test_wrong_credentials_are_refused_before_anything_else(serve: Any, incident: Any, auth: tuple[str, str]) -> None:
    with serve(incident, auth) as (session, _):
        answer = session.get("/api/storage/unicorns")
    assert (answer.status_code, "error" in answer.json(), "right" in answer.text) == (401, True, False)


def test_an_account_may_be_kept_from_a_part_of_the_api(serve: Any, incident: Any) -> None:
    with serve(dataclasses.replace(incident, forbidden=("/api/cluster/counter", "/api/storage/disks"))) as (session, _):
        assert session.get("/api/storage/disks").status_code == 403
        answer = session.get("/api/cluster/counter/tables/lun/rows")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "6")
        assert session.get("/api/cluster").status_code == 200


def test_faults_strike_the_operation_they_name(serve: Any, incident: Any) -> None:
    with serve(incident) as (session, server):
        server.faults.active.append(Fault("status", operation="GET storage/luns", status=503, times=1))
        assert session.get("/api/cluster").status_code == 200
        refused = session.get("/api/storage/luns?max_records=1")
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        assert session.get("/api/storage/luns?max_records=1").status_code == 200
        server.faults.active.append(Fault("truncate", operation="GET storage/volumes"))
        with pytest.raises(httpx.RemoteProtocolError):
            session.get("/api/storage/volumes")
        assert server.requests == ["GET cluster", "GET storage/luns", "GET storage/luns", "GET storage/volumes"]


def test_a_relationship_is_listed_where_its_destination_is(serve: Any, incident: Any) -> None:
    source = dataclasses.replace(
        incident, relationships=tuple(dataclasses.replace(each, destination="elsewhere:copy") for each in incident.relationships[:2])
    )
    with serve(source) as (session, _):
        assert get(session, "snapmirror/relationships")["num_records"] == 0
        assert get(session, "snapmirror/relationships", list_destinations_only="true")["num_records"] == 2
