"""The lab's Fujitsu ETERNUS DX: what it holds (description.py) and its command line over SSH (server.py)."""
