"""Reads what esxcli and localcli print, in whichever form it was kept."""

from __future__ import annotations

from auditor.endpoints.files.outputs.output import NOTHING, Output
from auditor.endpoints.files.outputs.reading import outputs_in

__all__ = ["NOTHING", "Output", "outputs_in"]
