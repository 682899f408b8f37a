"""The documentation site: pages of the repository, and a reference made from the code (docs/design/the-site.md)."""
