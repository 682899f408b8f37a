"""What writing rules needs and an audit does not: examples, mutation, conflicts, scaffolds, generated pages."""
