"""What another process read of an endpoint arrives whole, and two snapshots that say the same have one digest."""

import pickle
from datetime import UTC, datetime, timedelta

import pytest

from auditor.endpoints.eternus.answers import NoSuchCommandError
from auditor.errors import AuditorError, ConfigurationError, EndpointUnreachableError
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.parts import Part
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading, Gap
from tests.content import content_digest

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
GAP = Gap("vc", "devices of esx-2", "permission System.Read is missing")
HUGE = 2**80


def reading(name: str) -> EndpointReading:
    return EndpointReading(
        name, "vcenter", f"{name}.example.net:443", "vCenter 8", "verified", WHEN, WHEN, complete=True, notes=("a note",)
    )


def fill(builder: SnapshotBuilder, endpoint: str = "vc", later: timedelta = timedelta(0)) -> None:
    """Rows with every type of column, NULLs, a gap, and a number that no column holds."""
    builder.add(
        Batch(
            "host",
            {
                "endpoint": [endpoint] * 2,
                "host_id": ["h-1", "h-2"],
                "name": ["esx-ü", None],
                "build": [22380479, HUGE],
                "vsan_enabled": [False, None],
                "boot_time": [WHEN, None],
            },
        )
    )
    read: dict[str, list[object]] = {
        "endpoint": [endpoint],
        "scope": [""],
        "topic": ["hosts"],
        "complete": [True],
        "read_at": [WHEN + later],
    }
    builder.add(Batch("reading", read))
    builder.add(GAP)


def finished(builder: SnapshotBuilder) -> Snapshot:
    return builder.finish((reading("vc"),), started=WHEN, finished=WHEN)


def sent(part: Part) -> Part:
    """The part as it comes out of another process."""
    arrived = pickle.loads(pickle.dumps(part))
    assert isinstance(arrived, Part)
    return arrived


@pytest.mark.long
def test_rows_gaps_and_numbers_too_large_are_those_of_a_reading_in_this_process() -> None:
    here, there, client = SnapshotBuilder(), SnapshotBuilder(), SnapshotBuilder()
    fill(here)
    fill(there)
    part = sent(there.part(reading("vc")))
    assert part.tables.keys() == {"host", "reading"}
    assert part.huge == {("vc", "host", "build")}
    client.add_part(part)
    read_here, read_there = finished(here), finished(client)
    assert part.reading == reading("vc")
    assert read_there.gaps == read_here.gaps
    assert read_there.gaps[0] == GAP
    assert [gap.what for gap in read_there.gaps] == [GAP.what, "hosts: build of host"]
    assert [one.complete for one in read_there.readings] == [False]
    assert content_digest(read_there.connection) == content_digest(read_here.connection)
    rows = "SELECT * FROM fact.host ORDER BY host_id"
    assert read_there.connection.execute(rows).fetchall() == read_here.connection.execute(rows).fetchall()


@pytest.mark.long
def test_the_digest_depends_on_every_row_and_not_on_their_order_nor_on_when_they_were_read() -> None:
    one, other = SnapshotBuilder(), SnapshotBuilder()
    fill(one, "vc-a")
    fill(one, "vc-b")
    fill(other, "vc-b", timedelta(hours=1))
    fill(other, "vc-a", timedelta(hours=2))
    facts = finished(other).connection
    digests = [content_digest(finished(one).connection)]
    assert content_digest(facts) == digests[0]
    changes = (
        "INSERT INTO fact.gap SELECT * FROM fact.gap LIMIT 1",  # the same row twice
        "INSERT INTO fact.vm (endpoint, vm_id) VALUES ('vc-a', 'vm-1')",
        "INSERT INTO fact.storage_pod (endpoint, pod_id) VALUES ('vc-a', 'vm-1')",
        "UPDATE fact.host SET vsan_enabled = false WHERE vsan_enabled IS NULL",
        "UPDATE fact.host SET boot_time = boot_time + INTERVAL 1 SECOND WHERE boot_time IS NOT NULL",
    )
    for change in changes:
        facts.execute(change)
        digests.append(content_digest(facts))
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize(
    "error",
    [
        EndpointUnreachableError("endpoint vc: no answer", why="nothing was read.", do="look."),
        ConfigurationError("a mistake", why="nothing was read.", do="correct it."),
        NoSuchCommandError("show x: no such command", why="not read.", do="nothing.", in_words=True),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_says_the_same_in_another_process(error: AuditorError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)
