"""What the lab's FlashArray makes anew, and what it answers about what it does not have; as Pure's Ansible modules ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

GIB = 1 << 30


@pytest.fixture
def client(serve: Callable[..., Any], described: Any) -> Any:
    return serve(described)[0]


def post(client: Any, name: str, body: Any) -> Any:
    return client.session.post("/api/2.15/volumes", params={"names": name}, json=body)


def test_a_volume_is_made_once_and_grows(client: Any) -> None:
    answer = post(client, "new", {"provisioned": GIB, "qos": {"iops_limit": 5000}})
    assert answer.status_code == 200
    (made,) = client.get("volumes", names="new").json()["items"]
    assert (made["provisioned"], made["qos"]["iops_limit"], made["connection_count"]) == (GIB, 5000, 0)
    serials = [one["serial"] for one in client.get("volumes").json()["items"]]
    assert len(serials) == len(set(serials))
    assert client.refused(post(client, "new", {"provisioned": GIB})) == (400, "new")
    assert client.patch("volumes", {"provisioned": 2 * GIB}, names="new").status_code == 200
    assert client.refused(client.patch("volumes", {"provisioned": GIB}, names="new")) == (400, "new")
    assert client.get("volumes", names="new").json()["items"][0]["provisioned"] == 2 * GIB


@pytest.mark.parametrize("size", [0, 511, GIB + 1, "1T", None])
def test_a_volume_of_an_odd_size_is_refused(client: Any, size: Any) -> None:
    assert client.refused(post(client, "new", {"provisioned": size})) == (400, "new")


def test_a_destroyed_object_of_a_name_does_not_exist(client: Any) -> None:
    assert client.get("volumes", names="ds-1", destroyed="false").status_code == 200
    assert client.refused(client.get("volumes", names="ds-1", destroyed="true")) == (400, "ds-1")
    assert client.get("volumes", destroyed="true").json()["items"] == []


def test_there_is_nothing_of_what_the_lab_has_not(client: Any) -> None:
    for path in ("volume-snapshots", "protection-groups", "policies/nfs"):
        assert client.get(path).json()["items"] == []
    assert client.get("volumes/tags", resource_destroyed="true").json()["items"] == []
    assert client.get("volumes/tags", resource_destroyed="false").json()["items"] != []


def test_the_space_of_the_array_is_that_of_its_own_object(client: Any) -> None:
    (whole,), (space,) = client.get("arrays").json()["items"], client.get("arrays/space").json()["items"]
    assert (space["capacity"], space["space"]) == (whole["capacity"], whole["space"])
