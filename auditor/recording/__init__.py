"""Recordings: what endpoints answered to a collection, masked, in a bundle that may be given to others."""
