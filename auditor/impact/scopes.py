"""Which failures have an impact, and which queues they are about: as the rule's file says, or by what its fix sets."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.model import Cure, ImpactModel, ImpactScope

TOPICS = ("queue", "qos", "vvol", "sioc", "vaai", "ontap", "diag")
"""Folders of rules whose failures have an impact, or say why they have none."""

_SETS_DSNRO = ImpactModel(ImpactScope.DEVICE, Cure.DSNRO)
_REASONS: Mapping[str, str] = {
    "vaai": "nothing counts what an offloaded copy or zero costs the array; where it does them badly, every volume of it gets slower (S4)",
    "ontap": "it is not about transfers that can be told apart from others",
}
_NO_QUEUE = "it is not about a queue in which commands can be seen to wait"


def model_of(rule: str, impact: ImpactModel | None, remediator: str | None) -> ImpactModel | None:
    """How failures of `rule` are understood; None where the model has no answer.

    Args:
        rule: its id.
        impact: what its file says; None: nothing. Then a rule of TOPICS that sets DSNRO is understood by that.
        remediator: what makes its fix; None where a person does.
    """
    if impact is None and remediator == "device.dsnro" and _topic(rule) in TOPICS:
        return _SETS_DSNRO
    return impact


def has_impact(rule: str, model: ImpactModel | None) -> bool:
    """Whether failures of `rule` have an impact, or say why they have none."""
    return model is not None or _topic(rule) in TOPICS


def reason(rule: str) -> str:
    """Why a failure of a rule without a model has no impact."""
    return _REASONS.get(_topic(rule), _NO_QUEUE)


def _topic(rule: str) -> str:
    return rule.partition("/")[0]
