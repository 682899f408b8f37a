"""What stands for a rule where verdicts are taken over: all that it said when it was loaded, and the fleet's own values."""

from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.engine.fixes.rule_groups import rule_groups
from auditor.engine.rules.needs import needs_of
from auditor.engine.rules.params import param_values
from tests.engine.bench import HEADROOM, SOUND, Override, rule_text, rules_from


def key(folder: Path, *overrides: Override, text: str = SOUND, meanwhile: Callable[[Path], object] = lambda _: None) -> str:
    rules = rules_from(folder, text)
    for rule in rules:
        meanwhile(rule.path)
    [group] = rule_groups(rules, param_values(overrides, rules))
    return group.key


def test_a_rule_elsewhere_is_the_same_one(tmp_path: Path) -> None:
    assert key(tmp_path / "one") == key(tmp_path / "other")


def test_a_file_that_is_edited_while_the_fleet_is_read_does_not_count(tmp_path: Path) -> None:
    assert key(tmp_path / "one") == key(tmp_path / "other", meanwhile=lambda file: file.write_text("id: another\n", encoding="utf-8"))


@pytest.mark.parametrize("severity", ["low", "critical"])
def test_another_severity_is_another_rule(tmp_path: Path, severity: str) -> None:
    assert "severity: high" in SOUND
    assert key(tmp_path / "one") != key(tmp_path / "other", text=SOUND.replace("severity: high", f"severity: {severity}"))


def test_values_of_the_fleet_count_with_their_places(tmp_path: Path) -> None:
    everywhere, there = Override(HEADROOM, "headroom", 2), Override(HEADROOM, "headroom", 2, endpoint="vc-east")
    assert len({key(tmp_path / "1"), key(tmp_path / "2", everywhere), key(tmp_path / "3", there)}) == 3


def test_rules_that_fixes_link_are_one_group_and_others_are_alone(tmp_path: Path) -> None:
    dsnro = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online, set: '256'}"
    depth = "{remediator: host.option, target: {host_id: host_id}, column: queue_depth, class: reboot, set: '512'}"
    rules = rules_from(
        tmp_path,
        rule_text("local/first", holds="dsnro = 256", fix=dsnro),
        rule_text("local/second", holds="dsnro > 1 and queue_depth = 512", fix=depth),
        rule_text("local/third", holds="queue_depth > 1"),
        rule_text("local/alone", holds="deepest_disk_queue > 1"),
    )
    groups = rule_groups(rules, param_values((), rules))
    assert sorted(sorted(group.rules) for group in groups) == [["local/alone"], ["local/first", "local/second", "local/third"]]
    assert len({group.key for group in groups}) == len(groups)


def test_what_rules_over_one_view_name_has_to_be_read_for_each_of_them(tmp_path: Path) -> None:
    depth = rule_text("local/depth", holds="deepest_disk_queue > 1")
    deepest, dsnro = rules_from(tmp_path, depth, rule_text("local/dsnro", holds="dsnro > 1"))
    assert ("device_scheduling", "dsnro") in needs_of([dsnro]).facts - needs_of([deepest]).facts
    assert {("host", "name"), ("host", "cluster")} <= needs_of([deepest]).facts, "what identifies a row, and the place of its params"
    assert needs_of([dsnro, deepest]) == needs_of([dsnro]) | needs_of([deepest])
