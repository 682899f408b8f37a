"""A failure that is certain is not hidden by a fact that is missing: a rule that hides one says why the two come or stay away together.

The engine takes any missing fact of a rule for unknown, unless the rule says that it may be missing. Here each cell of each failing example
is taken away, and the rule is judged once as it is, and once as if every fact might be missing.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from auditor.engine.rules.rule import Rule
from auditor.model import Verdict
from tests.engine.test_shipped_rules import judge_rows, shipped
from tests.engine.test_true_texts import failing_rows

_ONE_ANSWER = "they come in one answer, or none of them does"
_COUNTED = "what was seen at least is there wherever the count is, and is zero where nothing was seen"
TOGETHER: Mapping[str, str] = {
    "diag/queue-full": "whether it is a protocol endpoint is known of every device, or of none",
    "event/storage-slow": "computed of the event's own type, which is always there",
    "iscsi/mtu": "an adapter that does not report its MTU may have that of the host, or any",
    "iscsi/noop": _ONE_ANSWER,
    "multipath/device-override": _ONE_ANSWER,
    "multipath/perennially-reserved": "of a datastore that a cluster maps either answer fails, and what to do depends on which",
    "multipath/path-count": "paths of one host, counted together",
    "multipath/satp-rule": _ONE_ANSWER,
    "ontap/dedupe-window": _COUNTED,
    "ontap/disk-iops": "where the speed of disks is not known, so is their limit; that it fails at any is by chance",
    "ontap/nfs-heap": "release and build are of the host's product, and the option's name is its row",
    "ontap/scrub-window": _COUNTED,
    "ontap/snapmirror-stagger": _COUNTED,
    "qos/element-limits": _ONE_ANSWER,
    "qos/host-limit-below-array-limit": "a disk's limit and its queue are of the machine's one configuration",
    "qos/nimble-shared-folder": _COUNTED,
    "qos/ontap-shared-policy": _COUNTED,
    "qos/provider-tier-depth": "one of two depths is what a host may send at most, and the other may be what it takes",
    "qos/sc-profile-priority": "priority and cap are of the one profile of the volume",
    "queue/adapter-oversubscription": _COUNTED,
    "queue/array-port-fanin": _COUNTED,
    "queue/driver-depth": "the depth that is set and what it is for are read of the same module",
    "queue/dsnro-effective": "whether it is a protocol endpoint is known of every device, or of none",
    "queue/emulex-instance-scope": "all are taken from the one option string",
    "queue/nfs-max-queue-depth": "options and release are of one host; whose other shares are is known where those of ONTAP are",
    "sdrs/cluster-homogeneous": "the type of a datastore is never missing where the datastore is not",
    "sioc/dsnro-conflict": "both are NULL unless every host that mounts the datastore tells its DSNRO",
    "vaai/lockmode": "the modes themselves are there where two were counted",
    "vm/disk-spread": _ONE_ANSWER,
    "vvol/pe-count": _ONE_ANSWER,
    "vvol/pe-default-option": "the default is the option that is judged",
    "vvol/pe-paths": "paths of one endpoint, counted together; how many are enough depends on the family",
}
"""By rule, why the fact that is missing takes the others with it."""


def hidden(rule: Rule) -> set[str]:
    """The columns without which a failing example is unknown, though what is left is enough to fail it."""
    judged = sorted({column for expression in rule.judging for column in expression.columns} - {*rule.may_be_missing})
    loose = replace(rule, may_be_missing={**rule.may_be_missing, **dict.fromkeys(judged, "tried")})
    tried = [(column, {**row, column: None}) for row in failing_rows(rule) for column in judged if row.get(column) is not None]
    rows = [row for _, row in tried]
    verdicts = zip(tried, judge_rows(rule, rows), judge_rows(loose, rows), strict=True)
    return {name for (name, _), strict, free in verdicts if (strict["verdict"], free["verdict"]) == (Verdict.UNKNOWN, Verdict.FAIL)}


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_a_rule_whose_failure_a_missing_fact_hides_says_why(rule: Rule) -> None:
    found = hidden(rule)
    assert bool(found) == (rule.id in TOGETHER), found
