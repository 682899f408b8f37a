"""A fleet's own values for params of rules, and the rows that each value holds for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from auditor.engine.rules.rule import Expression, ParamValue, Rule, RuleSet
from auditor.engine.rules.types import is_param_value
from auditor.errors import ConfigurationError
from auditor.text.names import is_called
from auditor.yaml.reading import did_you_mean

RESERVED = "auditor_"
"""How the engine's own columns and params begin, so that no rule or view can name one."""

_WHY = "nothing was judged: a value that reaches no rule would leave the fleet held to another one."
_KINDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "a list"}

Place = tuple[str | None, str | None]
"""(endpoint, cluster); None is every one."""


class Override(Protocol):
    """One value of one param in one place, as fleet.yaml says it (`fleet.ParamOverride`)."""

    @property
    def where(self) -> str: ...  # noqa: D102  file:line

    @property
    def rule(self) -> str: ...  # noqa: D102

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def value(self) -> Any: ...  # noqa: D102

    @property
    def endpoint(self) -> str | None: ...  # noqa: D102

    @property
    def cluster(self) -> str | None: ...  # noqa: D102


OneOverride = TypeVar("OneOverride", bound=Override)


@dataclass(frozen=True, slots=True)
class ParamValues:
    """Overrides that were found sound: rule -> place -> param -> value."""

    overrides: Mapping[str, Mapping[Place, Mapping[str, ParamValue]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """Some rows of a view, and the param values that hold for them."""

    condition: str  # SQL; its params begin with RESERVED
    bound: Mapping[str, Any]  # of the condition
    values: Mapping[str, ParamValue]  # of the rule


def param_values(overrides: Iterable[Override], rules: RuleSet) -> ParamValues:
    """Check what a fleet overrides against the rules that were loaded.

    Raises:
        ConfigurationError: a rule or param does not exist, a value is not of its default's type or out of its
            bounds, or one is set twice in one place.
    """
    result: dict[str, dict[Place, dict[str, ParamValue]]] = {}
    for override in overrides:
        if override.rule in rules.left_out:
            continue
        value = _checked(override, rules)
        place = (override.endpoint, override.cluster)
        values = result.setdefault(override.rule, {}).setdefault(place, {})
        if override.name in values:
            raise _mistake(override, f'"{override.name}" of {override.rule} is set here a second time')
        values[override.name] = value
    return ParamValues(result)


def placed(overrides: Iterable[OneOverride], clusters: Collection[tuple[str, str]]) -> list[OneOverride]:
    """`overrides` with the clusters that they name called as in the facts; one that names none of `clusters` stays as it is.

    Args:
        overrides: of one fleet.
        clusters: (endpoint, cluster) of the facts.
    """
    result = []
    for override in overrides:
        meant = [name for endpoint, name in sorted(clusters) if endpoint == override.endpoint and is_called(name, override.cluster or "")]
        exact = override.cluster is None or override.cluster in meant or not meant
        result += [override] if exact else [replace(override, cluster=name) for name in meant]  # type: ignore[type-var]  # a dataclass
    return result


def scopes(rule: Rule, params: ParamValues) -> list[Scope]:
    """The rule's view cut into parts that share param values; every row is in exactly one."""
    places = params.overrides.get(rule.id, {})
    defaults = {name: param.default for name, param in rule.params.items()}
    fleet = {**defaults, **places.get((None, None), {})}
    endpoints = {endpoint: {**fleet, **values} for (endpoint, cluster), values in places.items() if endpoint and cluster is None}
    clusters = {
        (endpoint, cluster): {**endpoints.get(endpoint, fleet), **values}
        for (endpoint, cluster), values in places.items()
        if endpoint and cluster
    }
    result = [Scope(*_rest(list(endpoints), list(clusters)), fleet)]
    for name, values in endpoints.items():
        rest, bound = _rest([], [pair for pair in clusters if pair[0] == name])
        result.append(Scope(f"endpoint = $auditor_endpoint AND {rest}", {"auditor_endpoint": name, **bound}, values))
    for (name, cluster), values in clusters.items():
        bound = {"auditor_endpoint": name, "auditor_cluster": cluster}
        result.append(Scope("endpoint = $auditor_endpoint AND cluster = $auditor_cluster", bound, values))
    return result


def values_at(rule: Rule, params: ParamValues, place: Place) -> Mapping[str, ParamValue]:
    """The values that hold for the rule's rows in a place; (None, None) is wherever no endpoint or cluster has its own."""
    endpoint, cluster = place
    places = params.overrides.get(rule.id, {})
    values = {name: param.default for name, param in rule.params.items()}
    for wider in ((None, None), (endpoint, None), (endpoint, cluster)):
        values |= places.get(wider, {})
    return values


def bindings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Param values as DuckDB takes them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def bindings_of(expressions: Iterable[Expression], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `values` that a statement made of these expressions names: DuckDB refuses any other."""
    used = {name for expression in expressions for name in expression.params}
    return bindings({name: value for name, value in values.items() if name in used})


def _rest(endpoints: list[str], clusters: list[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
    """The rows in none of these places; a row without an endpoint or a cluster is in none."""
    conditions, bound = ["true"], {}
    for index, endpoint in enumerate(endpoints):
        conditions.append(f"endpoint IS DISTINCT FROM $auditor_not_{index}")
        bound[f"auditor_not_{index}"] = endpoint
    for index, (endpoint, cluster) in enumerate(clusters):
        conditions.append(
            f"(endpoint IS DISTINCT FROM $auditor_not_endpoint_{index} OR cluster IS DISTINCT FROM $auditor_not_cluster_{index})"
        )
        bound |= {f"auditor_not_endpoint_{index}": endpoint, f"auditor_not_cluster_{index}": cluster}
    return " AND ".join(conditions), bound


def _checked(override: Override, rules: RuleSet) -> ParamValue:
    if override.rule not in rules.rules:
        raise _mistake(override, f'no rule is called "{override.rule}"{did_you_mean(override.rule, rules.rules)}')
    params = rules[override.rule].params
    if override.name not in params:
        raise _mistake(override, f'{override.rule} has no param "{override.name}"{did_you_mean(override.name, params)}')
    if override.cluster is not None and override.endpoint is None:
        raise _mistake(override, f'cluster "{override.cluster}" is named without its endpoint')
    default, bounds = params[override.name].default, params[override.name].bounds
    value: Any = tuple(override.value) if isinstance(override.value, list) else override.value
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(default, tuple) and bounds is not None and bounds.choices:
        value = _words_apart(value)
    same_kind = is_param_value(value) and type(value) is type(default)
    if not same_kind or (isinstance(default, tuple) and type(default[0]) is not type(value[0])):
        raise _mistake(
            override, f'"{override.name}" of {override.rule} must be {_KINDS[type(default)]} like {default!r}, and is {override.value!r}'
        )
    fault = bounds.fault(value) if bounds is not None else ""
    if fault:
        raise _mistake(override, f'"{override.name}" of {override.rule} {fault}')
    return value  # type: ignore[no-any-return]  # is_param_value has checked it


def _words_apart(value: Any) -> Any:
    """A list of words also where it is given as text with | between them, as some lists were before they were lists; all else as it is."""
    texts = (value,) if isinstance(value, str) else value
    if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
        return value
    return tuple(word for text in texts for word in text.split("|"))


def _mistake(override: Override, what: str) -> ConfigurationError:
    return ConfigurationError(
        f"{override.where}: {what}", why=_WHY, do=f"correct {override.where}; `auditor rules show RULE` lists the params of a rule."
    )
