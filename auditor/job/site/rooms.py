"""How many requests of each kind are answered at once: probes have room of their own, which readers of pages cannot take."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PAGES = 64
"""Answers of pages under way at once; one more is answered 503."""
PROBES = {"/healthz": 16, "/metrics": 4}
"""Answers under way at once, by path. A page cannot take this room, nor one of them that of the other."""
MOST_CONNECTIONS = 160
"""Open at once: twice what is answered at once. Another one is let in for one on which nothing is being answered."""


def with_rooms(app: ASGIApp) -> ASGIApp:
    """Answer 503 where the room of a request is full, and let `app` answer elsewhere."""
    from starlette.responses import PlainTextResponse

    under_way: dict[str, int] = {}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        room = scope["path"] if scope["path"] in PROBES else ""
        if under_way.get(room, 0) >= PROBES.get(room, PAGES):
            await PlainTextResponse("too many readers at once; try again.\n", 503, {"Retry-After": "1"})(scope, receive, send)
            return
        under_way[room] = under_way.get(room, 0) + 1
        try:
            await app(scope, receive, send)
        finally:
            under_way[room] -= 1

    return answer
