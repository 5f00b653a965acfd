"""LaTeX source: sections, abstract and title from their commands. A light reader, no TeX: of a file's own macros those without
arguments are written out; of the others, what stands in the braces stays.

Figures, tables, listings, displayed formulas, footnotes, citations and the keys of references are left out; formulas inside a
line stay, with the signs and words that their commands stand for, as a PDF of them shows.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError
from .blocks import Block, Content, Limits
from .clean import tidy
from .txt import decoded

LEFT_OUT = {
    "figure": "figures", "wrapfigure": "figures", "sidewaysfigure": "figures", "tikzpicture": "figures", "picture": "figures",
    "table": "tables", "wraptable": "tables", "sidewaystable": "tables", "longtable": "tables", "tabularx": "tables",
    "tabular": "tables", "algorithm": "listings", "algorithmic": "listings", "lstlisting": "listings", "minted": "listings",
    "verbatim": "listings", "equation": "displayed formulas", "align": "displayed formulas", "alignat": "displayed formulas",
    "flalign": "displayed formulas", "gather": "displayed formulas", "eqnarray": "displayed formulas",
    "displaymath": "displayed formulas", "multline": "displayed formulas", "thebibliography": "lists of references",
    "comment": "comments",
}  # fmt: skip
_DEPTHS = {"chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_HEADING = re.compile(r"\\(chapter|section|subsection|subsubsection)\*?\s*(?:\[[^\]]*\])?\s*(?=\{)")
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", "c": "\u0327",
    "v": "\u030c", "H": "\u030b", "r": "\u030a", "u": "\u0306", ".": "\u0307", "k": "\u0328", "d": "\u0323",
}  # fmt: skip
_ACCENT = re.compile(r"\\(?:(['`^\"~=.])\s*\{?\\?([A-Za-z])\}?|([cvHrukd])\{\\?([A-Za-z])\})")
_DROPPED = re.compile(
    r"\\(?:cite\w*|label|(?:eq|auto|page|name|[cCvV])?ref|footnotemark|[vh]space|bibliography\w*|includegraphics|thanks|color)"
    r"\*?\s*(?:\[[^\]]*\]\s*){0,2}\{[^{}]*\}"
)
_FIRST = re.compile(
    r"\\(?:href|textcolor|colorbox|parbox|raisebox|scalebox)\*?\s*(?:\[[^\]]*\]\s*)*\{[^{}]*\}(?=\s*\{)"
)
"""Commands whose first argument is no text: an address, a colour, a width."""
_ASIDE = re.compile(r"\\(footnote|footnotetext|thanks|title|author|abstract)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_ENVIRONMENT = re.compile(
    r"\\begin\{(?:minipage|multicols)\*?\}(?:\[[^\]]*\])*\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?"
)
_KEPT = re.compile(r"\\(?:[a-zA-Z]+)\*?\s*(?:\[[^\]]*\])?\{([^{}]*)\}")
_INPUT = re.compile(r"\\(?:(?:input|include|subfile)\s*\{([^{}]+)\}|input[ \t]+([^\s{}\\%]+))")
_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|def)\*?\s*\{?\s*(?P<name>\\[A-Za-z]+)\s*\}?\s*"
    r"(?P<arguments>\[\d\]\s*(?:\[[^\]]*\])?|(?:\#\d)+)?\s*(?=\{)"
)
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
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
_WORDS = "log ln exp min max sup inf lim sin cos tan arg det dim ker Pr".split()
_SIGNS = {
    **{name: unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda')}") for name in _GREEK.split()},
    **{
        name.capitalize(): unicodedata.lookup(f"GREEK CAPITAL LETTER {name.replace('lambda', 'lamda')}")
        for name in _GREEK.split()
    },
    **{name: name for name in _WORDS},
    "varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "times": "×", "cdot": "·", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥",
    "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "sim": "∼", "equiv": "≡", "infty": "∞", "in": "∈", "subset": "⊂", "cup": "∪",
    "cap": "∩", "to": "→", "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒", "sum": "∑", "prod": "∏", "int": "∫",
    "partial": "∂", "nabla": "∇", "forall": "∀", "exists": "∃", "ell": "ℓ", "sqrt": "√", "S": "§", "dag": "†", "circ": "◦",
}  # fmt: skip
_SIGN = re.compile(rf"\\({'|'.join(sorted(_SIGNS, key=len, reverse=True))})(?![A-Za-z])")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_LETTER = re.compile(r"\\(aa|AA|ae|AE|oe|OE|ss|L|l|o|O)(?![A-Za-z])(?:\{\}|\s+)?")
_THANKS = re.compile(
    r"\\begin\{(?:acks|acknowledge?ments?)\*?\}|\\acknowledge?ments?(?![A-Za-z])|\\(?:sub)?paragraph\*?\{Acknowledge?ments?[.:]?\}",
    re.IGNORECASE,
)
_READ = frozenset(
    f"\\{name}"
    for name in "chapter section subsection subsubsection paragraph subparagraph title author thanks abstract begin end item par "
    "input include subfile footnote footnotetext acknowledgment acknowledgments acknowledgement acknowledgements".split()
)
"""Commands that a reader of papers knows: however a source sets them anew, for their looks, they mean what they meant."""
MOST_FILES = 50
NOT_TAKEN = "files that were not taken in"
DEEPEST = 5
"""So many rounds of macros that call macros are written out."""


def read(path: Path, limits: Limits) -> Content:
    text, note = decoded(path.read_bytes())
    left_out: Counter[str] = Counter()
    taken = Taken(path.parent.resolve(), limits, left_out)
    source = taken.with_inputs(without_comments(text), (path.resolve(),))
    source = written_out(*without_definitions(source), limits.characters)
    _, begun, body = source.partition("\\begin{document}")
    body = (body if begun else source).partition("\\end{document}")[0]
    title = argument(source, "title")
    body = _THANKS.sub(lambda _: r"\section*{Acknowledgments}", _without(body, left_out))
    if "\\begin{abstract}" not in body and (told := argument(source, "abstract")):
        body = f"\\begin{{abstract}}{told}\\end{{abstract}}{body}"
    blocks = tuple(_blocks(body, left_out))
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
    return re.sub(r"(?<!\\)((?:\\\\)*)%.*(?:\n(?![ \t]*\n)[ \t]*)?", lambda m: m[1], source)


@dataclass
class Taken:
    """The files that a source takes in: of its own folder only, so many at most, none within itself; the others are counted."""

    folder: Path
    limits: Limits
    left_out: Counter[str]
    count: int = 0
    characters: int = 0

    def with_inputs(self, source: str, above: tuple[Path, ...]) -> str:
        """``above``: the files that this one stands in, itself among them."""
        return _INPUT.sub(lambda found: self._text((found[1] or found[2]).strip(), above), source)

    def _text(self, name: str, above: tuple[Path, ...]) -> str:
        path = self._found(name)
        if path is None or path in above or self.count >= MOST_FILES or self.characters > self.limits.characters:
            self.left_out[NOT_TAKEN] += 1
            return ""
        text = without_comments(decoded(path.read_bytes())[0])
        self.count, self.characters = self.count + 1, self.characters + len(text)
        return self.with_inputs(text, (*above, path))

    def _found(self, name: str) -> Path | None:
        """As TeX looks for it: with .tex first. None where there is none that may be read."""
        for named in (f"{name}.tex", name):
            try:
                path = (self.folder / named).resolve()
                inside = path.is_relative_to(self.folder) and path.is_file()
                if inside and path.stat().st_size < self.limits.file_bytes and os.access(path, os.R_OK):
                    return path
            except (OSError, ValueError):  # a name that no file can have
                continue
        return None


def without_definitions(source: str) -> tuple[str, dict[str, str]]:
    """The source without definitions of macros, and what those that take no argument stand for."""
    kept, macros, at = [], dict[str, str](), 0
    while found := _DEFINED.search(source, at):
        kept.append(source[at : found.start()])
        body, at = braced(source, found.end())
        if found["arguments"] is None and found["name"] not in _READ:
            macros[found["name"]] = body.replace("\\xspace", "")
    return "".join([*kept, source[at:]]), macros


def written_out(source: str, macros: dict[str, str], most: int) -> str:
    """The source with its macros as what they stand for; of macros within macros and of characters, so many at most."""
    if not macros:
        return source
    call = re.compile(rf"({'|'.join(map(re.escape, macros))})(?![A-Za-z])(?:\{{\}})?")
    for _ in range(DEEPEST):
        if sum(len(macros[found[1]]) for found in call.finditer(source)) > most:
            raise DataError(f"its macros write out more than {most:,} characters of text")
        source, count = call.subn(lambda found: macros[found[1]], source)
        if not count:
            break
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
    kept, at = [], 0
    while found := _ASIDE.search(body, at):
        left_out["footnotes"] += found[1].startswith("footnote")
        kept.append(body[at : found.start()])
        at = braced(body, found.end())[1]
    left_out += Counter()  # zero counts go
    return "".join([*kept, body[at:]])


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


def text_of(body: str) -> str:
    """The text of a piece of LaTeX, its paragraphs parted by blank lines, without headings and what is left out."""
    blocks = _blocks(_without(without_comments(body), Counter()), Counter())
    return "\n\n".join(block.text for block in blocks if block.kind == "text")


def plain(text: str) -> str:
    """TeX mark-up as characters; commands that are not known leave the text in their braces."""
    text = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", (m[2] or m[4]) + _ACCENTS[m[1] or m[3]]), text)
    text = _LETTER.sub(lambda m: _LETTERS[m[1]], text)
    text = re.sub(r"[\s~]*(\\(?:cite|(?:eq|auto|page|name|[cCvV])?ref\b))", r"\1", text)
    text = _FIRST.sub("", _DROPPED.sub("", text))
    text = _ENVIRONMENT.sub(" ", text)
    text = _SIGN.sub(lambda m: _SIGNS[m[1]], text)
    for _ in range(8):
        text, count = _KEPT.subn(r"\1", _FRACTION.sub(r"\1/\2", text))
        if not count:
            break
    for written, meant in _SYMBOLS.items():
        text = text.replace(written, meant)
    text = re.sub(r"(?<!\\)\$", "", text).replace("\\$", "$").replace("\\\\", " ")
    text = re.sub(r"\\[-/@!]", "", text)
    text = re.sub(r"\\(?:[a-zA-Z]+\*?\s?|[,;: ])", " ", text)
    return re.sub(r"[{}]", "", text)
