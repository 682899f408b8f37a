"""What can be fixed on an E-Series array."""
