"""The lab's vCenter: the storage policy service."""
