"""What a finding costs and what its fix gives, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditor.report.wording import neutral
from auditor.text.numbers import number_text

NOT_COMPUTED = "not_computed"
_MAY_NOT = "the fix may not help"
_UNSIZED = {  # where the direction is known and the size is not
    "latency_ms": {
        "better": "after the fix not slower; how much quicker is not known",
        "worse": "after the fix not quicker; how much slower is not known",
    },
    "iops": {
        "better": "after the fix not fewer; how many more is not known",
        "worse": "after the fix not more; how many fewer is not known",
    },
    "transfers_per_disk": {"better": "after the fix not more; how many fewer is not known"},
}
_SAME = "the fix does not change that"
_EITHER = "whether the fix helps is not known"
_QUICK_MS = 10.0  # as the param limit of diag/noisy-neighbour-signature


def impact_text(impact: Mapping[str, Any]) -> str:
    """One sentence, safe for a terminal; "" where no impact is computed for such findings, or none is known."""
    return neutral(_sentence(impact))


def _sentence(impact: Mapping[str, Any]) -> str:
    if not impact or NOT_COMPUTED in impact:
        return ""
    now, who, then = span(impact["now"]), _named(impact["victims"], impact["victims_count"]), after_text(impact)
    quantity = impact["quantity"]
    if quantity == "iops":
        took = impact.get("latency_ms")  # reports of before have none
        each = f" of {span(took['now'])} ms" if took else ""
        return f"{who}: {now} commands a second{each}; {then}"
    if quantity == "transfers_per_disk":
        return f"{impact['queue']}: {now} transfers a second per disk, in the way of {who}; {then}"
    several = impact["victims_count"] != 1
    behind = f" behind {_named(impact['behind'], len(impact['behind']))}" if impact["behind"] else ""
    return f"{who} {'take' if several else 'takes'} {now} ms{behind}; {then}"


def after_text(impact: Mapping[str, Any]) -> str:
    """What the fix gives; where only its direction is known, that."""
    quantity = impact["quantity"]
    if impact["model"] == "move":
        return f"up to {_digits(impact['worst_now'][1])} ms on average while the copy reads as fast as it can"
    if impact.get("direction") == "same":
        return _SAME
    if not impact.get("size_known", True):
        return _UNSIZED[quantity].get(impact["direction"], _EITHER)
    if may_not_help(impact):
        then = _MAY_NOT
    else:
        took = impact.get("latency_ms")
        each = f" of {span(took['after'])} ms" if took else ""
        then = f"after the fix {span(impact['after'])}{' ms' if quantity == 'latency_ms' else each}"
    return then if quantity == "iops" else f"{then}, {_worst(impact)}"


def _worst(impact: Mapping[str, Any]) -> str:
    """The worst with the fix; and what it is without, where that is another figure."""
    unit = " ms" if impact["quantity"] == "latency_ms" else ""
    worst = _digits(impact["worst_after"][1])
    without = _digits(impact["worst_now"][1]) if "worst_now" in impact else worst  # reports of before have none
    return f"at worst {worst}{unit}" if without == worst else f"at worst {worst}{unit} instead of {without}"


def cost_text(impact: Mapping[str, Any]) -> str:
    """The figures of `impact_text` first and few words; "" where it is "". Where there is no room for all of it, names are what can go."""
    if not impact or NOT_COMPUTED in impact:
        return ""
    now, who = span(impact["now"]), _named(impact["victims"], impact["victims_count"])
    quantity = impact["quantity"]
    if impact["model"] == "move" or impact.get("direction") == "same" or not impact.get("size_known", True):
        then = after_text(impact)
    else:
        after = f"{span(impact['after'])}{' ms' if quantity == 'latency_ms' else ''} after the fix"
        then = _MAY_NOT if may_not_help(impact) else after
        then = then if quantity == "iops" else f"{then}, {_worst(impact)}"
    if quantity == "iops":
        return f"{now} commands a second now, {then}: {who}"
    if quantity == "transfers_per_disk":
        return f"{now} transfers a second per disk now, {then}: {who}"
    behind = f" behind {_named(impact['behind'], len(impact['behind']))}" if impact["behind"] else ""
    return f"{now} ms now{behind}, {then}: {who}"


def may_not_help(impact: Mapping[str, Any]) -> bool:
    """Whether the interval after the fix contains all of the one now, so that nothing says which way it goes."""
    (low, high), (after_low, after_high) = impact["now"], impact["after"]
    return after_low <= low and (after_high is None or (high is not None and high <= after_high))


def waits_little(impact: Mapping[str, Any]) -> bool:
    """Whether the disks of an impact wait no longer now than is quick by any measure."""
    high = impact["now"][1]
    return impact["quantity"] == "latency_ms" and high is not None and high <= _QUICK_MS


def neighbours_text(impact: Mapping[str, Any]) -> str:
    """That those who share a queue with a disk at its ceiling do not wait for it; `waits_little` says whether that is so."""
    several = impact["victims_count"] != 1
    who, held = _named(impact["victims"], impact["victims_count"]), _named(impact["behind"], len(impact["behind"]))
    return f"{who} {'take' if several else 'takes'} {span(impact['now'])} ms beside {held}, which the array holds at its ceiling"


def impact_rows(impact: Mapping[str, Any]) -> dict[str, str]:
    """Everything of an impact as name and text, for a page that shows it in full; empty where there is nothing."""
    if not impact:
        return {}
    if NOT_COMPUTED in impact:
        return {"not computed": neutral(impact[NOT_COMPUTED])}
    rows = {"in short": impact_text(impact), "model": neutral(impact["model"]), "queue": neutral(impact["queue"])}
    if impact["model"] == "move":
        rows["while it is copied"] = f"{span(impact['worst_now'])} ms, a mean; where between is not known"
    elif not impact.get("size_known", True):
        rows["bounds after the fix"] = span(impact["after"])
    for one in impact["inputs"]:
        rows[neutral(one["name"])] = neutral(f"{span(one['value'])} {one['unit']}, {one['basis']}: {one['source']}")
    return rows


def _named(names: Sequence[str], count: int) -> str:
    """The first name, and how many more."""
    if not names:
        return "nobody known"
    more = count - 1
    return f"{neutral(names[0])} and {more:,} more" if more > 0 else neutral(names[0])


def span(ends: Sequence[float | None]) -> str:
    """An interval in words, with as many digits as it has use for."""
    low, high = ends
    if high is None:
        return f"at least {_digits(low)}"
    texts = _digits(low), _digits(high)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _digits(value: float | None) -> str:
    """Two digits or three: an interval has no use for more."""
    if value is None:
        return "unknown"
    return number_text(value, 2)
