"""SOAP: envelopes, data objects, sessions and privileges."""
