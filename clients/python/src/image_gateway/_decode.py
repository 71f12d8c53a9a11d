"""Turns JSON into the dataclasses of ``types``."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints


@lru_cache(maxsize=None)
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(kind: Any, value: dict[str, Any]) -> bool:
    status = _hints(kind).get("status")
    return get_origin(status) is Literal and value.get("status") in get_args(status)


def decode(kind: Any, value: Any) -> Any:
    """Return the value as ``kind``. Fields that this release does not know are left out, missing ones are ``None``."""
    origin, args = get_origin(kind), get_args(kind)
    if value is None:
        return None
    if origin in (Union, types.UnionType):
        options = [one for one in args if one is not type(None)]
        chosen = [one for one in options if isinstance(one, type) and _fits(one, value)]
        return decode((chosen or options)[0], value)
    if origin is list:
        return [decode(args[0], one) for one in value]
    if origin is dict:
        return {name: decode(args[1], one) for name, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(cast(Any, kind))
        return kind(**{field.name: decode(hints[field.name], value.get(field.name)) for field in fields(kind)})
    return value
