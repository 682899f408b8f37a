"""Esxcli through vCenter: the commands that the lab's hosts have."""
