"""Attacks that rewrite a text with a program or a model: what they say of it, and what they say when it is not there."""

from __future__ import annotations

import json
import shutil
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import attacks
from evenhand.attacks import translation
from evenhand.attacks.chat_rewriting import by_pieces, cleaned, pieces
from evenhand.attacks.dipper import head, request, windows
from evenhand.attacks.paraphrase import Paraphrase
from evenhand.attacks.polish import Polish
from evenhand.attacks.rewriting import Unanswered, compared
from evenhand.documents import Level
from evenhand.errors import MissingError, SpecError

TEXT = (
    "The old harbor was quiet. The fishermen began to walk home, because it was late.\n\nNobody spoke. The dog slept."
)


def test_a_rewrite_never_makes_a_text_more_human() -> None:
    for name in ("paraphrase", "polish", "mt_draft", "back_translation"):
        attack = attacks.get(name)
        for level in Level:
            assert attack.level_after("human", level) >= level
    assert attacks.get("polish").level_after("human", Level.HUMAN) == Level.IMPROVE_HUMAN
    assert attacks.get("polish").level_after("human", Level.REWRITE_HUMAN) == Level.REWRITE_HUMAN
    assert attacks.get("back_translation").level_after("human", None) == Level.REWRITE_HUMAN
    assert attacks.get("paraphrase").level_after("machine", Level.TASK) == Level.HUMANIZE
    assert attacks.get("paraphrase(writer='embedded')").level_after("machine", None) == Level.REWRITE_LLM
    assert attacks.get("paraphrase").level_after("mixed", None) is None
    assert attacks.get("homoglyph").level_after("human", Level.HUMAN) == Level.HUMAN


def test_compared_finds_the_words_that_differ() -> None:
    edited = compared("one two three four", "one 2 three four five")
    assert edited.text == "one 2 three four five"
    assert [edited.text[start:end] for start, end in edited.spans] == ["2", " five"]
    assert (edited.edits, edited.candidates, edited.dose) == (2, 4, 500.0)
    assert not compared("same", "same").changed


def test_compared_aligns_long_texts_across_windows() -> None:
    words = [f"w{number % 997}" for number in range(9000)]
    changed = [word + "x" if number % 50 == 7 else word for number, word in enumerate(words)]
    edited = compared(" ".join(words), " ".join(changed))
    assert edited.edits == len(range(7, 9000, 50))


def test_pieces_lose_nothing() -> None:
    for text in (TEXT, "\n\n" + TEXT + "\n\n", "one", "a\n\n\n b\n\nc "):
        for words in (1, 3, 12, 1000):
            made = pieces(text, words)
            assert "".join(piece + gap for piece, gap in made) == text
            assert all(len(piece.split()) <= words for piece, _ in made)


