"""A fitted detector as a folder, without pickle: a card in JSON, scikit-learn's parts by skops, tensors by safetensors.

Loading runs no code of the file: what skops may build is a fixed list. The card holds a digest of every file and of itself,
which tells damage and exchange; it is no signature, so a folder from a stranger is as trustworthy as the stranger.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...documents import Judgement
from ...errors import DataError
from ...files import file_digest
from ...registry import Card
from ..base import Detector
from .base import Trained

FORMAT = 1
CARD = "card.json"
PARTS = "parts.skops"
ALLOWED = frozenset({"sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor", "sklearn.tree._tree.Tree"})
"""Beside what skops itself trusts of numpy, scipy and scikit-learn: the arrays of trees. Forged, they can make a prediction
crash or read amiss; they run nothing."""
BY_MINOR = ("evenhand", "scikit-learn")
STATE = ("steps_", "step_", "threshold_", "trained_on_", "training_")


def save(detector: Any, path: str | os.PathLike[str]) -> Path:
    """Writes a fitted detector to the new folder ``path``, whole or not at all. Raises DataError where it is not fitted or
    the path is taken."""
    target = Path(path)
    if not isinstance(detector, Trained):
        raise DataError(f"{getattr(detector, 'spec', detector)!r} learns nothing, so its spec is all there is to keep")
    detector.fitted("trained_on_")
    if target.exists():
        raise DataError(f"{target} is there already; give a folder that is not")
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
        write(detector, made)
        os.replace(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return target


def write(detector: Trained, folder: Path) -> None:
    if detector.kept_parts:
        from skops.io import dump

        dump({name: getattr(detector, name) for name in detector.kept_parts}, folder / PARTS)
    detector.write_files(folder)
    names = (*STATE, *detector.kept_state)
    card = {
        "format": FORMAT,
        "spec": detector.spec,
        "models": detector.model_keys,
        "trained_on": detector.training_,
        "state": {**{name: getattr(detector, name) for name in names}, "classes_": detector.classes_.tolist()},
        "versions": versions(detector),
        "files": {file.relative_to(folder).as_posix(): file_digest(file) for file in files_of(folder)},
    }
    told = json.dumps({**card, "digest": card_digest(card)}, indent=1, sort_keys=True)
    (folder / CARD).write_text(told, encoding="utf-8")


def load(path: str | os.PathLike[str]) -> Any:
    """The fitted detector of a folder that ``save`` wrote. Raises DataError where it is damaged, changed since, holds a type
    that is not on the list, or was written by another release or on other model weights."""
    folder = Path(path)
    card = read_card(folder)
    try:
        return restored(folder, card)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{folder / CARD} is not what save() writes ({type(error).__name__}: {error}): train and save the detector anew"
        ) from error


def restored(folder: Path, card: Mapping[str, Any]) -> Any:
    """The detector of a card; raises whatever comes of a card that somebody wrote."""
    from .. import get

    check_files(folder, card)
    detector = get(card["spec"])
    if not isinstance(detector, Trained):
        raise DataError(f"{folder / CARD} names {card['spec']}, which learns nothing: train and save the detector anew")
    check_versions(folder, card, versions(detector))
    check_models(folder, card, detector.model_keys)
    for name in (*STATE, *detector.kept_state):
        setattr(detector, name, tuple(card["state"][name]) if name == "steps_" else card["state"][name])
    detector.classes_ = np.asarray(card["state"]["classes_"])
    if detector.kept_parts:
        for name, part in read_parts(folder / PARTS).items():
            setattr(detector, name, part)
    detector.read_files(folder)
    return detector


def read_card(folder: Path) -> dict[str, Any]:
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"no saved detector at {folder}: a folder with {CARD}, as save() writes it, was expected"
        ) from None
    except (ValueError, OSError) as error:
        raise DataError(f"{folder / CARD} cannot be read: {error}; save the detector anew") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        found = card.get("format") if isinstance(card, dict) else None
        raise DataError(f"{folder} has the format {found}, this version reads {FORMAT}: train and save it anew")
    if card.get("digest") != card_digest(card):
        raise DataError(
            f"{folder / CARD} was changed after it was written (its digest differs): save the detector anew"
        )
    return card


def check_files(folder: Path, card: Mapping[str, Any]) -> None:
    found = {file.relative_to(folder).as_posix(): file_digest(file) for file in files_of(folder)}
    wrong = sorted(name for name in card["files"].keys() | found.keys() if card["files"].get(name) != found.get(name))
    if wrong:
        raise DataError(
            f"{folder}: {wrong[0]} is missing, new or not as it was saved (its digest differs): it was damaged or exchanged; "
            "train and save the detector anew"
        )


def check_versions(folder: Path, card: Mapping[str, Any], here: Mapping[str, str]) -> None:
    for package in (*card["versions"], *(here.keys() - card["versions"].keys())):
        made, own = card["versions"].get(package, "(not told)"), here.get(package, "none")
        if own != made:
            raise DataError(
                f"{folder} was saved with {package} {made}, here is {own}: the parts of another version may score otherwise; "
                f"install {package} {made}, or train it anew"
            )


def check_models(folder: Path, card: Mapping[str, Any], here: Mapping[str, str]) -> None:
    for name, key in card["models"].items():
        if here.get(name) != key:
            raise DataError(f"{folder} learnt from {name} {key}, and that is {here.get(name)} here: train it anew")


def read_parts(file: Path) -> dict[str, Any]:
    from skops.io import get_untrusted_types
    from skops.io import load as load_parts

    try:
        asked = set(get_untrusted_types(file=file))
        if asked <= ALLOWED:
            return dict(load_parts(file, trusted=sorted(asked)))
    except Exception as error:
        raise DataError(f"{file} cannot be read: {type(error).__name__}: {error}; save the detector anew") from error
    raise DataError(
        f"{file} asks for types that no detector here is made of, so it is not loaded: {sorted(asked - ALLOWED)}"
    )


def versions(detector: Trained) -> dict[str, str]:
    """Of the packages that made its parts and what they read, as far as a release can change a score: major and minor of Evenhand
    and scikit-learn, major of others."""
    made_by = ("evenhand", *(("scikit-learn",) if detector.kept_parts else ()), *detector.made_by)
    return {name: ".".join(version(name).split(".")[: 2 if name in BY_MINOR else 1]) for name in made_by}


def files_of(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and file.relative_to(folder) != Path(CARD))


def card_digest(card: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in card.items() if key != "digest"}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Saved(Detector):
    """A detector that was trained before and saved in the folder ``path``; nothing is learnt from the run's texts."""

    name: ClassVar[str] = "saved"
    card: ClassVar[Card] = Card(
        "A detector that was trained before, from the folder where detectors.save(detector, path) put it.",
        family="trained",
        needs="the folder; the models and the scikit-learn that it was trained with",
        follows="no publication",
        pitfalls="its card.json lists what it was trained on: texts of that kind test it on itself",
    )
    model_fields: ClassVar[tuple[str, ...]] = ()
    path: str

    @property
    def inner(self) -> Any:
        return loaded(str(Path(self.path).resolve()), card_stamp(Path(self.path)))

    @property
    def key(self) -> str:
        return str(self.inner.key)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.inner.models)

    def judge(self, texts: Any) -> list[Judgement]:
        return list(self.inner.judge(texts))


def card_stamp(folder: Path) -> int:
    card = folder / CARD
    return card.stat().st_mtime_ns if card.is_file() else 0


@lru_cache(maxsize=4)
def loaded(path: str, stamp: int) -> Any:
    return load(path)
