"""The simulated arrays: one folder for each kind, each with its description, its state and its server."""
