"""The sections of two real papers as they were marked by hand, and how near a parser comes to them.

``marked_by_hand.json`` keeps no word of them: for each section the characters (page, start, end) of PDFium's plain page
text that belong to it, in order, read off the page's picture (footnote marks, captions and running heads left out);
strings stand for what that text has wrongly (an accent) or not (a space, a hyphen that stays at a line end).
"""

from __future__ import annotations

import json
import re
import unicodedata
from hashlib import blake2b
from pathlib import Path

SPEC = json.loads(Path(__file__).with_name("marked_by_hand.json").read_text("utf-8"))


def gold(folder: Path, file: str) -> dict[str, str]:
    """Section -> its text; the digests say whether the PDF and PDFium still give the text that was marked."""
    import pypdfium2

    document = pypdfium2.PdfDocument(folder / file)
    texts = [document[i].get_textpage().get_text_range() for i in range(len(document))]
    found = {}
    for name, spec in SPEC[file].items():
        raw = "".join(p if isinstance(p, str) else texts[p[0]][p[1] : p[2]] for p in spec["pieces"])
        found[name] = normal(raw.replace("-\ufffe", "-").replace("\ufffe", ""))
        assert len(found[name].split()) == spec["words"]
        assert blake2b(found[name].encode(), digest_size=16).hexdigest() == spec["digest"]
    return found


def normal(text: str) -> str:
    """White space and compatibility characters (ligatures) made one; nothing else."""
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text)
    return " ".join(unicodedata.normalize("NFKC", text).split())


def near(found: str, marked: str) -> tuple[float, float]:
    """Precision and recall of words, in order: the longest common subsequence over the words of each."""
    from rapidfuzz.distance import LCSseq

    got, want = normal(found).split(), normal(marked).split()
    common = LCSseq.similarity(got, want)
    return common / max(1, len(got)), common / max(1, len(want))
