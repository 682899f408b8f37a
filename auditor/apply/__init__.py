"""Applies plans and undoes runs: the only package that writes settings, after it has read, compared and journalled."""

from auditor.apply.guards import BlastRadius, blast_radius
from auditor.apply.pace import Pace
from auditor.apply.recovery import Fate, Recovered, recover, undo, undo_plan
from auditor.apply.waves import apply, last_receipts

__all__ = ["BlastRadius", "Fate", "Pace", "Recovered", "apply", "blast_radius", "last_receipts", "recover", "undo", "undo_plan"]
