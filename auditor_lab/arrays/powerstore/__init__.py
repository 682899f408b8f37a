"""The lab's PowerStore: its description (description.py), its records (records.py) and its REST server (server.py)."""
