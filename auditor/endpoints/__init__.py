"""Everything that talks to an endpoint: a folder for each kind, and what they share."""
