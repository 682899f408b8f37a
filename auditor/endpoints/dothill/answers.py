"""What an array answers: JSON or XML, in one form; its status; a refusal in our own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value
from auditor.endpoints.common.masking import masked, names_a_secret
from auditor.endpoints.dothill.xml_form import xml_value

Answer: TypeAlias = Mapping[str, Any]
"""Lists of objects by their basetype, for example "volumes", and "status" among them."""

_LONGEST_TEXT = 300

SESSION_OVER = frozenset({2, -10027})
"""Return codes of a request whose session is over: "invalid session key" and "the user is not recognized on this system".

Source: Seagate/seagate-exos-x-api-go, pkg/common/response.go (InvalidSessionKey, UserNotRecognized); OpenStack cinder, stx/client.py.
"""


@dataclass(frozen=True, slots=True)
class Status:
    """How a command ended.

    Attributes:
        text: in the array's words; of a login it is the session key, which is why it is no part of any repr.
        code: its return code; None when it reports none.
        time: by the array's clock, in seconds; it counts only beside other times of the array. None when not reported.
    """

    is_error: bool
    code: int | None
    time: int | None
    text: str

    def __repr__(self) -> str:
        return f"Status(is_error={self.is_error}, code={self.code})"


def decoded(body: bytes) -> Answer:
    """The objects of an answer by their basetype, with "***" in every field that holds a secret.

    Raises:
        UnusableAnswerError: it is neither the JSON nor the XML of an array, or over a limit.

    Source: recorded answers, edingc/powervault_me5_exporter (JSON of an ME5084) and sodafoundation/delfin (XML of an MSA 2040). An array
    sends JSON as text/* as well (alexandergott-afk/jt-pve-storage-dellemc, its notes on testing), so the text decides, and not its type.
    """
    value = xml_value(body) if body[:64].lstrip().startswith(b"<") else json_value(body)
    if not isinstance(value, dict):
        raise UnusableAnswerError("it is no object")
    return masked(value) if names_a_secret(body) else value


def status_of(answer: Answer) -> Status | None:
    """How the command ended; None where the answer does not say, so that nobody knows whether it is whole.

    Of several entries one that is an error counts. Return code 1 of a login is none: its response type decides there and everywhere.

    Source: OpenStack cinder, stx/client.py: "'return-code' is not valid in this context", response-type-numeric 0 is success; Seagate's
    client skips entries of type Info; its definition: Success 0, Error 1.
    """
    listed = answer.get("status")
    entries = [_status(one) for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    known = [one for one in entries if one is not None]
    return next((one for one in known if one.is_error), known[-1] if known else None)


def _status(entry: Mapping[str, Any]) -> Status | None:
    kind, number = str(entry.get("response-type") or "").lower(), _integer(entry.get("response-type-numeric"))
    if number is None and not kind:
        return None
    is_error = number == 1 or kind == "error"
    text = " ".join(str(entry.get("response") or "").split())[:_LONGEST_TEXT]
    return Status(is_error, _integer(entry.get("return-code")), _integer(entry.get("time-stamp-numeric")), text)


def _integer(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool | float) or value is None else int(value)
    except (TypeError, ValueError):
        return None
