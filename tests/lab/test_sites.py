"""A lab at another site is another fleet of the same names: hosts find the volumes of its arrays by what they report."""

import pytest

from auditor_lab.scenario import load_incidents
from auditor_lab.sites import at_site


@pytest.mark.parametrize("site", ["/home/me/lab.yaml", "another"])
def test_volumes_have_the_names_that_hosts_have_for_them_at_every_site(site: str) -> None:
    fleet = load_incidents()
    assert fleet.nimble
    assert fleet.dothill
    for group in fleet.nimble:
        moved = at_site(group, site)
        names = [*(one.name for one in group.volumes), *group.protocol_endpoints]
        assert [moved.serial_of(name) for name in names] == [group.serial_of(name) for name in names]
        assert moved.target == group.target
        assert moved.own_digits != group.own_digits
    for array in fleet.dothill:
        moved = at_site(array, site)
        assert [moved.volume_wwn(one.name) for one in array.volumes] == [array.volume_wwn(one.name) for one in array.volumes]
        assert moved.targets() == array.targets()
        assert moved.reported_serial != array.reported_serial
