"""waivers.yaml: deviations and gaps that somebody answers for, until an instant."""
