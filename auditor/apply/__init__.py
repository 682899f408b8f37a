"""Applies plans and undoes runs: the only package that writes settings, after it has read, compared and journalled."""

from auditor.apply.limits import Excess, Limits, limits_of
from auditor.apply.pace import Pace
from auditor.apply.recovery import Fate, Recovered, recover
from auditor.apply.undoing import undo, undo_plan
from auditor.apply.waves import apply, last_receipts

__all__ = ["Excess", "Fate", "Limits", "Pace", "Recovered", "apply", "last_receipts", "limits_of", "recover", "undo", "undo_plan"]
