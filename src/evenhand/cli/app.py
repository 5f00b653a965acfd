"""The commands in the order in which a newcomer meets them."""

from __future__ import annotations

import typer

from . import (
    audit,
    build,
    check,
    compare,
    components,
    demo,
    doctor,
    explain,
    features,
    fetch,
    forget,
    import_files,
    lint,
    report,
    run,
    score,
    serve,
    split,
    status,
    texts,
    try_text,
)

app = typer.Typer(
    name="evenhand",
    help="Which errors will an AI-text detector make on your texts, under your policy, after the edits everyone makes?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("run")(run.run)
app.command("score")(score.score)
app.command("texts")(texts.texts)
app.command("audit")(audit.audit)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("serve")(serve.serve)
app.command("status")(status.status)
app.command("list")(components.list_components)
app.command("show")(components.show)
app.command("try")(try_text.try_text)
app.command("explain")(explain.explain)
app.command("features")(features.features)
app.command("fetch")(fetch.fetch)
app.add_typer(build.app, name="build")
app.command("import")(import_files.import_files)
app.command("lint")(lint.lint)
app.command("split")(split.split)
app.command("forget")(forget.forget)
app.command("check")(check.check)
app.command("doctor")(doctor.doctor)
