"""The lab: a simulated fleet behind real wire protocols on loopback."""
