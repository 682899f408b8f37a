"""What a report says of fixes besides their outcomes."""

from __future__ import annotations

from dataclasses import replace

from auditor.model import FixClass, Outcome, Plan, Receipt, Target
from auditor.report.fix_outcomes import possible_now, possible_now_notice
from tests.report.samples import receipt


def test_changes_that_only_became_possible_by_a_fix_are_named() -> None:
    made = receipt().change
    other = replace(made, target=Target(made.target.endpoint, (("device", "naa.other"), ("host_id", "host-2"))))
    forbidden = replace(other, fix_class=FixClass.RECLAIM, target=Target(made.target.endpoint, (("device", "naa.third"),)))
    receipts = [Receipt(made, Outcome.APPLIED, made.after)]
    assert possible_now(Plan((made,)), receipts, (made.fix_class,)) == (), "it was attempted"
    assert possible_now(Plan((made, forbidden)), receipts, (made.fix_class,)) == (), "its class is not allowed"
    assert possible_now(Plan((made, other, forbidden)), receipts, (made.fix_class,)) == (other,)
    assert possible_now_notice(()) == ()
    [notice] = possible_now_notice([other])
    assert notice.startswith(f"1 further changes of {made.remediator} became possible")
