"""Reads the pools of an ETERNUS DX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, once_each
from auditor.endpoints.common.topics import batch
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import UNKNOWN_FORM, NoSuchCommandError
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.eternus.client import EternusArray
    from auditor.endpoints.eternus.records import Pool
    from auditor.facts.schema import Batch


def read_pools(array: EternusArray, endpoint: str) -> Iterator[Batch | Gap]:
    """RAID groups and thin pools; flexible tier pools only say that there are some, since their form is not known."""
    pools: list[Pool] = []
    for read in (_raid_groups, _thin_pools, _flexible_pools):
        try:
            for item in read(array, endpoint):
                if isinstance(item, Gap):
                    yield item
                else:
                    pools.append(item)
        except (EndpointUnreachableError, CredentialsError):
            raise
        except EndpointError as error:
            yield Gap(endpoint, "pools", error.what)
    parse_errors = ParseErrors("pools")
    yield batch(
        "array_pool", endpoint, [rows.pool_row(pool) for pool in once_each(pools, lambda pool: pool.id, "the number", set(), parse_errors)]
    )
    yield from parse_errors.gaps(endpoint)


def _raid_groups(array: EternusArray, endpoint: str) -> Iterator[Pool | Gap]:
    parse_errors = ParseErrors("show raid-groups")
    answer = array.read("show raid-groups")
    if answer.by_machine:
        parse_errors.add("the answer", "the array", UNKNOWN_FORM)
    else:
        yield from text.raid_groups(answer, parse_errors)
    yield from parse_errors.gaps(endpoint)


def _thin_pools(array: EternusArray, endpoint: str) -> Iterator[Pool | Gap]:
    """An array without thin provisioning does not know the command, and has no such pools."""
    command = "show thin-pro-pools" if array.by_machine else "show thin-pro-pools -csv"
    parse_errors = ParseErrors(command)
    try:
        answer = array.read(command)
    except NoSuchCommandError:
        return
    yield from machine.thin_pools(answer, parse_errors) if answer.by_machine else text.thin_pools(answer, parse_errors)
    yield from parse_errors.gaps(endpoint)


def _flexible_pools(array: EternusArray, endpoint: str) -> Iterator[Pool | Gap]:
    try:
        answer = array.read("show flexible-tier-pools")
    except NoSuchCommandError:
        return
    except EndpointError as error:
        if "E0331" in error.what:  # "Flexible tier mode is not valid": recorded by delfin; then there are none
            return
        raise
    lines = answer.lines[1:] if answer.by_machine else [line for line in answer.lines if line.lstrip()[:1].isdecimal()]
    if lines:
        yield Gap(endpoint, "show flexible-tier-pools", f"{len(lines)} lines whose form is not public were left out")
