"""The lab's FlashArray: its description (description.py), its state (array.py) and its REST 2.x server (server.py)."""
