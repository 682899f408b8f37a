"""Every setting that can be written is used by a lesson."""

from auditor.endpoints.settings import remediator_names

from .test_shipped_rules import shipped


def test_every_setting_has_a_lesson_that_fixes_it() -> None:
    used = {rule.fix.remediator for rule in shipped() if rule.fix is not None}
    assert set(remediator_names()) - used == set(), "give it a rule, or take it away"
