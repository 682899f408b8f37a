"""What shipped rules say of a failure is true: nothing that was read is called unread, and no value is wanted that nobody can set."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pytest

from auditor.authoring.schema_docs import described
from auditor.engine.evaluate import evaluate
from auditor.engine.rules.message import NOT_READ, Slot, parts
from auditor.engine.rules.rule import Expression, Rule
from auditor.engine.rules.strictness import columns_of, nodes
from auditor.facts.catalog import view_columns
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from auditor.model import Verdict
from tests.engine.test_shipped_rules import PLACE, RULES, judge_rows, shipped

_SWALLOWS = {"OPERATOR_COALESCE", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"}
DEEPEST_DSNRO = 256
"""The most that every recorded validator of DSNRO takes: docs/domain/facts.md#1-5."""


def swallowed(expression: Expression) -> set[str]:
    """The columns whose NULL an expression has an answer for."""
    text = expression.text
    for param in sorted(expression.params, key=len, reverse=True):
        text = text.replace(f"${param}", "1")
    [(tree,)] = duckdb.execute("SELECT json_serialize_sql(?)", [f"SELECT {text} FROM x"]).fetchall()
    return {column for node in nodes(json.loads(tree)) if node.get("type") in _SWALLOWS for column in columns_of(node)}


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_what_a_rule_shows_where_a_column_is_null_is_shown(rule: Rule) -> None:
    judged = {column for expression in rule.judging for column in expression.columns}
    for expression in (rule.observed, rule.desired):
        assert swallowed(expression) - judged <= set(rule.may_be_missing), "a column that is NULL makes it 'not read' all the same"


def failing(view: str, rows: list[dict[str, Any]], rule: str) -> list[Any]:
    """The findings of a rule over these rows of its view."""
    connection = duckdb.connect()
    create_tables(connection)
    create_macros(connection)
    for name, columns in view_columns().items():
        connection.execute(f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())})')
    for number, row in enumerate(rows):
        cells = {"endpoint": "vc", "resource_id": f"row-{number}", "resource_name": "naa.1", "host": "esx-1", **row}
        connection.execute(f"INSERT INTO {view} ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})", list(cells.values()))
    return list(evaluate(connection, shipped().only([rule])).findings())


@pytest.mark.long
def test_hosts_of_which_no_value_is_wanted_are_to_have_the_same() -> None:
    row = {"is_protocol_endpoint": False, "sioc_enabled": False, "dsnros": "24 on 1, 64 on 1", "dsnro_agrees": False, "hosts": 2}
    [finding] = failing("shared_device", [row], "queue/dsnro-uniform")
    assert finding.message == "naa.1: DSNRO differs between its 2 hosts: 24 on 1, 64 on 1; wanted the same on all 2"
    [depth] = failing("driver_queue", [{"driver": "lpfc", "queue_depths": "30", "queue_depth_agrees": False}], "queue/device-depth-uniform")
    assert depth.desired == "one depth for each driver"


@pytest.mark.parametrize(
    ("rule", "view", "row"),
    [
        pytest.param(
            "vvol/pe-dsnro-headroom",
            "protocol_endpoint",
            {"stalls_neighbours": True, "is_deepened": True, "per_object_qos": True, "carries_vvol_disks": True, "dsnro": 32}
            | {"queue_depth": 1024, "deepest_disk_queue_at_least": 254, "deepest_disk_queue_at_most": 254},
            id="disks deeper than any DSNRO",
        ),
        pytest.param(
            "queue/raise-both",
            "raised_device",
            {"is_raised": True, "disks": 2, "sioc_enabled": False, "family": "eternus-dx", "is_protocol_endpoint": True}
            | {"serves_capped_protocol_endpoints": True, "dsnro": 32, "queue_depth": 1024},
            id="a driver deeper than any DSNRO",
        ),
    ],
)
def test_no_dsnro_is_wanted_that_cannot_be_set(rule: str, view: str, row: dict[str, Any]) -> None:
    [finding] = failing(view, [row], rule)
    assert finding.verdict.value == "fail"
    assert finding.desired == DEEPEST_DSNRO
    assert "1016" not in finding.message.replace(",", "")
    assert finding.fix is None or finding.fix.after is None or finding.fix.after <= DEEPEST_DSNRO


