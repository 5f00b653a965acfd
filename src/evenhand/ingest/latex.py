"""LaTeX source: sections, abstract and title from their commands. A light reader, no TeX: macros are not expanded.

Figures, tables, listings, displayed formulas, footnotes and citations are left out; formulas inside a line stay as
they are written, without the dollar signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

from .blocks import Block, Content, Limits
from .clean import tidy
from .txt import decoded

LEFT_OUT = {
    "figure": "figures", "table": "tables", "tabular": "tables", "algorithm": "listings", "lstlisting": "listings",
    "verbatim": "listings", "equation": "displayed formulas", "align": "displayed formulas",
    "gather": "displayed formulas", "eqnarray": "displayed formulas", "displaymath": "displayed formulas",
    "multline": "displayed formulas", "thebibliography": "lists of references", "comment": "comments",
}  # fmt: skip
_DEPTHS = {"chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_HEADING = re.compile(r"\\(chapter|section|subsection|subsubsection)\*?\s*(?:\[[^\]]*\])?\s*(?=\{)")
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", "c": "\u0327",
    "v": "\u030c", "H": "\u030b", "r": "\u030a", "u": "\u0306",
}  # fmt: skip
_ACCENT = re.compile(r"\\(?:(['`^\"~=])\s*\{?\\?([A-Za-z])\}?|([cvHru])\{\\?([A-Za-z])\})")
_DROPPED = re.compile(
    r"\\(?:cite\w*|label|footnotemark|vspace|hspace|bibliography\w*|includegraphics|thanks)\*?\s*(?:\[[^\]]*\]\s*){0,2}\{[^{}]*\}"
)
_KEPT = re.compile(r"\\(?:[a-zA-Z]+)\*?\s*(?:\[[^\]]*\])?\{([^{}]*)\}")
_INPUT = re.compile(r"\\(?:input|include)\s*\{([^{}]+)\}")
_SYMBOLS = {
    "\\&": "&", "\\%": "%", "\\_": "_", "\\#": "#", "\\{": "{", "\\}": "}", "~": " ", "``": "“", "''": "”", "---": "—",
    "--": "–", "\\ldots": "…", "\\dots": "…",
}  # fmt: skip
_LETTERS = {
    "L": "Ł",
    "l": "ł",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "AA": "Å",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "ss": "ß",
}
_LETTER = re.compile(r"\\(aa|AA|ae|AE|oe|OE|ss|L|l|o|O)(?![A-Za-z])(?:\{\}|\s+)?")
MOST_FILES = 50
NOT_TAKEN = "files that were not taken in"


def read(path: Path, limits: Limits) -> Content:
    text, note = decoded(path.read_bytes())
    left_out: Counter[str] = Counter()
    source = with_inputs(without_comments(text), path, limits, left_out)
    _, begun, body = source.partition("\\begin{document}")
    body = (body if begun else source).partition("\\end{document}")[0]
    title = argument(source, "title")
    blocks = tuple(_blocks(_without(body, left_out), left_out))
    named = tidy(plain(title)) if title else None
    return Content(
        blocks,
        named,
        "command" if named else None,
        library="latex (own)",
        left_out=dict(left_out),
        notes=(note,) if note else (),
    )


def without_comments(source: str) -> str:
    source = re.sub(r"\r\n?", "\n", source)
    return re.sub(r"(?<!\\)((?:\\\\)*)%.*(?:\n[ \t]*)?", lambda m: m[1], source)


def with_inputs(source: str, path: Path, limits: Limits, left_out: Counter[str]) -> str:
    """The source with the files it takes in, from its own folder only and so many at most; the others are counted."""
    folder, count = path.parent.resolve(), 0
    while (found := _INPUT.search(source)) and count < MOST_FILES:
        count += 1
        target = (folder / found[1].strip()).resolve()
        target = target if target.suffix else target.with_suffix(".tex")
        inside = target.is_relative_to(folder) and target.is_file() and target.stat().st_size < limits.file_bytes
        text = without_comments(decoded(target.read_bytes())[0]) if inside else ""
        left_out[NOT_TAKEN] += not inside
        source = source[: found.start()] + text + source[found.end() :]
        if len(source) > limits.characters:
            break
    source, more = _INPUT.subn("", source)
    left_out[NOT_TAKEN] += more
    return source


def argument(source: str, command: str) -> str | None:
    """What stands in the braces of the first ``\\command{...}``."""
    found = re.search(rf"\\{command}\*?\s*(?:\[[^\]]*\])?\s*\{{", source)
    return braced(source, found.end() - 1)[0] if found else None


def braced(source: str, start: int) -> tuple[str, int]:
    """The inside of the group that opens at ``start``, and where it ends; braces behind a backslash are text (RTF's too)."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return source[start + 1 : found.start()], found.end()
    return source[start + 1 :], len(source)


def _without(body: str, left_out: Counter[str]) -> str:
    """The body without the environments and footnotes that are left out."""
    for name, what in LEFT_OUT.items():
        body, count = re.subn(rf"\\begin\{{{name}\*?\}}.*?\\end\{{{name}\*?\}}", " ", body, flags=re.DOTALL)
        left_out[what] += count
    for pattern in (r"\$\$.*?\$\$", r"\\\[.*?\\\]"):
        body, count = re.subn(pattern, " ", body, flags=re.DOTALL)
        left_out["displayed formulas"] += count
    while found := re.search(r"\\(footnote|footnotetext|thanks|title|author)\s*(?:\[[^\]]*\])?\s*(?=\{)", body):
        left_out["footnotes"] += found[1].startswith("footnote")
        body = body[: found.start()] + body[braced(body, found.end())[1] :]
    left_out += Counter()  # zero counts go
    return body


def _blocks(body: str, left_out: Counter[str]) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    for found in _HEADING.finditer(body):
        if found.start() < at:
            continue
        blocks += _paragraphs(body[at : found.start()])
        name, at = braced(body, found.end())
        blocks.append(Block(tidy(plain(name)), "heading", _DEPTHS[found[1]]))
    return [block for block in blocks + _paragraphs(body[at:]) if block.text]


def _paragraphs(text: str) -> list[Block]:
    found = re.search(r"\\begin\{abstract\}(.*?)\\end\{abstract\}", text, re.DOTALL)
    if found:
        inside = [Block("Abstract", "heading", 1), *_paragraphs(found[1]), Block("Keywords", "heading", 1)]
        return [*_paragraphs(text[: found.start()]), *inside, *_paragraphs(text[found.end() :])]
    return [Block(made) for part in re.split(r"\n\s*\n|\\par\b|\\item\b", text) if (made := tidy(plain(part)))]


def plain(text: str) -> str:
    """TeX mark-up as characters; commands that are not known leave the text in their braces."""
    text = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", (m[2] or m[4]) + _ACCENTS[m[1] or m[3]]), text)
    text = _LETTER.sub(lambda m: _LETTERS[m[1]], text)
    text = re.sub(r"[\s~]*\\cite", r"\\cite", text)
    text = _DROPPED.sub("", text)
    text = re.sub(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?", " ", text)
    for _ in range(8):
        text, count = _KEPT.subn(r"\1", text)
        if not count:
            break
    for written, meant in _SYMBOLS.items():
        text = text.replace(written, meant)
    text = re.sub(r"(?<!\\)\$", "", text).replace("\\$", "$").replace("\\\\", " ")
    text = re.sub(r"\\(?:[a-zA-Z]+\*?\s?|[,;:!/ ])", " ", text)
    return re.sub(r"[{}]", "", text)
