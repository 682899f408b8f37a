"""Reads and writes the category of one volume of an ETERNUS DX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, unreadable
from auditor.endpoints.eternus import qos
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.eternus.client import EternusArray
    from auditor.model import Scalar, Target

PARAMETERS: Final = dict(zip(qos.MODES, ("bandwidth-limit", "read-bandwidth-limit", "write-bandwidth-limit"), strict=True))


class EternusVolumeQos:
    """`eternus.volume_qos`: keys `volume_id` (the volume's number) and `mode` (volume-qos, volume-qos-read or volume-qos-write).

    The value is a policy's id as array_volume.qos_policy_id has it, for example "volume-qos/5"; None is category 0, unlimited.
    """

    kind = EndpointKind.ETERNUS

    def read(self, session: EternusArray, target: Target) -> Reading:
        """The volume's category for this mode now.

        Raises:
            NotThereError: there is no such volume, or the array has no QoS.
            MalformedAnswerError: the assignments were not understood.
            EndpointError: the array could not be asked.

        Source: as eternus_qos.assignments.
        """
        _check(session, target)
        number = _now(session, target)[target["mode"]]
        return Reading(f"{target['mode']}/{number}" if number else None)

    def write(self, session: EternusArray, target: Target, value: Scalar) -> None:
        """Put the volume into the category.

        From V11L30 on the other two are read just before and sent as they are, as the only public client always names all three; that
        the array keeps what is left out is not verified.

        Raises:
            RefusedError: `value` is no category of this mode, or the array does not allow it.
            NotThereError: there is no such volume, or the array has no QoS.
            PermissionMissingError: the account may not.
            EndpointUnreachableError, MalformedAnswerError: no good answer; whether it was written is not known.

        Source: cinder's Fujitsu driver, `_set_qos`.
        """
        _check(session, target)
        mode = target["mode"]
        allowed: dict[Scalar, int] = {None: 0, **{f"{mode}/{number}": number for number in range(1, qos.CATEGORIES)}}
        if value not in allowed:
            raise _refused(session, target, f"its category cannot be {value!r}", f'it is "{mode}/1" to "{mode}/15", or none.')
        wanted = {**_now(session, target), mode: allowed[value]}
        if qos.has_table(session.firmware) is False:
            if mode != qos.MODES[0]:
                raise _refused(session, target, "reads and writes have no categories of their own before V11L30", "the array cannot do it.")
            wanted = {mode: wanted[mode]}
        options = " ".join(f"-{PARAMETERS[each]} {number}" for each, number in wanted.items())
        session.write(f"set volume-qos -volume-number {target['volume_id']} {options}")


def _check(session: EternusArray, target: Target) -> None:
    if target["mode"] not in qos.MODES:
        raise _refused(session, target, f"there is no mode {target['mode']!r}", f"it is one of {', '.join(qos.MODES)}.")
    if not (target["volume_id"].isascii() and target["volume_id"].isdecimal()):
        raise _refused(session, target, "that is no volume number", "a volume's number is decimal.")


def _now(session: EternusArray, target: Target) -> dict[str, int]:
    parse_errors: list[tuple[str, str]] = []
    answer = session.read("show volume-qos")
    assigned = qos.assignments(answer, lambda what, label, why: parse_errors.append((label, f"{what} of {label} {why}")))
    known = assigned.get(int(target["volume_id"]))
    about = [text for label, text in parse_errors if label in (f"volume {target['volume_id']}", "the array", "the answer")]
    if about:
        raise unreadable(session, f"the volumes' categories were not understood: {about[0]}", "look at the volume on the array itself.")
    if known is None:
        raise not_there(session, f"there is no volume {target['volume_id']}", "its category can be neither read nor written.")
    return {mode: number for mode, number in known.items() if number is not None}


def _refused(session: EternusArray, target: Target, what: str, why: str) -> RefusedError:
    return RefusedError(
        f"endpoint {session.endpoint.name}: QoS of volume {target['volume_id']}: {what}",
        why=f"{why} Nothing was written.",
        do="correct `target:` and `set:` of the rule that asked for it.",
    )
