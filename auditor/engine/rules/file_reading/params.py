"""The params of a rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.bounds import bounds_mistake, bounds_of
from auditor.engine.rules.file_reading.texts import stripped
from auditor.engine.rules.params import RESERVED
from auditor.engine.rules.rule import Param
from auditor.engine.rules.types import is_param_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.engine.rules.bounds import Bounds
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.shape import ParamShape

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a param, or an expression under `let`, may be called."""


def read_params(shapes: Mapping[str, ParamShape], mistakes: Mistakes) -> dict[str, Param]:
    """The params of a rule; one with a mistake is among them, with what is sound of it."""
    params = {}
    for name, shape in shapes.items():
        if not NAME.fullmatch(name) or name.startswith(RESERVED):
            mistakes.add(f'"{name}" cannot be a param: lower-case letters, digits and _, and not {RESERVED}...', "params", name)
        default = param_default(shape.default)
        if not is_param_value(default):
            what = f"the default of ${name} must be true, false, a number, text, or a list of one kind of these"
            mistakes.add(what, "params", name, "default")
            default = ""
        if shape.policy and shape.source is not None:
            mistakes.add(f"${name} has a source, so it is no policy", "params", name, "policy")
        bounds = _read_bounds(name, shape, default, mistakes)
        params[name] = Param(default, shape.unit.strip(), shape.why.strip(), bounds, stripped(shape.source) or "", shape.policy)
    return params


def _read_bounds(name: str, shape: ParamShape, default: Any, mistakes: Mistakes) -> Bounds | None:
    if shape.bounds is None:
        return None
    mistake = bounds_mistake(shape.bounds, default)
    if mistake:
        mistakes.add(f"${name}: {mistake}", "params", name, "bounds")
        return None
    bounds = bounds_of(shape.bounds)
    fault = bounds.fault(default) if bounds is not None else ""
    if fault:
        mistakes.add(f"the default of ${name} {fault}", "params", name, "default")
    return bounds


def param_default(value: Any) -> Any:
    """A param's default as the file has it; a list becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value
