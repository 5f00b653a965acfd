"""The command line: each command parses, calls a public function, prints. Errors leave by the codes of errors.py."""

from __future__ import annotations

import sys
from typing import Any

STOPPED = 130
"""What Ctrl-C leaves by; typer turns the signal into this code by itself."""


def main() -> None:
    """Runs ``evenhand``. Exit codes: 0; those of the error tree; 2 for a wrong call; 130 after Ctrl-C."""
    import typer

    from ..errors import EvenhandError
    from .app import app

    # typer brings its own copy of click since 0.27; the base of its errors is found through one that it exports
    wrong_call: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        code = app(standalone_mode=False)
    except wrong_call as error:
        error.show()
        sys.exit(2)
    except EvenhandError as error:
        print(f"evenhand: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    if code == STOPPED:
        print("evenhand: stopped; the same command goes on where it was", file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)
