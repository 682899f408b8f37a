"""Limits of time for readers of the site: uvicorn has none for a request that never ends, or an answer that nobody takes.

Only so many connections are open at once, and one on which nothing is being answered is closed to let another in: readers who send nothing
keep nobody out, however many they are and however often they come again.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from auditor.job.site.rooms import MOST_CONNECTIONS

if TYPE_CHECKING:
    import asyncio
    import socket

    import uvicorn

REQUEST_SECONDS = 10.0
"""A request has to come to its end within this time, or twice it where others came on the same connection before."""
CONNECTION_SECONDS = 600.0
"""A connection lives this long at most: the largest pages have some 30 MB."""


def limited_protocol() -> type[asyncio.Protocol]:
    """The protocol of a connection of uvicorn with these limits. uvicorn is imported here, as only the server needs it."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Limited(H11Protocol):
        """A connection that is closed where no request comes to its end in time, or its answer is not taken."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.last_heard = time.monotonic()
            _make_room(self)
            self._timers = [self.loop.call_later(CONNECTION_SECONDS, transport.abort)]
            self._look_later()

        def data_received(self, data: bytes) -> None:
            self.last_heard = time.monotonic()
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            for timer in self._timers:
                timer.cancel()
            super().connection_lost(exc)

        def _look_later(self) -> None:
            self._timers[1:] = [self.loop.call_later(REQUEST_SECONDS, self._look)]

        def _look(self) -> None:
            if _is_answering(self):
                self._look_later()
            else:
                self.transport.close()

    return Limited


def _is_answering(connection: Any) -> bool:
    return connection.cycle is not None and not connection.cycle.response_complete


def _make_room(new: Any) -> None:
    """Where there are too many connections, end the one that was not heard of for longest among those on which nothing is being answered.

    `new` itself is ended where there is none.
    """
    if len(new.connections) > MOST_CONNECTIONS:
        silent = (one for one in new.connections if one is not new and not _is_answering(one))
        longest = min(silent, key=lambda one: one.last_heard, default=new)
        longest.transport.abort()
        new.connections.discard(longest)  # it is counted no more, although the loop ends it later


def limited_server(config: uvicorn.Config) -> uvicorn.Server:
    """A server whose end closes connections whose answer nobody takes; uvicorn's leaves them open."""
    import asyncio

    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await super().shutdown(sockets)
            for connection in list(self.server_state.connections):
                if connection.transport is not None:
                    connection.transport.abort()
            await asyncio.sleep(0)  # they are closed by the loop

    return Server(config)
