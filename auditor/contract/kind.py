"""Contract tests of a kind's TYPE, without an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.authoring.examples import check_examples
from auditor.contract.example import OfExamples
from auditor.contract.fixing import FixingContract
from auditor.contract.views import verdicts_without
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.settings import remediator_for
from auditor.engine.rules.rule import RuleSet
from auditor.facts.catalog import all_view_columns
from auditor.facts.families import families_by_name
from auditor.facts.needs import EVERYTHING, SOURCES
from auditor.facts.plugin_views import plugin_views
from auditor.model.endpoint_kinds import endpoint_type
from auditor.pipeline.plugin_rules import plugin_rules

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.contract.example import Example


class KindContract(OfExamples):
    """What is registered for a kind is whole, and is found where it says."""

    def test_the_kind_is_registered_and_what_it_names_is_there(self, example: Example) -> None:
        kind = endpoint_type(example.kind)
        assert kind.fault is None, "why the kind cannot be used"
        assert callable(kind.load(kind.opener))
        assert callable(kind.load(kind.collector))
        assert kind.family is not None
        assert families_by_name()[kind.family.name].label

    def test_every_topic_fills_a_table_and_is_named_once(self, example: Example) -> None:
        topics = endpoint_type(example.kind).topics
        assert sorted(set(topics)) == sorted(topics)
        assert "array" in topics, "an array says at least what it is"
        assert set(topics) - {source.topic for source in SOURCES.values()} == set(), "topics of no table of auditor/facts"

    def test_its_roles_say_who_may_write_what_it_can_fix(self, example: Example) -> None:
        kind = endpoint_type(example.kind)
        assert bool(kind.roles.write) >= bool(kind.settings)
        assert not kind.roles.write & kind.roles.read
        assert all(name == name.lower() for name in kind.roles.write | kind.roles.read)

    def test_every_setting_reads_and_writes_and_is_held_to_the_contract_of_fixing(self, example: Example) -> None:
        kind = endpoint_type(example.kind)
        assert {change.name for change in example.changes} == set(kind.settings), "a change of the example for each setting, and no other"
        assert not kind.settings or isinstance(self, FixingContract), "derive the class from FixingContract, too"
        for name in kind.settings:
            assert remediator_for(name).kind is example.kind
            remediator = kind.load(kind.settings[name].place)()
            public = {attribute for attribute in dir(remediator) if not attribute.startswith("_")}
            assert public - ({"inherit"} if not kind.plugin else set()) == {"kind", "read", "write"}, "a remediator holds no policy"
            assert name.startswith(f"{example.kind.value.replace('-', '_')}.")

    def test_its_rules_are_read_and_their_examples_hold(self, example: Example) -> None:
        found = plugin_rules()
        assert found.faults == ()
        own = {rule: about for rule, about in found.rules.items() if rule.startswith(f"{example.kind}/")}
        assert bool(own) == bool(endpoint_type(example.kind).rules)
        rules = RuleSet(own, all_view_columns())
        assert [result for result in check_examples(rules) if not result.ok] == []

    def test_its_views_are_made_of_what_it_reads_and_pass_nothing_that_was_not_read(self, example: Example, tmp_path: Path) -> None:
        kind = endpoint_type(example.kind)
        views = {name: view for name, view in plugin_views().views.items() if view.kind == example.kind}
        assert plugin_views().faults == {}
        assert bool(views) == bool(kind.views)
        rules = {name: rule for name, rule in plugin_rules().rules.items() if rule.over in views}
        if not rules:
            return
        with example.served(tmp_path) as (_, endpoint, waiting), open_session(endpoint) as session:
            items = list(kind.load(kind.collector)(session, endpoint, EVERYTHING, **waiting))
        whole = verdicts_without(endpoint, items, rules, None)
        assert whole, "a row of the double for a rule over one of the views"
        for topic in kind.topics:
            less = verdicts_without(endpoint, items, rules, topic)
            passed = sorted(which for which, verdict in less.items() if verdict == "pass" and whole.get(which, "fail") != "pass")
            assert passed == [], f"what does not pass when all was read passes without the topic {topic}"

    def test_what_a_recording_keeps_is_listed(self, example: Example) -> None:
        kind = endpoint_type(example.kind)
        assert kind.kept_fields, "without the list such a fleet cannot be recorded"
        assert isinstance(kind.load(kind.kept_fields), str), "names with spaces between them; none: all are masked"
