"""Pages that need nothing else: templates that escape what they are given, and the policy that allows one style sheet alone."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path
from typing import Any


def policy(style: str) -> str:
    """The Content-Security-Policy of a page that holds ``style`` and loads nothing: no script, no network, no other style."""
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def markup(text: str) -> Any:
    """``text``, which is HTML already and is not escaped again."""
    from markupsafe import Markup

    return Markup(text)


def environment(templates: Path, **more: Any) -> Any:
    """Jinja's environment of a folder of templates: what is put in is escaped, a name that is not given is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **more,
    )
