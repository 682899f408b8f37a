"""What guests say of their own disks: the output of a short script that somebody ran in each.

A guest alone knows how many commands its driver sends, how long it waits for a disk and where its partitions begin; no vCenter does.
"""

from auditor.endpoints.files.guests.read import Guest, GuestDisk, Partition, guests_in
from auditor.endpoints.files.guests.rows import guest_facts

__all__ = ["Guest", "GuestDisk", "Partition", "guest_facts", "guests_in"]
