"""The lab's vCenter: events and the log."""
