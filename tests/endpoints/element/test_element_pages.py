"""Lists of an Element cluster are read page by page: no volume is lost or doubled, and no list is read for ever."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.element.load import PAGE
from auditor.facts.needs import needs
from auditor.model import Endpoint
from auditor_lab.arrays.element.cluster import Cluster
from auditor_lab.arrays.element.description import (
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

from tests.endpoints.element.element_collecting import S0, collected, serving


@pytest.mark.parametrize(
    ("method", "under", "table", "topic"),
    [
        ("ListAllNodes", "nodes", "array_node", "nodes"),
        ("ListVolumes", "volumes", "array_volume", "volumes"),
        ("ListVolumeStats", "volumeStats", "array_volume_load", "volume_load"),
        ("ListQoSPolicies", "qosPolicies", "array_qos_policy", "qos_policies"),
        ("ListProtocolEndpoints", "protocolEndpoints", "array_protocol_endpoint", "protocol_endpoints"),
        ("ListVirtualVolumeBindings", "bindings", "vvol_binding", "bindings"),
        ("ListVolumeQoSHistograms", "qosHistograms", "array_volume_histogram", "volume_histograms"),
        ("ListVolumeAccessGroups", "volumeAccessGroups", "array_host", "array_hosts"),
        ("ListISCSISessions", "sessions", "array_session", "sessions"),
        ("ListFibreChannelSessions", "sessions", "array_session", "sessions"),
    ],
)
class TestEveryList:
    def test_a_record_that_comes_twice_is_kept_once(self, served: Any, method: str, under: str, table: str, topic: str) -> None:
        server, endpoint = served
        whole = collected(endpoint)
        server.alterations[method] = lambda _, result: result | {under: result[under][:1] + result[under]}
        found = collected(endpoint)
        assert found.tables[table] == whole.tables[table]
        assert found.incomplete() == {topic} | ({"connections"} if topic == "array_hosts" else set())
        assert any("twice" in gap.why for gap in found.gaps)

    @pytest.mark.parametrize("odd", [pytest.param(None, id="null"), pytest.param({}, id="without an id"), pytest.param("x", id="a string")])
    def test_an_entry_that_is_no_record_is_left_out_and_told(
        self, served: Any, method: str, under: str, table: str, topic: str, odd: Any
    ) -> None:
        server, endpoint = served
        whole = collected(endpoint)
        server.alterations[method] = lambda _, result: result | {under: [*result[under], odd]}
        found = collected(endpoint)
        assert found.tables[table] == whole.tables[table]
        assert topic in found.incomplete()

    @pytest.mark.parametrize("odd", [pytest.param(None, id="null"), pytest.param({"a": 1}, id="an object"), pytest.param(3, id="a number")])
    def test_no_list_at_all_is_not_an_empty_one(self, served: Any, method: str, under: str, table: str, topic: str, odd: Any) -> None:
        server, endpoint = served
        server.alterations[method] = lambda _, result: result | {under: odd}
        assert topic in collected(endpoint).incomplete()

    def test_a_call_the_account_may_not_make_leaves_only_its_own_hole(
        self, served: Any, method: str, under: str, table: str, topic: str
    ) -> None:
        server, endpoint = served
        server.faults.active.append(Fault("status", method, status=403))
        found = collected(endpoint)
        assert [row for row in found.tables[table] if method != "ListFibreChannelSessions" or row["volume_id"] is None] == []
        assert topic in found.incomplete()
        # Without the policies' names volumes cannot be told whole, and without the volumes nobody knows whose load is missing. Without the
        # access groups nobody knows whether hosts log in by Fibre Channel.
        follows = {"qos_policies": {"volumes"}, "volumes": {"volume_load", "volume_histograms"}, "array_hosts": {"connections", "sessions"}}
        assert found.incomplete() == {topic} | follows.get(topic, set())


@pytest.mark.long
def test_2001_volumes_are_all_read_a_page_at_a_time(tmp_path: Path) -> None:
    many = dataclasses.replace(S0, volumes=tuple(VolumeDescription(f"v{i}", policy="Gold") for i in range(2001)), vvols=())
    # The histograms, forty rows a volume, have a test of their own.
    volumes_and_load = needs([("array_volume", "name"), ("array_volume_load", "latency_us")])
    with serving(tmp_path, many, timeout=20) as (_, endpoint):
        found = collected(endpoint, volumes_and_load)
    assert found.gaps == []
    assert [row["volume_id"] for row in found.tables["array_volume"]] == [str(i) for i in range(1, 2002)]
    assert [row["volume_id"] for row in found.tables["array_volume_load"]] == [str(i) for i in range(1, 2002)]
    assert found.largest_batch <= PAGE


@pytest.fixture(scope="module")
def paged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ElementServer, Endpoint]]:
    with serving(tmp_path_factory.mktemp("paged"), S0) as (server, endpoint):
        yield server, endpoint


@pytest.mark.long
@given(ids=st.sets(st.integers(1, 2**31), max_size=40), vvols=st.integers(0, 9), page=st.integers(1, 8))
@settings(max_examples=40)
def test_no_volume_is_lost_or_doubled_whatever_their_ids_and_the_page(paged: Any, ids: set[int], vvols: int, page: int) -> None:
    server, endpoint = paged
    server.cluster = Cluster(
        dataclasses.replace(
            S0,
            volumes=tuple(VolumeDescription(f"v{i}", id=i) for i in sorted(ids)),
            vvols=tuple(VvolDescription(f"d{i}", "vvols", bound_by=("h",)) for i in range(vvols)),
            page_limit=page,
        )
    )
    found = collected(endpoint)
    assert found.gaps == []
    numbers = [int(row["volume_id"]) for row in found.tables["array_volume"]]
    assert numbers == sorted(numbers)
    assert len(numbers) == len(set(numbers)) == len(ids) + vvols
    assert ids <= set(numbers)
    assert {row["volume_id"] for row in found.tables["array_volume_load"]} == {str(number) for number in numbers}


@pytest.mark.parametrize(
    "alter",
    [
        pytest.param(lambda _, result: result | {"volumes": result["volumes"][::-1]}, id="not in the order of their ids"),
        pytest.param(
            lambda params, result: result if params["startVolumeID"] == 0 else {"volumes": [None]}, id="a page that leads nowhere"
        ),
    ],
)
def test_pages_that_may_have_lost_volumes_are_not_called_whole(served: tuple[ElementServer, Endpoint], alter: Any) -> None:
    server, endpoint = served
    server.alterations["ListVolumes"] = alter
    assert "volumes" in collected(endpoint).incomplete()


def test_a_cluster_that_ignores_where_a_page_starts_is_not_read_for_ever(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    first: list[Any] = []

    def stuck(_: dict[str, Any], result: Any) -> Any:
        first.append(result)
        return first[0]

    server.alterations["ListVolumes"] = stuck
    found = collected(endpoint)
    assert {"volumes", "volume_load"} <= found.incomplete()
    assert len(found.tables["array_volume"]) == 3
    assert server.requests.count("ListVolumes") == 2


def test_volumes_without_end_are_given_up(served: tuple[ElementServer, Endpoint], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.common.answer_limits.MOST_PAGES", 5)
    server, endpoint = served
    numbers = itertools.count(1)
    server.alterations["ListVolumes"] = lambda _, result: (
        {"volumes": [{**result["volumes"][0], "volumeID": next(numbers)}]}
        if result["volumes"]
        else {"volumes": [{"volumeID": next(numbers)}]}
    )
    found = collected(endpoint)
    assert server.requests.count("ListVolumes") == 5
    assert "volumes" in found.incomplete()
    assert any("did not end after 5 pages" in gap.why for gap in found.gaps)
