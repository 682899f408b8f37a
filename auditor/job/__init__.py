"""The compliance job: audits by the clock, a site of their pages, notices about what changed, and a server that says how it is."""
