"""Checks the endpoints of fleet.yaml before the first audit: connection, account, and what could not be audited and why.

A walk over the endpoints, in parallel, that writes nothing: `MOST_REQUESTS` requests to a vCenter, `MOST_REQUESTS_TO_A_HOST` to a single
host, and up to `MOST_REQUESTS_TO_AN_ARRAY` to an array; before that two or three connections on which nothing but a handshake happens.
"""

from auditor.doctor.walk import MOST_REQUESTS, MOST_REQUESTS_TO_A_HOST, MOST_REQUESTS_TO_AN_ARRAY, TOPICS, examine, exit_code

__all__ = ["MOST_REQUESTS", "MOST_REQUESTS_TO_AN_ARRAY", "MOST_REQUESTS_TO_A_HOST", "TOPICS", "examine", "exit_code"]
