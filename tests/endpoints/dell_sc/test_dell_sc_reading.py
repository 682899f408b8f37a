"""How a Storage Manager is asked: lists in batches, single objects where a list leaves some out, and what a refusal costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.dell_sc import volumes
from auditor.endpoints.dell_sc.reading import Center, Reading, unless_unknown
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError, PermissionMissingError
from auditor.model import Endpoint, EndpointKind, Gap, Secret

if TYPE_CHECKING:
    from auditor.endpoints.dell_sc.client import StorageManager
from tests.endpoints.dell_sc.dell_sc_records import PROFILES, USAGE, VOLUME, configuration, named, record

DC = Endpoint("sc", EndpointKind.DELL_SC, "127.0.0.1", 3033, "", Secret("env", ("NONE",)))


@dataclass
class Manager:
    """A manager that answers lists, objects and computations, or raises."""

    lists: Mapping[str, Any] = field(default_factory=dict)
    computed: Mapping[str, Any] = field(default_factory=dict)
    one: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def _answer(self, answer: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    def storage_centers(self) -> Any:
        return self._answer(self.lists["StorageCenter"])

    def objects(self, kind: str, serial: int) -> Any:
        assert serial == 7
        return self._answer(self.lists.get(kind, []))

    def object(self, path: str) -> Any:
        return self._answer(self.one.get(path, EndpointError("nothing there", why="", do="")))

    def compute(self, path: str, params: Any = None) -> Any:
        self.asked.append((path, params))
        return self._answer(self.computed.get(path, []))

    def add_note(self, text: str) -> None:
        self.notes.append(text)


def reading_of(manager: Manager, **given: Any) -> Reading:
    return Reading(cast("StorageManager", manager), DC, **given)


def center(*, has_qos: bool = True, volume_ids: list[str] | None = None) -> Center:
    return Center(7, record({}), has_qos, volume_ids=volume_ids)


def columns_of(items: Any) -> tuple[dict[str, list[Any]], list[Gap]]:
    """The columns of all batches together, and the gaps."""
    listed = list(items)
    columns: dict[str, list[Any]] = {}
    for batch in (item for item in listed if not isinstance(item, Gap)):
        assert batch.table in ("array_volume", "array_volume_load")
        for name, values in batch.columns.items():
            columns.setdefault(name, []).extend(values)
    gaps = [item for item in listed if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} | set(columns.get("endpoint", ())) <= {"sc"}
    return columns, gaps


TIERS = {**named(6, "Recommended"), "useTier1Storage": True, "useTier2Storage": True, "useTier3Storage": False}


def test_each_volume_is_read_with_what_it_was_given_from_the_list_or_by_itself() -> None:
    two = {**VOLUME, "instanceId": "7.10"}
    one_by_one = {"StorageCenter/ScVolume/7.10/VolumeConfiguration": configuration(10)}
    manager = Manager({"ScVolume": [VOLUME, two], "ScVolumeConfiguration": [configuration(9)], "ScStorageProfile": [TIERS]}, one=one_by_one)
    there = center()
    columns, gaps = columns_of(volumes.volumes(reading_of(manager, profiles=PROFILES), there))
    assert (columns["volume_id"], columns["qos_max_iops"], columns["tiers"], gaps) == (["7.9", "7.10"], [100, 100], [2, 2], [])
    assert there.volume_ids == ["7.9", "7.10"]


def test_a_volume_of_which_nothing_more_is_known_stays_and_is_a_gap() -> None:
    manager = Manager({"ScVolume": [VOLUME], "ScVolumeConfiguration": NotThereError("no list", why="", do="")})
    columns, gaps = columns_of(volumes.volumes(reading_of(manager), center(has_qos=False)))
    assert (columns["volume_id"], columns["qos_read"], columns["tiering"]) == (["7.9"], [False], [None])
    assert [(gap.what, gap.why) for gap in gaps] == [("ScVolume/GetList: VolumeConfiguration of ScVolume 7.9", "nothing there")]
    manager.one = {"StorageCenter/ScVolume/7.9/VolumeConfiguration": {"storageProfile": None}}
    _, [first, *_] = columns_of(volumes.volumes(reading_of(manager), center(has_qos=False)))
    assert first.what == "ScVolume/GetList: VolumeConfiguration.storageProfile of ScVolume 7.9"


@pytest.mark.long
def test_many_volumes_come_in_batches_of_a_thousand() -> None:
    manager = Manager({"ScVolume": [{**VOLUME, "instanceId": f"7.{n}"} for n in range(1001)]})
    manager.lists = {**manager.lists, "ScVolumeConfiguration": [configuration(n) for n in range(1001)], "ScStorageProfile": [TIERS]}
    batches = [item for item in volumes.volumes(reading_of(manager, profiles=PROFILES), center()) if not isinstance(item, Gap)]
    assert [len(batch.columns["volume_id"]) for batch in batches] == [1000, 1]
    [empty] = volumes.volumes(reading_of(Manager()), center())
    assert not isinstance(empty, Gap)
    assert empty.table == "array_volume"


LATEST = "StorageCenter/StorageCenter/7/GetLatestVolumeIoUsage"


def test_the_load_of_each_volume_is_its_newest_sample_from_the_list_or_by_itself() -> None:
    early, late = ({**USAGE, "time": f"2026-01-07T1{hour}:00:00+00:00", "totalIops": hour} for hour in (4, 5))
    history = "StorageCenter/ScVolume/7.{}/GetHistoricalIoUsage"
    manager = Manager(
        computed={
            LATEST: [{**USAGE, "instanceId": "7.9"}],
            history.format(10): [early, late, "odd"],
            history.format(12): NotThereError("gone", why="", do=""),
        }
    )
    before = datetime.now(UTC) - timedelta(hours=1, seconds=1)
    columns, gaps = columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=["7.9", "7.10", "7.11", "7.12"])))
    assert (columns["volume_id"], columns["actual_iops"]) == (["7.9", "7.10"], [200, 5])
    assert sorted((gap.what.partition(": ")[2], gap.why) for gap in gaps) == [
        ("GetHistoricalIoUsage of ScVolume 7.12", "gone"),
        ("the record of ScVolume 7.11", "was not in the answer"),
    ]
    params = [given for path, given in manager.asked if path == history.format(10)]
    started = datetime.fromisoformat(params[0]["HistoricalFilter"].pop("StartTime"))
    assert before <= started <= before + timedelta(seconds=60)
    assert params == [{"HistoricalFilter": {"FilterTime": "Other", "UseCurrent": True}}]
    assert manager.notes == [f"sc: {volumes.NO_LATENCY}"]
    columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=[])))
    assert len(manager.notes) == 1, "it is noted once"


def test_a_load_is_not_whole_where_the_volumes_were_not_read() -> None:
    manager = Manager(computed={LATEST: [{**USAGE, "instanceId": "7.9"}]})
    columns, [gap] = columns_of(volumes.volume_load(reading_of(manager), center()))
    assert (columns["volume_id"], gap.what.partition(": ")[2]) == (["7.9"], "completeness of the answer")
    assert columns_of(volumes.volume_load(reading_of(manager), center(volume_ids=["7.9"])))[1] == []


def storage_center(serial: Any, **fields: Any) -> dict[str, Any]:
    return {"instanceId": str(serial), "scSerialNumber": serial, "version": "7.3.20.19", "connected": True, **fields}


def test_the_storage_centers_that_can_be_reached_are_asked_and_the_others_are_gaps_of_each_topic() -> None:
    manager = Manager(
        {
            "StorageCenter": [
                storage_center("x"),
                storage_center(1, connected=False, connectionError="powered off"),
                storage_center(2, connected=False),
                storage_center(3, version="6.5"),
                storage_center(4, version=None),
                storage_center(5, version="7.0"),
                storage_center(5),
            ]
        }
    )
    reading = reading_of(manager)
    reached = reading.reached()
    assert [(one.serial, one.has_qos) for one in reached] == [(3, False), (4, True), (5, True)]
    assert [one.about.value["version"] for one in reached] == ["6.5", None, "7.0"]
    assert reading.reached() is reached, "asked once"
    gaps = [item for item in reading.each("volumes", lambda _, __: iter(())) if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} == {"sc"}
    assert [gap.what for gap in gaps[:2]] == ["volumes of Storage Center 1", "volumes of Storage Center 2"]
    assert [gap.why.rpartition(": ")[2] for gap in gaps[:2]] == ["powered off", "it does not say why"]
    assert len(gaps) == 4, "a serial number that is none, and one Storage Center twice"


def test_an_account_that_sees_no_storage_center_has_a_gap() -> None:
    reading = reading_of(Manager({"StorageCenter": []}))
    assert reading.reached() == []
    [gap] = reading.each("volumes", lambda _, __: iter(()))
    assert isinstance(gap, Gap)
    assert gap.what == "volumes of every Storage Center"


def test_a_storage_center_that_refuses_does_not_keep_the_others_from_being_read() -> None:
    reading = reading_of(Manager({"StorageCenter": [storage_center(1), storage_center(2)]}))

    def read(failure: Exception) -> Callable[[Reading, Center], Any]:
        def each(given: Reading, one: Center) -> Any:
            assert given is reading
            if one.serial == 1:
                raise failure
            yield Gap("sc", "read", str(one.serial))

        return each

    refused, other = reading.each("volumes", read(EndpointError("no permission", why="", do="")))
    assert (refused, other) == (Gap("sc", "volumes of Storage Center 1", "no permission"), Gap("sc", "read", "2"))
    for silent in (EndpointUnreachableError("silent", why="", do=""), CredentialsError("refused", why="", do="")):
        with pytest.raises(type(silent)):
            list(reading.each("volumes", read(silent)))


def test_a_record_counts_once_in_its_class_and_what_is_no_record_is_a_gap() -> None:
    reading, parse_errors = reading_of(Manager()), ParseErrors("x")
    first = list(reading.once("ScVolume", [{"INSTANCEID": "7.1", "inner": {"NAME": "x"}}, "odd", {"instanceId": "7.1"}], parse_errors))
    assert [one.label for one in first] == ["ScVolume 7.1"]
    assert first[0].value.get("instanceId") == "7.1", "found whatever its case"
    assert len(list(parse_errors.gaps("sc"))) == 2
    assert list(reading.once("ScVolume", [{"instanceId": "7.1"}], parse_errors)) == []
    assert len(list(reading.once("ScServer", [{"instanceId": "7.1"}], parse_errors))) == 1, "another class"


def test_objects_are_asked_one_by_one_and_an_error_costs_only_its_own() -> None:
    reading = reading_of(Manager())
    failure = EndpointError("gone", why="", do="")

    def ask(wanted: str) -> str:
        if wanted == "b":
            raise failure
        return wanted.upper()

    assert list(reading.one_by_one(["a", "b", "c"], ask)) == [("a", "A"), ("b", failure), ("c", "C")]
    assert list(reading.one_by_one([], ask)) == []
    for silent in (EndpointUnreachableError("silent", why="", do=""), CredentialsError("refused", why="", do="")):
        failing: Any = silent

        def refuse(_: str, failing: Any = failing) -> str:
            raise failing

        with pytest.raises(type(silent)):
            list(reading.one_by_one(["a"], refuse))


def test_a_list_that_a_manager_does_not_have_is_empty_and_one_that_it_refuses_is_not() -> None:
    def failing(error: Exception) -> Callable[[], list[Any]]:
        def ask() -> list[Any]:
            raise error

        return ask

    assert unless_unknown(lambda: [1]) == [1]
    for unknown in (EndpointError("status 500", why="", do=""), NotThereError("no such", why="", do="")):
        assert unless_unknown(failing(unknown)) == []
    for refused in (PermissionMissingError("no right", why="", do=""), EndpointUnreachableError("silent", why="", do="")):
        with pytest.raises(type(refused)):
            unless_unknown(failing(refused))
