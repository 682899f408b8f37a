"""Waivers by datastore and by tag: what lies under them is looked up in the facts; and what a plan does with waived settings."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.planning import plan
from auditor.engine.verdicts import Evaluation
from auditor.engine.waivers.file import Waiver, Waivers
from auditor.engine.waivers.waived import facts_for, waive
from auditor.facts.schema import create_tables
from auditor.facts.views import seal
from auditor.model import Verdict
from tests.engine.bench import HEADROOM, SOUND, VIEWS, changed, pe, rules_from
from tests.engine.test_waived_verdicts import AT, END, waiver

DEVICES = {number: pe(number)["device"] for number in range(1, 8)}
ROWS = [
    pe(1, host="esx-1", cluster="gold"),
    pe(2, host="esx-2", cluster="gold"),
    pe(3, host="esx-3", cluster="silver"),
    pe(4, host="esx-1", cluster="gold", endpoint="vc-west"),
    pe(5, host=None, cluster=None, resource_id="datastore-9"),
    pe(6, host="esx-4", cluster=None, resource_id="datastore-9", endpoint="vc-west"),
]
EAST, WEST = {"endpoint": "vc-east"}, {"endpoint": "vc-west"}
FACTS: dict[str, list[dict[str, Any]]] = {
    "datastore": [
        EAST | {"datastore_id": "datastore-1", "name": "fast-1"},
        EAST | {"datastore_id": "datastore-9", "name": "slow"},
        WEST | {"datastore_id": "datastore-1", "name": "west"},
    ],
    "datastore_extent": [
        EAST | {"datastore_id": "datastore-1", "device": DEVICES[2]},
        EAST | {"datastore_id": "datastore-1", "device": DEVICES[3]},
        WEST | {"datastore_id": "datastore-1", "device": DEVICES[4]},
    ],
    "host": [
        EAST | {"host_id": "host-1", "name": "esx-1", "cluster_id": "c-1", "cluster": "gold"},
        EAST | {"host_id": "host-2", "name": "esx-2", "cluster_id": "c-1", "cluster": "gold"},
        EAST | {"host_id": "host-3", "name": "esx-3", "cluster_id": "c-2", "cluster": "silver"},
        WEST | {"host_id": "host-1", "name": "esx-1", "cluster_id": "c-1", "cluster": "gold"},
    ],
    "tagged": [
        EAST | {"object_id": "host-3", "category": "where", "tag": "edge"},
        EAST | {"object_id": "c-1", "category": "where", "tag": "core"},
        EAST | {"object_id": "datastore-1", "category": "what", "tag": "lab"},
        EAST | {"object_id": "datastore-9", "category": "what", "tag": "old"},
        WEST | {"object_id": "nothing", "category": "what", "tag": "west"},
    ],
    "reading": [
        EAST | {"topic": "hosts", "complete": True},
        EAST | {"topic": "tags", "complete": True},
        WEST | {"topic": "hosts", "complete": True},
        WEST | {"topic": "tags", "complete": False},
    ],
}


def judged(folder: Path, *waivers: Waiver, texts: tuple[str, ...] = (SOUND,)) -> tuple[Evaluation, tuple[str, ...]]:
    connection = duckdb.connect()
    create_tables(connection)
    for view, types in VIEWS.items():
        connection.execute(f'CREATE TABLE "{view}" ({", ".join(f"{name} {kind}" for name, kind in types.items())})')
    for table, rows in {"protocol_endpoint": ROWS, **{f"fact.{name}": rows for name, rows in FACTS.items()}}.items():
        for row in rows:
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    seal(connection, folder)
    return waive(evaluate(connection, rules_from(folder, *texts)), Waivers(AT, entries=waivers))


@pytest.mark.parametrize(
    ("resources", "which"),
    [
        pytest.param({"datastore": "fast-*"}, "23", id="devices under a datastore"),
        pytest.param({"datastore": "slow"}, "5", id="a datastore itself"),
        pytest.param({"datastore": "west"}, "4", id="of another vCenter, which has the same id"),
        pytest.param({"datastore": "fast-1 slow"}, "235", id="either of two"),
        pytest.param({"datastore": "fast-1", "host": "esx-2"}, "2", id="under a datastore and on a host"),
        pytest.param({"tag": "edge"}, "3", id="on a tagged host"),
        pytest.param({"tag": "core"}, "12", id="in a tagged cluster"),
        pytest.param({"tag": "lab"}, "23", id="under a tagged datastore"),
        pytest.param({"tag": "old"}, "5", id="what carries the tag itself"),
        pytest.param({"tag": "where:core"}, "12", id="a tag with its category"),
        pytest.param({"tag": "what:core"}, "", id="a tag of another category"),
        pytest.param({"tag": "w*:*e*"}, "123", id="tags by a glob"),
    ],
)
def test_resources_are_chosen_by_what_they_lie_under(tmp_path: Path, resources: dict[str, Any], which: str) -> None:
    evaluation, _ = judged(tmp_path, waiver(**resources))
    assert "".join(sorted(finding.resource.name[-1] for finding in evaluation.findings({Verdict.WAIVED}))) == which


def test_where_tags_were_not_read_a_notice_says_so_once(tmp_path: Path) -> None:
    unread = "The tags of vc-west were not read: what is waived by a tag counts there as not waived."
    assert judged(tmp_path, waiver(tag="edge"))[1] == (unread,)
    assert judged(tmp_path / "other", waiver(datastore="slow"))[1] == ()


@pytest.mark.parametrize(
    ("resources", "facts"),
    [
        pytest.param([{"cluster": "*"}], set(), id="what a verdict says itself"),
        pytest.param([{"host": "*"}], {("host", "name")}, id="hosts, which may have the first part of their names in common"),
        pytest.param([{"datastore": "*"}], {("datastore", "name"), ("datastore_extent", "device")}, id="datastores"),
        pytest.param(
            [{"host": "*"}, {"tag": "*"}],
            {("datastore", "name"), ("datastore_extent", "device"), ("tagged", "tag")}
            | {("host", name) for name in ("name", "cluster", "cluster_id")},
            id="tags",
        ),
    ],
)
def test_what_selectors_look_at_has_to_be_read(resources: list[dict[str, Any]], facts: set[tuple[str, str]]) -> None:
    assert facts_for(Waivers(AT, entries=tuple(waiver(**one) for one in resources))) == facts


def test_notices_come_in_order_mistakes_first_and_name_who_answers(tmp_path: Path) -> None:
    lapsed = waiver(until=AT, where="w.yaml:2", host="esx-1")
    idle = Waiver("w.yaml:9", HEADROOM, {"host": ("esx-99",)}, "", "", "", END, also_unknown=False, mistake="")
    nameless = Waiver("w.yaml:16", None, {"host": ("*",)}, "", "", "", None, also_unknown=False, mistake="rule is missing")
    evaluation, notices = judged(tmp_path, lapsed, idle, nameless)
    until = "until 2027-04-01T00:00:00Z waives nothing: nothing it names fails; remove it, or correct its resources."
    ended = "expired at 2026-11-21T12:00:00Z: 2 verdicts that it covered count again."
    assert notices == (
        f"w.yaml:2: the waiver of {HEADROOM} (storage team, CHG-1) {ended}",
        "w.yaml:16: the waiver of no readable rule is malformed: rule is missing: no failure that it names was found.",
        f"w.yaml:9: the waiver of {HEADROOM} {until}",
    )
    assert evaluation.summary().waived == 0


def test_a_setting_that_only_a_person_could_change_is_not_held(tmp_path: Path) -> None:
    by_hand = changed(SOUND, (f"id: {HEADROOM}", "id: vvol/pe-wide"), ("class: online-caution", "class: manual"))
    evaluation, _ = judged(tmp_path, waiver("vvol/pe-wide", resource="*1"), texts=(SOUND, by_hand))
    found = plan(evaluation)
    assert found.held == ()
    assert [(one.rule, one.count) for one in found.left_alone] == [("vvol/pe-wide", 1)]
    assert "1" in {change.resource.name[-1] for change in found.changes if change.resource.endpoint == "vc-east"}


@pytest.mark.long
def test_the_first_waiver_of_a_setting_is_named_where_it_is_held(tmp_path: Path) -> None:
    other = changed(SOUND, (f"id: {HEADROOM}", "id: vvol/pe-wide"))
    waivers = (waiver("vvol/pe-*", resource="*1 *2", where="w.yaml:2"), waiver(HEADROOM, resource="*3", where="w.yaml:9"))
    third = changed(SOUND, (f"id: {HEADROOM}", "id: vvol/zz"))
    evaluation, _ = judged(tmp_path, *waivers, texts=(SOUND, other, third))
    held = {dict(one.target.keys)["device"][-1]: (one.wanted_by, one.waived, one.waiver["where"]) for one in plan(evaluation).held}
    assert held == {
        "1": (("vvol/zz",), HEADROOM, "w.yaml:2"),
        "2": (("vvol/zz",), HEADROOM, "w.yaml:2"),
        "3": (("vvol/pe-wide", "vvol/zz"), HEADROOM, "w.yaml:9"),
    }
