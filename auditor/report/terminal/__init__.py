"""Reports and lists for a person at a terminal."""