@given(st.text(alphabet="ab.! \n\t\ud800", max_size=120), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_pieces_of_any_text_lose_nothing(text: str, words: int) -> None:
    assert "".join(piece + gap for piece, gap in pieces(text, words)) == text
    assert by_pieces(text, words, lambda parts: parts) == text


def test_answers_are_cleaned_and_refusals_named() -> None:
    assert cleaned('Sure! Here is the polished text: "The dog slept."') == "The dog slept."
    assert cleaned("Here the dog slept.") == "Here the dog slept."
    with pytest.raises(Unanswered, match="refused"):
        cleaned("I'm sorry, but I cannot assist with that.")


def test_windows_and_codes_of_dipper() -> None:
    assert windows(TEXT, 3) == [
        "The old harbor was quiet. The fishermen began to walk home, because it was late. Nobody spoke.",
        "The dog slept.",
    ]
    assert head(60, 0) == "lexical = 40, order = 100"
    asked = request("codes ", "a b c d ", "<sent> Window. </sent>", lambda text: len(text.split()) <= 6)
    assert asked == "codes c d <sent> Window. </sent>"


def test_paraphrase_keeps_paragraphs_by_default_and_loses_them_as_published() -> None:
    def shout(asked: str) -> str:
        return asked.partition("<sent> ")[2].removesuffix(" </sent>").upper()

    always = lambda asked: True  # noqa: E731
    assert Paraphrase().by_windows(TEXT, always, shout) == TEXT.upper()
    assert "\n" not in Paraphrase(profile="raid").by_windows(TEXT, always, shout)
    detectrl = Paraphrase(profile="detectrl").by_windows(TEXT, always, shout)
    assert detectrl.startswith(" THE FISHERMEN")


def test_prompts_of_detectrl() -> None:
    prompt = Polish(kind="abstract", profile="detectrl").prompt(TEXT)
    assert prompt.startswith(
        "Given the article abstract, polish the writing to meet the academic abstract style with 4 sentences, improve the "
        "spelling, grammar, clarity, concision and overall readability:"
    )
    assert prompt.endswith("polished abstract:")


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("back_translation(profile='detectrl')", "madlad400"),
        ("misspelling(profile='raid')", "misspelling3.json"),
        ("synonym(profile='raid')", "cc.en.300.vec"),
        ("word(profile='detectrl')", "counter-fitted"),
        ("sentence(profile='detectrl')", "GloVe"),
    ],
)
def test_what_is_missing_is_named_with_its_cure(spec: str, named: str) -> None:
    with pytest.raises(MissingError, match=named):
        attacks.get(spec)


def test_a_missing_program_is_named_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    translation._installed.cache_clear()
    try:
        with pytest.raises(MissingError, match="apt-get install apertium apertium-eng-spa"):
            attacks.get("back_translation")(TEXT)
    finally:
        translation._installed.cache_clear()


@pytest.mark.parametrize(
    "spec",
    [
        "paraphrase(endpoint='x')",
        "paraphrase(lexical=33)",
        "paraphrase(profile='raid', writer='embedded')",
        "polish(kind='ode')",
        "mt_draft(language='; rm')",
    ],
)
def test_bad_parameters_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        attacks.get(spec)


def test_a_chat_server_polishes_and_paraphrases() -> None:
    """A real server on this machine, with the public protocol; it answers in capitals."""
    pytest.importorskip("openai", reason="the llm extra is not installed")

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = (
                asked["messages"][-1]["content"]
                .partition("\n")[2]
                .removeprefix("text: ")
                .removesuffix("\npolished text:")
            )
            refused = (
                "I'm sorry, I cannot help with that."
                if "FORBIDDEN" in text
                else f"Here is the text: {text.strip().upper()}"
            )
            message = {"role": "assistant", "content": refused}
            body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "loud", "choices": [
                {"index": 0, "message": message, "finish_reason": "stop"}]}).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        where = f"writer='loud', endpoint='http://127.0.0.1:{server.server_port}/v1', key_env=''"
        for name in ("polish", "paraphrase"):
            attack = attacks.get(f"{name}({where})")
            edited = attack(TEXT, seed=1)
            assert edited.text == TEXT.upper()
            assert edited.edits == edited.candidates
            assert not attack("FORBIDDEN text", seed=1).changed
            assert "refused" in str(attack("FORBIDDEN text", seed=1).note)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(shutil.which("apertium") is None, reason="the program Apertium is not installed")
def test_apertium_translates_there_and_back() -> None:
    edited = attacks.get("mt_draft")(TEXT + " \ud800 <b>[x]</b> ^y$")
    assert edited.changed
    assert edited.text != TEXT
    assert "\n\n" in edited.text
    assert attacks.get("back_translation")(TEXT) == attacks.get("back_translation")(TEXT)
    assert not attacks.get("mt_draft")(" \n ").changed


def test_harper_corrects_errors() -> None:
    pytest.importorskip("harper", reason="harper-py is not installed")
    edited = attacks.get("grammar")("She go home. Their is alot of teh problems. Write to teh@teh.org.", seed=1)
    assert "She goes home" in edited.text
    assert "teh@teh.org" in edited.text
    assert edited.edits == len(edited.spans) >= 3
    assert attacks.get("grammar(kinds='spelling')")("She go to teh shop.").text == "She go to the shop."
