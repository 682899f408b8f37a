"""Reads what esxcfg-scsidevs, esxcfg-mpath, vmware and uname print, into the fields that esxcli has for the same.

The lines tell which program it was: each program prints lines that no other one prints.

Source: docs/domain/evidence-files.md#2-11.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.columns import is_dashes
from auditor.endpoints.files.outputs.known import Known, known_of
from auditor.endpoints.files.outputs.output import Found, shown
from auditor.endpoints.files.outputs.structures import structures_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell

ADAPTERS, DEVICES, DEVICE_LINES, EXTENTS = "esxcfg-scsidevs -a", "esxcfg-scsidevs -l", "esxcfg-scsidevs -c", "esxcfg-scsidevs -m"
PATHS, PATH_LINES = "esxcfg-mpath -l", "esxcfg-mpath -b"
RELEASE, KERNEL = "vmware -vl", "uname -a"

_LOOKED_AT = 50
_LINES_OF_A_RELEASE = 2
_LONGEST = 1024
"""The longest line that is looked at; patterns may take the square of its length."""
_BLOCK = re.compile(r"(?P<name>\S+) : .*")
_FC_PORT = re.compile(r"WWNN: ?((?:[0-9a-f]{2}:){7}[0-9a-f]{2})\s+WWPN: ?((?:[0-9a-f]{2}:){7}[0-9a-f]{2})", re.IGNORECASE)
_IQN = re.compile(r"IQN=(\S+)")
_TOGETHER = (
    ("Vendor", "Model", "Revis"),
    ("SCSI Level", "Is Pseudo", "Status"),
    ("Is RDM Capable", "Is Removable"),
    ("Is Local", "Is SSD"),
    ("Adapter", "Channel", "Target", "LUN"),
)
"""Fields that stand in one line; a host may leave out the last ones, as older ones do `Is SSD`.

