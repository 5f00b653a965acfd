"""Findings as JSON: what audits write and reports read. Lossless, and the same findings give the same bytes.

A float is printed by repr and read back exactly. In a field that holds a float, null is NaN and "Infinity" or "-Infinity"
the bounds; in free mappings (ledger, provenance), where null is None, they are ``{"$float": "nan"}``. Lists and tuples
in free mappings are both arrays and come back as lists. The text is ASCII, so that lone surrogates survive too.
"""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..audits.finding import Findings
from ..errors import ContractError, DataError

FORMAT = "evenhand-findings"
VERSION = 1
_UNIONS = (Union, types.UnionType)
_BREAK_BEFORE_NUMBER = re.compile(r",\n +(?=[-\dn])")


def to_json(findings: Findings) -> str:
    """The text of ``findings.json``, ending in a newline. Raises ContractError for a value that JSON cannot hold."""
    tree = {"format": FORMAT, "version": VERSION, **_encode(Findings, findings, "findings")}
    text = json.dumps(tree, sort_keys=True, indent=1, allow_nan=False)
    return _BREAK_BEFORE_NUMBER.sub(", ", text) + "\n"


def from_json(text: str) -> Findings:
    """The findings that ``to_json`` wrote. Raises DataError, which says where the text departs from that form."""
    try:
        tree = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"this is no findings.json: {error}; write it again with `evenhand audit`") from None
    if not isinstance(tree, dict) or tree.pop("format", None) != FORMAT:
        raise DataError(f"this JSON has no 'format': '{FORMAT}'; give the findings.json of a run folder")
    version = tree.pop("version", None)
    if version != VERSION:
        raise DataError(f"findings.json has version {version!r}, this evenhand reads {VERSION}; audit the run again")
    return _decode(Findings, tree, "findings")  # type: ignore[no-any-return]


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)


def _encode(kind: Any, value: Any, place: str) -> Any:
    """``value`` of the declared type ``kind`` as a JSON tree; ``place`` is named in errors."""
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(value, kind):
            raise ContractError(f"{place} must be a {kind.__name__}, got {value!r:.80}")
        return {k: _encode(t, getattr(value, k), f"{place}.{k}") for k, t in _hints(kind).items()}
    if kind is float:
        return _encode_float(value, place)
    if get_origin(kind) is tuple:
        return [_encode(get_args(kind)[0], item, f"{place}[{i}]") for i, item in enumerate(value)]
    if get_origin(kind) is Mapping:
        return _encode_mapping(value, place, get_args(kind)[1])
    return _encode_free(value, place) if kind is Any else _encode_scalar(kind, value, place)


def _encode_scalar(kind: Any, value: Any, place: str) -> Any:
    """What could not be read back is not written."""
    try:
        tree = _encode_free(value, place)
        return tree if tree is None and get_origin(kind) in _UNIONS else _check(kind, tree, place)
    except DataError as error:
        raise ContractError(str(error)) from None


def _encode_float(value: Any, place: str) -> float | str | None:
    if not isinstance(value, Real):
        raise ContractError(f"{place} must be a number (NaN where there is none), got {value!r:.80}")
    number = float(value)
    if math.isnan(number):
        return None
    return number if math.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")


def _encode_mapping(value: Mapping[Any, Any], place: str, kind: Any = Any) -> dict[str, Any]:
    """Keys that start with $ get a second one, so that none is taken for the sign of a float."""
    for key in value:
        if not isinstance(key, str):
            raise ContractError(f"{place} has the key {key!r}; keys of findings are texts")
    return {("$" + k if k.startswith("$") else k): _encode(kind, v, f"{place}.{k}") for k, v in value.items()}


def _encode_free(value: Any, place: str) -> Any:
    if value is None or isinstance(value, bool | str):
        return value if not isinstance(value, str) else str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else {"$float": repr(number)}
    if isinstance(value, Mapping):
        return _encode_mapping(value, place)
    if isinstance(value, list | tuple):
        return [_encode_free(item, f"{place}[{i}]") for i, item in enumerate(value)]
    raise ContractError(f"{place} is a {type(value).__name__}; findings hold texts, numbers, lists and mappings only")


def _decode(kind: Any, tree: Any, place: str) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        return _decode_record(kind, _expect(dict, tree, place), place)
    if kind is float:
        return _decode_float(tree, place)
    if get_origin(kind) is tuple:
        items = _expect(list, tree, place)
        return tuple(_decode(get_args(kind)[0], item, f"{place}[{i}]") for i, item in enumerate(items))
    if get_origin(kind) is Mapping:
        items = _expect(dict, tree, place).items()
        return {_plain_key(k): _decode(get_args(kind)[1], v, f"{place}.{k}") for k, v in items}
    if get_origin(kind) in _UNIONS and tree is None:
        return None
    return _decode_free(tree, place) if kind is Any else _check(kind, tree, place)


def _decode_record(record: type, tree: dict[str, Any], place: str) -> Any:
    known = {f.name: f for f in fields(record)}
    unknown = sorted(tree.keys() - known.keys())
    missing = sorted(k for k in known.keys() - tree.keys() if _required(known[k]))
    if unknown or missing:
        raise DataError(f"{place}: unknown {unknown}, missing {missing}; the file is not of this version of evenhand")
    kinds = _hints(record)
    return record(**{key: _decode(kinds[key], value, f"{place}.{key}") for key, value in tree.items()})


def _required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _decode_float(tree: Any, place: str) -> float:
    if tree is None or tree in ("Infinity", "-Infinity"):
        return math.nan if tree is None else float(tree)
    if isinstance(tree, bool) or not isinstance(tree, int | float):
        raise DataError(f"{place} must be a number, got {tree!r:.80}")
    return float(tree)


def _decode_free(tree: Any, place: str) -> Any:
    if isinstance(tree, list):
        return [_decode_free(item, f"{place}[{i}]") for i, item in enumerate(tree)]
    if not isinstance(tree, dict):
        return tree
    if tree.keys() == {"$float"}:
        return _decode_spelt(tree["$float"], place)
    return {_plain_key(k): _decode_free(v, f"{place}.{k}") for k, v in tree.items()}


def _decode_spelt(text: Any, place: str) -> float:
    if text not in ("nan", "inf", "-inf"):
        raise DataError(f"{place}: $float must be nan, inf or -inf, got {text!r:.80}")
    return float(text)


def _plain_key(key: str) -> str:
    return key[1:] if key.startswith("$$") else key


def _check(kind: Any, tree: Any, place: str) -> Any:
    """``tree``, if it is of the scalar type ``kind``, or one of the values of a Literal."""
    if get_origin(kind) is Literal:
        if tree not in get_args(kind):
            raise DataError(f"{place} must be one of {', '.join(get_args(kind))}, got {tree!r:.80}")
        return tree
    wanted = next(t for t in get_args(kind) if t is not type(None)) if get_origin(kind) in _UNIONS else kind
    return _expect(wanted, tree, place)


def _expect(kind: type, tree: Any, place: str) -> Any:
    if not isinstance(tree, kind) or (kind is int and isinstance(tree, bool)):
        raise DataError(f"{place} must be a {kind.__name__}, got {tree!r:.80}")
    return tree


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
