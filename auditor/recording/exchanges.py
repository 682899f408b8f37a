"""Masks one exchange with an endpoint: path, request, headers and answer; what belongs to a login alone is left out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import json_of
from auditor.endpoints.common.answer_limits import UnusableAnswerError
from auditor.model import Exchange
from auditor.model.endpoint_kinds import endpoint_type
from auditor.recording.command_lines import masked_command, masked_transcript
from auditor.recording.documents import masked_json, masked_xml
from auditor.recording.fields import kept_forms
from auditor.recording.masking import Fate
from auditor.recording.paths import masked_path

if TYPE_CHECKING:
    from auditor.model import EndpointKind
    from auditor.recording.masking import Masker

LOGINS = re.compile(r"(?:^|[ /])(?:Login|login|Logout|logout|LoginByToken|LoginExtension\w*|SessionIsActive|tokens)$")
"""Operations whose requests hold credentials, or a session: no request of theirs is kept."""

_HEADERS = frozenset(("content-type", "date"))
_NEXT_TOKEN = "x-next-token"  # noqa: S105  of FlashArray's pages


def masked_exchange(kind: EndpointKind, exchange: Exchange, masker: Masker) -> Exchange:
    """`exchange` with everything masked.

    An answer that is neither JSON nor XML nor a command's is dropped: nobody knows what is in it.
    """
    is_login = LOGINS.search(exchange.operation) is not None
    about = endpoint_type(kind)
    if about.kept_lines:
        command = masked_command(exchange.operation, masker)
        answer = masked_transcript(about.load(about.kept_lines), exchange.operation, exchange.answer.decode("utf-8", "replace"), masker)
        answer = answer.replace(exchange.operation, command)
        return Exchange(command, exchange.method, "", command.encode(), 0, {}, answer.encode())
    headers = {name: value for name, value in exchange.headers.items() if name in _HEADERS}
    if token := exchange.headers.get(_NEXT_TOKEN):
        headers[_NEXT_TOKEN] = masker.text(token, Fate.NAME)
    return Exchange(
        operation=masked_path(kind, exchange.operation, masker),
        method=exchange.method,
        path=masked_path(kind, exchange.path, masker),
        request=b"" if is_login else _masked_body(kind, exchange.request, masker),
        status=exchange.status,
        headers=headers,
        answer=_masked_body(kind, exchange.answer, masker),
        seconds=exchange.seconds,
    )


def _masked_body(kind: EndpointKind, body: bytes, masker: Masker) -> bytes:
    text = body.decode("utf-8", "replace")
    if not text.strip():
        return b""
    is_xml, from_xml = text.lstrip().startswith("<"), kept_forms(kind).from_xml
    try:
        if is_xml and from_xml is None:
            return masked_xml(text, kind, masker).encode()
        value: Any = from_xml(body) if is_xml and from_xml else json_of(text.encode())
    except (ValueError, UnusableAnswerError):
        return b""
    return json.dumps(masked_json(value, kind, masker), ensure_ascii=False, separators=(",", ":")).encode()
