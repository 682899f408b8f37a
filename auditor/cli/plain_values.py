"""Takes plain values of a command line as they are: typer asks pydantic for each, whose import takes a third of most short commands.

Texts, paths, lists of both and defaults pass as typer would pass them; what is left out needs nothing. What is not plain is typer's own.
Where a release of typer has no such step, nothing is changed.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin


def take_plain_values() -> None:
    """Have typer build what converts the values of an option only where a value is not plain."""
    from typer import core

    build: Any = getattr(core, "build_runtime_param", None)
    if build is not None and not isinstance(build, _Builder):
        core.build_runtime_param = _Builder(build)  # type: ignore[attr-defined]  # it is there, and not in __all__


class _Builder:
    """Stands for typer's own function of one argument."""

    def __init__(self, build: Any) -> None:
        self._build = build

    def __call__(self, descriptor: Any) -> Any:
        return _Lazy(self._build, descriptor)


class _Lazy:
    """Converts the values of one option; typer's own converter is built when the first value is not plain."""

    def __init__(self, build: Any, descriptor: Any) -> None:
        self._build, self._descriptor = build, descriptor
        self._made: Any = None

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What typer's `RuntimeParam.coerce` gives."""
        is_several = param.multiple or param.nargs == -1
        if value is None:
            return () if is_several else None
        try:
            return self._plain(value, is_several=is_several)
        except (ValueError, AssertionError):  # not plain, or refused by a parser: typer's own says how
            pass
        if self._made is None:
            self._made = self._build(self._descriptor)
        return self._made.coerce(value, param=param, ctx=ctx)

    def _plain(self, value: Any, *, is_several: bool) -> Any:
        """What typer gives for a plain `value`.

        Raises:
            ValueError: it is not plain.
        """
        wanted = self._descriptor.annotation
        if not is_several:
            return _of_one(value, wanted, self._descriptor.parameter_info)
        if get_origin(wanted) is not list or len(get_args(wanted)) != 1 or not isinstance(value, list | tuple):
            raise ValueError
        return [_of_one(one, get_args(wanted)[0], self._descriptor.parameter_info) for one in value]


def _of_one(value: Any, wanted: Any, info: Any) -> Any:
    """What typer gives for one plain value.

    Raises:
        ValueError: it is not plain, or the parser of the option refuses it.
    """
    if info.parser is None and isinstance(value, Enum) and type(value) is wanted:  # a default
        return value
    if type(value) is not str or get_origin(wanted) is not None:
        raise ValueError
    if info.parser is not None:
        return info.parser(value)
    if wanted is str:
        return value
    asks_more = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type is not None
    if wanted is not Path or asks_more or not (info.file_okay and info.dir_okay):
        raise ValueError
    try:
        Path(value).stat()  # a text that cannot be a path at all is a ValueError
    except OSError:
        return Path(value)
    if not os.access(value, os.R_OK):
        raise ValueError
    return Path(value)
