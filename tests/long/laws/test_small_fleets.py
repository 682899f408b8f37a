"""Laws of judging over small fleets of facts that a strategy makes: nothing of them comes from the lab, and many are odd."""

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import Phase, given, settings

from auditor.model import Change
from tests.depth import thinned
from tests.engine.test_shipped_rules import shipped
from tests.long.laws.test_laws import BY_MEASUREMENT, NULL_IS_A_VALUE, TOPICS_OF_LOAD, broken, mending, reaching_nothing_else
from tests.mutation.bench import Bench, Key
from tests.mutation.laws import Breach, columns_that_may_be_missing, forgetting_a_column, forgetting_a_topic, less_knowledge, worse_rows
from tests.mutation.mending import OF_A_SETTING, planned
from tests.mutation.noticing import verdicts
from tests.mutation.small_fleets import PLANS, FleetPlan, built, database, read_whole
from tests.mutation.small_values import VALUES

HOW_MANY, HERE = 75, 10
"""They are judged all at once: to make every view takes two seconds, whatever is in them."""

MEANT: Mapping[str, str] = {
    "vm_disk.iops_limit": "the disk has no limit",
    "vm_disk_load.outstanding": "its device's counters count, where it is alone there; in these fleets they may contradict its own",
    "vm_disk_load.commands_per_second": "likewise",
    "array_volume_load.utilization": "what it does under its ceilings counts; in these fleets it may contradict what the array says",
    "array_volume_load.throttle_us": "likewise",
    "array_volume_load.scheduled_us": "likewise: only FlashArrays of REST 2.49 and later report it",
    "array_volume_load.average_io_bytes": "the volume is idle",
    "array_volume.qos_max_iops": "the volume has no such ceiling",
    "array_volume.qos_max_bytes_per_second": "likewise",
    "array_volume.qos_group_max_iops": "likewise",
    "array_volume.qos_priority": "the volume has no priority of its own",
    "device_load.max_queue_depth": "settings count, where Storage I/O Control is off; in these fleets the counter may contradict them",
    "datastore_load.sioc_active_percent": "settings count, where Storage I/O Control is off; in these fleets it may contradict them",
    "array_qos_policy.kind": "it is no adaptive one",
    "array_efficiency.schedule": "it has none",
    "datastore_mount.accessible": "the datastore's own counts, where it has one mount; in these fleets that may contradict the mount's",
    "datastore.maintenance_mode": "a single host knows no maintenance mode of datastores",
    "device_policy.working_paths": "vCenter's copy of the paths counts; in these fleets the host's own list may contradict it",
    "device_policy.psp": "likewise: it says which of the paths that list has",
    "device_policy.satp": "likewise",
    "device_scheduling.esxcli_queue_depth": "likewise, of the depth",
    "iscsi_portal.mtu": "what vCenter says of the VMkernel adapter counts; in these fleets the binding may contradict it",
    "host_module_parameter.value": "the option string counts; in these fleets the list of parameters may contradict it",
    "host.connection_state": "there is none: a host whose state was not read has no row (`rows` of facts/tables/hosts.py)",
}
"""Columns whose NULL says something, besides those of the laws over the lab."""

OF_LOAD = [("vm", "power_state"), ("vm", "disks_read"), ("vm_disk_load", "samples")]
"""Without them nobody knows what the machines' disks send, as without the readings of TOPICS_OF_LOAD."""

COLUMNS = [
    (table, column)
    for table, column in columns_that_may_be_missing()
    if column in VALUES.get(table, {}) and f"{table}.{column}" not in {*NULL_IS_A_VALUE, *MEANT} and (table, column) not in OF_LOAD
]

GROUPS, TOPIC_GROUPS = 26, 8
"""How many times some of them are forgotten at once, in half of the rows each: of tables far apart, so that each of them shows."""

MERELY_VISIBLE: Mapping[str, str] = {
    "queue/dsnro-effective": "the depth goes below DSNRO: the queue is as the fix wants it, and a DSNRO that does nothing is named",
    "queue/adapter-oversubscription": "the devices had not taken the old depth yet, which is more: the same restart would have brought it",
}
"""Rules that a lower depth of a driver may make fail on its own host, each with the reason why that is no harm."""


@pytest.fixture(scope="module")
def fleets() -> list[FleetPlan]:
    """Fleets that the strategy makes, the same ones each time."""
    plans: list[FleetPlan] = []

    @settings(max_examples=HOW_MANY, derandomize=True, phases=(Phase.generate,))
    @given(plan=PLANS)
    def drawn(plan: FleetPlan) -> None:
        plans.append(plan)

    drawn()
    return plans


@pytest.fixture(scope="module")
def bench(fleets: list[FleetPlan]) -> Bench:
    """All of them in one database; the endpoints of a fleet have its number in their names."""
    return judged(fleets)


def judged(plans: Iterable[FleetPlan], letter: str = "f") -> Bench:
    return Bench(database([built(plan, f"{letter}{number:02}") for number, plan in enumerate(plans)]))


def unlawful(breaches: Iterable[Breach]) -> list[str]:
    return [str(breach) for breach in breaches]


