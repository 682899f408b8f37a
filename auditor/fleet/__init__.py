"""fleet.yaml: which endpoints there are, how they are reached, and when they may be written to."""
