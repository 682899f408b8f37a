"""Sums over a pool where a member lies on several (an ONTAP FlexGroup), or on nobody knows which: lower bounds, and they pass nothing.

Each member is put on the pool, and on none: what differs between the two is unknown where the pool of the member is.
"""

from typing import Any

import pytest

from auditor.facts.catalog import catalog, with_dependencies
from auditor.model import EndpointKind, Verdict

from .fleets import Facts, array, hosts, view
from .judged import evaluated, shipped

NUMBERS = ("BIGINT", "DOUBLE", "INTEGER", "BOOLEAN", "UBIGINT", "HUGEINT")
OF_POOLS = sorted(
    name
    for name in {rule.over for rule in shipped()}
    if any("array_pool" in catalog().views[part].facts for part in with_dependencies({name}))
)
DEDUPLICATED, COPIED = "array_efficiency", "array_replication"


def deduplicated(number: int, pool: str | None, **more: Any) -> dict[str, Any]:
    """Deduplication of a volume that starts every midnight, in the scrub, and runs."""
    own = {"volume_id": str(number), "volume": f"svm:vol{number}", "pool_id": pool, "policy_id": "y", "schedule": "daily"}
    starts = {"start_minutes": "[5]", "start_days": "[0, 1, 2, 3, 4, 5, 6]", "operation_state": "active"}
    return {"endpoint": "n", "state": "enabled", **own, **starts, **more}


def copied(number: int, pool: str | None) -> dict[str, Any]:
    """A relationship that copies away at midnight, and transfers."""
    own = {"replication_id": f"{number}/source", "role": "source", "pool_id": pool, "source": f"svm:vol{number}", "destination": "dr:x"}
    starts = {"schedule": "daily", "schedule_read": True, "interval_seconds": 86400, "start_minutes": "[5]"}
    return {"endpoint": "n", **own, **starts, "transfer_state": "transferring", "transfer_bytes": 864}


def fleet(table: str, known: int, pool: str | None) -> Facts:
    """An aggregate of spinning disks, as many members as may start together on it, and one on `pool`."""
    given = hosts(1)
    array(given, "n", EndpointKind.ONTAP)
    given["array_pool"] = [{"endpoint": "n", "pool_id": "p", "name": "aggr", "node_id": "node-1", "media": "hdd"}]
    given["array_node"] = [{"endpoint": "n", "node_id": "node-1", "name": "node-1"}]
    given["array_scrub"] = [{"endpoint": "n", "node_id": "node-1", "schedule": "s", "start_minutes": "[0]", "duration_minutes": 60}]
    member = {DEDUPLICATED: deduplicated, COPIED: copied}[table]
    given[table] = [*(member(number, "p") for number in range(known)), member(99, pool)]
    return given


def numbers(name: str, given: Facts) -> dict[tuple[str, str], Any]:
    """By resource and column, every number and truth value of a view, without the rows of the member itself."""
    columns = [column for column, what in catalog().views[name].columns.items() if what.type in NUMBERS]
    rows = [row for row in view(name, given) if not str(row["resource_id"]).startswith("99")]
    return {(row["resource_id"], column): row[column] for row in rows for column in columns}


@pytest.mark.parametrize("name", OF_POOLS)
@pytest.mark.parametrize("table", [DEDUPLICATED, COPIED])
def test_what_a_member_of_no_known_pool_would_change_is_unknown_or_a_bound(table: str, name: str) -> None:
    there, astray = numbers(name, fleet(table, 2, "p")), numbers(name, fleet(table, 2, None))
    assert there.keys() == astray.keys()
    changed = {key: (value, astray[key]) for key, value in there.items() if astray[key] != value}
    wrong = {key: pair for key, pair in changed.items() if pair[1] is not None and not (key[1].endswith("_at_least") and pair[1] < pair[0])}
    assert wrong == {}, "they pass for whole"