def test_where_no_queue_is_long_enough_limits_are_wanted_alone() -> None:
    row = {"stalls_neighbours": True, "has_capped_disks": True, "unlimited_running_disks_at_least": 1, "shallowest_queue_at_most": 256}
    short = [row | {"deepest_disk_queue_at_least": 254}, row | {"shallowest_queue_at_most": 32, "deepest_disk_queue_at_least": 64}]
    findings = failing("vvol_datastore", short, "qos/shared-queue-throttle")
    desired = [finding.desired for finding in findings if finding.verdict.value == "fail"]
    assert desired == ["limits on the hosts", "a queue of 256, or limits on the hosts"]


def named_rules(text: str) -> set[str]:
    """What a text names in the form of a rule's id, in a folder that rules have."""
    folders = "|".join(sorted({rule_id.partition("/")[0] for rule_id in shipped().rules}))
    return set(re.findall(rf"(?<![\w./*-])(?:{folders})/[a-z0-9-]*[a-z0-9](?![\w/*-]|\.\w)", text))


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_every_rule_that_a_rule_names_is_there(rule: Rule) -> None:
    assert named_rules((RULES / f"{rule.id}.yaml").read_text(encoding="utf-8")) <= {*shipped().rules}


def slots(rule: Rule) -> list[Slot]:
    """The places of a rule's message that values of its row fill, with those of what it observes and wants."""
    assert rule.message is not None
    return [part for part in parts(rule.message.text) if isinstance(part, Slot) and part.name not in ("resource_name", "host")]


def columns_shown(rule: Rule) -> set[str]:
    """The columns of the view that a rule's message rests on."""
    columns = {slot.name for slot in slots(rule)}
    for name, expression in (("observed", rule.observed), ("desired", rule.desired)):
        columns |= {*expression.columns} if name in columns else set()
    return columns & {*shipped().views[rule.over]}


def failing_rows(rule: Rule) -> list[dict[str, Any]]:
    """The rows of a rule's failing examples."""
    return [dict(PLACE) | dict(example.row) for example in rule.examples if example.verdict is Verdict.FAIL]


def said_with(rule: Rule, names: Sequence[str], value: Any) -> Iterator[tuple[str, str, str]]:
    """Of each failing example that fails as well with `value` in one of these columns: which, what is said as it is, and with it."""
    rows = failing_rows(rule)
    before = judge_rows(rule, rows)
    changed = iter(judge_rows(rule, [{**row, name: value} for name in names for row in rows]) if names else ())
    for name in names:
        for was in before:
            if (now := next(changed))["verdict"] == Verdict.FAIL:
                yield name, was["message"], now["message"]


