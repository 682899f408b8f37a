"""Which fields of an ONTAP cluster's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
access_type alert_id application_type block_size checksum_style class code compression counters.name cross_volume_dedupe
data_compaction dedupe disk_class disk_type duration expected_iops_allocation healthy interval labels lag_time model monitor op_state
os_type perceived_severity peak_iops_allocation properties.name protocol qos_policy raid_type state status storage_efficiency_mode style
sync_type type
"""
