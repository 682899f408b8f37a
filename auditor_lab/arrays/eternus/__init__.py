"""The lab's Fujitsu ETERNUS DX: its description (description.py), its state (array.py) and its command line over SSH (server.py)."""
