"""Which fields of a PowerStore's answers a recording keeps as they are: see `auditor.recording.fields`."""

import re

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(constants=re.compile(r"(?:not\.)?eq\.(?:Snapshot|Node|ACTIVE|QoS)"))

KEPT = """
build_version code entity event_code filesystem_type interval io_priority lifecycle_state model os_type port_type release_version
resource_type role severity stale_state state type usage_type
"""
