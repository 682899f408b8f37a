"""What other programs than esxcli print of the same: a host's name and release, and lists that have fewer fields than esxcli's own.

Such a list is used where esxcli's is not among the files. It never makes a topic whole: the gap names the command of esxcli all the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs import other_programs
from auditor.endpoints.files.storage import ADAPTERS, DEVICES, EXTENTS, PATHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Records

_FORMS = {
    ADAPTERS: (other_programs.ADAPTERS,),
    DEVICES: (other_programs.DEVICES, other_programs.DEVICE_LINES),
    PATHS: (other_programs.PATHS, other_programs.PATH_LINES),
    EXTENTS: (other_programs.EXTENTS,),
}
VERSION, NAME = "system version get", "system hostname get"
READ = frozenset({VERSION, NAME, other_programs.RELEASE, other_programs.KERNEL, *(name for names in _FORMS.values() for name in names)})
"""The commands whose output is read here."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")
"""What a host may be called; a file that says anything else is not believed."""
_UNNAMED = "localhost"
"""What a host is called that nobody gave a name."""


def other_form(host: HostFiles, command: str) -> Records | None:
    """The records of what prints the same as a command of esxcli, in its fields; None where there is no such output."""
    output = next((output for name in _FORMS.get(command, ()) if (output := host.of(name)) is not None), None)
    return None if output is None else host.read(output)


def called(command: str) -> str:
    """A command as a person would type it."""
    return command if command.startswith(("esxcfg-", "vmware ", "uname ")) else f"esxcli {command}"


def release_of(host: HostFiles) -> tuple[str | None, int | None]:
    """The release ("8.0.2") and the build, by esxcli, `vmware` or `uname`; None where none of them says it."""
    for command in (VERSION, other_programs.RELEASE, other_programs.KERNEL):
        for record in host.records(command) or ():
            build = re.search(r"([0-9]{1,18})$", record.text("build", needed=False) or "")
            if version := record.filled("version", needed=False):
                return version, int(build[1]) if build else None
    return None, None


def own_names(host: HostFiles) -> tuple[str, ...]:
    """The names that outputs of the host say, the fully qualified ones where there are; each once, the newest first.

    What `uname` prints may be the short form of another of them, and is the same host then.
    """
    names = dict.fromkeys(_printed(host, NAME, "fullyqualifieddomainname", "hostname"))
    short = {name.partition(".")[0] for name in names}
    printed = dict.fromkeys(_printed(host, other_programs.KERNEL, "hostname"))
    return (*names, *(name for name in printed if name.partition(".")[0] not in short | {_UNNAMED}))


def _printed(host: HostFiles, command: str, *fields: str) -> Iterator[str]:
    for output in host.outputs.get(command, ()):
        for record in host.read(output):
            texts = (record.filled(field, needed=False) for field in fields)
            if name := next((text for text in texts if text and _NAME.fullmatch(text)), None):
                yield name
