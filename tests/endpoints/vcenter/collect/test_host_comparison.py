"""Which hosts an earlier run may answer for: each mark speaks against a host by itself, and where one is missing the host is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.shapes import OptionValue, Ref
from auditor.endpoints.vcenter.collect import events, host_comparison
from auditor.endpoints.vcenter.collect.events import Happened
from auditor.endpoints.vcenter.collect.host_comparison import OPTIONS, HostComparison, compare_hosts
from auditor.endpoints.vcenter.collect.rows import HostSeen
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import TABLES, Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.earlier import STORAGE_TABLES, STORAGE_TOPICS, Earlier
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading

from .answering import ENDPOINT, REFUSED, has

VC, HOSTS, LIVE = ENDPOINT.name, ("h1", "h2"), ("options", "lockmode")
THEN = datetime(2026, 11, 20, 12, tzinfo=UTC)
OLDEST, LATEST = THEN - timedelta(hours=1), THEN + timedelta(hours=1)
NEEDED = needs((table, column) for table in ("host_option", "vmfs_lockmode") for column in TABLES[table].names)
KNOWN = EndpointReading(VC, "vcenter", "vc.example.com:443", "vCenter 8", "verified", THEN, THEN, complete=True, clock=THEN.isoformat())

Tables = dict[str, list[dict[str, Any]]]
Change = Callable[[Tables], object]


def as_it_was() -> Tables:
    """Two hosts that differ in nothing but their names."""
    tables: Tables = {table: [{"host_id": host} for host in HOSTS] for table in (*STORAGE_TABLES, "datastore_mount")}
    marks = {"version": "8.0", "build": "1", "boot_time": THEN - timedelta(days=9), "software_iscsi": True, "connection_state": "connected"}
    tables["host"] = [{"host_id": host, "cluster_id": f"cluster of {host}", **marks} for host in HOSTS]
    tables["host_option"] = [{"host_id": host, "key": key, "value": "32"} for host in HOSTS for key in ("A", "B")]
    topics = [(host, topic) for host in HOSTS for topic in (*STORAGE_TOPICS, *LIVE)]
    tables["reading"] = [
        {"scope": scope, "topic": topic, "complete": True, "read_at": THEN} for scope, topic in (*topics, ("", "datastores"))
    ]
    return tables


@cache
def filled(change: Change) -> SnapshotBuilder:
    """Only read, so that the tests share what is unchanged."""
    tables, builder = as_it_was(), SnapshotBuilder()
    change(tables)
    for table, rows in tables.items():
        if rows:
            builder.add(Batch(table, {name: [{"endpoint": VC, **row}.get(name) for row in rows] for name in TABLES[table].names}))
    return builder


def unchanged(_: Tables) -> None:
    """Nothing is otherwise."""


def other(table: str, **values: Any) -> Change:
    """What h1 has in this table is otherwise."""
    return lambda tables: next(row for row in tables[table] if row.get("host_id") == "h1").update(values)


def without(table: str) -> Change:
    return lambda tables: tables[table].pop(0)


def reading(topic: str, scope: str = "h1", **values: Any) -> Change:
    """The reading of this topic is otherwise."""
    return lambda tables: next(row for row in tables["reading"] if (row["scope"], row["topic"]) == (scope, topic)).update(values)


def compared(
    patch: pytest.MonkeyPatch,
    *,
    then: Change = unchanged,
    now: Change = unchanged,
    happened: Happened | Exception | None = None,
    touched: Sequence[str] = (),
    known: EndpointReading = KNOWN,
    asked: Needs = EVERYTHING,
    clock: datetime | None = None,
    is_clock_told: bool = True,
) -> tuple[HostComparison | str, list[datetime]]:
    """The comparison, or why there is none; and since when events were asked for."""
    since: list[datetime] = []

    def happened_since(_vcenter: Any, _endpoint: Any, time: datetime) -> Happened:
        since.append(time)
        if isinstance(happened, Exception):
            raise happened
        return happened or Happened(frozenset(), frozenset(), 7)

    patch.setattr(events, "happened_since", happened_since)
    snapshot = Snapshot(filled(then).so_far(), (known,), (), THEN, THEN, asked)
    earlier = Earlier("run-1", Path(), snapshot, OLDEST, LATEST, frozenset((VC, host) for host in touched))
    vcenter: Any = SimpleNamespace(about=SimpleNamespace(fullName="vCenter 8"))
    time = (clock or datetime.now(UTC)) if is_clock_told else None
    return compare_hosts(vcenter, ENDPOINT, earlier, NEEDED, time, filled(now).so_far), since


def taken(comparison: HostComparison | str, options: Mapping[str, list[OptionValue] | None] | None = None) -> set[str]:
    """The hosts that are not asked, where each has these options in vCenter's copy; by default A alone, as the host said."""
    assert isinstance(comparison, HostComparison)
    assert comparison.paths == (OPTIONS,)
    comparison.look_at_hosts()
    waiting = set()
    for host in HOSTS:
        copy = {host: [option("A", 32)], **(options or {})}[host]
        properties = REFUSED if copy is None else has("HostSystem", host, {OPTIONS: copy})
        if comparison.may_take(HostSeen(Ref("HostSystem", host), host, connected=True, software_iscsi=True), properties):
            waiting.add(host)
    comparison.settle()
    assert set(comparison.taken) <= waiting, "a host that is asked is not answered for as well"
    return set(comparison.taken)


