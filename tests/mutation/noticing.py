"""What notices a mistake in a view without running a test: the findings that experts expect, and laws, over facts that were recorded."""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property

import duckdb

from auditor.lab.scenario import scenario_names
from tests.mutation.bench import Bench, Judged, Key, loaded
from tests.mutation.worlds import PREFIXES, recorded, worlds
from tests.scenarios.expectations import expected, found
from tests.scenarios.test_expected import ONLY_IN_TROUBLE

DECLARED_BY_NAME = frozenset({"qos/provider-tier-depth", "queue/default-unless-justified"})
"""Rules that look at what fleet.yaml declares for devices by their names: copies under other names are not declared."""


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
            with self.among.exchanged(view, sql) as changed:
                if not changed:
                    return None
                before, after = self.among.before(changed), self.among.judged(changed)
        except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException):
            raise
        except duckdb.Error:
            return "it cannot be computed"
        if verdicts(before) == verdicts(after):
            return None
        whole = {**self.among.verdicts, **after}
        for key in before.keys() - after.keys():
            del whole[key]
        return self._breach(view, sql, whole)

    def _breach(self, view: str, sql: str, whole: Mapping[Key, Judged]) -> str | None:
        own = {key: judged for key, judged in whole.items() if not key[1].startswith(PREFIXES) and key in self.alone.verdicts}
        return unexpected(own) or differently_named(own, whole) or self._elsewhere(view, sql, own)

    def _elsewhere(self, view: str, sql: str, own: Mapping[Key, Judged]) -> str | None:
        """Whether what is elsewhere changes a verdict here."""
        with self.alone.exchanged(view, sql) as changed:
            alone = {**self.alone.verdicts, **self.alone.judged(changed)}
        if verdicts(alone) != verdicts(own):
            return "law: what is elsewhere changes no verdict"
        return None


def verdicts(judged: Mapping[Key, Judged]) -> dict[Key, str]:
    """The verdicts alone."""
    return {key: one.verdict for key, one in judged.items()}


def unexpected(own: Mapping[Key, Judged]) -> str | None:
    """The first scenario of which other findings are expected than these."""
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
    failing, passing = ({rule for (rule, _, _), one in own.items() if one.verdict == verdict} for verdict in ("fail", "pass"))
    return None if sorted(failing - passing) == sorted(ONLY_IN_TROUBLE) else "a rule that fails passes no neighbour"


SCENARIOS: Collection[str] = tuple(name for name in scenario_names() if name != "all")


def differently_named(own: Mapping[Key, Judged], whole: Mapping[Key, Judged]) -> str | None:
    """Whether the copy under other names has other verdicts than what it is a copy of."""
    copied = PREFIXES[0]
    first = Counter((rule, endpoint, one.verdict) for (rule, endpoint, _), one in own.items() if rule not in DECLARED_BY_NAME)
    copy = Counter(
        (rule, endpoint.removeprefix(copied), one.verdict)
        for (rule, endpoint, _), one in whole.items()
        if endpoint.startswith(copied) and rule not in DECLARED_BY_NAME
    )
    return None if first == copy else "law: names change no verdict"
