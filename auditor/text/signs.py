"""Our own signs in a terminal that cannot show them: plain ones in their place, and never an error."""

from __future__ import annotations

import codecs

PLAIN = "auditor.plain"
"""The name of the handler of errors, for `str.encode` and streams."""

_SIGNS = {"…": "...", "·": "-", "→": "->", **dict(zip("▁▂▃▄▅▆▇█", "_.-:=+*#", strict=True))}


def _plain(error: UnicodeError) -> tuple[str, int]:
    r"""What stands for the signs that an encoding lacks; another one's escape is that of Python, ``\u0142``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_SIGNS.get(one) or one.encode("ascii", "backslashreplace").decode("ascii") for one in signs), error.end


codecs.register_error(PLAIN, _plain)
