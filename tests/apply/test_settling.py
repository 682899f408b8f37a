"""After each wave: the settle time, the second reading, and health."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from auditor.apply import Pace, last_receipts, undo_plan
from auditor.apply.gates import HealthWatch, compared, no_health
from auditor.apply.holding import put_back
from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, Health
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError, GuardError
from auditor.journal import Journal, history, read_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Plan, Receipt, Target
from tests.apply.conftest import WHY_AND_DO, endpoint
from tests.applying import apply

Make = Callable[..., Change]
FINE = Health("esx", {CONNECTION: frozenset({"connected"}), PATHS: frozenset({"path 1", "path 2"})}, {ALARMS: frozenset()})


def nobody(_change: Change, _session: Any) -> str:
    return ""


@dataclass
class Hall:
    """Runs changes on the shelf, and notes when it settles; `while_settling` is what happens meanwhile."""

    shelf: Any
    sessions: Sessions
    journal: Journal
    waits: list[float] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    while_settling: Callable[[], None] = lambda: None
    who: Callable[[Change, Any], str] = nobody

    def run(self, *changes: Change, **options: Any) -> tuple[list[Receipt], GuardError | None]:
        for one in changes:
            self.shelf.settings.setdefault(one.target["setting"], one.before)
        pace = Pace(60.0, wait=self._wait, notice=self.notices.append, who=self.who, **options)
        plan = Plan(changes, identities={"vc": "1111"})
        receipts: list[Receipt] = []
        try:
            for receipt in apply(
                plan,
                self.sessions,
                self.journal,
                allow={FixClass.ONLINE},
                confirm=lambda _: True,
                remediators=lambda _: self.shelf,
                pace=pace,
            ):
                receipts.append(receipt)  # noqa: PERF402  those before an error count
        except GuardError as error:
            return receipts, error
        return receipts, None

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.while_settling()


@pytest.fixture
def hall(shelf: Any, sessions: Sessions, journal: Journal) -> Hall:
    return Hall(shelf, sessions, journal)


def outcomes(receipts: Sequence[Receipt]) -> dict[str, Outcome]:
    return {receipt.change.target["setting"]: receipt.outcome for receipt in last_receipts(receipts)}


def hosts(change: Make, number: int) -> list[Change]:
    return [change(f"d{place}", host=f"esx-{place:04}") for place in range(1, number + 1)]


def test_a_wave_settles_before_the_next_one_and_one_without_a_write_does_not(hall: Hall, change: Make) -> None:
    hall.run(*hosts(change, 3))
    assert hall.waits == [60.0, 60.0]
    hall.waits.clear()
    receipts, _ = hall.run(*hosts(change, 3))
    assert set(outcomes(receipts).values()) == {Outcome.ALREADY}
    assert hall.waits == []


def test_what_is_put_back_while_a_wave_settles_stops_the_run_and_is_reverted(hall: Hall, change: Make) -> None:
    hall.while_settling = lambda: hall.shelf.settings.update(d1=32)
    hall.who = lambda _change, _session: "Storage DRS did it"
    receipts, _ = hall.run(*hosts(change, 4))
    assert outcomes(receipts) == {"d1": Outcome.REVERTED, "d2": Outcome.PROPOSED, "d3": Outcome.PROPOSED, "d4": Outcome.PROPOSED}
    assert [name for name, _ in hall.shelf.writes] == ["d1"]
    [reverted] = [one for one in receipts if one.outcome is Outcome.REVERTED]
    assert reverted.found == 32
    assert reverted.why == "it was 256 when it was read back, and is 32 now; Storage DRS did it"
    assert "did not stay" in receipts[-1].why


def test_what_is_put_back_after_a_later_wave_is_noticed_too(hall: Hall, change: Make) -> None:
    def later() -> None:
        if len(hall.waits) == 2:
            hall.shelf.settings["d1"] = 64

    hall.while_settling = later
    receipts, _ = hall.run(*hosts(change, 2))
    assert outcomes(receipts) == {"d1": Outcome.REVERTED, "d2": Outcome.APPLIED}


def test_the_journal_says_that_it_was_put_back_and_undo_leaves_it_alone(hall: Hall, change: Make) -> None:
    hall.while_settling = lambda: hall.shelf.settings.update(d1=32)
    hall.run(*hosts(change, 1))
    [entry] = history(hall.journal.directory).entries
    assert entry.receipt is not None
    assert (entry.receipt.outcome, entry.receipt.found, entry.settled) == (Outcome.REVERTED, 32, True)
    assert undo_plan(hall.journal.directory, hall.journal.run).changes == ()


def test_a_setting_that_cannot_be_read_again_stops_the_run_and_can_still_be_undone(hall: Hall, change: Make) -> None:
    hall.while_settling = lambda: hall.shelf.faults.update(d1="unreadable")
    receipts, _ = hall.run(*hosts(change, 2))
    assert outcomes(receipts) == {"d1": Outcome.UNVERIFIED, "d2": Outcome.PROPOSED}
    assert len(undo_plan(hall.journal.directory, hall.journal.run).changes) == 1
    assert len(read_journal(hall.journal.directory / f"{hall.journal.run}.jsonl").receipts) == 1


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, journal: Journal, shelf: Any) -> Iterator[tuple[Hall, dict[str, Health], list[int]]]:
    """A hall whose endpoint reports the health that is in the dict, by host; and how many objects each reading asked of."""
    reported: dict[str, Health] = {}
    readings: list[int] = []

    def read(_session: Any, targets: Sequence[Any], _since: Any) -> dict[str, Health]:
        readings.append(len(targets))
        if "down" in reported:
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return {keys["host_id"]: reported.get(keys["host_id"], replace(FINE, name=keys["host_id"])) for keys in targets}

    class Kind:
        health, culprits = "read", ""
        is_array = False

        def load(self, _name: str) -> Any:
            return read

    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session

    monkeypatch.setattr("auditor.apply.gates.endpoint_type", lambda _kind: Kind())
    with Sessions({"vc": endpoint()}, {EndpointKind.VCENTER: opened}) as held:
        yield Hall(shelf, held, journal), reported, readings


def on_hosts(change: Make, number: int) -> list[Change]:
    return [replace(one, target=Target("vc", (("host_id", str(one.resource.host)), *one.target.keys))) for one in hosts(change, number)]


def test_a_wave_that_costs_a_host_a_path_stops_the_run_after_that_host(watched: Any, change: Make) -> None:
    hall, reported, readings = watched
    hall.while_settling = lambda: reported.update({"esx-0001": Health("esx-0001", {**FINE.good, PATHS: frozenset({"path 2"})}, FINE.bad)})
    receipts, stopped = hall.run(*on_hosts(change, 1000), ask_health=True)
    assert [name for name, _ in hall.shelf.writes] == ["d1"]
    assert sum(one.outcome is Outcome.PROPOSED for one in receipts) == 999
    assert stopped is not None
    assert "esx-0001 lost path 1 (paths)" in stopped.what
    assert "the first of the fleet (esx-0001)" in receipts[-1].why
    assert readings == [1000, 1], "one reading before the run, and one a wave"


def test_after_a_write_that_is_not_read_back_the_health_of_what_was_written_is_asked_and_nothing_more_is_written(
    watched: Any, change: Make
) -> None:
    hall, reported, readings = watched
    hall.shelf.faults["d2"] = "deaf"
    changes = on_hosts(change, 3)
    hall.while_settling = lambda: (
        reported.update({"esx-0001": Health("esx-0001", {**FINE.good, PATHS: frozenset()}, FINE.bad)}) if len(hall.waits) == 2 else None
    )
    receipts, stopped = hall.run(*changes, ask_health=True)
    assert outcomes(receipts) == {"d1": Outcome.APPLIED, "d2": Outcome.UNVERIFIED, "d3": Outcome.PROPOSED}
    assert [name for name, _ in hall.shelf.writes] == ["d1", "d2"]
    assert readings == [3, 1, 2], "before the run, after the first wave, and when it stopped"
    assert stopped is not None
    assert "esx-0001 lost path 1 and 1 more (paths)" in stopped.what


def test_a_host_whose_paths_cannot_be_read_gets_no_write(watched: Any, change: Make) -> None:
    hall, reported, _ = watched
    reported["esx-0002"] = Health("esx-0002", {CONNECTION: frozenset({"connected"})}, unknown={PATHS: "NoPermission"})
    receipts, stopped = hall.run(*on_hosts(change, 3), ask_health=True)
    assert outcomes(receipts) == {"d1": Outcome.APPLIED, "d2": Outcome.REFUSED, "d3": Outcome.APPLIED}
    assert stopped is None


def test_health_that_cannot_be_read_any_more_stops_the_run(watched: Any, change: Make) -> None:
    hall, reported, _ = watched
    hall.while_settling = lambda: reported.update(down=FINE)
    _, stopped = hall.run(*on_hosts(change, 3), ask_health=True)
    assert stopped is not None
    assert "cannot be read" in stopped.what
    assert len(hall.shelf.writes) == 1


def test_load_that_is_not_known_stops_nothing_and_is_reported(watched: Any, change: Make) -> None:
    hall, reported, _ = watched
    for place in (1, 2):
        reported[f"esx-000{place}"] = replace(FINE, name=f"esx-000{place}", unknown={LATENCY: "no sample"})
    receipts, stopped = hall.run(*on_hosts(change, 2), ask_health=True)
    assert (stopped, set(outcomes(receipts).values())) == (None, {Outcome.APPLIED})
    [notice] = hall.notices
    assert notice.startswith("Health gate latency: not known of 2 objects that this run wrote to, for example esx-0001")


def test_without_gates_nothing_is_blind_and_nothing_is_worse(change: Make) -> None:
    watch: HealthWatch = no_health()
    assert (watch.blind_to(change()), watch.worse([change()]), watch.unknown) == (None, [], [])


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        pytest.param(FINE, FINE, [], id="as it was"),
        pytest.param(
            FINE, replace(FINE, good={**FINE.good, CONNECTION: frozenset()}), ["esx lost connected (connection)"], id="disconnected"
        ),
        pytest.param(FINE, replace(FINE, good={**FINE.good, PATHS: frozenset({"path 1", "path 2", "path 3"})}), [], id="a path more"),
        pytest.param(
            FINE,
            replace(FINE, good={**FINE.good, PATHS: frozenset()}),
            ["esx lost path 1 and 1 more (paths)"],
            id="all paths",
        ),
        pytest.param(
            FINE,
            Health("esx", {CONNECTION: FINE.good[CONNECTION]}, FINE.bad, unknown={PATHS: "no answer"}),
            ["the state of paths of esx cannot be read: no answer"],
            id="paths not readable",
        ),
        pytest.param(
            FINE, replace(FINE, bad={ALARMS: frozenset({"red alarm alarm-7"})}), ["esx has a new red alarm alarm-7"], id="an alarm"
        ),
        pytest.param(
            replace(FINE, bad={ALARMS: frozenset({"red alarm alarm-7"})}),
            replace(FINE, bad={ALARMS: frozenset({"red alarm alarm-7"})}),
            [],
            id="an old alarm",
        ),
        pytest.param(replace(FINE, bad={}), replace(FINE, bad={ALARMS: frozenset({"red alarm alarm-7"})}), [], id="alarms were not known"),
        pytest.param(replace(FINE, figures={LATENCY: 4.0}), replace(FINE, figures={LATENCY: 14.0}), [], id="10 ms more is not beyond"),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0}),
            replace(FINE, figures={LATENCY: 15.0}),
            ["latency of esx rose from 4 ms to 15 ms"],
            id="slow",
        ),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0, f"{LATENCY} highest": 15.0}),
            replace(FINE, figures={LATENCY: 15.0}),
            [],
            id="as at its worst before",
        ),
        pytest.param(replace(FINE, figures={LATENCY: 40.0}), replace(FINE, figures={LATENCY: 79.0}), [], id="not twice"),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0, f"{LATENCY} highest": 15.0}),
            replace(FINE, figures={LATENCY: 15.0}),
            [],
            id="as slow as it was at times",
        ),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0, f"{LATENCY} highest": 15.0}),
            replace(FINE, figures={LATENCY: 16.0}),
            ["latency of esx rose from 4 ms to 16 ms"],
            id="slower than ever in the hour",
        ),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0}, machines=frozenset({"vm-1"})),
            replace(FINE, figures={LATENCY: 40.0}, machines=frozenset({"vm-1", "vm-2"})),
            [],
            id="slower with a machine more",
        ),
        pytest.param(
            replace(FINE, figures={LATENCY: 4.0}, machines=frozenset({"vm-1", "vm-2"})),
            replace(FINE, figures={LATENCY: 40.0}, machines=frozenset({"vm-1"})),
            ["latency of esx rose from 4 ms to 40 ms"],
            id="slower with a machine less",
        ),
        pytest.param(
            replace(FINE, figures={ABORTS: 0.0}),
            replace(FINE, figures={ABORTS: 1.0, f"{ABORTS} samples": 1}),
            [],
            id="one sample with aborts",
        ),
        pytest.param(
            replace(FINE, figures={ABORTS: 0.0}),
            replace(FINE, figures={ABORTS: 2 / 3, f"{ABORTS} samples": 2}),
            ["esx has aborts or resets in 67% of its samples, and had in 0%"],
            id="two samples with aborts",
        ),
        pytest.param(
            replace(FINE, figures={ABORTS: 0.7}), replace(FINE, figures={ABORTS: 0.7, f"{ABORTS} samples": 2}), [], id="as before"
        ),
    ],
)
def test_what_counts_as_worse(before: Health, after: Health, worse: list[str]) -> None:
    assert compared(before, after) == worse


def test_a_service_that_sets_an_array_s_limits_by_itself_is_named_where_a_vcenter_knows_it(
    shelf: Any, journal: Journal, change: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        yield SessionBase(one)

    def keys(vcenter: SessionBase) -> list[str]:
        if vcenter.endpoint.name == "vc-down":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return ["com.vmware.vim.sms", "com.solidfire.QoSSIOC"]

    monkeypatch.setattr("auditor.endpoints.vcenter.culprits.registered", keys)
    ends = {"vc": endpoint(), "vc-down": endpoint("vc-down"), "sf": endpoint("sf", EndpointKind.ELEMENT)}
    with Sessions(ends, dict.fromkeys((EndpointKind.VCENTER, EndpointKind.ELEMENT), opened)) as sessions:
        shelf.settings = {"limit": 1000}
        one = change("limit", before=500, after=2000, host=None, where="sf")
        [reverted] = put_back([Receipt(one, Outcome.APPLIED, 2000)], sessions, journal, lambda _: shelf, nobody)
    assert reverted.why.startswith(
        "it was 2000 when it was read back, and is 1000 now; com.solidfire.QoSSIOC is registered with vc: QoSSIOC, which"
    )
