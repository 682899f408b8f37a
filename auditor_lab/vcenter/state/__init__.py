"""The state of the simulated fleet: descriptions, and everything written since the start."""
