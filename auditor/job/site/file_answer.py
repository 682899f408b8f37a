"""An answer that is an opened file. Starlette's `FileResponse` opens a path itself, and would follow links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from starlette.types import Receive, Scope, Send

_PIECE_BYTES = 1 << 18


class FileAnswer(StreamingResponse):
    """Sends a file, and closes it also where the reader left before the first piece of it was read."""

    def __init__(self, descriptor: int, size_bytes: int, media_type: str) -> None:
        self._file = os.fdopen(descriptor, "rb")
        super().__init__(_pieces(self._file), media_type=media_type, headers={"Content-Length": str(size_bytes)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
