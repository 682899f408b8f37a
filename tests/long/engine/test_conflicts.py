"""The shipped rules by themselves want no setting different."""

from auditor.engine.probing.conflicts import conflict_text, conflicts
from auditor.pipeline.policy import load_rule_set


def test_shipped_rules_do_not_contradict_each_other() -> None:
    assert [conflict_text(conflict) for conflict in conflicts(load_rule_set())] == []
