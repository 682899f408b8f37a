"""The key of a session that somebody else has opened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.secrets import password_of
from auditor.errors import CredentialsError

if TYPE_CHECKING:
    from auditor.model import Endpoint

_KEY = re.compile(r"""(?:(?:Cookie:\s*|Set-Cookie:\s*)?vmware_soap_session=)?("?)([A-Za-z0-9._~+/=-]{8,512})\1(?:;.*)?""", re.IGNORECASE)
"""A key as govc prints it, in the quotes that vCenter gives it, or as the header that pyVmomi and browsers have."""


def session_key_of(endpoint: Endpoint) -> str:
    """The key of the session that `session:` of fleet.yaml refers to, in quotes where it is there in quotes.

    Raises:
        CredentialsError: there is none, or it is none that a session could have.
    """
    match = _KEY.fullmatch(password_of(endpoint).strip())
    if match is None:
        do = "give the value of the cookie vmware_soap_session alone."
        what = f"endpoint {endpoint.name}: what `session:` gives is no key of a session"
        raise CredentialsError(what, why="nothing on it was read.", do=do)
    return f"{match[1]}{match[2]}{match[1]}"
