"""The tables of docs/trained.md."""

from __future__ import annotations

from ..pages import Tables
from . import attack_tables, cost_tables, domain_tables, level_tables

TABLES: Tables = {
    **domain_tables.TABLES,
    **attack_tables.TABLES,
    **level_tables.TABLES,
    **cost_tables.TABLES,
}
