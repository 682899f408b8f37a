"""Laws of judging, over the lab's facts and copies of them: no example says what the verdict is, only how it may change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.facts.schema import TABLES
from auditor.model import Change
from tests.depth import depth
from tests.engine.test_shipped_rules import shipped
from tests.mutation.bench import Bench, Key, loaded
from tests.mutation.laws import (
    columns_that_may_be_missing,
    forgetting_a_column,
    forgetting_a_topic,
    less_knowledge,
    passing_after,
    worse_facts,
    worse_rows,
)
from tests.mutation.mending import NOT_ONE_FACT, OF_A_SETTING, planned, storage_drs_answers
from tests.mutation.noticing import DECLARED_BY_NAME, unexpected, verdicts
from tests.mutation.shares import digest, share
from tests.mutation.worlds import PREFIXES, recorded, worlds

NULL_IS_A_VALUE: Mapping[str, str] = {
    "host.cluster_id": "the host is in no cluster, and is compared with nobody",
    "host.in_maintenance_mode": "files of a host need not report it: it is judged as one at work",
    "datastore.pod_id": "it is in no datastore cluster",
    "vm.host_id": "the machine is registered on no host, so it runs nowhere",
}
"""Columns whose NULL says something: the verdict of another fleet is asked for."""

TOPICS_OF_LOAD = ["vms", "disk_load"]
"""Without them nobody knows what the machines' disks send."""

BY_MEASUREMENT: Mapping[str, str] = {
    "queue/default-unless-justified": "it asks for a measurement: a DSNRO that nobody measured the need of is not justified",
    "queue/driver-depth": "likewise, of a driver's depth",
    "queue/dsnro-effective": "it leaves to the first of these what that fails",
    "queue/raise-both": "it asks for more only where so much was measured",
    "diag/noisy-neighbour-signature": "without what neighbours wait the mean over all disks of the endpoint decides, and says so",
    "diag/queue-full": "the device's counters count then; in these fleets they may contradict the disks'",
}
"""Rules that may say something else where it is not known what the disks send."""

TRIED = tuple(TABLES)[: tuple(TABLES).index("datastore")]
"""The tables whose cells are taken away."""


@pytest.fixture(scope="module")
def alone() -> Bench:
    """The lab's fleet."""
    return Bench(loaded(recorded()))


@pytest.fixture(scope="module")
def among() -> Bench:
    """The lab's fleet among copies of itself under other names and with other values."""
    return Bench(worlds())


def test_the_fleet_is_judged_as_experts_expect_it(alone: Bench) -> None:
    assert unexpected(alone.verdicts) is None


def test_what_is_elsewhere_changes_no_verdict(alone: Bench, among: Bench) -> None:
    assert verdicts({key: among.verdicts[key] for key in alone.verdicts}) == verdicts(alone.verdicts)


def test_names_change_no_verdict(alone: Bench, among: Bench) -> None:
    copied = PREFIXES[0]
    first = sorted((rule, endpoint, one.verdict) for (rule, endpoint, _), one in alone.verdicts.items() if rule not in DECLARED_BY_NAME)
    copy = sorted(
        (rule, endpoint.removeprefix(copied), one.verdict)
        for (rule, endpoint, _), one in among.verdicts.items()
        if endpoint.startswith(copied) and rule not in DECLARED_BY_NAME
    )
    assert first == copy


def test_the_order_of_rows_changes_no_verdict(alone: Bench) -> None:
    connection = loaded(recorded())
    for name in TABLES:
        connection.execute(f'CREATE OR REPLACE TABLE fact."{name}" AS SELECT * FROM fact."{name}" ORDER BY {digest(name)}')
    assert verdicts(Bench(connection).verdicts) == verdicts(alone.verdicts)


SHARES = st.sampled_from((None, *((salt, part) for salt in range(8) for part in (2, 5))))
"""Which rows: all, every second, every fifth."""


def rows_of(table: str, chosen: tuple[int, int] | None) -> str:
    """The condition by which rows of a table are chosen."""
    return "true" if chosen is None else share(table, *chosen)


