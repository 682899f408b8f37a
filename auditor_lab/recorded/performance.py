"""The recorded samples of performance counters, by object: an audit asks for other counters, and for other objects at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.model import Exchange

_SPEC = re.compile(r"<querySpec\b.*?</querySpec>", re.DOTALL)
_ENTITY = re.compile(r"<entity\b[^>]*>([^<]*)</entity>")
_COUNTER = re.compile(r"<counterId\b[^>]*>(\d+)</counterId>")
_RESULT = re.compile(r"<returnval\b.*?</returnval>", re.DOTALL)
_SERIES = re.compile(r"<value><id>.*?</id>.*?</value></value>", re.DOTALL)


def samples_of(exchanges: Iterable[Exchange]) -> dict[str, str]:
    """The newest result of each object, by its id; empty where the answer had none."""
    by_entity: dict[str, str] = {}
    for one in exchanges:
        if one.operation == "QueryPerf" and one.status == 200:
            for spec in _SPEC.findall(one.request.decode()):
                by_entity.update(dict.fromkeys(_ENTITY.findall(spec), ""))
            for result in _RESULT.findall(one.answer.decode()):
                by_entity.update(dict.fromkeys(_ENTITY.findall(result), result))
    return by_entity


def query_perf(samples: dict[str, str], body: bytes) -> str | None:
    """What stands within the body of the answer to QueryPerf; None where an object in it was not recorded."""
    results = []
    for spec in _SPEC.findall(body.decode("utf-8", "replace")):
        counters = set(_COUNTER.findall(spec))
        for entity in _ENTITY.findall(spec):
            if entity not in samples:
                return None
            unwanted = [series for series in _SERIES.findall(samples[entity]) if _counter(series) not in counters]
            result = samples[entity]
            for series in unwanted:
                result = result.replace(series, "")
            results.append(result)
    return f'<QueryPerfResponse xmlns="urn:vim25">{"".join(results)}</QueryPerfResponse>'


def _counter(series: str) -> str:
    return "".join(_COUNTER.findall(series)[:1])
