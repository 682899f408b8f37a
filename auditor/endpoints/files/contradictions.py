"""Outputs of one host that contradict each other: two files of one command, or a list that lacks what another output names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.files.options import OPTIONS
from auditor.endpoints.files.storage import OFFLOAD, POLICIES, SCHEMES, working_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.files.outputs import Output
    from auditor.endpoints.vcenter.collect.esxcli import Records


def lacking_devices(host: HostFiles, devices: Records) -> Iterator[str]:
    """Why the list of devices is not whole: for each other output, the devices that only that one names."""
    listed = {record.device() for record in devices}
    for command in (POLICIES, SCHEMES, OFFLOAD):
        if missing := sorted({name for record in host.records(command) or () if (name := record.device())} - listed):
            yield _lacks(missing, command)


def lacking_paths(host: HostFiles, paths: Records) -> Iterator[str]:
    """Why the list of paths is not whole: it lacks a working path of a device."""
    known = {record.filled("runtimename", needed=False) for record in paths}
    working = {name for record in host.records(POLICIES) or () for name in working_paths(record)}
    if None not in known and (missing := sorted(working - known)):
        yield _lacks(missing, POLICIES)


def _lacks(missing: list[str], command: str) -> str:
    shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return f"it lacks {shown}, which esxcli {command} names: one of the two was cut, or is older; take both anew"


def contradicted_commands(host: HostFiles) -> list[str]:
    """The commands that have two outputs in one form which differ: only the newest counts.

    Of options all outputs count, so there only two values of one option are a contradiction.
    """
    found: list[str] = []
    for command, outputs in host.outputs.items():
        forms: dict[object, object] = {}
        for one in outputs:
            for form, content in _by_form(host, command, one):
                if forms.setdefault(form, content) != content:
                    found.append(command)
    return list(dict.fromkeys(found))


def _by_form(host: HostFiles, command: str, output: Output) -> Iterator[tuple[object, object]]:
    """What an output says, by its subject: two outputs contradict each other where they say different things of one subject."""
    if command == OPTIONS:
        for record in host.read(output):
            yield record.text("path", needed=False), [record.text(value, needed=False) for value in ("intvalue", "stringvalue")]
    else:
        yield (tuple(sorted(output.arguments.items())), output.table.names), output.table.records
