"""Whether a machine may be moved to another datastore: what stands against it, what was not read, what it costs. Asks nobody."""
