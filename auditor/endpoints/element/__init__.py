"""NetApp SolidFire / Element: session, collector, rows and settings."""
