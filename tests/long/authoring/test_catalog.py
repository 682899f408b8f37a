"""facts/catalog.json is what the views' SQL makes of it, to the letter."""

import pytest

from auditor.authoring.catalog import as_text, make_catalog
from auditor.authoring.lineage import rests_on
from auditor.facts.catalog import catalog, needs_of_columns, view_columns
from auditor.facts.needs import needs
from tests.authoring.test_catalog import REMAKE


def test_the_catalogue_made_anew_is_the_one_that_is_kept() -> None:
    assert as_text(catalog()) == as_text(make_catalog()), REMAKE


@pytest.mark.parametrize("view", view_columns())
def test_what_a_rule_needs_is_the_same_from_the_catalogue_as_from_the_sql(view: str) -> None:
    columns = list(view_columns()[view])
    for chosen in ([], columns, columns[::3], columns[-1:]):
        rests = rests_on([(view, chosen)])
        assert needs_of_columns([(view, chosen)]) == needs(rests.columns, rests.topics)
