"""Dell SC (Storage Manager): session, collector, rows and settings."""
