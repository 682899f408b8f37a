"""The report, and other pages, as HTML that needs no network."""
