"""Which fields of a PowerStore's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
build_version code entity event_code filesystem_type interval io_priority lifecycle_state model os_type port_type release_version
resource_type role severity state type usage_type
"""