@settings(max_examples=depth(15, 160), derandomize=True)
@given(column=st.sampled_from([one for one in columns_that_may_be_missing() if one[0] in TRIED]), chosen=SHARES)
def test_a_cell_less_leaves_a_verdict_as_it_was_or_unknown(alone: Bench, column: tuple[str, str], chosen: tuple[int, int] | None) -> None:
    if ".".join(column) not in NULL_IS_A_VALUE:
        assert [str(breach) for breach in less_knowledge(alone, forgetting_a_column(*column, rows_of(column[0], chosen)))] == []


@settings(max_examples=depth(8, 80), derandomize=True)
@given(data=st.data(), chosen=SHARES)
def test_a_reading_less_leaves_a_verdict_as_it_was_or_unknown(alone: Bench, data: st.DataObject, chosen: tuple[int, int] | None) -> None:
    topics = sorted(topic for (topic,) in alone.connection.execute("SELECT DISTINCT topic FROM fact.reading").fetchall())
    topic = data.draw(st.sampled_from(topics))
    excused = BY_MEASUREMENT if topic in TOPICS_OF_LOAD else ()
    breaches = less_knowledge(alone, forgetting_a_topic(topic, rows_of("reading", chosen)))
    assert [str(breach) for breach in breaches if breach.key[0] not in excused or breach.after == "pass"] == []


@pytest.mark.parametrize("topic", TOPICS_OF_LOAD)
def test_without_what_machines_send_only_rules_that_ask_for_it_say_something_else(alone: Bench, topic: str) -> None:
    breaches = less_knowledge(alone, forgetting_a_topic(topic))
    assert {breach.key[0] for breach in breaches if breach.after != "fail"} <= {"queue/dsnro-effective", "queue/raise-both"}
    assert {breach.key[0] for breach in breaches} <= BY_MEASUREMENT.keys()


WITH_DIRECTION = sorted(rule.id for rule in shipped() if rule.worse)


@pytest.mark.parametrize("rule_id", WITH_DIRECTION)
def test_what_is_worse_is_never_better(among: Bench, rule_id: str) -> None:
    rule = shipped()[rule_id]
    assert worse_rows(among, rule) == []
    for statement in worse_facts(rule):
        assert passing_after(among, rule, statement) == [], statement


def test_a_wrong_direction_is_noticed(among: Bench) -> None:
    assert worse_rows(among, replace(shipped()["vvol/pe-dsnro-headroom"], worse={"dsnro": "more"})) != []


def test_a_fix_mends_what_it_is_for_breaks_nothing_that_the_plan_does_not_name_and_is_not_planned_twice(alone: Bench) -> None:
    plan = planned(loaded(recorded()))
    assert {change.remediator for change in plan.changes} <= OF_A_SETTING.keys() | NOT_ONE_FACT.keys()
    made = [change for change in plan.changes if change.remediator in OF_A_SETTING]
    statements = mending(made)
    with alone.altered(*mending(reaching_nothing_else(made))) as changed:
        assert broken(verdicts(alone.before(changed)), verdicts(alone.judged(changed))) == []
    with alone.altered(*statements) as changed:
        after = alone.judged(changed)
    mended = [(rule, change.target.endpoint, change.resource.id) for change in made for rule in change.rules]
    assert [(key, after[key].verdict) for key in mended if after[key].verdict != "pass"] == []
    again = loaded(recorded())
    for statement in statements:
        again.execute(statement)
    targets = {change.target for change in made}
    assert [change for change in planned(again).changes if change.target in targets] == []


def reaching_nothing_else(made: Iterable[Change]) -> list[Change]:
    """The changes that, by the plan, reach no more than they are meant for."""
    return [change for change in made if not change.collateral]


def mending(made: Sequence[Change]) -> list[str]:
    """The statements that make these changes, and what answers back."""
    return [*(OF_A_SETTING[change.remediator](change) for change in made), *storage_drs_answers(made)]


def broken(before: Mapping[Key, str], after: Mapping[Key, str]) -> list[Key]:
    """What passed, and fails now."""
    return [key for key, verdict in after.items() if verdict == "fail" and before.get(key) == "pass"]
