"""What is at stake where an array cannot be read is counted by its kind: rules on other families lose nothing."""

import pytest

from auditor.doctor.affected_rules import AffectedRules, rules_that_may_apply
from auditor.model import EndpointKind
from tests.engine.test_shipped_rules import shipped

AFFECTED = AffectedRules.of(shipped())


@pytest.mark.parametrize(
    ("kind", "topic", "counted", "others"),
    [
        pytest.param(EndpointKind.ELEMENT, "nodes", "vvol/pe-count", "ontap/disk-busy", id="Element's nodes"),
        pytest.param(EndpointKind.ONTAP, "volumes", "ontap/lun-os-type", "qos/element-effective-iops", id="ONTAP's volumes"),
        pytest.param(
            EndpointKind.FLASHARRAY, "array_hosts", "flasharray/host-personality", "ontap/igroup-os-type", id="FlashArray's hosts"
        ),
        pytest.param(EndpointKind.DELL_SC, "volumes", "sioc/auto-tiering", "qos/element-effective-iops", id="a Dell SC's volumes"),
    ],
)
def test_rules_on_other_families_are_not_at_stake(kind: EndpointKind, topic: str, counted: str, others: str) -> None:
    assert {counted, others} <= {rule.id for rule in AFFECTED.rules}
    about = rules_that_may_apply(AFFECTED.rules, kind)
    assert counted in about
    assert others not in about
    resting = [rule for rule in AFFECTED.rules_on([topic]) if rule in about]
    sentence = AFFECTED.lost_without([topic], kind)
    assert f"{len(resting)} of {len(AFFECTED.topics)} rules rest on it" in sentence
    assert len(resting) < len(AFFECTED.rules_on([topic]))


def test_a_vcenter_has_arrays_of_every_family_behind_it() -> None:
    assert rules_that_may_apply(AFFECTED.rules, EndpointKind.VCENTER) == set(AFFECTED.topics)


def test_a_rule_that_may_apply_for_another_reason_is_counted() -> None:
    # sdrs/io-metric-off applies where there is array QoS, or on Data Progression.
    for kind in (EndpointKind.ELEMENT, EndpointKind.DELL_SC):
        assert "sdrs/io-metric-off" in rules_that_may_apply(AFFECTED.rules, kind)
