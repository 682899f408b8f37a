"""The desired configuration of a cluster as a JSON document, and the advanced options in it.

Known of a real document: it has the sections profile, host-specific and host-override, and a host's settings are below profile.esx. Its
form of advanced options is not known: here profile.esx.advanced_options has one member for each option, with the API's name. Everything
else in a document is stored without effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.state.options import options_of
from auditor_lab.vcenter.vapi.errors import message
from auditor_lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.hosts import HostDescription, OptionValue

_SECTIONS = ("profile", "esx", "advanced_options")
_SPACE = "com.vmware.esx.settings.clusters.configuration"


def document_of(options: Mapping[str, OptionValue]) -> str:
    """The document that owns these options and nothing else."""
    return json.dumps({"profile": {"esx": {"advanced_options": dict(options)}}}, indent=2)


def options_in(document: str) -> dict[str, OptionValue]:
    """The advanced options of a valid document; none where a section is missing."""
    section_value: Any = json.loads(document)
    for section in _SECTIONS:
        section_value = section_value.get(section, {})
    return dict(section_value)


def pointer(key: str) -> str:
    """The JSON Pointer to an option in a document."""
    return "/".join(("", *_SECTIONS, key))


def is_json(document: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(json.loads(document), dict)
    except ValueError:
        return False


def faults_in(document: str, hosts: tuple[HostDescription, ...]) -> list[Structure]:
    """The mistakes in a document for a cluster of these hosts: a ValidationError each; empty if it is valid."""
    if not is_json(document):
        return [_fault("", "The document is not a JSON object.")]
    section_value: Any = json.loads(document)
    for place, section in enumerate(_SECTIONS, 1):
        section_value = section_value.get(section, {})
        if not isinstance(section_value, dict):
            return [_fault("/".join(("", *_SECTIONS[:place])), "An object is expected here.")]
    builds = {(host.version, host.build): host for host in hosts}
    faults = {key: why for key, value in section_value.items() for host in builds.values() if (why := _why_not(host, key, value))}
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
