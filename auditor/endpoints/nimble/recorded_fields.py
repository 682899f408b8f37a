"""Which fields of NimbleOS's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
access_protocol agent_type apply_to brand cache_policy code ctrlr_side extended_model fan_status group_state host_type iscsi_target_scope
model object_type offline_reason oem power_status protection_type replication_role role severity space_usage_level state status
temperature_status version version_current vol_agent_type vol_state
"""