def option(key: str, value: Any) -> OptionValue:
    return OptionValue(type_name="OptionValue", key=key, value=value)


@pytest.mark.long
def test_hosts_of_which_nothing_shows_a_change_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = compared(monkeypatch, then=reading("options", read_at=THEN - timedelta(minutes=5)))
    assert taken(found) == {"h1", "h2"}
    assert isinstance(found, HostComparison)
    assert found.taken == {"h1": THEN - timedelta(minutes=5), "h2": THEN}
    assert found.topics == frozenset(LIVE)
    assert found.note().startswith(
        "What 2 of 2 hosts say of themselves was taken over from run run-1; the oldest answer is of 2026-11-20 11:55:00 UTC. "
    )
    found, _ = compared(monkeypatch, happened=Happened(frozenset(HOSTS), frozenset(), 7))
    assert taken(found) == set()
    assert isinstance(found, HostComparison)
    assert found.note() == "Every host was asked again: none is known to be as run run-1 found it."


@pytest.mark.parametrize(
    "changes",
    [
        *[
            pytest.param({"now": other("host", **{mark: value})}, id=f"another {mark}")
            for mark, value in (("version", "9.0"), ("build", "2"), ("boot_time", THEN), ("software_iscsi", False))
        ],
        pytest.param({"now": other("host", connection_state="disconnected")}, id="it is not connected now"),
        pytest.param({"then": other("host", connection_state="disconnected")}, id="it was not connected then"),
        pytest.param({"then": other("host", boot_time=None), "now": other("host", boot_time=None)}, id="since when it runs is not known"),
        *[pytest.param({"now": without(table)}, id=f"a row less in {table}") for table in (*STORAGE_TABLES, "datastore_mount")],
        pytest.param({"now": other("path", state="dead")}, id="a path in another state"),
        pytest.param({"now": other("datastore_mount", accessible=False)}, id="a datastore it does not reach"),
        pytest.param({"then": reading("options", complete=False)}, id="its options were not read whole"),
        pytest.param({"then": reading("paths", complete=False)}, id="its paths were not read whole then"),
        pytest.param({"now": reading("paths", complete=False)}, id="its paths are not read whole now"),
        pytest.param(
            {"then": lambda tables: tables["reading"].remove(next(row for row in tables["reading"] if row["topic"] == "lockmode"))},
            id="a topic was not read",
        ),
        pytest.param({"then": reading("lockmode", read_at=OLDEST)}, id="an answer is too old"),
        pytest.param({"then": reading("paths", read_at=LATEST + timedelta(seconds=1))}, id="an answer is of the future"),
        pytest.param({"touched": ["h1"]}, id="auditor may have written to it"),
        pytest.param({"happened": Happened(frozenset({"h1"}), frozenset(), 7)}, id="something happened to it"),
        pytest.param({"happened": Happened(frozenset(), frozenset({"cluster of h1"}), 7)}, id="something happened to its cluster"),
    ],
)
def test_one_mark_against_a_host_is_enough_to_ask_it_and_no_other(monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]) -> None:
    assert taken(compared(monkeypatch, **changes)[0]) == {"h2"}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param([option("A", 33)], id="another value"),
        pytest.param([option("A", 32), option("C", 32)], id="one that the host did not report"),
        pytest.param([], id="vCenter has no copy of them"),
        pytest.param(None, id="vCenter does not say"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 20_000], ids=["one by one", "together"])
