"""The lab's Element cluster: what it holds (description.py) and how it answers."""
