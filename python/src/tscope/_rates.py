"""The learning rates of an optimizer: one, or one of each group of parameters where they are not the same."""

from typing import Any, Optional

from tscope._numbers import device_of

_MOST = 64  # groups that have a column of their own


def rates_of(optimizer: Any) -> dict[str, Any]:
    """Returns the learning rates of an optimizer by the names of their columns: `lr` where all groups have the same and began with
    the same, else `lr.GROUP`, by the names of the groups or by their places. Of more than 64 groups it is the least and the greatest.

    >>> class Optimizer:
    ...     param_groups = [{"lr": 0.1, "name": "body"}, {"lr": 0.2, "name": "head"}]
    >>> rates_of(Optimizer())
    {'lr.body': 0.1, 'lr.head': 0.2}
    """
    groups: Any = getattr(optimizer, "param_groups", None) or []
    if len(groups) == 1:
        return {"lr": groups[0]["lr"]} if groups[0].get("lr") is not None else {}
    rated = [(i, group) for i, group in enumerate(groups) if group.get("lr") is not None]
    if not rated:
        return {}
    first = rated[0][1]
    if all(_same(group["lr"], first["lr"]) and _same(group.get("initial_lr"), first.get("initial_lr")) for _, group in rated[1:]):
        return {"lr": first["lr"]}
    if len(rated) > _MOST:
        numbers = [float(group["lr"]) for _, group in rated if device_of(group["lr"]) == "cpu"]
        return {"lr.min": min(numbers), "lr.max": max(numbers)} if numbers else {}
    names = [group.get("name") for _, group in rated]
    named = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    return {f"lr.{group['name'] if named else i}": group["lr"] for i, group in rated}


def placed(rates: dict[str, Any], place: Optional[int]) -> dict[str, Any]:
    """Returns the rates of one of several optimizers by names that have its place in them; of a single one they stay.

    >>> placed({"lr.head": 0.2}, 1), placed({"lr": 0.1}, None)
    ({'lr.1.head': 0.2}, {'lr': 0.1})
    """
    return rates if place is None else {f"lr.{place}{name[2:]}": rate for name, rate in rates.items()}


def _same(one: Any, other: Any) -> bool:
    """Whether two rates are equal. What lies on a device is not read: there one that all groups share is the same."""
    return one is other or (device_of(one) == "cpu" == device_of(other) and bool(one == other))
