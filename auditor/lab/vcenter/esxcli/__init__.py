"""The lab's vCenter: esxcli through vCenter."""
