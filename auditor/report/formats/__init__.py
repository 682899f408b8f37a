"""Report formats of other tools: CSV, SARIF, JUnit, Markdown and OpenMetrics (docs/formats.md)."""
