"""Addresses in one spelling, so that what two endpoints report can be compared."""

from __future__ import annotations


def in_short_form(server: str) -> str:
    """An IPv6 address in its short form in lower case; a name, or an IPv4 address, as it is.

    Source: RFC 5952, which gives an IPv6 address one spelling.
    """
    if ":" not in server:
        return server
    from ipaddress import IPv6Address

    try:
        return str(IPv6Address(server.strip("[]")))
    except ValueError:
        return server
