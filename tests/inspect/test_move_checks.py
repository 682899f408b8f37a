"""Which machine and datastore a person means, and how far a move was when the fleet was read before."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from auditor.errors import ConfigurationError
from auditor.history.kept_run import KeptRun
from auditor.inspect.move_checks import checked, progress_before
from auditor.moves.plan import AskedMove
from tests.facts import fleets
from tests.facts.fleets import WHEN, hosts, snapshot

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def two_vcenters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine of one name in two vCenters, and twice in the first; the datastore "fast" only in the second."""
    place = tmp_path_factory.mktemp("two") / "snapshot"
    given = hosts(1)
    given["vm"] = [
        {"endpoint": endpoint, "vm_id": vm_id, "name": name, "host_id": "host-1"}
        for endpoint, vm_id, name in (("vc", "vm-1", "web"), ("vc", "vm-2", "web"), ("vc-2", "vm-1", "web"), ("vc", "vm-3", "a/b"))
    ]
    given["datastore"] = [
        {"endpoint": endpoint, "datastore_id": store_id, "name": name}
        for endpoint, store_id, name in (("vc", "ds-1", "slow"), ("vc-2", "ds-1", "fast"))
    ]
    snapshot(given).save(place)
    return place


def refused(place: Path, vm: str, datastore: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        checked(place, [AskedMove(vm, datastore, 7)])
    return str(caught.value)


def test_a_name_that_several_have_is_answered_with_all_of_them(two_vcenters: Path) -> None:
    said = refused(two_vcenters, "web", "slow")
    assert 'several machines are called "web" (line 7)' in said
    assert "vc/vm-1, vc/vm-2" in said


def test_what_no_vcenter_has_both_of_is_said_with_where_each_is(two_vcenters: Path) -> None:
    assert "machines a/b in vc; datastores fast in vc-2" in refused(two_vcenters, "a/b", "fast")
    assert 'no machine is called "vc-2/a/b"' in refused(two_vcenters, "vc-2/a/b", "fast")


@pytest.mark.parametrize(
    ("vm", "datastore", "found"),
    [
        pytest.param("WEB", "fast", ("vc-2", "vm-1"), id="the datastore settles which vCenter"),
        pytest.param("vc/vm-2", "slow", ("vc", "vm-2"), id="by the vCenter and the id"),
        pytest.param("a/b", "vc/ds-1", ("vc", "vm-3"), id="a name with a slash"),
    ],
)
def test_one_that_is_meant_is_checked(two_vcenters: Path, vm: str, datastore: str, found: tuple[str, str]) -> None:
    [one] = checked(two_vcenters, [AskedMove(vm, datastore)])
    assert (one.check.move.machine.endpoint, one.check.move.machine.vm_id) == found
    assert "disks-unread" in {reason.code for reason in one.check.reasons}, "nothing but names was read"


def test_a_machine_stands_in_a_plan_once_by_whatever_name(two_vcenters: Path) -> None:
    twice = [AskedMove("a/b", "slow", 2), AskedMove("vc/vm-2", "slow", 3), AskedMove("vc/vm-3", "slow", 4)]
    with pytest.raises(ConfigurationError, match=r"line 4 of the plan moves vc/vm-3 a second time \(line 2 does, as a/b\)"):
        checked(two_vcenters, twice)
    assert len(checked(two_vcenters, twice[:2])) == 2


@dataclass
class Run:
    """What is asked of a kept run."""

    snapshot: Path | None
    started: datetime
    finished: datetime | None


def test_of_a_task_the_newest_earlier_reading_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(minutes: int, percent: int | None, *, finished: bool = True) -> KeptRun:
        given: dict[str, list[dict[str, Any]]] = hosts(1)
        when = WHEN - timedelta(minutes=minutes)
        given["running_task"] = [{"task_id": "task-1", "started_at": WHEN - timedelta(hours=1), "progress_percent": percent}]
        given["reading"] = [{"scope": "", "topic": "tasks", "complete": True}]
        monkeypatch.setattr(fleets, "WHEN", when)
        place = tmp_path / f"{minutes}-{percent}"
        snapshot(given).save(place)
        return cast("KeptRun", Run(place, when, when if finished else None))

    key = ("vc", "task-1", WHEN - timedelta(hours=1))
    runs = [kept(0, 40), kept(10, 30), kept(20, 20), kept(5, 35, finished=False), cast("KeptRun", Run(None, WHEN, WHEN))]
    assert progress_before(runs, WHEN) == {key: (30, WHEN - timedelta(minutes=10))}
    assert progress_before(runs[:1], WHEN) == {}, "a run is not before itself"
    assert progress_before([kept(12, None)], WHEN) == {}, "a progress that is not reported"
