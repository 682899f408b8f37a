"""The lab's vCenter: VI/JSON."""
