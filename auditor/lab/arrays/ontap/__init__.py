"""The lab's ONTAP cluster: what it holds (description.py) and how its REST interface answers (server.py)."""
