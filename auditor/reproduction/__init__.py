"""Files with which a person shows a finding, and its cure, by load on a test machine. Nothing is ever started here."""
