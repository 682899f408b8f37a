"""Which views judge an incident: those that the rules range over that an incident's scenario fails because of its report."""

import re
from functools import cache

from auditor_lab.scenario import scenario_names
from tests.engine.test_shipped_rules import shipped
from tests.scenarios.expectations import expected


@cache
def incident_views() -> frozenset[str]:
    """Views of rules whose expected failures are explained by a sentence of S0 to S4."""
    rules = {rule for name in scenario_names() if name != "all" for rule, why in expected(name).why if re.match(r"S[0-4]\b", why)}
    return frozenset(shipped()[rule].over for rule in rules)
