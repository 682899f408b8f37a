"""Which hosts are to reach a datastore, and which of them do not."""

from typing import Any

import pytest

from .single import of_vc, rows_over

ANSWERS = {"connection_state": "connected", "in_maintenance_mode": False}
MOUNTS = {"mounted": True, "accessible": True}
READ = [{"endpoint": "vc", "datastores_read": True, "hosts_read": True}]


def reach(
    *mounts: dict[str, Any],
    host: dict[str, Any] | None = None,
    accessible: bool | None = True,
    kind: str | None = "VMFS",
    hosts_read: int | None = None,
) -> tuple[int | None, str | None]:
    """`answering_hosts` and `hosts_without_access` of a datastore with these mounts, of hosts 1 to n; the last is as `host` has it."""
    hosts = [{**ANSWERS, "host_id": f"host-{n}", "name": f"esx-{n}"} for n in range(1, 1 + len(mounts))]
    if host:
        hosts[-1].update(host)
    [row] = rows_over(
        "datastore",
        {
            "fact.datastore": of_vc({"datastore_id": "ds", "name": "ds", "type": kind, "accessible": accessible}),
            "fact.host": of_vc(*hosts[:hosts_read]),
            "fact.datastore_mount": of_vc(
                *({**MOUNTS, **mount, "datastore_id": "ds", "host_id": f"host-{n}"} for n, mount in enumerate(mounts, 1))
            ),
            "step_endpoint_reading": READ,
            "step_vcenter_reading": [{"datastores_read": True, "hosts_read": True}],
        },
    )
    return row["answering_hosts"], row["hosts_without_access"]


NO = {"accessible": False}


def test_a_host_that_answers_and_does_not_reach_it_is_named() -> None:
    assert reach({}, NO) == (2, "esx-2")
    assert reach(NO, NO, accessible=False) == (2, "esx-1, esx-2")
    assert reach({}, {}) == (2, "")


@pytest.mark.parametrize(
    "host",
    [
        pytest.param({"connection_state": "notResponding"}, id="does not answer"),
        pytest.param({"connection_state": "disconnected"}, id="disconnected"),
        pytest.param({"in_maintenance_mode": True}, id="in maintenance mode"),
    ],
)
def test_a_host_that_does_not_answer_or_is_worked_on_counts_for_nothing(host: dict[str, Any]) -> None:
    assert reach({}, NO, host=host) == (1, "")
    assert reach(NO, host=host, accessible=False) == (0, None)


def test_what_an_administrator_unmounted_counts_for_nothing() -> None:
    assert reach({}, {"mounted": False, "accessible": False}) == (1, "")
    assert reach({"mounted": False, "accessible": False}, accessible=False) == (0, None)


@pytest.mark.parametrize("kind", ["NFS", "NFS41"])
def test_a_share_that_a_host_could_not_mount_is_no_unmounted_one(kind: str) -> None:
    """An administrator who unmounts a share takes it off the host."""
    assert reach({}, {"mounted": False, "accessible": False}, kind=kind) == (2, "esx-2")
    assert reach({"mounted": False, "accessible": False}, accessible=False, kind=kind) == (1, "esx-1")
    assert reach({}, {"mounted": None, "accessible": False}, kind=kind) == (2, "esx-2")


def test_what_may_be_a_share_or_a_volume_may_have_been_unmounted() -> None:
    assert reach({}, {"mounted": False, "accessible": False}, kind=None) == (1, None)


@pytest.mark.long
def test_what_is_not_reported_is_no_access_and_no_lack_of_it() -> None:
    assert reach({}, {"accessible": None}) == (2, None)
    assert reach({}, {"mounted": None}) == (1, "")
    assert reach({"mounted": None}) == (None, "")
    assert reach({"mounted": None, "accessible": False}) == (None, None)
    assert reach({}, {"mounted": None, "accessible": False}) == (1, None)
    assert reach({}, NO, host={"connection_state": None}) == (1, None)


def test_what_a_single_host_says_of_the_datastore_is_said_of_its_mount() -> None:
    """A host without vCenter need not report it of the mount; VIM API reference, HostMountInfo.accessible."""
    assert reach({"accessible": None}) == (1, "")
    assert reach({"accessible": None}, accessible=False) == (1, "esx-1")
    assert reach({"accessible": None}, accessible=None) == (1, None)


def test_what_may_be_said_of_the_mount_of_a_host_that_was_not_read_is_said_of_no_other() -> None:
    assert reach({"accessible": None}, {}, hosts_read=1) == (1, None)
    assert reach({}, {}, hosts_read=1) == (1, "")


def test_a_datastore_that_vcenter_calls_inaccessible_is_so_for_all_who_mount_it() -> None:
    """DatastoreSummary.accessible is true where any host has it; VIM API reference."""
    assert reach({"accessible": None}, {"accessible": None}, accessible=False) == (2, "esx-1, esx-2")
