"""What notices a mistake in a view without running a test: the findings that experts expect, and laws, over facts that were recorded."""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property

import duckdb

from auditor_lab.scenario import load_scenario, scenario_names
from tests.mutation.bench import Bench, Judged, Key, loaded
from tests.mutation.worlds import PREFIXES, recorded, worlds
from tests.scenarios.expectations import expected, found

DECLARED_BY_NAME = frozenset({"qos/provider-tier-depth", "queue/default-unless-justified", "datastore/one-server-name"})
"""Rules that look at what fleet.yaml declares for devices by their names, or at two names of one server: copies have other names."""


Change = tuple[str | None, str | None]
"""A verdict before and after; None: there is no such resource."""


class Noticing:
    """The lab's fleet alone, and among copies of itself under other names and with other values."""

    @cached_property
    def among(self) -> Bench:
        """The fleet among its copies."""
        return Bench(worlds())

    @cached_property
    def alone(self) -> Bench:
        """The fleet as it was recorded."""
        return Bench(loaded(recorded()))

    def notices(self, view: str, sql: str) -> str | None:
        """What notices this text of a view; None: nothing does.

        Raises:
            duckdb.BinderException, duckdb.ParserException: it is no SQL over these tables, so that nobody could have written it unnoticed.
        """
        try:
            changes = changes_by(self.among, view, sql)
        except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException):
            raise
        except duckdb.Error:
            return "it cannot be computed"
        own = {key: change for key, change in changes.items() if key in self._own}
        return unexpected_change(own) or differently_named(own, changes) or self._elsewhere(view, sql, own)

    def _elsewhere(self, view: str, sql: str, own: Mapping[Key, Change]) -> str | None:
        """Whether what is elsewhere changes a verdict here."""
        if not own or changes_by(self.alone, view, sql) == own:
            return None
        return "law: what is elsewhere changes no verdict"

    @cached_property
    def _own(self) -> Collection[Key]:
        """The keys of what is no copy; all is expected of them before a mistake is made.

        Raises:
            AssertionError: the unmutated views break an expectation or a law, so that nothing could be blamed on a mistake.
        """
        own = {key: self.among.verdicts[key] for key in self.alone.verdicts}
        assert unexpected(own) is None, unexpected(own)
        assert verdicts(own) == verdicts(self.alone.verdicts)
        return own.keys()


def changes_by(bench: Bench, view: str, sql: str) -> dict[Key, Change]:
    """The verdicts that another text of a view changes."""
    with bench.exchanged(view, sql) as changed:
        before, after = verdicts(bench.before(changed)), verdicts(bench.judged(changed))
    return {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def unexpected_change(own: Mapping[Key, Change]) -> str | None:
    """The first scenario whose expected failures and unknowns these changes contradict; before them, all were as expected."""
    for (rule, endpoint, _), change in own.items():
        if {"fail", "unknown"} & set(change):
            return f"scenario: {rule} on {endpoint} is {change[0]}, not {change[1]}"
    return None


def verdicts(judged: Mapping[Key, Judged]) -> dict[Key, str]:
    """The verdicts alone."""
    return {key: one.verdict for key, one in judged.items()}


def unexpected(own: Mapping[Key, Judged]) -> str | None:
    """The first scenario whose expected findings are not these."""
    for verdict in ("fail", "unknown"):
        findings = [
            {
                "rule": rule,
                "verdict": verdict,
                "resource": {"endpoint": endpoint, "id": resource, "name": one.name, "cluster": one.cluster, "host": one.host},
            }
            for (rule, endpoint, resource), one in own.items()
            if one.verdict == verdict
        ]
        for scenario in SCENARIOS:
            wanted = expected(scenario).fails if verdict == "fail" else expected(scenario).unknowns
            if found(findings, verdict, scenario) != wanted:
                return f"scenario {scenario}"
    return None


_SERVED = frozenset(vcenter.name for vcenter in load_scenario("all").vcenters)
SCENARIOS: Collection[str] = tuple(
    name for name in scenario_names() if name != "all" and {vcenter.name for vcenter in load_scenario(name).vcenters} <= _SERVED
)
"""Those that are part of the scenario `all`."""


def differently_named(own: Mapping[Key, Change], changes: Mapping[Key, Change]) -> str | None:
    """Whether a change is not the same in the copy under other names, which was judged as what it is a copy of before."""
    copied = PREFIXES[0]
    first = Counter((rule, endpoint, change) for (rule, endpoint, _), change in own.items() if rule not in DECLARED_BY_NAME)
    copy = Counter(
        (rule, endpoint.removeprefix(copied), change)
        for (rule, endpoint, _), change in changes.items()
        if endpoint.startswith(copied) and rule not in DECLARED_BY_NAME
    )
    return None if first == copy else "law: names change no verdict"
