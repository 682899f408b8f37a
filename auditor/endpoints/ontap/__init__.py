"""NetApp ONTAP: session, collector, rows and settings."""