@pytest.mark.long
@pytest.mark.parametrize(("table", "known"), [(DEDUPLICATED, 2), (DEDUPLICATED, 3), (COPIED, 1), (COPIED, 3)])
def test_no_rule_passes_a_pool_that_fails_with_one_member_more(table: str, known: int) -> None:
    rules = [rule.id for rule in shipped() if rule.over in OF_POOLS]
    there, astray = (
        {(finding.rule, finding.resource.id): finding.verdict for finding in evaluated(fleet(table, known, pool), *rules).findings()}
        for pool in ("p", None)
    )
    fails = {key for key, verdict in there.items() if verdict is Verdict.FAIL}
    assert fails, "the limit is not reached"
    assert {key: astray[key] for key in fails if astray.get(key) in (Verdict.PASS, Verdict.NOT_APPLICABLE)} == {}


@pytest.mark.parametrize(
    ("rule", "table", "known", "verdict"),
    [
        pytest.param("ontap/dedupe-window", DEDUPLICATED, 2, Verdict.UNKNOWN, id="deduplication of two, and of a FlexGroup"),
        pytest.param("ontap/dedupe-window", DEDUPLICATED, 3, Verdict.FAIL, id="deduplication of three, and of a FlexGroup"),
        pytest.param("ontap/snapmirror-stagger", COPIED, 0, Verdict.UNKNOWN, id="a FlexGroup alone is copied"),
        pytest.param("ontap/snapmirror-stagger", COPIED, 1, Verdict.UNKNOWN, id="one copy, and a FlexGroup's"),
        pytest.param("ontap/snapmirror-stagger", COPIED, 2, Verdict.FAIL, id="two copies, and a FlexGroup's"),
        pytest.param("ontap/scrub-window", DEDUPLICATED, 3, Verdict.UNKNOWN, id="three in a scrub, and a FlexGroup"),
        pytest.param("ontap/scrub-window", DEDUPLICATED, 4, Verdict.FAIL, id="four in a scrub, and a FlexGroup"),
        pytest.param("ontap/scrub-window", COPIED, 3, Verdict.UNKNOWN, id="three copies in a scrub, and a FlexGroup's"),
        pytest.param("ontap/scrub-window", COPIED, 4, Verdict.FAIL, id="four copies in a scrub, and a FlexGroup's"),
    ],
)
def test_a_lower_bound_above_the_limit_fails_and_below_it_is_unknown(rule: str, table: str, known: int, verdict: Verdict) -> None:
    found = {finding.resource.id: finding.verdict for finding in evaluated(fleet(table, known, None), rule).findings()}
    assert {found[name] for name in found if name != "99"} == {verdict}


@pytest.mark.parametrize(
    ("change", "wave"),
    [
        pytest.param({}, None, id="it starts"),
        pytest.param({"state": None}, None, id="it may be on"),
        pytest.param({"start_minutes": None, "start_days": None}, None, id="its schedule is not understood"),
        pytest.param({"state": "disabled"}, 2, id="off"),
        pytest.param({"schedule": "auto", "start_minutes": None}, 2, id="by how much was written"),
        pytest.param({"schedule": "autumn", "policy": "q", "start_minutes": None}, None, id="a schedule whose name begins so"),
        pytest.param({"schedule": None, "start_minutes": None}, 2, id="no schedule"),
        pytest.param({"start_minutes": "[]"}, 2, id="its policy is off"),
    ],
)
def test_a_member_that_never_starts_leaves_no_count_open(change: dict[str, Any], wave: int | None) -> None:
    given = fleet(DEDUPLICATED, 2, None)
    given[DEDUPLICATED][-1] |= change
    rows = {
        row["resource_id"]: (row["volumes_in_wave_at_least"], row["volumes_in_wave"], row["volumes_at_midnight"])
        for row in view("efficiency", given)
    }
    assert (rows["0"], rows["1"]) == ((2, wave, wave), (2, wave, wave))


def test_deduplication_that_may_be_off_is_no_lower_bound() -> None:
    given = fleet(DEDUPLICATED, 2, "p")
    given[DEDUPLICATED][0]["state"] = None
    assert {row["volumes_in_wave_at_least"] for row in view("efficiency", given)} == {2}
    assert [row["efficiency_starts_at_least"] for row in view("pool_scrub", given)] == [2]
