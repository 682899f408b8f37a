"""Limits on memory, disk and sizes that several modules share."""

from __future__ import annotations

QUERY_MIB, QUERY_MIB_A_THREAD = 1024, 64
"""MiB of memory that the process of `auditor query` may have, and that many more for each core: each has a thread of DuckDB.

DuckDB's own limit (auditor/sql/statements.py) does not count what an expression allocates, nor what Python makes of a row. Statements that
spill, over 20 to 30 million rows, had 520 to 650 MiB on two cores.
"""
QUERY_LATE_SECONDS = 1.0
"""How long a query may go on after its --timeout, to end by itself, before its process is ended.

DuckDB looks for an interruption between batches of rows: one long expression is computed to its end.
"""

TEXT_BYTES = 16 << 20
"""The largest file of text that is no state: a rule, a certificate, a trust store. YAML has its own: auditor/yaml/reading.py."""
SECRET_BYTES = 64 << 10
"""The largest file of a token or a key."""
STATE_BYTES = 256 << 20
"""The largest file of JSON that an auditor wrote: a run's, a plan, the manifest of a snapshot."""
JOURNAL_BYTES = 512 << 20
LINE_BYTES = 64 << 20
"""The longest line of a report that is read line by line: one finding, or all of the report but its findings."""
JSON_CONTAINERS, JSON_VALUES = 2_000_000, 8_000_000
"""How many objects and lists, and how many values, a file of JSON may hold: each takes up to some 230 and 60 bytes once it is decoded."""
MOST_GAPS = 1_000_000
"""How many things a saved snapshot may list that could not be read: 40 of each of 2,000 hosts are 80,000."""

EVIDENCE_MEMBER_BYTES = 64 << 20
"""The largest member of an archive, or file of evidence, that is read: what is asked for has some 20 MiB at most."""
EVIDENCE_ESXTOP_BYTES = 512 << 20
"""The largest file of esxtop: an hour of all counters of a large host has some 300 MiB. It is read line by line."""
EVIDENCE_HELD_BYTES = 512 << 20
"""What one file of evidence may give out in all, with the parts of files that are held to join them."""
EVIDENCE_NESTED_ZIP_BYTES = 256 << 20
"""The largest zip archive within another archive: it is held in memory, as its directory is at its end."""
EVIDENCE_MEMBERS = 1_000_000
"""How many files and members are looked at in all; a bundle has some 5,000."""
EVIDENCE_DEPTH = 3
"""How many archives may lie within each other: an archive of a vCenter, a host's bundle, and one within that."""
EVIDENCE_RATIO, EVIDENCE_UNPACKED_LEAST, EVIDENCE_UNPACKED_BYTES = 100, 2 << 30, 64 << 30
"""What one file may unpack to in all, over all archives within: this many times its size; the least and most.

Logs shrink to a tenth or twentieth; a file that was made to fill memory shrinks to a thousandth.
"""
EVIDENCE_HEADER_BYTES = 64 << 10
"""The longest name, or list of attributes, of a member of a tar archive."""
EVIDENCE_DIRECTORY_BYTES = 16 << 20
"""The longest directory of a zip archive: some 160,000 members, which take 100 MiB of memory."""
WORKBOOK_BYTES = 1 << 30
"""What a workbook may unpack to: a sheet of 250,000 rows and 35 columns has some 400 MiB. What is kept is held to EVIDENCE_HELD_BYTES."""
