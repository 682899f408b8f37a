"""What stands in the envelope of a SOAP answer, when it is written as vCenter writes it.

The small answers of hosts come by the ten thousand, and building a tree of each costs more than all the rest; so they are cut out here and
matched against what they may say, from the first character to the last. Whatever is not surely right gives None, and a parser has it.
"""

from __future__ import annotations

import re

VIM = "urn:vim25"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"

NAME = "[A-Za-z_][A-Za-z0-9_]*+"
_NAMESPACE = re.compile(r'\s+xmlns:([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_OPENING = re.compile(
    r'<\?xml version="1\.0" encoding="(?:UTF|utf)-8" ?\?>\s*+'
    rf'<(?P<prefix>{NAME}):Envelope(?P<spaces>(?:\s+xmlns:{NAME}="[A-Za-z0-9:/.#_-]*+")*+)\s*+>\s*+<(?P=prefix):Body>\s*+'
    rf'<(?P<response>{NAME}) xmlns="{VIM}">'
)
_USUAL = {"xsi": XSI, "xsd": XSD}
_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20)])  # what XML forbids or, with the carriage return, a parser changes


def content_of(body: bytes, operation: str) -> str | None:
    """What the response to `operation` holds, between its tags; None where only a parser can find it.

    The prefixes xsi and xsd mean in it what they usually do. What is between the tags need not be well-formed.
    """
    if not _is_plain(body):
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    opening = _OPENING.match(text)
    if opening is None or opening["response"] != f"{operation}Response":
        return None
    declared = _NAMESPACE.findall(opening["spaces"])
    spaces = dict(declared)
    if len(spaces) != len(declared) or any(spaces.get(prefix) != space for prefix, space in {opening["prefix"]: SOAP, **_USUAL}.items()):
        return None
    end = text.rfind("</", 0, text.rfind("</", 0, text.rfind("</")))  # three elements are open
    prefix = opening["prefix"]
    closing = rf"</{operation}Response>\s*</{prefix}:Body>\s*</{prefix}:Envelope>\s*"
    return text[opening.end() : end] if end >= opening.end() and re.compile(closing).fullmatch(text, end) else None


def _is_plain(body: bytes) -> bool:
    """Whether it holds no character that XML forbids, and not the one sequence that text may not hold; the quick questions first."""
    if len(body.translate(None, _CONTROLS)) != len(body) or (b"]" in body and b"]]>" in body):
        return False
    return body.isascii() or (b"\xef\xbf\xbe" not in body and b"\xef\xbf\xbf" not in body)
