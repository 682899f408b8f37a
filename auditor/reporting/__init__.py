"""Renders reports; decides nothing."""
