"""The lab's vCenter: the vSphere Automation API."""
