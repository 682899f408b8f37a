"""YAML that people write: reading it within limits, with the line of each mistake."""
