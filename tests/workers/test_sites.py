"""Sites: names of places whose workers alone read some endpoints."""

from __future__ import annotations

import pytest

from auditor.errors import ConfigurationError
from auditor.workers.sites import UNITS, resource_of, resources_of, sites_of


def test_a_worker_has_a_resource_of_each_of_its_sites() -> None:
    assert resources_of(("vienna", "graz-2")) == {resource_of("vienna"): UNITS, resource_of("graz-2"): UNITS}
    assert resource_of("vienna") == "site-vienna"


def test_the_sites_of_a_worker_are_known_by_its_resources() -> None:
    assert sites_of({**resources_of(("vienna", "graz-2")), "GPU": 1}) == ("graz-2", "vienna")
    assert sites_of({}) == ()


@pytest.mark.parametrize("name", ["", "Vienna West", "a/b", "-vienna", "vienna\n", "v" * 64])
def test_a_name_that_no_site_of_a_fleet_can_have_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a name that a site can have"):
        resources_of((name,))
