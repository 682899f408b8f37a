"""The outputs of a host's commands, and the files that a person would keep of them.

A file is called as the command was, with "-" for its blanks and slashes (`esxcli_system-module-parameters-list---module=lpfc.txt`). What an
output does not say itself, such as whose parameters it has, only the name says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from auditor_lab.evidence import iscsi, network, storage, system, volumes
from auditor_lab.evidence.formatters import FORMATTERS
from auditor_lab.evidence.text import text_of
from auditor_lab.vcenter.state.vcenter import VCenterState

if TYPE_CHECKING:
    from pathlib import Path

    from auditor_lab.description import LabFleet
    from auditor_lab.evidence.forms import Output, Record
    from auditor_lab.vcenter.state.hosts import HostState

TEXT = "text"


def hosts_of(fleet: LabFleet) -> Iterator[tuple[VCenterState, HostState]]:
    """Every host of a fleet as it is described, with the state of its vCenter."""
    for vcenter in fleet.vcenters:
        state = VCenterState(vcenter)
        for moid in state.hosts:
            yield state, state.hosts[moid]


def all_outputs(state: VCenterState, host: HostState) -> list[Output]:
    """What every command of the lab prints on a host, as the host is now."""
    return [output for part in (storage, iscsi, volumes, network, system) for output in part.outputs(state, host)]


def outputs_of(state: VCenterState, host: HostState) -> Mapping[str, list[Record]]:
    """The records of every command by its line ("storage core device list"), in the fields of the host's release."""
    return {output.line: output.records for output in all_outputs(state, host)}


def write_outputs(fleet: LabFleet, folder: Path, *, formatter: str = TEXT, program: str = "esxcli") -> list[Path]:
    """Write a folder for each host of a fleet, of the host's name; return these folders.

    `formatter` is one of FORMATTERS, `program` esxcli or localcli; formatters other than text are esxcli's alone.
    """
    return [write_host(state, host, folder, formatter=formatter, program=program) for state, host in hosts_of(fleet)]


def write_host(state: VCenterState, host: HostState, folder: Path, *, formatter: str = TEXT, program: str = "esxcli") -> Path:
    """Write the folder of one host, as the host is now."""
    own = folder / host.description.name
    own.mkdir(parents=True, exist_ok=True)
    form, suffix = FORMATTERS[formatter]
    for output in all_outputs(state, host):
        text = text_of(output, program) if formatter == TEXT else form(output)
        (own / f"{program}{'' if formatter == TEXT else f'_formatter-{formatter}'}_{_name(output)}{suffix}").write_text(
            text, encoding="utf-8"
        )
    for name, module in host.modules.items():
        printed = f"{name} enabled = 1 options = '{module.configured}'\n"
        (own / f"esxcfg-module_-g_{name}.txt").write_text(printed, encoding="utf-8")
    return own


def _name(output: Output) -> str:
    """The command line; what asks for everything is left out."""
    asked = [f"{name}={value}" if value else name for name, value in output.options if value != "all"]
    return re.sub("[ /]", "-", " ".join([output.command, *asked]))
