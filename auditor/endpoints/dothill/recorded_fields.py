"""Which fields of a Dot Hill array's answers a recording keeps as they are: see `auditor.recording.fields`."""

from __future__ import annotations

from typing import Any

from auditor.endpoints.common.kept_forms import KeptForms
from auditor.endpoints.dothill.xml_form import xml_value

KEPT = """
access acknowledged allowed-storage-tiers architecture bundle-version controller-id disk-description health host-bus-type
mc-fw media model object-name owner preferred-owner product-brand product-id profile raidtype redundancy-mode redundancy-status resolved
response-type roles sc-fw scsi-product-id scsi-vendor-id severity status storage-tier storage-type tier tier-affinity vendor-name
volume-type
"""


def _json_form(xml: bytes) -> Any:
    """An answer in XML as the JSON of the same content: masking looks at the names of fields, and XML has them in attributes."""
    return _with_numbers(xml_value(xml))


def _with_numbers(value: Any) -> Any:
    """Numbers where JSON would have them, as digits in a text may be somebody's name: in fields that end in -numeric."""
    if isinstance(value, list):
        return [_with_numbers(one) for one in value]
    if not isinstance(value, dict):
        return value
    counted = {name: int(one) for name, one in value.items() if name.endswith("-numeric") and isinstance(one, str) and one.isdecimal()}
    return {name: _with_numbers(one) for name, one in value.items()} | counted


FORMS = KeptForms(from_xml=_json_form)
