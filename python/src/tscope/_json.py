"""Configurations and facts as JSON, whatever a program keeps them in."""

import json
import math
from collections.abc import Mapping
from typing import Any, Optional

_DEEPEST = 32


def plain(value: Any, depth: int = 0) -> Any:
    """Returns a value made of JSON's types; what is none of them becomes its text.

    >>> import argparse
    >>> plain(argparse.Namespace(lr=0.1, betas=(0.9, 0.95), device=complex(1, 2)))
    {'lr': 0.1, 'betas': [0.9, 0.95], 'device': '(1+2j)'}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= _DEEPEST:
        return str(value)
    if hasattr(type(value), "__dataclass_fields__"):
        import dataclasses  # it imports inspect, which takes as long as all of this package

        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif type(value).__name__ == "Namespace":
        value = vars(value)
    elif not isinstance(value, (Mapping, list, tuple, set, frozenset)) and callable(getattr(value, "to_dict", None)):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items() if str(key)}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ListConfig":
        return [plain(item, depth + 1) for item in value]
    return str(value)


def text(value: Optional[Any]) -> Optional[str]:
    """Returns the JSON of a configuration or of facts, or None for None. A lone surrogate becomes a question mark."""
    if value is None:
        return None
    found = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return found.encode("utf-8", "replace").decode("utf-8").replace("\\u0000", "?")
