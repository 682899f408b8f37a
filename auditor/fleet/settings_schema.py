"""The JSON Schema of settings.yaml, for editors: made from the shapes that the file is read by, with a text for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from auditor.fleet.schema import shape_schema
from auditor.fleet.settings_shape import SettingsShape

FILE_NAME = "settings.schema.json"
"""Its name beside settings.yaml."""
_GLOB = "a glob over names; without it: any"

TEXTS: Mapping[str, Mapping[str, str]] = {
    "SettingsShape": {
        "hosts": "what hosts are to have; of entries that fit one host, the narrowest counts",
        "volumes": "what volumes of arrays are to have",
    },
    "HostsShape": {
        "endpoint": f"of the vCenter: {_GLOB}",
        "cluster": _GLOB,
        "host": _GLOB,
        "options": "advanced options of ESXi: NAME: VALUE",
        "modules": "parameters of kernel modules: MODULE: {PARAMETER: NUMBER}",
        "claim_rules": "rules that give new devices their path policy",
    },
    "ClaimRuleShape": {
        "satp": "the storage array type plug-in, such as VMW_SATP_ALUA",
        "vendor": "inquiry vendor",
        "model": "inquiry product; without it: any",
        "options": "options of the SATP",
        "claim_options": "such as tpgs_on",
        "policy": "absent, or the path policy and its options, such as VMW_PSP_RR iops=1",
        "description": "what is written beside the rule",
    },
    "VolumesShape": {
        "volume": "a name, or a glob over names",
        "endpoint": f"of the array: {_GLOB}",
        "max_iops": "the volume's own ceiling, in I/O operations a second",
    },
}
"""Shape -> key -> what an editor shows for it."""


def settings_schema() -> dict[str, Any]:
    """The schema (draft 2020-12). It knows keys, words and ranges; `load_settings` checks more than that."""
    made = msgspec.json.schema(SettingsShape)
    shapes = {name: shape_schema(shape, TEXTS[name], {}) for name, shape in made["$defs"].items()}
    settings = shapes.pop("SettingsShape")
    settings["description"] = "What hosts and volumes are to be set to."
    shapes["HostsShape"]["anyOf"] = [{"required": [key]} for key in ("options", "modules", "claim_rules")]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:auditor:settings:1", "title": "settings.yaml of auditor"}
    return {**head, **{key: value for key, value in settings.items() if key != "title"}, "$defs": shapes}
