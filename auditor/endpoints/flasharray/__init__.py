"""Pure FlashArray: session, collector, rows and settings."""
