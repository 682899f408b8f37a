"""The desired configuration of a cluster as a JSON document, and the advanced options in it.

Known of a real document: it has the sections profile, host-specific and host-override, and a host's settings are below profile.esx. How
it names advanced options there is not: here profile.esx.advanced_options has one member an option, named as everywhere else in the API.
What else a document holds is kept as it is and means nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from auditor.lab.vcenter.state.options import options_of
from auditor.lab.vcenter.vapi.errors import message
from auditor.lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.hosts import HostDescription, OptionValue

_SECTIONS = ("profile", "esx", "advanced_options")
_SPACE = "com.vmware.esx.settings.clusters.configuration"


def document_of(options: Mapping[str, OptionValue]) -> str:
    """The document that owns these options and nothing else."""
    return json.dumps({"profile": {"esx": {"advanced_options": dict(options)}}}, indent=2)


def options_in(document: str) -> dict[str, OptionValue]:
    """The advanced options of a document that has no faults; none where a section is missing."""
    found: Any = json.loads(document)
    for section in _SECTIONS:
        found = found.get(section, {})
    return dict(found)


def pointer(key: str) -> str:
    """The JSON Pointer to an option in a document."""
    return "/".join(("", *_SECTIONS, key))


def is_json(document: str) -> bool:
    """Whether some text is a JSON object."""
    try:
        return isinstance(json.loads(document), dict)
    except ValueError:
        return False


def faults_in(document: str, hosts: tuple[HostDescription, ...]) -> list[Structure]:
    """What is wrong with a document for a cluster of these hosts: a ValidationError each, none if it is valid."""
    if not is_json(document):
        return [_fault("", "The document is not a JSON object.")]
    found: Any = json.loads(document)
    for place, section in enumerate(_SECTIONS, 1):
        found = found.get(section, {})
        if not isinstance(found, dict):
            return [_fault("/".join(("", *_SECTIONS[:place])), "An object is expected here.")]
    builds = {(host.version, host.build): host for host in hosts}
    faults = {key: why for key, value in found.items() for host in builds.values() if (why := _why_not(host, key, value))}
    return [_fault(pointer(key), why) for key, why in faults.items()]


def _why_not(host: HostDescription, key: str, value: Any) -> str:
    """Why a host cannot have this value; empty if it can."""
    definition = {one.key: one for one in options_of(host.version, host.build)}.get(key)
    if definition is None and key not in host.options:
        return f"ESXi {host.version} build {host.build} has no option {key}."
    if not isinstance(value, (bool, int, str)) or (definition is not None and type(value) is not int):
        return f"{key} has another type."
    if definition is not None and not definition.minimum <= int(value) <= definition.maximum:
        return f"{key} goes from {definition.minimum} to {definition.maximum}."
    return ""


def _fault(path: str, why: str) -> Structure:
    return Structure(
        f"{_SPACE}.validation_error", {"path": path, "display_path": Optional(), "messages": [message("lab.invalid", "%s", why)]}
    )