def test_the_fleets_are_of_every_sort(bench: Bench) -> None:
    """Laws over fleets in which nothing is judged would hold whatever the views do."""
    of_each = Counter(one.verdict for one in bench.verdicts.values())
    assert min(of_each[verdict] for verdict in ("pass", "fail", "unknown", "not_applicable")) > 500
    settled = {rule for (rule, _, _), one in bench.verdicts.items() if one.verdict in ("pass", "fail")}
    assert len(settled) > 65


@pytest.mark.parametrize("first", thinned(range(GROUPS), 2))
def test_cells_less_leave_a_verdict_as_it_was_or_unknown(bench: Bench, first: int) -> None:
    forgotten = [forgetting_a_column(*column, half(number)) for number, column in enumerate(COLUMNS[first::GROUPS])]
    assert unlawful(less_knowledge(bench, *forgotten)) == []


@pytest.mark.parametrize("first", thinned(range(TOPIC_GROUPS), 2))
def test_readings_less_leave_a_verdict_as_it_was_or_unknown(bench: Bench, first: int) -> None:
    topics = sorted(topic for (topic,) in bench.connection.execute("SELECT DISTINCT topic FROM fact.reading").fetchall())
    forgotten = [
        forgetting_a_topic(topic, half(number)) for number, topic in enumerate(topics[first::TOPIC_GROUPS]) if topic not in TOPICS_OF_LOAD
    ]
    assert unlawful(less_knowledge(bench, *forgotten)) == []


def test_less_of_what_machines_send_leaves_a_verdict_as_it_was_or_unknown_where_nothing_asks_for_it(bench: Bench) -> None:
    forgotten = [forgetting_a_column(*column, half(number)) for number, column in enumerate(OF_LOAD)]
    forgotten += [forgetting_a_topic(topic, half(number)) for number, topic in enumerate(TOPICS_OF_LOAD)]
    breaches = less_knowledge(bench, *forgotten)
    assert unlawful(breach for breach in breaches if breach.key[0] not in BY_MEASUREMENT) == []
    assert not {breach.after for breach in breaches if breach.before != "unknown"} & {"pass"}


def half(number: int) -> str:
    """A condition that half of the rows meet; those of another number are others."""
    return f"hash(rowid + {number + 4}) % 2 = 0"


def test_what_is_elsewhere_changes_no_verdict(fleets: list[FleetPlan]) -> None:
    """Of endpoints elsewhere that were read whole: an unread one may see what others see."""
    alone = judged(fleets[:HERE])
    among = judged([*fleets[:HERE], *map(read_whole, fleets[HERE:])])
    assert {key: among.verdicts[key].verdict for key in alone.verdicts} == {key: one.verdict for key, one in alone.verdicts.items()}


def test_names_and_the_order_of_rows_change_no_verdict(bench: Bench, fleets: list[FleetPlan]) -> None:
    renamed = Bench(database([built(plan, f"g{number:02}") for number, plan in reversed(list(enumerate(fleets)))]))
    assert counted(bench, "f") == counted(renamed, "g")


def counted(bench: Bench, letter: str) -> Counter[tuple[str, str, str]]:
    return Counter((rule, endpoint.replace(f"-{letter}", "-"), one.verdict) for (rule, endpoint, _), one in bench.verdicts.items())


def test_worse_is_never_better(bench: Bench) -> None:
    assert [breach for rule in shipped() if rule.worse for breach in worse_rows(bench, rule)] == []


def merely_visible(key: Key, made: Iterable[Change]) -> bool:
    """Whether what fails now is on a host where a driver's depth was lowered, and is no harm then."""
    rule, endpoint, resource = key
    place = (endpoint, resource.partition("/")[0])
    return rule in MERELY_VISIBLE and place in {
        (change.target.endpoint, dict(change.target.keys)["host_id"])
        for change in made
        if change.remediator == "host.module_option" and isinstance(change.before, int) and int(change.after or 0) < change.before
    }


def test_a_fix_mends_what_it_is_for_breaks_nothing_that_the_plan_does_not_name_and_is_not_planned_twice(
    bench: Bench, fleets: list[FleetPlan]
) -> None:
    facts = [built(plan, f"f{number:02}") for number, plan in enumerate(fleets)]
    made = [change for change in planned(database(facts)).changes if change.remediator in OF_A_SETTING]
    assert len(made) > 100
    statements = mending(made)
    with bench.altered(*mending(reaching_nothing_else(made))) as changed:
        found = broken(verdicts(bench.before(changed)), verdicts(bench.judged(changed)))
    assert [key for key in found if not merely_visible(key, made)] == []
    with bench.altered(*statements) as changed:
        after = bench.judged(changed)
    mended = [(rule, change.target.endpoint, change.resource.id) for change in made for rule in change.rules]
    # Storage I/O Control that is switched off needs no threshold any more.
    several = {place for place, count in Counter((change.target.endpoint, change.resource.id) for change in made).items() if count > 1}
    ended = {key: "pass" if after[key].verdict == "not_applicable" and key[1:] in several else after[key].verdict for key in mended}
    assert [(key, verdict) for key, verdict in ended.items() if verdict != "pass"] == []
    again = database(facts)
    for statement in statements:
        again.execute(statement)
    targets = {change.target for change in made}
    assert [change for change in planned(again).changes if change.target in targets] == []
