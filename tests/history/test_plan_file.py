"""A plan as a file: what is read is what was written, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import ConfigurationError, GuardError
from auditor.history.plan_file import Basis, PlanFile, parse_plan, plan_digest, plan_text, read_plan_file
from auditor.model import ByHand, Change, Contradiction, FixClass, Held, LeftAlone, Plan, Resource, Target, Unmet, Unusual

NOON = datetime(2018, 11, 4, 12, tzinfo=UTC)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
NAMES = st.sampled_from(["a", "b", "ü\x00", '"', "\u2028"])
RESOURCES = st.builds(Resource, NAMES, NAMES, NAMES, NAMES, st.none() | NAMES, st.none() | NAMES)
TARGETS = st.builds(lambda endpoint, keys: Target(endpoint, tuple(sorted(keys.items()))), NAMES, st.dictionaries(NAMES, NAMES, max_size=3))
CLASSES = st.sampled_from(FixClass)
CHANGES = st.builds(
    Change,
    remediator=NAMES,
    fix_class=CLASSES,
    target=TARGETS,
    before=SCALARS,
    after=SCALARS,
    rules=st.lists(NAMES, max_size=2).map(tuple),
    resource=RESOURCES,
    reason=st.text(max_size=8),
    takes=st.none() | CLASSES,
    collateral=st.text(max_size=8),
    number=st.integers(0, 9),
    waits_for=st.lists(st.integers(1, 9), max_size=2).map(tuple),
    before_inherited=st.booleans(),
    after_inherited=st.booleans(),
)
WAIVERS = st.dictionaries(NAMES, SCALARS, max_size=2)


def some(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(one, max_size=2).map(tuple)


PLANS = st.builds(
    Plan,
    changes=some(CHANGES),
    by_hand=some(st.builds(ByHand, NAMES, RESOURCES, NAMES, CLASSES)),
    contradictions=some(st.builds(Contradiction, NAMES, TARGETS, some(st.tuples(NAMES, SCALARS)), some(NAMES), st.none() | RESOURCES)),
    left_alone=some(st.builds(LeftAlone, NAMES, st.integers(0, 9), WAIVERS)),
    held=some(st.builds(Held, NAMES, TARGETS, some(NAMES), NAMES, WAIVERS)),
    identities=st.dictionaries(NAMES, st.none() | NAMES, max_size=2).map(lambda ones: dict(sorted(ones.items()))),
    unmet=some(st.builds(Unmet, CHANGES, NAMES)),
    unusual=some(st.builds(Unusual, NAMES, NAMES, some(st.tuples(NAMES, NAMES)), SCALARS, NAMES, some(st.integers(1, 9)))),
)
FILES = st.builds(
    PlanFile,
    run=NAMES,
    made=st.integers(0, 2**31).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    fleet=NAMES,
    plan=PLANS,
    hosts=st.integers(0, 9),
    hosts_by_cluster=st.dictionaries(st.tuples(NAMES, st.none() | NAMES), st.integers(0, 9), max_size=2).map(
        lambda ones: dict(sorted(ones.items(), key=str))
    ),
    snapshot=st.none() | NAMES,
    basis=st.none() | st.builds(Basis, NAMES, NAMES, NAMES, NAMES, some(NAMES), some(NAMES), some(NAMES)),
    undoes=st.none() | NAMES,
)


def exact(file: PlanFile) -> str:
    """All of a plan, with the type of every value, and what equality leaves out."""
    return repr(asdict(file))


def change(number: int = 1, **fields: Any) -> Change:
    keys = {
        "address": "198.51.100.10",
        "hba": "vmhba64",
        "host_id": "host-12",
        "iqn": "iqn.2010-01.com.solidfire:x",
        "option": "DelayedAck",
        "port": "3260",
    }
    resource = Resource("iscsi_target", "host-12/x", keys["iqn"], "vc-east", "gold", "esx-01")
    given: dict[str, Any] = {"remediator": "iscsi.target_option", "fix_class": FixClass.RECLAIM, "before": True, "after": False} | fields
    target = given.pop("target", Target("vc-east", tuple(keys.items())))
    return Change(target=target, rules=("iscsi/delayed-ack",), resource=resource, reason="The vendor asks for it", number=number, **given)


def plan_file(*changes: Change) -> PlanFile:
    basis = Basis("sha256:1", "sha256:2", "", "")
    return PlanFile(
        "20181104T120000Z-0001",
        NOON,
        "fleet.yaml",
        Plan(changes, identities={"vc-east": "1111"}),
        2,
        {("vc-east", "gold"): 2},
        "sha256:3",
        basis,
    )


@pytest.mark.long
@settings(max_examples=40)
@given(FILES)
def test_what_is_read_is_what_was_written(file: PlanFile) -> None:
    text = plan_text(file)
    assert exact(parse_plan(text, "it")) == exact(file)
    assert plan_text(parse_plan(text, "it")) == text
    assert json.loads(text)["digest"] == plan_digest(file)


@pytest.mark.long
@settings(max_examples=8)
@given(FILES)
def test_every_plan_fits_the_published_schema(file: PlanFile) -> None:
    schema = json.loads((resources.files("auditor.report") / "plan.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(plan_text(file)), schema)


def test_a_person_finds_the_object_and_the_order_in_it() -> None:
    first, second = json.loads(plan_text(plan_file(change(1), change(2, waits_for=(1,)))))["changes"]
    assert first["object"] == "iSCSI target iqn.2010-01.com.solidfire:x at 198.51.100.10:3260 on vmhba64 of esx-01"
    assert first["privileges"] == ["Host.Config.Storage"]
    assert (first["setting"], first["before"], first["after"], first["waits_for"]) == ("DelayedAck", True, False, [])
    assert (second["number"], second["waits_for"]) == (2, [1])


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for place, one in enumerate(value) for leaf in leaves(one, (*path, place))]
    return [path]


def test_a_file_in_which_anything_was_changed_is_refused() -> None:
    text = plan_text(plan_file(change(1)))
    for path in leaves(json.loads(text)):
        document = json.loads(text)
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = 7 if place[path[-1]] != 7 else 8
        with pytest.raises((GuardError, ConfigurationError)) as caught:
            parse_plan(json.dumps(document), "it")
        if path not in {("format",), ("version",)}:
            assert "not as it was written" in caught.value.what, path


def test_a_change_that_was_taken_out_is_noticed_and_a_new_layout_is_not() -> None:
    file = plan_file(change(1), change(2))
    document = json.loads(plan_text(file))
    again = json.dumps(dict(reversed(document.items())))
    assert exact(parse_plan(again, "it")) == exact(file)
    document["changes"].pop()
    with pytest.raises(GuardError, match="does not have the digest"):
        parse_plan(json.dumps(document), "it")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "it is no JSON", id="nothing"),
        pytest.param("[" * 100_000, "it is no JSON", id="lists in lists"),
        pytest.param("{}", 'does not say "format"', id="another file"),
        pytest.param('{"format": "auditor-plan", "version": 2}', "version 2", id="of a newer auditor"),
        pytest.param('{"format": "auditor-plan", "version": 1, "x": NaN}', "it is no JSON", id="no number"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        read_plan_file(path)


def test_a_plan_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        read_plan_file(tmp_path / "plan.json")


def test_a_plan_without_a_part_is_refused_even_under_a_right_digest() -> None:
    from auditor.history import plan_file as module

    content = {
        key: value for key, value in json.loads(plan_text(plan_file(change()))).items() if key not in ("format", "version", "digest")
    }
    del content["changes"][0]["target"]
    text = json.dumps({"format": "auditor-plan", "version": 1, "digest": module._digest(content), **content})
    with pytest.raises(ConfigurationError, match="is no plan that this auditor can read"):
        parse_plan(text, "it")
