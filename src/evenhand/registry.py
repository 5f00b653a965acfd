"""Names -> components, one registry per open family; nothing is imported until it is asked for.

A spec is ``name`` or ``name(key=value, ...)``; it parses, and every component prints it back with all its parameters.
Plug-ins register by entry points of the group ``evenhand.<family>``.
"""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from numbers import Integral, Real
from types import UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from .errors import MissingExtra, SpecError


@dataclass(frozen=True)
class Card:
    """What ``evenhand show NAME`` prints: where a component comes from and what to know before it is trusted."""

    summary: str
    source: str = "ours"
    licence: str = "MIT"
    family: str = ""
    needs: str = "nothing"
    follows: str = ""
    """Where paper and authors' code differ: which of them is followed."""
    pitfalls: str = ""


class Component:
    """Base of every component: a frozen dataclass whose fields are its parameters and which prints its spec back."""

    name: ClassVar[str]
    card: ClassVar[Card]

    def __new__(cls, *values: Any, **parameters: Any) -> Self:
        if is_dataclass(cls):
            names = (f.name for f in fields(cls) if f.init)
            check_types(cls, dict(zip(names, values, strict=False)) | parameters)
        return super().__new__(cls)

    @property
    def spec(self) -> str:
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} is no dataclass")
        return format_spec(self.name, {f.name: getattr(self, f.name) for f in fields(self) if f.init and f.repr})


class Registry:
    """``get("homoglyph(rate=0.1)")`` makes the component; ``names``, ``factory`` and ``canonical`` tell about it."""

    def __init__(self, family: str, builtin: dict[str, str], extras: dict[str, str] | None = None) -> None:
        self.family = family
        self._targets = dict(builtin)
        self._extras = extras or {}
        self._plugins_loaded = False

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        for entry in entry_points(group=f"evenhand.{self.family}"):
            self.register(entry.name, entry.value)

    def names(self) -> list[str]:
        self._load_plugins()
        return sorted(self._targets)

    def register(self, name: str, target: str) -> None:
        """Adds ``name``, found at ``"module:attribute"``; a name is never replaced."""
        if self._targets.get(name, target) != target:
            raise SpecError(f"{self.family}: {name!r} is already {self._targets[name]}; give {target} another name")
        self._targets[name] = target

    def factory(self, name: str) -> Callable[..., Any]:
        self._load_plugins()
        if name not in self._targets:
            raise SpecError(f"{self.family}: no component {shorten(name)}{self._nearest(name)}")
        module, _, attribute = self._targets[name].partition(":")
        try:
            return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
        except ModuleNotFoundError as error:
            if name in self._extras and not (error.name or "").startswith("evenhand"):
                raise MissingExtra(f"{self.family}: {name!r}", self._extras[name]) from error
            raise

    def get(self, spec: str) -> Any:
        name, parameters = parse_spec(spec)
        factory = self.factory(name)
        known = inspect.signature(factory).parameters
        for key in parameters:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise SpecError(f"{spec}: {name} has no parameter {key!r}{hint} (it has: {', '.join(known) or 'none'})")
        try:
            inspect.signature(factory).bind(**parameters)
        except TypeError as error:
            raise SpecError(f"{spec}: {error}") from None
        return factory(**parameters)

    def canonical(self, spec: str) -> str:
        """The full spelling, defaults included: the key under which results are kept."""
        return str(self.get(spec).spec)

    def _nearest(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._targets, 1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"{hint} (`evenhand list {self.family}` shows them all)"


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """``"lastde(s=3)"`` -> ``("lastde", {"s": 3})``; values are Python literals, nothing is evaluated."""
    if not isinstance(spec, str):
        raise SpecError(f"a component is named by a text such as 'name(key=value)', got {shorten(spec)}")
    try:
        node = ast.parse(spec.strip(), mode="eval").body
        if isinstance(node, ast.Name):
            return node.id, {}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
            pairs = [(k.arg, ast.literal_eval(k.value)) for k in node.keywords if k.arg]
            if len(pairs) == len(node.keywords):
                return node.func.id, dict(pairs)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    raise SpecError(f"cannot read {shorten(spec)}; write name or name(key=value, ...), with text values in quotes")


def parse_chain(spec: str) -> list[str]:
    """``"a + b(x=1)"`` -> ``["a", "b(x=1)"]``, in the order of application."""
    if not isinstance(spec, str):
        raise SpecError(f"a component is named by a text such as 'name(key=value)', got {shorten(spec)}")
    try:
        node = ast.parse(spec.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(
            f"cannot read {shorten(spec)}; write name, name(key=value, ...) or several joined by +"
        ) from None
    parts: list[str] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts.append(ast.unparse(node.right))
        node = node.left
    return [ast.unparse(node), *reversed(parts)]


def format_spec(name: str, parameters: dict[str, Any]) -> str:
    inner = ", ".join(f"{key}={parameters[key]!r}" for key in sorted(parameters))
    return f"{name}({inner})" if inner else name


@lru_cache(maxsize=1024)
def declared(cls: type) -> dict[str, Any]:
    """The types of a component's parameters; empty where a plug-in's cannot be resolved."""
    try:
        return get_type_hints(cls)
    except (NameError, TypeError):
        return {}


def check_types(cls: type, parameters: dict[str, Any]) -> None:
    """Raises SpecError for a value of another type than the parameter is declared with."""
    hints = declared(cls)
    for key, value in parameters.items():
        if key in hints and not accepts(hints[key], value):
            shown = str(hints[key]) if get_args(hints[key]) else getattr(hints[key], "__name__", str(hints[key]))
            raise SpecError(f"{getattr(cls, 'name', cls.__name__)}: {key} takes {shown}, got {shorten(value)}")


def accepts(hint: Any, value: Any) -> bool:
    """Whether a value fits a type; a whole number fits float, a list fits a tuple, a boolean is no number."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(accepts(one, value) for one in inner)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inner)
    if hint in (int, float):
        return isinstance(value, Integral if hint is int else Real) and not isinstance(value, bool)
    if (kind := origin or hint) is tuple:
        repeated = inner[:1] * len(value) if inner[1:] == (...,) and isinstance(value, tuple | list) else inner
        whole = isinstance(value, tuple | list) and (not inner or len(repeated) == len(value))
        return whole and all(map(accepts, repeated, value))
    return not isinstance(kind, type) or isinstance(value, kind)


def shorten(value: object, limit: int = 80) -> str:
    """A value as it would be written, cut so that no message is longer than it needs."""
    written = repr(value)
    return written if len(written) <= limit else f"{written[: limit - 4]} ..."


def check_rate(name: str, **rates: float) -> None:
    """Raises SpecError unless every rate lies in [0, 1]."""
    for key, value in rates.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise SpecError(f"{name}: {key} must be a number from 0 to 1, got {value!r}")
