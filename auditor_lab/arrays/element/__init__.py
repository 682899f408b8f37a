"""The lab's Element cluster: its description (description.py), its state (cluster.py) and its server (server.py)."""
