"""A bundle of vm-support: the outputs of localcli and what lies beside them, as one archive for a host.

Its members are those of a listing of a 6.7 bundle, as far as the lab has facts for them: what that listing lacks (VMkernel adapters,
parameters of modules, single iSCSI adapters) is missing here too. From 7.0 on there is `json/`. Not verified: that `esx.conf` has module
options in every release, and from which release on it has no advanced options (here 7.0).
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor_lab.evidence.formatters import bundle_json_of
from auditor_lab.evidence.forms import Output, release_of
from auditor_lab.evidence.outputs import all_outputs, hosts_of
from auditor_lab.evidence.system import KERNEL_COMMAND, OPTION_COMMAND, option_path, system_uuid
from auditor_lab.evidence.text import LOCALCLI, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from auditor_lab.description import LabFleet
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

_COMMANDS = {
    "iscsi software get": (),
    "iscsi logicalnetworkportal list": (),
    "storage core adapter list": (),
    "storage core claimrule list": (("--claimrule-class", "all"),),
    "storage core device list": (),
    "storage core device vaai status get": (),
    "storage core path list": (),
    "storage filesystem list": (("-i", ""),),
    "storage nfs list": (),
    "storage nfs41 list": (),
    "storage nmp device list": (),
    "storage nmp satp rule list": (),
    "storage san fc list": (),
    "storage san iscsi list": (),
    "storage vmfs extent list": (),
    "storage vmfs lockmode list": (("-i", ""),),
    "storage vvol protocolendpoint list": (),
    "storage vvol storagecontainer list": (),
    OPTION_COMMAND: (("-d", ""),),
    KERNEL_COMMAND: (("-d", ""),),
}
"""The commands of a bundle, and the options that it gives them."""
_FRAGMENTED = "storage core path list"
_FRAGMENTS = 3
_JSON_SINCE = (7, 0)
_TAKEN = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
_RECONSTRUCT = """#!/bin/sh
# Joins the fragments of large files in the order of their numbers.
find . -name '*.FRAG-00000' | while read -r first; do
   whole="${first%.FRAG-00000}"
   cat "$whole".FRAG-* > "$whole" && rm "$whole".FRAG-*
done
"""


def write_bundles(fleet: LabFleet, folder: Path, *, taken: datetime = _TAKEN) -> list[Path]:
    """Write the bundle of every host of a fleet; return the archives."""
    return [write_bundle(state, host, folder, taken=taken) for state, host in hosts_of(fleet)]


def write_bundle(state: VCenterState, host: HostState, folder: Path, *, taken: datetime = _TAKEN, number: int = 2101234) -> Path:
    """Write the bundle of one host, as the host is now: esx-HOST-YYYY-MM-DD--HH.MM-NUMBER.tgz; return its path."""
    root = f"esx-{host.description.name}-{taken:%Y-%m-%d--%H.%M}-{number}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{root}.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in _members(state, host, taken):
            data = text.encode()
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size, member.mtime, member.mode = len(data), int(taken.timestamp()), 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(data))
    return path


def _members(state: VCenterState, host: HostState, taken: datetime) -> Iterator[tuple[str, str]]:
    about = host.description
    yield "README", f"Captured on: {taken:%a %b %d %H:%M:%S UTC %Y}\nHostname: {about.name}\nOptions used: \n"
    yield "error.log", ""
    yield "action.log", ""
    yield "reconstruct.sh", _RECONSTRUCT
    yield "etc/vmware/esx.conf", esx_conf(host)
    yield "commands/vmware_-vl.txt", _product(about.version, about.build)
    when = f"{taken:%b %d %Y %H:%M:%S}"
    yield (
        "commands/uname_-a.txt",
        f"VMkernel {about.name} {about.version} #1 SMP Release build-{about.build} {when} x86_64 x86_64 x86_64 ESXi\n",
    )
    for output in bundle_outputs(state, host):
        name, text = bundle_name(output), text_of(output, LOCALCLI)
        if output.command == _FRAGMENTED and text:
            size = -(-len(text) // _FRAGMENTS)
            for place, part in enumerate(_cut(text, size)):
                yield f"commands/{name}.txt.FRAG-{place:05}", part
        else:
            yield f"commands/{name}.txt", text
        if release_of(about.version) >= _JSON_SINCE:
            yield f"json/{name}.json", bundle_json_of(output)


def bundle_outputs(state: VCenterState, host: HostState) -> list[Output]:
    """The outputs that a bundle has: of options only those that differ from the default, and protocol endpoints once more by themselves."""
    built = []
    for output in all_outputs(state, host):
        if output.command not in _COMMANDS or (output.options and output.command == OPTION_COMMAND):
            continue
        records = [one for one in output.records if not _is_default(one)]
        built.append(replace(output, options=_COMMANDS[output.command], records=records))
        if output.command == "storage core device list":
            endpoints = [one for one in output.records if one["Is VVOL PE"] is True]
            built.append(replace(output, options=(("--pe-only", ""),), records=endpoints))
    return built


def bundle_name(output: Output) -> str:
    """The name of the file without its ending: localcli_storage-core-device-list---pe-only."""
    return f"localcli_{output.line}".replace(" ", "-").replace("=", "").replace("/", "")


def esx_conf(host: HostState) -> str:
    """etc/vmware/esx.conf: what somebody changed; advanced options only before 7.0, which keeps them in its config store."""
    lines = [f'/system/uuid = "{system_uuid(host)}"']
    if release_of(host.description.version) < _JSON_SINCE:
        changed = {key: one for key, one in host.definitions.items() if host.options[key] != one.default}
        lines += [f'/adv{option_path(key)} = "{host.options[key]}"' for key in changed]
    lines += [f'/vmkernel/module/{name}/options = "{one.configured}"' for name, one in host.modules.items() if one.configured]
    return "".join(f"{line}\n" for line in sorted(lines))


def _is_default(record: object) -> bool:
    """Whether a record is of an option that is as installed; of other records never."""
    if not isinstance(record, dict):
        return False
    if "Default Int Value" in record:
        same = record["Int Value"] == record["Default Int Value"]
        return bool(same and record["String Value"] == record["Default String Value"])
    return "Configured" in record and "Runtime" in record and record["Configured"] == record["Default"]


def _product(version: str, build: int) -> str:
    """The two lines of `vmware -vl`."""
    name, _, update = version.rpartition(".")
    return f"VMware ESXi {version} build-{build}\nVMware ESXi {name} {'GA' if update == '0' else f'Update {update}'}\n"


def _cut(text: str, size: int) -> list[str]:
    """The text cut into parts of `size` characters, wherever that is."""
    return [text[at : at + size] for at in range(0, len(text), size)]
