"""The baseline in force as a settings.yaml: what several hosts have alike stands once."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.facts.baseline import KINDS, read_about
from auditor.history.baseline import baseline_file, load_about

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

Setting = tuple[str, str, str]
"""(kind, kernel module or "", option or parameter)."""
Host = tuple[str, str, str]
"""(vCenter, cluster or "", name)."""

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_ROWS = """SELECT b.of_endpoint, coalesce(h.thing, ''), b.of_host, b.kind, b.thing, b.setting, b.value
FROM read_parquet($file) AS b
JOIN read_parquet($file) AS h ON h.kind = 'host' AND h.of_endpoint = b.of_endpoint AND h.of_host = b.of_host
WHERE b.kind IN ('option', 'parameter')
ORDER BY ALL"""


def baseline_as_settings(state: Path) -> str:
    """The text of a settings.yaml that declares what the baseline in force holds of options and module parameters.

    What all hosts of a cluster have alike is declared for it, what is left for each host. DSNRO and path policies of single devices,
    Storage I/O Control and QoS of arrays have no form in settings.yaml: they stay the baseline's, and a comment counts them.

    Raises:
        ConfigurationError: no baseline is set, or it holds nothing of these.
        SnapshotError: it is damaged.
    """
    import duckdb

    if load_about(state) is None:
        raise ConfigurationError("no baseline is set", why="there is nothing to export.", do="auditor baseline set RUN")
    about = read_about(baseline_file(state))
    found: dict[Host, dict[Setting, str]] = defaultdict(dict)
    left_out = sum(count for kind, count in about.counts.items() if kind not in ("option", "parameter"))
    with duckdb.connect() as connection:
        for endpoint, cluster, host, kind, thing, setting, value in connection.execute(
            _ROWS, {"file": str(baseline_file(state))}
        ).fetchall():
            if setting == "":  # a module without parameters
                continue
            if kind == "option" or (_NUMBER.fullmatch(value) and not value.startswith("-")):
                found[endpoint, cluster, host][kind, thing, setting] = value
            else:
                left_out += 1
    if not found:
        raise ConfigurationError(
            "the baseline holds no option and no module parameter", why="there is nothing to export.", do="auditor baseline show"
        )
    origin = f"run {about.run}" + (f", host {about.host}" if about.host else "")
    lines = [
        "# yaml-language-server: $schema=settings.schema.json",
        f"# Made from the baseline of {origin}, read {about.taken_at:%Y-%m-%d %H:%M} UTC.",
        f"# Not among it, as settings.yaml has no form for them: {left_out:,} settings ({', '.join(_others(about.counts))})."
        if left_out
        else "# All settings of that baseline are among it.",
        "hosts:",
        *_entries(found),
    ]
    return "\n".join(lines) + "\n"


def _others(counts: Mapping[str, int]) -> list[str]:
    labels = [KINDS[kind].label for kind in counts if kind in KINDS and kind not in ("option", "parameter")]
    return labels or ["parameters that are no numbers"]


def _entries(found: Mapping[Host, Mapping[Setting, str]]) -> Iterator[str]:
    """The lines of all entries: clusters first, then what single hosts have besides."""
    clusters: dict[tuple[str, str], list[Host]] = defaultdict(list)
    for host in found:
        clusters[host[0], host[1]].append(host)
    for (endpoint, cluster), hosts in sorted(clusters.items()):
        shared = _shared([found[host] for host in hosts]) if cluster else {}
        if shared:
            yield from _entry({"endpoint": endpoint, "cluster": cluster}, shared)
        for host in sorted(hosts):
            own = {setting: value for setting, value in found[host].items() if setting not in shared}
            if own:
                yield from _entry({"endpoint": endpoint, "host": host[2]}, own)


def _shared(settings: Collection[Mapping[Setting, str]]) -> dict[Setting, str]:
    """What all of them have, with one value."""
    first, *others = settings
    return {setting: value for setting, value in first.items() if all(other.get(setting) == value for other in others)}


def _entry(selectors: Mapping[str, str], settings: Mapping[Setting, str]) -> Iterator[str]:
    mark = "  - "
    for key, name in selectors.items():
        yield f"{mark}{key}: {json.dumps(_literally(name), ensure_ascii=False)}"
        mark = "    "
    options = {setting: value for (kind, _, setting), value in sorted(settings.items()) if kind == "option"}
    if options:
        yield "    options:"
        yield from (
            f"      {name}: {value if _NUMBER.fullmatch(value) or value in ('true', 'false') else json.dumps(value)}"
            for name, value in options.items()
        )
    modules: dict[str, list[str]] = defaultdict(list)
    for (kind, module, name), value in sorted(settings.items()):
        if kind == "parameter":
            modules[module].append(f"{name}: {value}")
    if modules:
        yield "    modules:"
        yield from (f"      {module}: {{{', '.join(words)}}}" for module, words in modules.items())


def _literally(name: str) -> str:
    """`name` as a glob that fits it alone."""
    return re.sub(r"([*?\[])", r"[\1]", name)
