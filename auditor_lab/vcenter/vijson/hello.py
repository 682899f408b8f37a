"""`system?action=hello`: client and server agree on a release of VI/JSON, before anybody logs in.

Source: vSphere Automation API, Vcenter System hello (added in 8.0.2.0): the server selects the first release of the client's list that it
supports, and answers with an empty text where there is none; a list that is empty or longer than 128 is 400. Not compared with a real
vCenter.
"""

from __future__ import annotations

import json

from auditor_lab.vcenter.vijson.requests import CONTENT_TYPE, is_served
from auditor_lab.wire import Answer, Request

OPERATION = "hello"
_PATH = "/api/vcenter/system?action=hello"
_ADDED = (8, 0, 2)
_MOST = 128


def is_for(request: Request) -> bool:
    """Whether it is this request."""
    return request.method == "POST" and request.path == _PATH


def answer(request: Request, newest: str) -> Answer:
    """The release that a vCenter with an API up to `newest` chooses; 404 where it is older than the question."""
    if tuple(int(part) for part in newest.split(".") if part.isdigit()) < _ADDED:
        return Answer(b"", CONTENT_TYPE, 404)
    try:
        wanted = json.loads(request.body)["api_releases"]
    except (ValueError, KeyError, TypeError):
        wanted = None
    if not isinstance(wanted, list) or not 0 < len(wanted) <= _MOST:
        return Answer(b'{"error_type":"INVALID_ARGUMENT","messages":[]}', CONTENT_TYPE, 400)
    chosen = next((str(one) for one in wanted if is_served(str(one), newest)), "")
    return Answer(json.dumps({"api_release": chosen}).encode(), CONTENT_TYPE)
