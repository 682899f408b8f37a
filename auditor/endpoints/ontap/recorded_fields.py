"""Which fields of an ONTAP cluster's answers a recording keeps as they are: see `auditor.recording.fields`."""

import re

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(
    constants=re.compile(r"!?null|true|false|raid\.type|raid\.scrub\.(?:schedule|duration)|\*"),
    device_serial=re.compile(r"[0-9A-Fa-f]{24}"),
    device_prefix="600a0980",
    properties=frozenset(("raid.type", "disk.speed", "disk.type", "raid_type", "raid.scrub.schedule", "system_model")),
)

KEPT = """
access_type alert_id application_type block_size checksum_style class code compression container_state counters.name cross_volume_dedupe
data_compaction dedupe disk_class disk_type duration expected_iops_allocation healthy interval labels lag_time model monitor op_state
os_type perceived_severity peak_iops_allocation properties.name protocol qos_policy raid_type state status storage_efficiency_mode style
subtype sync_type type
"""