def test_options_that_differ_from_what_the_host_said_make_it_be_asked(
    monkeypatch: pytest.MonkeyPatch, options: list[OptionValue] | None, at_once: int
) -> None:
    monkeypatch.setattr(host_comparison, "OPTIONS_A_LOOK", at_once)
    found, _ = compared(monkeypatch)
    assert taken(found, {"h1": options, "h2": [option("B", 32), option("A", 32)]}) == {"h2"}


@pytest.mark.parametrize("when", ["then", "now"])
def test_where_not_all_datastores_are_known_every_host_is_asked(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    changes: dict[str, Any] = {when: reading("datastores", "", complete=False)}
    assert taken(compared(monkeypatch, **changes)[0]) == set()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"known": replace(KNOWN, name="other")}, f"that run did not read {VC}", id="another endpoint"),
        pytest.param({"known": replace(KNOWN, address="vc:443")}, f"that run read {VC} at another address", id="another address"),
        pytest.param({"known": replace(KNOWN, kind="ontap")}, f"that run read {VC} at another address", id="another kind"),
        pytest.param({"known": replace(KNOWN, version="vCenter 7")}, f"{VC} was vCenter 7 then and is vCenter 8 now", id="another version"),
        pytest.param({"known": replace(KNOWN, version=None)}, f"{VC} was not read then and is vCenter 8 now", id="it was not read"),
        pytest.param({"known": replace(KNOWN, clock=None)}, "that run did not note what vCenter's clock said", id="no clock then"),
        pytest.param({"is_clock_told": False}, "vCenter does not report what its clock says", id="no clock now"),
        pytest.param({"asked": needs([("host_option", "key")])}, "that run asked for less (", id="it asked for less"),
        pytest.param({"happened": REFUSED}, "which hosts changed cannot be told (refused)", id="no events can be read"),
        pytest.param(
            {"happened": Happened(frozenset(), frozenset(), 0)},
            "the account is shown no events, so which hosts changed",
            id="no events are shown",
        ),
    ],
)
def test_a_run_that_nothing_can_be_compared_with_makes_every_host_be_asked(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], why: str
) -> None:
    found, _ = compared(monkeypatch, **changes)
    assert isinstance(found, str)
    assert found.startswith(f"Every host was asked again, although --since names run run-1: {why}")


@pytest.mark.parametrize(("fast_then", "fast_now", "earlier"), [(0, 0, 0), (60, 60, 0), (60, 0, 60), (0, 60, 0)])
def test_events_are_asked_for_since_the_run_began_by_a_clock_that_may_have_been_set_back(
    monkeypatch: pytest.MonkeyPatch, fast_then: int, fast_now: int, earlier: int
) -> None:
    """Minutes that vCenter's clock was fast, and is: events of the time that was lived twice have earlier times."""
    then = THEN + timedelta(minutes=fast_then)
    clock = datetime.now(UTC) + timedelta(minutes=fast_now)
    _, [since] = compared(monkeypatch, known=replace(KNOWN, clock=then.isoformat()), clock=clock)
    assert abs(since - (then - timedelta(minutes=earlier))) < timedelta(minutes=1)
