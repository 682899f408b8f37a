"""The lab's vCenter: performance counters."""
