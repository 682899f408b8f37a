"""The queueing model: what a finding costs, what a fix gives."""
