"""Reading one rule file, part by part."""
