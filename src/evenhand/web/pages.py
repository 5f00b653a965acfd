"""Addresses and what they show.

    /                         the runs
    /run/NAME                 its report, under the plan's policy or another
    /texts/NAME               its texts and scores
    /text/NAME/NUMBER         one text: its scores beside the human ones
    /try                      a new text, judged by the detectors of a run

The page answers on the loopback address alone, to its own pages alone: names of other hosts and forms of other sites are
refused, so that no web page can read these texts through the reader's browser.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from ..audits import audit
from ..audits.rows import Settings
from ..documents import Judgement, Level
from ..errors import EvenhandError, MissingExtra, SpecError
from ..markup import environment
from ..reports import report
from ..reports.html import TEMPLATES as REPORT
from ..store import Store
from . import runs as folder_of

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Judge = Callable[[Store, str], Mapping[str, Judgement]]
"""(run, text) -> the answer of each of the run's detectors, by its spec."""
REFUSED = "This cannot be shown"
LONGEST = 2_000_000
"""Bytes of a form that are read."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def page(
    folder: str | Path, judge: Judge | None = None, hosts: Sequence[str] = ("127.0.0.1", "localhost", "[::1]")
) -> Starlette:
    """The application over the runs in ``folder``. Raises MissingExtra without Starlette."""
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.routing import Route
    except ModuleNotFoundError as error:
        raise MissingExtra("the local page", "web") from error
    root = Path(folder)
    site = Site(root, judge)
    routes = [
        Route("/", answer(site.index)),
        Route("/style.css", style),
        Route("/try", answer(site.try_text), methods=["GET", "POST"]),
        Route("/run/{name:path}", answer(site.run)),
        Route("/report/{name:path}", answer(site.report)),
        Route("/texts/{name:path}", answer(site.texts)),
        Route("/text/{name:path}/{place}", answer(site.text)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))])


class Site:
    """The pages, each a function of the request's values."""

    def __init__(self, root: Path, judge: Judge | None) -> None:
        self.root, self.judge = root, judge

    def index(self, asked: Mapping[str, str]) -> str:
        told: list[dict[str, Any]] = []
        for name, store in folder_of.runs(self.root).items():
            try:
                told.append({"name": name, "progress": store.progress(), "error": ""})
            except EvenhandError as error:
                told.append({"name": name, "progress": None, "error": str(error)})
        return self.render("index", title="Runs", runs=told)

    def run(self, asked: Mapping[str, str]) -> str:
        store = folder_of.one_run(self.root, asked["name"])
        settings = Settings.of(store.settings())
        boundary, fpr = (
            asked.get("boundary") or str(settings.policy.boundary),
            asked.get("fpr") or f"{settings.policy.fpr:g}",
        )
        query = urlencode({"boundary": boundary, "fpr": fpr})
        levels = [str(level) for level in Level]
        return self.render(
            "run", title=asked["name"], name=asked["name"], levels=levels, boundary=boundary, fpr=fpr, query=query
        )

    def report(self, asked: Mapping[str, str]) -> str:
        """The report itself, as ``evenhand audit`` makes it; nothing is written but the count of looks."""
        store = folder_of.one_run(self.root, asked["name"])
        boundary = Level.read(asked["boundary"]) if asked.get("boundary") else None
        return report(audit(store, boundary=boundary, fpr=number("fpr", asked.get("fpr")))).to_html()

    def texts(self, asked: Mapping[str, str]) -> str:
        study = folder_of.Study.of(folder_of.one_run(self.root, asked["name"]))
        found, n = folder_of.listed(study, asked)
        now = folder_of.page_number(asked)
        kept = {key: value for key, value in asked.items() if key not in ("name", "page") and value}
        return self.render(
            "texts", title=f"Texts of {asked['name']}", name=asked["name"], rows=found, n=n, page=now, asked=asked,
            pages=max(1, -(-n // folder_of.AT_ONCE)), choices=folder_of.choices(study.rows), detectors=list(study.detectors),
            query=urlencode(kept),
        )  # fmt: skip

    def text(self, asked: Mapping[str, str]) -> str:
        study = folder_of.Study.of(folder_of.one_run(self.root, asked["name"]))
        place = folder_of.text_of(study, asked["place"])
        facts = {
            name: study.rows[name][place] for name in ("id", *folder_of.FILTERS, "cluster") if study.rows[name][place]
        }
        return self.render(
            "text", title=facts["id"].partition("|")[0], name=asked["name"], facts=facts, text=study.rows.texts[place],
            judged=list(folder_of.judged(study, place)), fpr=study.settings.policy.fpr,
        )  # fmt: skip

    def try_text(self, asked: Mapping[str, str]) -> str:
        known = list(folder_of.runs(self.root))
        if not known or self.judge is None:
            raise SpecError("a text is tried with the detectors of a run: start the page over a folder that holds one")
        name = asked.get("run") or known[0]
        store, found = folder_of.one_run(self.root, name), []
        study = folder_of.Study.of(store)
        if text := asked.get("text", ""):
            found = list(folder_of.judged_anew(study, self.judge(store, text)))
        return self.render(
            "try", title="Try a text", runs=known, chosen=name, text=text, judged=found, fpr=study.settings.policy.fpr,
            detectors=list(study.detectors),
        )  # fmt: skip

    def render(self, template: str, **values: Any) -> str:
        tries = self.judge is not None
        return str(_environment().get_template(f"{template}.html.j2").render(tries=tries, **values))


def answer(show: Callable[[Mapping[str, str]], str]) -> Callable[[Request], Awaitable[Response]]:
    """A page as an endpoint: our errors become a page with the cure, and slow work leaves the server free."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import HTMLResponse

    # a report brings its own, stricter policy, which names the one style sheet inside it
    headers = {k: v for k, v in HEADERS.items() if k != "Content-Security-Policy" or show.__name__ != "report"}

    async def endpoint(request: Request) -> Response:
        try:
            asked = {**dict(request.query_params), **await posted(request), **request.path_params}
            return HTMLResponse(await run_in_threadpool(show, asked), headers=headers)
        except EvenhandError as error:
            told = _environment().get_template("error.html.j2").render(title=REFUSED, told=str(error), tries=False)
            return HTMLResponse(told, 400, HEADERS)

    return endpoint


async def posted(request: Request) -> dict[str, str]:
    """The values of a form of our own pages; raises SpecError for another site's, and for one that is too long."""
    if request.method != "POST":
        return {}
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise SpecError("this form was sent by another site; open the page itself")
    origin = request.headers.get("origin")
    if origin and origin.partition("://")[2] != request.headers.get("host"):
        raise SpecError("this form was sent by another site; open the page itself")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise SpecError(f"the text is longer than {LONGEST:,} bytes; use `evenhand score` for long texts")
    try:
        return {key: values[-1] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    except UnicodeDecodeError:
        raise SpecError("the form is no UTF-8 text") from None


async def style(request: Request) -> Response:
    from starlette.responses import Response

    sheet = (REPORT / "report.css").read_text(encoding="utf-8") + (TEMPLATES / "page.css").read_text(encoding="utf-8")
    return Response(sheet, media_type="text/css", headers=HEADERS)


TEMPLATES = Path(__file__).parent / "templates"


def number(name: str, told: str | None) -> float | None:
    try:
        return float(told) if told else None
    except ValueError:
        raise SpecError(f"{name} is a number such as 0.05, got {told[:40] if told else told!r}") from None


def shown(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4g}"


@cache
def _environment() -> Any:
    made = environment(TEMPLATES)
    made.filters["shown"] = shown
    return made
