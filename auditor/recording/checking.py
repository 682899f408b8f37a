"""Looks through a bundle for what must not be in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.recording.bundle import read_bundle, read_files
from auditor.recording.masking import SECRET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_SECRETS = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("a cookie", re.compile(r"(?i)\b(?:set-cookie|vmware_soap_session|jsessionid)\b\W{0,6}[=:]")),
    ("credentials of a request", re.compile(r"(?i)\bauthorization\b\W{1,6}\w|\b(?:basic|bearer) [A-Za-z0-9+/._-]{12,}")),
    ("a session's id", re.compile(r"(?i)(?:vmware-api-session-id|x-auth-token)\W{1,6}\w|session\[[0-9a-f-]{8,}\]")),
    ("a password in XML", re.compile(rf"(?i)<(\w*(?:password|passphrase|secret)\w*)(?: [^>]*)?>(?!</|{re.escape(SECRET)}</)[^<]")),
    (
        "a secret in JSON",
        re.compile(
            rf'(?i)\\?"\w*(?:password|passphrase|secret(?!length)|api_?token|session_?token|privatekey)\w*\\?":\s*\\?"(?!\\?"|{re.escape(SECRET)}\\?")'
        ),
    ),
)
_WORDS_OWN = r"[^\W_]"
_WORD = re.compile(rf"{_WORDS_OWN}+")
_PIECE = 1 << 20
_SHORTEST = 4
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a bundle.

    Attributes:
        problems: what must not be in it, in sentences; originals are named in them, so they are for the sender's eyes.
        notes: what the sender may want to look at.
        endpoints, exchanges: how many it holds.
        compared: how many originals were looked for; 0 where none are kept about this bundle.
    """

    problems: tuple[str, ...]
    notes: tuple[str, ...]
    endpoints: int
    exchanges: int
    compared: int


def check(path: Path, originals: Mapping[str, Any]) -> Checked:
    """Digests, form, nothing that looks like a secret, and none of `originals`.

    Raises:
        BundleError: it cannot be read, or is not as its manifest says.
    """
    bundle = read_bundle(path)
    texts = {name: content.decode("utf-8", "replace") for name, content in read_files(path).items()}
    problems = [f"{name} holds what looks like {what}" for name, text in texts.items() for what, form in _SECRETS if form.search(text)]
    wanted = wanted_originals(originals)
    found = sorted({one for text in texts.values() for one in occurring(wanted, text)})
    problems += [f"the original {one!r} is in it" for one in found[:_MOST_NAMED]]
    if len(found) > _MOST_NAMED:
        problems.append(f"and {len(found) - _MOST_NAMED} more originals")
    doubtful = originals.get("doubtful") or ()
    notes = [f"{len(doubtful)} names are also words of products and stayed where they are that: see the report"] if doubtful else []
    exchanges = sum(len(endpoint.exchanges) for endpoint in bundle.endpoints)
    return Checked(tuple(problems), tuple(notes), len(bundle.endpoints), exchanges, len(wanted))


def wanted_originals(originals: Mapping[str, Any]) -> set[str]:
    """The originals that must be nowhere: whole names and identifiers, but for what is too short, and for words of products."""
    replacements = set((originals.get("names") or {}).values())
    # A version, as 1.0.0, identifies nobody, and may be the beginning of a masked one; an address is among `replaced`.
    wanted = {name for name in originals.get("names") or {} if len(name) >= _SHORTEST and not name.replace(".", "").isdigit()}
    for kind, by_original in (originals.get("replaced") or {}).items():
        if kind != "word":
            wanted |= {one for one in by_original if len(one) >= _SHORTEST + 2}
            replacements |= set(by_original.values())
    return wanted - set(originals.get("doubtful") or ()) - replacements - {"auditor"}


def occurring(wanted: Iterable[str], text: str) -> Iterator[str]:
    """Those of `wanted` that stand in `text`, with no letter or digit right before or after. What has no letter or digit is nowhere.

    Such a text has every word of what stands in it. Of a masked bundle that leaves hardly anything to be looked for.
    """
    words = _words(text)
    for one in wanted:
        own = _WORD.findall(one)
        if own and words.issuperset(own) and one in text and re.search(rf"(?<!{_WORDS_OWN}){re.escape(one)}(?!{_WORDS_OWN})", text):
            yield one


def _words(text: str) -> set[str]:
    """Every word of a text, which may be a gigabyte: piece by piece; no piece ends within a word."""
    words, start = set[str](), 0
    while start < len(text):
        rest = _WORD.match(text, start + _PIECE)
        end = rest.end() if rest else start + _PIECE
        words.update(_WORD.findall(text, start, end))
        start = end
    return words