FOLLOWS: Mapping[str, str] = {
    "array_system": "counted together with their words",
    "episode_pattern": "how many fit, by chance, where and how slow at worst are of one and the same search",
    "device_answer.busiest_disk": "who waits, and for whom, is known where a wait is",
    "device_answer.who_waits": "likewise",
    "array_volume.owner": "with which controller it is decides whether it is the preferred one",
    "adapter.usable_paths": "an adapter is not online for certain only where no path of it is usable, which is then known",
    "adapter.devices": "likewise, and then the paths and devices were read whole",
    "path_policy.paths": "counted together with the dead and the disabled ones",
    "path_policy.disabled_paths": "likewise",
    "driver_queue.odd_devices": "counted where the depths differ",
    "host_queue_full.odd_devices": "counted where the values differ",
    "vaai_option.value": "what is lost, or differs, is known by it",
    "relocation.target_datastore": "whether it is on another array is known by it",
    "host.families": "what its vendors ask for is known by them",
    "protocol_endpoint.deepest_queue_in_cluster": "that another is deeper is known by it",
    "module_demand.depth_parameter": "a depth is judged where the driver has a parameter for it",
    "baseline_volume_qos.volume_group": "a group has a ceiling for the volumes that are in it",
    "baseline_volume_qos.wanted_group_iops": "the rule is about a group of which it is known",
    "raised_device.queue_depth": "that it was raised is known by it",
}
"""Columns, or all of a view, that are there where such a rule fails, and why; the examples leave them out."""
UNREAD = re.compile(
    r"NULL (?:also )?(?:when|where) "
    r"(?:[^,;]*\bnot (?:all )?(?:read|reported|listed|readable)\b|[^,;]* (?:does|did) not report|nothing of it was read)[^,;]*"
)


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_what_is_missing_for_another_reason_is_not_called_unread(rule: Rule) -> None:
    texts = {column.name: column.what for column in described(rule.over)}
    types = defaultdict(str, shipped().views[rule.over])
    reasons = {name: texts[name].partition("NULL")[2] for name in sorted(columns_shown(rule)) if "NULL" in texts[name]}
    follows = {name for name in reasons if rule.over in FOLLOWS or f"{rule.over}.{name}" in FOLLOWS}
    told = [name for name, reason in reasons.items() if not UNREAD.fullmatch(f"NULL{reason}") and name not in follows]
    without_word = {slot.name for slot in slots(rule) if len(slot.words) < (3 if types[slot.name] == "BOOLEAN" else 2)}
    for name, before, after in said_with(rule, told, None):
        assert name not in without_word, f"{name}: NULL{reasons[name]}"
        assert after.count(NOT_READ) <= before.count(NOT_READ), f"{name}: NULL{reasons[name]}"


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_what_is_one_is_told_in_the_singular(rule: Rule) -> None:
    counted = [slot.name for slot in slots(rule) if re.search(r"[a-rt-z]s\b", slot.unit)]
    for _, _, after in said_with(rule, sorted({*counted} & columns_shown(rule)), 1):
        assert re.search(r"\b1 (?:[\w/]+ ){1,3}(?:are|do|have|map|run|share|start|use|wait)\b", after) is None, after


LIMITS = re.compile(r"\b(?:fewer|less|below|limit|optimal point|wanted none)\b")


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_no_failure_wants_what_is_there_unless_it_is_a_limit(rule: Rule) -> None:
    for said in judge_rows(rule, failing_rows(rule)):
        if (
            rule.worse
            and None not in (said["observed"], said["desired"])
            and (way := rule.worse.get(rule.observed.text)) in ("less", "more")
        ):
            seen, wanted = float(said["observed"]), float(said["desired"])
            assert seen <= wanted if way == "less" else seen >= wanted, f"{seen} is within {wanted}: {said['message']}"
        if said["observed"] is not None and said["observed"] == said["desired"]:
            assert LIMITS.search(said["message"]), said["message"]
        assert re.search(r"\b([A-Za-z]+) \1\b", said["message"].replace(f"{NOT_READ} {NOT_READ}", "")) is None, said["message"]


def test_a_full_queue_of_a_local_disk_is_told_without_an_array() -> None:
    row: dict[str, Any] = {
        "is_full": True,
        "queued": 54.0,
        "active": 1.0,
        "active_at_most": 1.0,
        "queued_at_most": 54.0,
        "depth_in_effect": 1,
    }
    row |= {"is_protocol_endpoint": False, "is_shared": False, "family": "other", "commands_per_second": 60.0, "davg_ms": 200.0}
    [finding] = failing("device_queue", [row], "diag/queue-full")
    assert "54 commands waiting for the 1 place of the device's queue" in finding.message
    assert "as an array counts it: no figure" in finding.message


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        pytest.param({}, "8 active, none dead", id="no path is left to report how it travels"),
        pytest.param({"transport": "fc"}, "8 active, none dead, 2 usable by 2 adapters", id="Fibre Channel"),
        pytest.param({"transport": "sas"}, "8 active, none dead, 2 usable", id="SAS"),
        pytest.param({"transport": "iscsi"}, "8 active, none dead", id="iSCSI, which iscsi/paths has"),
    ],
)
def test_two_adapters_are_wanted_of_what_is_known_to_be_fibre_channel(row: dict[str, Any], wanted: str) -> None:
    lost = {"is_shared": True, "paths": 0, "active_paths": 0, "dead_paths": 0, "usable_paths": 0, "adapters": 0, "most_active_paths": 8}
    [said] = judge_rows(shipped()["multipath/path-count"], [{**PLACE, **lost, "most_active_paths_at_most": 8, **row}])
    assert said["verdict"] == Verdict.FAIL
    assert f"wanted {wanted} (params)" in said["message"]
