"""A vCenter that several readers read gives the facts that one reader gives; who is missing leaves a gap for its hosts alone."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count as count_from
from types import MappingProxyType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.collect import collect_fleet, unread_part
from auditor.endpoints.read_task import read_part, task_of
from auditor.endpoints.shares import shares_of, whole_reading
from auditor.endpoints.vcenter.collect import disk_load, incremental, load_figures
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.snapshots.earlier import Earlier
from auditor.facts.snapshots.parts import Part
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.fleet.loading import Fleet, load_fleet
from auditor.model import Endpoint, EndpointKind, EndpointReading, Limits, Secret, Share
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.performance import manager
from tests.content import content_digest

READERS = 3
VCENTER = "vc-solidfire"
FEW = needs([("host", "name"), ("host_option", "value"), ("device", "queue_depth"), ("vm", "name")])
HOSTS_THAT_RUN_MACHINES = """
SELECT DISTINCT m.host_id FROM fact.vm AS m JOIN fact.host AS h USING (endpoint, host_id)
WHERE m.power_state = 'poweredOn' AND h.connection_state = 'connected'
"""
HOSTS_OF_LOADS = "SELECT DISTINCT m.host_id FROM fact.vm_disk_load JOIN fact.vm AS m USING (endpoint, vm_id)"
WHEN = datetime(2026, 11, 26, 6, 55, tzinfo=UTC)
READING = EndpointReading("vc", "vcenter", "vc.example.net:443", "8.0.3", "verified", WHEN, WHEN, complete=True, identity="one")
EAST = Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("env", ("X",)))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Fleet]]:
    """A lab whose counters stand still, with a host in each of two shares that vCenter has lost; and its fleet."""
    folder = tmp_path_factory.mktemp("shares")
    with pytest.MonkeyPatch.context() as frozen, serve(load_scenario("solidfire-vvols")) as lab:
        frozen.setattr(manager, "time", SimpleNamespace(time=partial(float, WHEN.timestamp())))
        hosts = lab.vcenters[VCENTER].state.hosts
        for number in (0, 1):
            hosts[next(host for host in hosts if Share(number, READERS).has(host))].connection_state = "notResponding"
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, load_fleet(folder / "fleet.yaml")


def as_it_is(part: Part) -> Part:
    return part


def shared(
    fleet: Fleet, lost: int | None = None, wanted: Needs = EVERYTHING, changed: Mapping[int, Callable[[Part], Part]] = MappingProxyType({})
) -> Snapshot:
    """What READERS readers of each vCenter read, one after the other; reader `lost` is never heard of, and parts are `changed`."""

    def elsewhere(endpoints: object, needs: Needs, progress: Callable[[str, str], None], _earlier: Earlier | None) -> Iterator[Part]:
        for endpoint in fleet.endpoints:
            readers = READERS if endpoint.kind is EndpointKind.VCENTER else 1
            for one in shares_of(replace(endpoint, limits=replace(endpoint.limits, readers=readers))):
                if readers > 1 and one.share.number == lost:
                    yield unread_part(one, "3 workers died while reading it", datetime.now(UTC))
                else:
                    yield changed.get(one.share.number, as_it_is)(read_part(task_of(one, needs), progress))

    return collect_fleet(fleet, lambda *_: None, wanted, remote_reader=elsewhere)


@pytest.fixture(scope="module")
def alone(place: tuple[Lab, Fleet]) -> Snapshot:
    """What one reader reads."""
    return collect_fleet(place[1], lambda *_: None)


def count(snapshot: Snapshot, what: str) -> int:
    row = snapshot.connection.execute(f"SELECT count(*) FROM {what}").fetchone()
    assert row is not None
    return int(row[0])


def test_three_readers_give_what_one_gives(place: tuple[Lab, Fleet], alone: Snapshot) -> None:
    lab, fleet = place
    lab.vcenters[VCENTER].requests.clear()
    together = shared(fleet)
    assert lab.vcenters[VCENTER].requests.count("RetrieveServiceContent") == READERS, "what every session begins with"
    assert content_digest(together.connection) == content_digest(alone.connection)
    assert sorted(map(str, together.gaps)) == sorted(map(str, alone.gaps))
    ours, theirs = ({one.name: one for one in snapshot.readings} for snapshot in (together, alone))
    for name, reading in theirs.items():
        assert replace(ours[name], started=WHEN, finished=WHEN, clock=None) == replace(reading, started=WHEN, finished=WHEN, clock=None)


@pytest.mark.parametrize("lost", [pytest.param(0, id="the first"), pytest.param(1, id="another")])
def test_a_reader_that_is_lost_leaves_its_hosts_unread_and_no_others(place: tuple[Lab, Fleet], alone: Snapshot, lost: int) -> None:
    rest = shared(place[1], lost, FEW)
    hosts = [host for (host,) in alone.connection.execute("SELECT DISTINCT host_id FROM fact.device").fetchall()]
    missing = [host for host in hosts if Share(lost, READERS).has(host)]
    assert 0 < len(missing) < len(hosts), "the lab's hosts are shared out"
    read = {host for (host,) in rest.connection.execute("SELECT DISTINCT host_id FROM fact.host_option").fetchall()}
    assert read == set(hosts) - set(missing)
    unread = "fact.reading WHERE topic = 'options' AND complete AND scope IN (SELECT unnest([{}]))"
    assert count(rest, unread.format(", ".join(f"'{host}'" for host in missing))) == 0
    [gap] = [gap for gap in rest.gaps if gap.why == "3 workers died while reading it"]
    assert gap.what.startswith(f"all of it that reader {lost + 1} of {READERS} was to read, at ")
    assert not next(one for one in rest.readings if one.name == VCENTER).complete
    assert (count(rest, "fact.vm") == 0) is (lost == 0), "the first reads what is no host's"


def test_beyond_the_most_machines_those_of_other_readers_hosts_are_asked(place: tuple[Lab, Fleet], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first reader does not know whether a queue fills on a host of another, so it takes none for a host where it does not."""
    monkeypatch.setattr(disk_load.asked_of, "__defaults__", (0,))
    loads = needs([("vm_disk_load", "samples"), ("device_load", "samples"), ("vm", "host_id"), ("host", "connection_state")])
    snapshot = shared(place[1], wanted=loads)
    asked = {host for (host,) in snapshot.connection.execute(HOSTS_OF_LOADS).fetchall()}
    running = {host for (host,) in snapshot.connection.execute(HOSTS_THAT_RUN_MACHINES).fetchall()}
    others = {host for host in running if not Share(0, READERS).has(host)}
    assert others
    assert others <= asked


