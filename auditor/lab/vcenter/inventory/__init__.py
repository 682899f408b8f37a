"""The lab's vCenter: managed objects and their properties."""
