"""Every setting that can be written is used by a lesson, but for those that are named here."""

from auditor.endpoints.settings import remediator_names

from .test_shipped_rules import shipped

WITHOUT_A_LESSON = {"eternus.qos_category", "eternus.volume_qos", "flasharray.volume_group_limit", "flasharray.volume_limit"}
"""docs/decisions/0030-what-stays-by-hand.md."""


def test_every_setting_has_a_lesson_that_fixes_it() -> None:
    used = {rule.fix.remediator for rule in shipped() if rule.fix is not None}
    assert set(remediator_names()) - used == WITHOUT_A_LESSON
