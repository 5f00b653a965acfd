"""Every error that a user can meet. Each message says what was found and names the cure.

EvenhandError                                                        exit code
 ├─ SpecError       a name, parameter, rate or plan key that is not there     2
 ├─ DataError       a file, table, label or text that cannot be used          3
 ├─ MissingError    a package, program, model or network that is not there    4
 │   ├─ MissingExtra    an optional package is not installed
 │   └─ OfflineError    not in the cache, and the network is switched off
 ├─ ContractError   a plug-in broke its interface                             5
 └─ StoreError      a run folder is damaged, full, or of another plan         6

Abstain is no error of the user: a detector raises it to say why it gives no score.
"""

from __future__ import annotations


class EvenhandError(Exception):
    exit_code = 1


class SpecError(EvenhandError, ValueError):
    exit_code = 2


class DataError(EvenhandError, ValueError):
    exit_code = 3


class MissingError(EvenhandError):
    exit_code = 4


class MissingExtra(MissingError, ImportError):
    """``MissingExtra("detector 'log_rank'", "torch")`` names the command that brings the extra."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'evenhand[{extra}]'")


class OfflineError(MissingError):
    pass


class ContractError(EvenhandError):
    exit_code = 5


class StoreError(EvenhandError):
    exit_code = 6


class Abstain(Exception):
    """Raised by a detector that gives no score for a text; its message is the reason in the ledger."""
