"""vCenter: session, bulk reads, esxcli, collectors and settings."""
