"""Which failures have an impact, by the file of the rule, its remediator and its topic; and why the others have none."""

from __future__ import annotations

import pytest

from auditor.impact.scopes import has_impact, model_of, reason
from auditor.model import Cure, ImpactModel, ImpactScope

DSNRO = ImpactModel(ImpactScope.DEVICE, Cure.DSNRO)
LIMIT = ImpactModel(ImpactScope.DISK, Cure.HOST_LIMIT)


@pytest.mark.parametrize(
    ("rule", "given", "remediator", "model", "counts"),
    [
        pytest.param("queue/own", None, "device.dsnro", DSNRO, True, id="by its remediator"),
        pytest.param("queue/own", LIMIT, "device.dsnro", LIMIT, True, id="its file comes before its remediator"),
        pytest.param("mine/own", LIMIT, None, LIMIT, True, id="its file counts in a topic of one's own"),
        pytest.param("mine/own", None, "device.dsnro", None, False, id="a topic of one's own says nothing"),
        pytest.param("baseline/dsnro", None, "device.dsnro", None, False, id="a baseline is no queue"),
        pytest.param("vaai/enabled", None, None, None, True, id="a topic whose failures say why they have none"),
    ],
)
def test_a_rule_is_understood_as_its_file_says(
    rule: str, given: ImpactModel | None, remediator: str | None, model: ImpactModel | None, counts: bool
) -> None:
    assert model_of(rule, given, remediator) == model
    assert has_impact(rule, model) is counts


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (
            "vaai/enabled",
            "nothing counts what an offloaded copy or zero costs the array; where it does them badly, every volume of it gets slower (S4)",
        ),
        ("ontap/of-ours/alignment", "it is not about transfers that can be told apart from others"),
        ("ontap/alignment", "it is not about transfers that can be told apart from others"),
        ("queue/param-name-valid", "it is not about a queue in which commands can be seen to wait"),
    ],
)
def test_a_rule_without_a_model_says_why_its_failures_have_no_figure(rule: str, why: str) -> None:
    assert reason(rule) == why
