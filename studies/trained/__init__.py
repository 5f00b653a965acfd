"""What detectors that learn keep of their skill elsewhere: other domains, unseen generators, edits of both classes, policies.

    python -m studies.trained passes DATA [--minutes 14]         one model pass over every text, kept in the statistics cache
    python -m studies.trained run DATA RESULTS [--learner NAME]  fits and scores; stop it and call it again: it goes on
    python -m studies.trained repeat DATA RESULTS                the same seed twice: the same weights and scores?
    python -m studies.trained write DATA RESULTS [PAGE]          the tables, between the marks of docs/trained.md

DATA is the folder of the texts (detectrl_clean.jsonl.gz, ...), which stay outside the repository; RESULTS keeps numbers under
the texts' ids. ``run`` gives every learner a process of its own, so that its peak memory is its own.
"""