Source: docs/domain/evidence-files.md#2-11; `Is SSD`: https://github.com/canonical/packer-maas/issues/33.
"""
_TITLES = {"Revis": "Revision"}
_OTHER_NAME = re.compile(r"vml\.\S+")


@dataclass(frozen=True, slots=True)
class Form:
    """What a program prints.

    Attributes:
        known: the program with its option, and the fields.
        sign: a line that only this program prints.
        read: makes records of the lines.
    """

    known: Known
    sign: re.Pattern[str]
    read: Callable[[Sequence[str], Form], Found]


def form_of(lines: Sequence[str]) -> Form | None:
    """The form whose sign is among the first lines; None where none is, or a line of dashes, which esxcli alone prints."""
    filled = [line for line in lines[:_LOOKED_AT] if line.strip()]
    if any(map(is_dashes, filled)):
        return None
    forms = (form for form in _FORMS if form.read is not _only or len(filled) <= _LINES_OF_A_RELEASE)
    return next((form for form in forms if any(_fits(form, line) for line in filled)), None)


def _fits(form: Form, line: str) -> re.Match[str] | None:
    return form.sign.fullmatch(line) if len(line) <= _LONGEST else None


def _list(lines: Sequence[str], form: Form) -> Found:
    """Records with a heading, as esxcli prints them, but for lines with several fields and names below their title."""
    return structures_in([own for line in lines for own in _single(line)], form.known)


def _single(line: str) -> list[str]:
    """The fields of a line, each as esxcli prints it; the other names of a device say nothing that its own does not."""
    body = line.strip()
    if body == "Other Names:" or _OTHER_NAME.fullmatch(body):
        return []
    indent = line[: len(line) - len(line.lstrip())]
    titles = next((titles for titles in _TOGETHER if body.startswith(f"{titles[0]}: ")), None)
    if titles is None:
        return [line.rstrip().removesuffix(" MB") if body.startswith("Size: ") else line]
    fields = []
    for own, following in pairwise((*titles, "")):
        field, found, rest = body.partition(f" {following}: ") if following else (body, "", "")
        fields.append(f"{indent}{_TITLES.get(own, own)}{field.removeprefix(own)}")
        if not found:
            break
        body = f"{following}: {rest}"
    return fields


def _rows(lines: Sequence[str], form: Form) -> Found:
    """A record a line: the groups of its pattern are the fields, in the order of the titles; a line that does not fit is a doubt."""
    found = Found(names=list(form.known.titles.values()))
    for line in lines:
        row = _fits(form, line)
        if row is not None:
            found.records.append(dict(zip(found.names, row.groups(default=""), strict=True)))
        elif line.strip() and not line.startswith("Device UID "):
            found.doubt(f"A line was not understood: {shown(line)}.")
    return found


def _path_lines(lines: Sequence[str], form: Form) -> Found:
    """A record a path, below the line of its device."""
    found = Found(names=list(form.known.titles.values()))
    device = ""
    for line in lines:
        if path := _fits(form, line):
            if device:
                found.records.append(_path(device, path))
            else:
                found.doubt(f"A path has no device above it: {shown(line)}.")
        elif block := _BLOCK.fullmatch(line.strip()[:_LONGEST]):
            device = block["name"]
        elif line.strip():
            device = ""
            found.doubt(f"A line was not understood: {shown(line)}.")
    return found


def _path(device: str, path: re.Match[str]) -> dict[str, Cell]:
    runtime, lun, state, transport, target = path.groups()
    return {
        "Runtime Name": runtime,
        "Device": device,
        "Adapter": runtime.partition(":")[0],
        "LUN": lun,
        "State": state,
        "Transport": transport,
        "Target Identifier": _target(target or ""),
    }


def _target(text: str) -> str | None:
    """The target as `storage core path list` has it; None for a target without a name."""
    if port := _FC_PORT.search(text):
        node, name = (group.replace(":", "").lower() for group in port.groups())
        return f"fc.{node}:{name}"
    iqn = _IQN.search(text)
    return None if iqn is None else iqn[1]


def _only(lines: Sequence[str], form: Form) -> Found:
    """One record of the line that fits; its last field is what stands behind that, which says nothing of the others."""
    found = Found()
    filled = [line for line in lines if line.strip()]
    at, row = next((at, row) for at, line in enumerate(filled) if (row := _fits(form, line)))
    *values, rest = row.groups()
    found.records.append(dict(zip(form.known.titles.values(), [*values, "\n".join([rest, *filled[at + 1 :]]).strip()], strict=True)))
    return found


_PATH = r"vmhba[0-9]{1,9}:C[0-9]{1,9}:T[0-9]{1,9}:L[0-9]{1,9}"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}"
_FORMS: tuple[Form, ...] = (
    Form(
        known_of(
            DEVICES,
            "Device, Device Type, Size, Display Name, Multipath Plugin, Console Device, Devfs Path, Vendor, Model, Revision, SCSI Level, "
            "Is Pseudo, Status, Is RDM Capable, Is Removable, Is Local, Is SSD, VAAI Status",
            ends="Device Type, Size, Devfs Path, Status, Is Local",
            heading="Device",
        ),
        re.compile(r"\s*Vendor: .*\sModel: .*\sRevis: .*"),
        _list,
    ),
    Form(
        known_of(
            PATHS,
            "UID, Runtime Name, Device, Device Display Name, Adapter, Channel, Target, LUN, Adapter Identifier, Target Identifier, Plugin, "
            "State, Transport, Adapter Transport Details, Target Transport Details",
            ends="Runtime Name, Device, State, Target Transport Details",
            heading="UID",
        ),
        re.compile(r"\s*Adapter: \S+ Channel: [0-9]+ Target: [0-9]+ LUN: [0-9]+\s*"),
        _list,
    ),
    Form(
        known_of(PATH_LINES, "Runtime Name, Device, Adapter, LUN, State, Transport, Target Identifier"),
        re.compile(rf"\s*({_PATH}) LUN:([0-9]{{1,9}}) state:(\w+)(?: (\w+) Adapter: .*?Target: ?(.*)| .*)?"),
        _path_lines,
    ),
    Form(
        known_of(DEVICE_LINES, "Device, Device Type, Devfs Path, Size, Multipath Plugin, Display Name"),
        re.compile(r"\s*([^\s.]++\.\S++)\s+([^\s/]\S*+(?: [^\s/]\S*+)*+)\s+(/\S++)\s+([0-9]{1,15})MB\s+(\S++)\s+(\S.*)"),
        _rows,
    ),
    Form(
        known_of(EXTENTS, "Device Name, Partition, Console Device, VMFS UUID, Extent Number, Volume Name"),
        re.compile(rf"\s*(\S+):([0-9]{{1,9}})\s+(/\S+)\s+({_UUID})\s+([0-9]{{1,9}})\s+(\S.*)"),
        _rows,
    ),
    Form(
        known_of(ADAPTERS, "HBA Name, Driver, Link State, UID, Description"),
        re.compile(
            r"\s*(vmhba[0-9]{1,9})\s+(\S+)\s+([a-z-]+(?:/a)?)\s+([a-z]+\.\S+)(?:\s+(\S++(?: \S++)*+))?\s*"
        ),  # two blanks: a column more
        _rows,
    ),
    Form(
        known_of(RELEASE, "Version, Build, Name"),
        re.compile(r"VMware ESXi ([0-9]+\.[0-9]+\.[0-9]+)(?: build-([0-9]{1,18}))?((?: Update [0-9a-z]+)?)\s*"),
        _only,
    ),
    Form(
        known_of(KERNEL, "Host Name, Version, Build, Kernel"),
        re.compile(r"VMkernel (\S+) ([0-9]+\.[0-9]+\.[0-9]+) #[0-9]+ SMP Release build-([0-9]{1,18}) (.*)"),
        _only,
    ),
)