@given(st.integers(1, 16), st.lists(st.text(max_size=12)))
def test_each_host_is_in_one_share(readers: int, hosts: list[str]) -> None:
    for host in hosts:
        assert sum(Share(number, readers).has(host) for number in range(readers)) == 1


@given(st.integers(1, 64), st.integers(1, 64))
def test_readers_share_the_requests_in_flight(concurrency: int, readers: int) -> None:
    readers = min(readers, concurrency)
    shares = shares_of(replace(EAST, limits=Limits(concurrency, readers=readers)))
    assert sum(one.limits.concurrency for one in shares) == concurrency
    assert all(one.limits.concurrency >= 1 for one in shares)
    assert [one.share for one in shares] == [Share(number, readers) for number in range(readers)]


def test_the_next_run_looks_for_changes_from_the_earliest_clock_of_the_readers_on() -> None:
    late, of = (WHEN + timedelta(seconds=9)).isoformat(), partial(replace, READING)
    assert whole_reading([of(clock=late), of(clock=WHEN.isoformat())]).clock == WHEN.isoformat()
    assert whole_reading([of(clock=late), of(clock=None)]).clock is None


def test_one_reading_is_made_of_those_of_all_readers() -> None:
    later = WHEN + timedelta(minutes=1)
    lost = replace(READING, version=None, complete=False, started=later, finished=later, identity=None, notes=("a", "b"), bug="a traceback")
    reading = whole_reading([lost, replace(READING, notes=("b", "c"))])
    assert reading == replace(READING, complete=False, finished=later, notes=("a", "b", "c"), bug="a traceback")
    assert whole_reading([replace(READING, identity=None), READING]).identity == "one"


def test_of_readers_that_reach_two_vcenters_by_one_address_one_is_kept(place: tuple[Lab, Fleet]) -> None:
    """Hosts of two vCenters may have the same ids: their facts would be taken for those of one."""

    def another(part: Part) -> Part:
        return replace(part, reading=replace(part.reading, identity="another")) if part.reading.kind == "vcenter" else part

    snapshot = shared(place[1], wanted=FEW, changed={1: another})
    read = {host for (host,) in snapshot.connection.execute("SELECT DISTINCT host_id FROM fact.host_option").fetchall()}
    assert read
    assert not any(Share(1, READERS).has(host) for host in read)
    [gap] = [gap for gap in snapshot.gaps if "one address leads to several vCenters" in gap.why]
    assert gap.what.startswith("all of it that one of its readers read, at ")
    assert gap.why.startswith("that reader reached another, another one ")
    reading = next(one for one in snapshot.readings if one.name == VCENTER)
    assert not reading.complete
    assert reading.identity not in (None, "another")


def test_a_clock_that_is_wrong_is_noted_once(monkeypatch: pytest.MonkeyPatch, place: tuple[Lab, Fleet]) -> None:
    """Each reader measures the difference, and each finds another one."""
    numbers = count_from(1)
    monkeypatch.setattr(incremental, "clock_notes", lambda name, _: [f"{name}: its clock is {next(numbers)} s ahead"])
    reading = next(one for one in shared(place[1], wanted=FEW).readings if one.name == VCENTER)
    assert [note for note in reading.notes if "ahead" in note] == [f"{VCENTER}: its clock is 1 s ahead"]


def test_what_no_reader_could_read_is_one_gap(monkeypatch: pytest.MonkeyPatch, place: tuple[Lab, Fleet]) -> None:
    """As a counter that a vCenter does not have, which each reader looks for."""
    monkeypatch.setitem(load_figures.DEVICE_COUNTERS, "kernel", "disk.of-another-age.average")
    snapshot = shared(place[1], wanted=needs([("device_load", "kavg_ms"), ("host", "name")]))
    assert [gap.what for gap in snapshot.gaps if "of-another-age" in gap.what] == ["counters disk.of-another-age.average"]
