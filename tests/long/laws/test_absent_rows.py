"""The absence of a thing is in scope of the rule about it: one that stops to judge where rows are known to be absent says why.

Evidence that falls out of a scope takes its finding with it, and nothing shows that. The lab's fleet is judged with a baseline that was
taken of it; then rows of one table are absent, all or half of them, while the readings still say that everything was read.
"""

from collections.abc import Mapping

import pytest

from auditor.facts.baseline import take
from auditor.facts.schema import TABLES
from auditor.facts.snapshots.snapshot import Snapshot
from tests.depth import thinned
from tests.facts.fleets import WHEN
from tests.mutation.absence import SCOPES, SUBJECTS, absent, says_why
from tests.mutation.bench import Bench, loaded
from tests.mutation.shares import share
from tests.mutation.worlds import recorded

NO_THINGS = {"reading", "listed_endpoint", "gap", "baseline", "host", "array"}
"""What was asked, what is wanted, and the places where things are: without the place there is nothing that could be absent."""

NOT_IN_THE_LAB = {
    *("storage_policy_disk", "tagged", "change_event", "declared_nfs_server", "declared_setting"),
    *("load_history", "statistics_interval"),  # nobody asked for the past
    *("guest", "guest_disk", "guest_partition"),  # files of guests say it
}

_SHARED_FOLDER = {
    "qos/element-throttled-volume": "a Nimble's folder is at its ceiling by what all its volumes do: with half of them it is not"
}
_DEFAULT_WANTED = "queue/default-unless-justified fails the raised DSNRO then: nothing that is known to be under way justifies it"
EXCUSED: Mapping[str, Mapping[str, str]] = {
    "host_option": {"queue/per-file-scheduling": "not every build has the option, and the view queue_option says so"},
    "array_volume": _SHARED_FOLDER,
    "array_volume_load": _SHARED_FOLDER,
    "datastore": {"queue/dsnro-effective": _DEFAULT_WANTED},
    "vm_disk_load": {"queue/dsnro-effective": _DEFAULT_WANTED},
    "declared": {"qos/provider-tier-depth": "only fleet.yaml names a provider's tier: nobody declared one"},
}
"""By table, the rules that stop to judge and have no place of their own to say why."""

SALTS = range(2)
"""Of the halves that are taken away of each table, besides all of its rows."""


def shares(table: str) -> list[str]:
    """Which rows are absent, each time as a condition."""
    return ["true", *(share(table, salt) for salt in SALTS)]


@pytest.fixture(scope="module")
def fleet() -> Bench:
    """The lab's fleet, which is as its baseline has it."""
    connection = loaded(recorded())
    take(Snapshot(connection, (), (), WHEN, WHEN), "20261121T065500Z-1a2b", None, "itself")
    return Bench(connection)


def test_the_fleet_has_rows_of_every_table_but_some(fleet: Bench) -> None:
    empty = {name for name in TABLES if fleet.connection.execute(f'SELECT count(*) FROM fact."{name}"').fetchone() == (0,)}
    assert empty == NOT_IN_THE_LAB


THINGS = [name for name in TABLES if name not in NO_THINGS | NOT_IN_THE_LAB]


@pytest.mark.parametrize("table", thinned(THINGS, 3))
def test_what_is_not_judged_any_more_says_why(fleet: Bench, table: str) -> None:
    fallen = [one for rows in shares(table) for one in absent(fleet, table, rows)]
    assert {one.key[0] for one in fallen if not says_why(one, table)} == EXCUSED.get(table, {}).keys()
    explained = [one for one in fallen if says_why(one, table)]
    assert any(one.now is None for one in explained) == (table in SUBJECTS)
    assert any(one.now is not None for one in explained) == (table in SCOPES)
