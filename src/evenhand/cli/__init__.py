"""The command line: each command parses, calls a public function, prints. Errors leave by the codes of errors.py."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs ``evenhand``. Exit codes: 0; those of the error tree; 2 for a wrong call; 130 after Ctrl-C."""
    import click

    from ..errors import EvenhandError
    from .app import app

    try:
        code = app(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EvenhandError as error:
        print(f"evenhand: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        print("evenhand: stopped; the same command goes on where it was", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
