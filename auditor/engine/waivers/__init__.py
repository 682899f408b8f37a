"""waivers.yaml: failures and gaps that somebody accepts until an end."""
