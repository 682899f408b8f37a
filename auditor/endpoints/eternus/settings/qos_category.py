"""Reads and writes one limit of one category of an ETERNUS DX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, unreadable
from auditor.endpoints.eternus import qos
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.eternus.client import EternusArray
    from auditor.endpoints.eternus.qos import Limit
    from auditor.model import Scalar, Target

FIELDS: Final = {"iops": qos.MOST_IOPS, "mbps": qos.MOST_MB_PER_SECOND}
"""What can be set, and the largest value of each, which stands for "no ceiling"."""


class EternusQosCategory:
    """`eternus.qos_category`: keys `mode` (volume-qos, volume-qos-read or volume-qos-write), `category` (1 to 15), `field` (iops or mbps).

    A category is shared: what is written holds at once for every volume that is in it. None is no ceiling. Only firmware from V11L30 on has
    a table that can be set.
    """

    kind = EndpointKind.ETERNUS

    def read(self, session: EternusArray, target: Target) -> Reading:
        """The limit as the array reports it now, in I/O operations or in MB (2**20 bytes) a second; None is none.

        Raises:
            NotThereError: there is no such category, or no such table.
            MalformedAnswerError: the table or the limit was not understood.
            EndpointError: the array could not be asked.

        Source: as eternus_qos.table.
        """
        _check(session, target)
        limit = _now(session, target)
        return Reading(limit.iops if target["field"] == "iops" else limit.mb_per_second)

    def write(self, session: EternusArray, target: Target, value: Scalar) -> None:
        """Set the one limit. The command takes both, so the other is read just before and sent as it is; None is sent as the largest.

        Raises:
            RefusedError: `value` is no whole number from 1 to below the largest, nor None; or the array does not allow it.
            NotThereError: there is no such category, or no such table.
            PermissionMissingError: the account may not change categories.
            EndpointUnreachableError, MalformedAnswerError: no good answer; whether the limit was written is not known.

        Source: cinder's Fujitsu driver, `_set_limit`.
        """
        _check(session, target)
        field = target["field"]
        if value is not None and (type(value) is not int or not 1 <= value < FIELDS[field]):
            raise _refused(session, target, f"{field} cannot be {value!r}", f"it is a whole number from 1 to {FIELDS[field] - 1}, or none.")
        now = _now(session, target)
        wanted = {"iops": now.iops, "mbps": now.mb_per_second, field: value}
        iops, mbps = (FIELDS[name] if wanted[name] is None else wanted[name] for name in ("iops", "mbps"))
        if iops == mbps == qos.UNSET:
            raise _refused(
                session, target, f"{field} cannot be {value!r}", f"{qos.UNSET} of both is how the array reports that there is none."
            )
        session.write(
            f"set qos-bandwidth-limit -mode {target['mode']} -bandwidth-limit {target['category']} -iops {iops} -throughput {mbps}"
        )


def _check(session: EternusArray, target: Target) -> None:
    if target["mode"] not in qos.MODES:
        raise _refused(session, target, f"there is no mode {target['mode']!r}", f"it is one of {', '.join(qos.MODES)}.")
    if target["field"] not in FIELDS:
        raise _refused(session, target, f"a category has no limit {target['field']!r}", f"it is one of {', '.join(FIELDS)}.")
    if target["category"] not in {str(number) for number in range(1, qos.CATEGORIES)}:
        raise _refused(session, target, "only categories 1 to 15 can be set", "0 is unlimited.")


def _now(session: EternusArray, target: Target) -> Limit:
    parse_errors: list[str] = []
    answer = session.read("show qos-bandwidth-limit")
    table = qos.table(answer, lambda what, label, why: parse_errors.append(f"{what} of {label} {why}"))
    category = table.get(int(target["category"]))
    if parse_errors:
        raise unreadable(
            session, f"its category table was not understood: {parse_errors[0]}", "look at the categories on the array itself."
        )
    limit = category.limits[target["mode"]] if category else None
    if limit is None:
        raise not_there(
            session,
            f"there is no category {target['category']}",
            "its limits can be neither read nor written.",
            "audit again: the array may have been replaced.",
        )
    return limit


def _refused(session: EternusArray, target: Target, what: str, why: str) -> RefusedError:
    return RefusedError(
        f"endpoint {session.endpoint.name}: category {target['mode']}/{target['category']}: {what}",
        why=f"{why} Nothing was written.",
        do="correct `target:` and `set:` of the rule that asked for it.",
    )
