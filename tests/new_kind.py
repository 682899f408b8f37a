"""A kind of endpoint that is new: a folder of its own, registered for the length of a test and alone."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from enum import StrEnum
from importlib import invalidate_caches
from typing import TYPE_CHECKING, Any, cast

import pytest

import auditor.endpoints
from auditor.model import Endpoint, EndpointKind, Secret, endpoint_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TYPE = """
from auditor.model import endpoint_kinds

TYPE = endpoint_kinds.EndpointType(endpoint_kinds.EndpointKind("new-kind"), "client:opened", "collect:collected", ("array",), {more})
"""


@contextmanager
def new_kind(folder: Path, modules: Mapping[str, str], **more: Any) -> Iterator[Endpoint]:
    """An endpoint of a kind that has these modules, name -> text, in an empty folder, and `more` in its TYPE.

    Until the end the registry lists that kind alone.
    """
    package = folder / "new_kind"
    package.mkdir()
    arguments = ", ".join(f"{name}={value!r}" for name, value in more.items())
    (package / "__init__.py").write_text(_TYPE.format(more=arguments), encoding="utf-8")
    for name, text in modules.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    invalidate_caches()
    kinds = StrEnum("kinds", {"NEW": "new-kind"})
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(auditor.endpoints, "__path__", [*auditor.endpoints.__path__, str(folder)])
            patch.setattr(endpoint_kinds, "EndpointKind", kinds)
            endpoint_kinds._types.cache_clear()
            kind = cast("EndpointKind", kinds("new-kind"))
            yield Endpoint("new", kind, "192.0.2.1", 443, "user", Secret("env", ("X",)))
    finally:
        endpoint_kinds._types.cache_clear()
        for name in [name for name in sys.modules if name.startswith("auditor.endpoints.new_kind")]:
            del sys.modules[name]
        if hasattr(auditor.endpoints, "new_kind"):
            del auditor.endpoints.new_kind
