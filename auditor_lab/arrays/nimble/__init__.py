"""The lab's group of HPE Nimble arrays: its description (description.py), its objects (records.py) and its REST v1 server (server.py)."""
