"""Which fields of an answer are kept as they are, and which are dropped: all others are names, and replaced.

Each kind of endpoint lists those that are kept, by `kept_fields` of its `TYPE`: what the product itself reads as knowledge, such as models,
versions, states, names of options and of drivers. A field that a newer release adds is in no list, and is replaced. A field is named by its
own name, or by two: "parent.name".
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from auditor.endpoints.common.kept_forms import KeptForms
from auditor.errors import ConfigurationError
from auditor.model.endpoint_kinds import endpoint_type
from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import EndpointKind

SECRET_FIELD = re.compile(
    r"secret|password|passphrase|pairingkey|privatekey|api_?token|session_?token|sessionkey|connectionkey|securestring|authorization|cookie"
    r"|credential(?!sid)|vmware_soap_session",
    re.IGNORECASE,
)
"""Whatever stands in a field of such a name is never written; GetLimits' secretLengthMax is a number, and numbers are no secrets here."""

FREE_TEXT = frozenset(
    """annotation banner comment contact description details_text faultstring faultMessage fullFormattedMessage fullMessage label location
    localizedMessage loginBanner message motd msg notes reasonText statusMessage summary text title tooltip userAgent"""
    .lower().split()
)  # fmt: skip
"""Written by people, or for them: nothing is read from these."""

SERIAL_NUMBERS = frozenset(("scserialnumber", "serialnumber", "hardwareserialnumber", "userid", "serial"))
"""Numbers that identify a system; in lower case."""

WORLD_WIDE_NAMES = frozenset(("portworldwidename", "nodeworldwidename"))

VERSIONS = re.compile(r"^(?:\d+\.\d+|.*version|versionid|.*versions|.*build|release|full|firmware)$", re.IGNORECASE)
_NAMES = re.compile(r"name|path|host|addr|user|owner|volume|datastore|serial|uuid|folder|key$|id$|node$", re.IGNORECASE)

_KNOWN_EXTENSION = re.compile(
    r"(?i)(?:com|org)\.(?:vmware|broadcom|solidfire|netapp|purestorage|dell|dellemc|emc|hpe?|nimblestorage|fujitsu|hitachi|ibm|cisco|veeam)\b.*"
    r"|(?:vmware|broadcom|netapp|solidfire|pure storage|dell|emc|hewlett|hpe|nimble|fujitsu|hitachi|ibm|cisco|veeam)\b.*|VirtualCenter"
)
"""Plug-ins of vCenter, and companies, that are products; one that somebody wrote for himself names him."""


def fate_of_extension(text: str) -> Fate:
    """What becomes of the key, or the company, of an extension of vCenter."""
    return Fate.KEEP if _KNOWN_EXTENSION.fullmatch(text) else Fate.NAME


@cache
def kept_fields(kind: EndpointKind) -> frozenset[str]:
    """The fields of answers of this kind that are kept; their list is imported now.

    Raises:
        ConfigurationError: the kind has no list, so that nobody knows what may be given to others.
    """
    about = endpoint_type(kind)
    if not about.kept_fields:
        raise ConfigurationError(
            f"what a {kind.value} answers cannot be recorded: it is not known which of its fields name something",
            why="a recording is given to others, and must hold no name.",
            do=f"take its endpoints out of fleet.yaml; or give the kind a list and name it as `kept_fields` in TYPE of {about.folder}.",
        )
    names: str = about.load(about.kept_fields)
    return frozenset(names.lower().split())


@cache
def kept_forms(kind: EndpointKind) -> KeptForms:
    """What is particular to the answers of this kind; it is imported now."""
    about = endpoint_type(kind)
    forms: KeptForms = about.load(about.kept_forms) if about.kept_forms else KeptForms()
    return forms


def fate_of(kind: EndpointKind, path: Sequence[str]) -> Fate:
    """What becomes of a text, by the names of the fields that it is in, outermost first.

    Raises:
        ConfigurationError: as `kept_fields`.
    """
    own = path[-1].lower() if path else ""
    pair = f"{path[-2].lower()}.{own}" if len(path) > 1 else own
    kept = kept_fields(kind)
    if own in FREE_TEXT and pair not in kept:
        return Fate.DROP
    if VERSIONS.match(own):
        return Fate.VERSION
    if own in kept or pair in kept:
        return Fate.KEEP
    return Fate.NAME if _NAMES.search(own) else Fate.PLAIN
