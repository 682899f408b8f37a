"""The lab's ONTAP cluster: its description (description.py), its state (cluster.py) and its REST server (server.py)."""
