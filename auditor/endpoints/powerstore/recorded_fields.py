"""Which fields of a PowerStore's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
build_version code entity event_code interval io_priority lifecycle_state model os_type port_type release_version resource_type
severity state type usage_type
"""
