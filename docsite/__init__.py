"""The documentation site: pages of the repository, and a reference made from the code (docs/decisions/0046-the-site.md)."""
