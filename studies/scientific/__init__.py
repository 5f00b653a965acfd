"""IDMGSP's bag-of-words rows, section vote and causal head on other scientific texts, before and after their artefacts are gone.

    python -m studies.scientific run TEXTS RESULTS [--job NAME] [--minutes 14]   fits and scores; call it again: it goes on
    python -m studies.scientific write TEXTS RESULTS [PAGE]                      the tables of docs/scientific-papers.md

TEXTS is scientific.jsonl.gz, which stays outside the repository; RESULTS keeps numbers under the texts' ids.
"""
