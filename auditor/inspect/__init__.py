"""Looks at what was read and found: explaining a finding, queries, watching, planning anew."""
