"""Which shipped rules revert what somebody tuned: their changes need the class `retune`."""

from auditor.model import FixClass

from .test_shipped_rules import shipped


def test_every_change_of_what_only_a_hand_can_have_set_is_a_retune() -> None:
    retuning = {rule.id: rule.fix.retunes.text for rule in shipped() if rule.fix is not None and rule.fix.retunes is not None}
    always = {rule for rule, condition in retuning.items() if condition == "true"}
    queues = {"queue/default-unless-justified", "queue/dsnro-effective", "queue/scheduler-defaults", "vvol/ontap-leave-defaults"}
    assert always == queues | {"multipath/device-override", "multipath/satp-rule", "sioc/threshold-sane", "vm/iops-limits"}
    sometimes = {"iscsi/max-io-size", "qos/host-limit-below-array-limit", "queue/driver-depth", "queue/qfull-throttle", "vaai/xcopy-size"}
    assert set(retuning) - always == sometimes | {"declared/claim-rule"}


def test_what_it_takes_besides_is_never_lost() -> None:
    assert FixClass.RETUNE not in {rule.fix.fix_class for rule in shipped() if rule.fix is not None}
