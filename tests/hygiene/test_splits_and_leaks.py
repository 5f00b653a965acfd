"""Splits that share nothing, leaks that are planted, repairs that are told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from evenhand import corpora, hygiene
from evenhand.documents import Document, Span
from evenhand.errors import DataError, SpecError
from evenhand.hygiene.minhash import near_duplicates, overlap, shingles
from evenhand.hygiene.normal import normal, normal_words
from evenhand.hygiene.splits import BY, generator_family

Make = Callable[..., Document]
Both = Callable[..., list[Document]]
Text = Callable[..., str]
HALVES = {"train": 0.5, "test": 0.5}


def found(documents: list[Document]) -> dict[str, hygiene.Leak]:
    return {leak.kind: leak for leak in hygiene.leaks(documents)}


def test_normal_forms() -> None:
    assert normal("Don't  STOP — “now”!") == normal("dont stop now") == "dontstopnow"
    assert normal_words("ﬁne, I'm\n2nd_one") == ["fine", "im", "2ndone"]
    assert normal(" ,.! ") == ""


def test_near_duplicates_are_those_of_all_pairs_compared(text: Text) -> None:
    draw = Random(1)
    texts = [text(i) for i in range(40)]
    for i in range(40):  # texts that take one to eleven sentences of another
        other, own = texts[draw.randrange(40)].split(". "), text(f"own {i}").split(". ")
        texts.append(". ".join(other[: draw.randint(1, 11)] + own[: draw.randint(1, 11)]))

    def runs(value: str) -> set[tuple[str, ...]]:
        words = normal_words(value)
        return {tuple(words[i : i + 8]) for i in range(len(words) - 7)}

    sets = [runs(value) for value in texts]
    expected = {}
    for i, j in combinations(range(len(texts)), 2):
        shared = len(sets[i] & sets[j]) / min(len(sets[i]), len(sets[j]))
        if shared >= 0.1:
            expected[i, j] = pytest.approx(shared)
    assert len(expected) > 40
    assert {(i, j): value for i, j, value in near_duplicates(texts)} == expected


def test_shingles_ignore_case_and_punctuation_and_need_eight_words() -> None:
    one, other = "One two three, four five six seven eight nine.", "ONE two three four -- five six seven, eight nine"
    assert overlap(shingles(one), shingles(other)) == 1
    assert len(shingles(one)) == 2
    assert len(shingles("one two three four five six seven")) == 0
    assert near_duplicates(["too short", "too short", ""]) == []


def test_boilerplate_of_hundreds_does_not_compare_every_pair(text: Text) -> None:
    notice = "this message was sent to you by the office of the county clerk in the usual way "
    texts = [notice * 3 + text(i, 3) for i in range(300)]
    assert 299 <= len(near_duplicates(texts, 0.1)) < 0.6 * 300 * 299 / 2


def test_each_kind_of_leak_is_found(document: Make, text: Text) -> None:
    base = [document(f"d{i}", split="train" if i % 2 else "test", title=f"Title {i}") for i in range(20)]
    assert hygiene.leaks(base) == []
    hygiene.check_split(base)
    planted = {
        "cluster": [document("x", split="train", cluster="d0")],
        "source": [document("x", split="train", source_id="d0")],
        "title": [document("x", split="train", title="  title 0!")],
        "copy": [document("x", split="train", text=base[0].text.upper())],
        "near": [document("x", split="train", text=base[0].text[:200] + text("more"))],
    }
    for kind, more in planted.items():
        (leak,) = hygiene.leaks(base + more)
        assert leak.kind == kind
        assert leak.count == 1
        assert set(leak.pairs[0]) == {"d0", "x"}
        assert "Cure:" in leak.sentence
        with pytest.raises(DataError, match="this split leaks"):
            hygiene.check_split(base + more)
        assert hygiene.leaks([*base, *(replace(d, split="unused") for d in more)]) == []


def test_copies_of_signs_stay_together_and_blank_texts_are_no_copies(document: Make) -> None:
    signs = [document(f"s{i}", text="... \U0001f642 !" + " " * i) for i in range(4)]
    blank = [document(f"b{i}", text=" " * i) for i in range(4)]
    made = hygiene.split([*signs, *blank], shares={"train": 0.75, "test": 0.25})
    assert len({d.split for d in made[:4]}) == 1
    assert {d.split for d in made[4:]} == {"train", "test"}
    assert hygiene.leaks(made) == []
    torn = [replace(d, split=side) for d, side in zip(made, ["train", "test"] * 4, strict=True)]
    (leak,) = hygiene.leaks(torn)
    assert (leak.kind, leak.pairs) == ("copy", (("s0", "s1"),))


def test_two_texts_of_one_lost_source_are_a_leak(document: Make) -> None:
    pair = [document("a", split="train", source_id="gone"), document("b", split="test", source_id="gone")]
    assert found(pair)["source"].pairs == (("a", "b"),)


def test_what_is_not_split_is_neither_clean_nor_leaking(document: Make) -> None:
    for split in (None, "train", "unused"):
        with pytest.raises(DataError, match="no split to check"):
            hygiene.leaks([document("a", split=split), document("b", split=split)])


def family(document: Make, text: Text) -> list[Document]:
    """60 sources of four domains, each with a machine version and an edit; some share wording, titles or authors."""
    made = []
    for i in range(60):
        about = {
            "domain": "abcd"[i % 4], "task": f"task {i // 3}", "title": f"Title {i // 2}", "cluster": f"c{i}",
            "meta": {"author": f"author {i // 5}", "year": 1990 + i % 20},
        }  # fmt: skip
        made.append(document(f"h{i}", **about))
        made.append(
            document(f"m{i}", "machine", source_id=f"h{i}", generator=["gpt4", "Llama-2", "claude"][i % 3], **about)
        )
        made.append(document(f"e{i}", text=made[-2].text[:-30], source_id=f"h{i}", attack="truncate", **about))
    made.append(
        document("copy", text=made[0].text, meta={"author": "author 11", "year": 2001}, title="z", task="t", domain="a")
    )
    return made


@pytest.mark.parametrize("by", BY)
def test_splits_of_every_kind_hold(document: Make, text: Text, by: str) -> None:
    corpus = family(document, text)
    made = hygiene.split(corpus, by=by, shares=HALVES, seed=1)
    assert [d.id for d in made] == [d.id for d in corpus]
    assert [replace(d, split=None) for d in made] == corpus
    sides = Counter(d.split for d in made)
    assert set(sides) <= {"train", "test", "unused"}
    assert min(sides["train"], sides["test"]) >= 50
    assert {leak.kind for leak in hygiene.leaks(made)} <= ({"title"} if by != "title" else set())
    value = {
        "author": lambda d: d.meta["author"], "task": lambda d: d.task, "title": lambda d: d.title,
        "domain": lambda d: d.domain, "generator": lambda d: d.generator, "generator_family": generator_family,
    }.get(by)  # fmt: skip
    if value:
        places = defaultdict(set)
        for d in made:
            if d.split != "unused" and value(d):
                places[value(d)].add(d.split)
        assert all(len(there) == 1 for there in places.values())
    assert (sides["unused"] > 0) == by.startswith("generator")


def test_a_split_by_time_puts_the_oldest_first(document: Make) -> None:
    corpus = [document(f"d{i}", meta={"year": 2000 + i}) for i in range(20)]
    Random(1).shuffle(corpus)
    made = hygiene.split(corpus, by="time", shares={"train": 0.5, "dev": 0.25, "test": 0.25})
    years = {side: [d.meta["year"] for d in made if d.split == side] for side in ("train", "dev", "test")}
    assert max(years["train"]) < min(years["dev"])
    assert max(years["dev"]) < min(years["test"])
    assert [len(found) for found in years.values()] == [10, 5, 5]


def test_the_seed_decides_and_the_order_does_not(document: Make, text: Text) -> None:
    corpus = family(document, text)
    sides = {d.id: d.split for d in hygiene.split(corpus, seed=3)}
    shuffled = list(corpus)
    Random(7).shuffle(shuffled)
    assert {d.id: d.split for d in hygiene.split(shuffled, seed=3)} == sides
    assert {d.id: d.split for d in hygiene.split(corpus, seed=4)} != sides


def test_shares_and_classes_are_met(both: Both) -> None:
    made = hygiene.split(both(100), shares={"train": 0.6, "calibration": 0.3, "test": 0.1})
    assert Counter((d.split, d.label) for d in made) == {
        (side, label): n
        for side, n in {"train": 60, "calibration": 30, "test": 10}.items()
        for label in ("human", "machine")
    }


def test_texts_of_one_source_stay_together_whatever_their_clusters(document: Make) -> None:
    corpus = [document(f"{kind}{i}", source_id=f"s{i}" if kind == "m" else None) for i in range(20) for kind in "sm"]
    sides = {d.id: d.split for d in hygiene.split(corpus, shares=HALVES)}
    assert all(sides[f"s{i}"] == sides[f"m{i}"] for i in range(20))


@pytest.mark.parametrize("share", [0, -1, 2, float("nan")])
def test_a_share_of_the_wording_that_nothing_can_have_is_refused(document: Make, text: Text, share: float) -> None:
    """With 2 no pair would be near, and a leaking split would be called clean."""
    copy = [document("a", split="train", text=text("long")), document("b", split="test", text=text("long") + " more")]
    for refused in (hygiene.leaks, lambda corpus, near: hygiene.split(corpus, shares=HALVES, near=near)):
        with pytest.raises(SpecError, match="above 0 and up to 1"):
            refused(copy, share)


def test_near_duplicates_may_be_left_apart_and_are_then_a_leak(document: Make, text: Text) -> None:
    corpus = [document(f"d{i}", text=text("shared", 4) + text(i)) for i in range(10)]
    with pytest.raises(DataError, match="hang together in 1 groups"):
        hygiene.split(corpus, shares=HALVES)
    made = hygiene.split(corpus, shares=HALVES, near=None)
    assert set(found(made)) == {"near"}


def test_generator_families() -> None:
    names = {
        "gpt4turbo": "gpt", "ChatGPT": "gpt", "text-davinci-003": "gpt", "Llama-2-70b": "llama", "lmsys/vicuna-13b": "llama",
        "Google-PaLM": "google", "gemma_7b": "google", "claude3haiku": "claude", "gptneo_2.7b": "eleutherai",
        "microsoft/phi-2": "phi", "opt_13b": "opt", "Adopted": "adopted", None: None,
    }  # fmt: skip
    for name, expected in names.items():
        assert generator_family(Document("a", "t", "machine", generator=name)) == expected


def test_held_out_generators_and_domains(document: Make, text: Text) -> None:
    corpus = family(document, text)
    made = hygiene.hold_out(corpus, "generator", "gpt4", share=0.4)
    names = {side: {d.generator for d in made if d.split == side} for side in ("train", "test")}
    assert names == {"train": {None, "Llama-2", "claude"}, "test": {None, "gpt4"}}
    assert all(d.split != "unused" for d in made if d.generator is None)
    assert {leak.kind for leak in hygiene.leaks(made)} <= {"title"}
    by_family = hygiene.hold_out(corpus, "generator_family", "gpt", share=0.4)
    assert [d.split for d in by_family] == [d.split for d in made]
    there = hygiene.hold_out(corpus, "domain", "b")
    assert {d.domain for d in there if d.split == "test"} == {"b"}
    assert {d.domain for d in there if d.split == "train"} == set("acd")
    tied = hygiene.hold_out([*corpus, document("tied", domain="a", cluster="c1")], "domain", "b")
    assert tied[-1].split == "unused"  # its cluster is tested
    with pytest.raises(DataError, match="no document's domain is 'z'; here: a, b, c, d"):
        hygiene.hold_out(corpus, "domain", "z")
    with pytest.raises(DataError, match="no train is left"):
        hygiene.hold_out([document("x", domain="a"), document("y", domain="b", cluster="x")], "domain", "a")
    with pytest.raises(SpecError, match="by is one of"):
        hygiene.hold_out(corpus, "colour", "red")


def test_bad_splits_are_refused_with_the_cure(document: Make, both: Both) -> None:
    corpus = both(3)
    for shares in ({"train": 1.0}, {"a": 0.5, "b": 0.6}, {"a": 1.0, "b": 0.0}, {"unused": 0.5, "b": 0.5}):
        with pytest.raises(SpecError, match=r"shares|name of its own"):
            hygiene.split(corpus, shares=shares)
    with pytest.raises(SpecError, match="by is one of"):
        hygiene.split(corpus, by="colour")
    with pytest.raises(DataError, match="no document has meta"):
        hygiene.split(corpus, by="author")
    with pytest.raises(DataError, match="no date or year"):
        hygiene.split([*corpus, document("dated", meta={"year": 1999})], by="time")
    with pytest.raises(DataError, match="no document"):
        hygiene.split([])
    with pytest.raises(DataError, match="more than once"):
        hygiene.split([corpus[0], corpus[0]])
    with pytest.raises(DataError, match="nothing is left for"):
        hygiene.split([document("one"), document("two", cluster="one")])
    with pytest.raises(DataError, match="as many generators or families; here: gpt4; split by cluster"):
        hygiene.split([document(f"m{i}", "machine", generator="gpt4") for i in range(9)], by="generator", shares=HALVES)


def test_repairs_change_both_classes_alike_and_say_so(both: Both) -> None:
    broken = [replace(d, text="\ufeff" + d.text.replace(". ", ".\r\n", 2)) for d in both(5)]
    mended, told = hygiene.repair(broken)
    assert [d.text for d in mended] == [d.text.replace(". ", ".\n", 2) for d in both(5)]
    assert [(r.step, dict(r.counts), dict(r.edits)) for r in told] == [
        ("bom", {"human": 5, "machine": 5}, {"human": 5, "machine": 5}),
        ("line_ends", {"human": 5, "machine": 5}, {"human": 10, "machine": 10}),
    ]
    assert "5 of 5 human texts (10 edits) and 5 of 5 machine texts (10 edits) changed" in told[1].sentence
    flat, _ = hygiene.repair(mended, ["flatten"])
    assert [d.text for d in flat] == [d.text for d in both(5)]
    again, report = hygiene.repair(flat, ["bom", "line_ends", "flatten", "edges", "spaces", "full_stops"])
    assert again == flat
    assert all(not r.ids for r in report)


@pytest.mark.parametrize(
    ("step", "broken", "mended"),
    [
        ("bom", "\ufeffOne\ufeff two", "One two"),
        ("line_ends", "a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"),
        ("flatten", "a \n\n  b\nc", "a b c"),
        ("edges", "\n a b \t", "a b"),
        ("spaces", "a  b   c\n  d", "a b c\n d"),
        (
            "full_stops",
            "It ended.Then they left?Yes. See x.Y or e.g.This",
            "It ended. Then they left? Yes. See x.Y or e.g. This",
        ),
        (
            "mojibake",
            "sea\u00e2\u0080\u0099s caf\u00c3\u0083\u00c2\u00a9, na\u00efve",
            "sea\u2019s caf\u00e9, na\u00efve",
        ),
        ("hyphens", "pro- cessing and pre- and post-war, a - b", "processing and pre- and post-war, a - b"),
        ("blanks", "a\u3000b\u00a0c\nd\te", "a b c\nd e"),
        (
            "detached",
            "it did n't work ( see fig. 1 ) , or it 's `` fine '' .",
            "it didn't work (see fig. 1), or it's \"fine\".",
        ),
        ("lower", "The SEA", "the sea"),
    ],
)
def test_each_step(step: str, broken: str, mended: str) -> None:
    made, (told,) = hygiene.repair([Document("a", broken, "human")], [step])
    assert made[0].text == mended
    assert told.ids == ("a",)


def test_lost_spaces_are_put_back(document: Make) -> None:
    plain = [
        document(str(i), text=f"the engine of the boat was seen near the valley and the river in winter {i}")
        for i in range(5)
    ]
    glued = document("x", text="theengine ofthe boat wasseen nearthe valley andthe river")
    made, (told,) = hygiene.repair([*plain, glued], ["glued"])
    assert made[-1].text == "the engine of the boat was seen near the valley and the river"
    assert made[:-1] == plain
    assert dict(told.edits) == {"human": 5}


def test_repairs_are_refused_where_they_would_lie(document: Make) -> None:
    with pytest.raises(SpecError, match="no step 'shine'"):
        hygiene.repair([], ["shine"])
    with pytest.raises(DataError, match="who wrote which"):
        hygiene.repair([document("a", spans=(Span(0, 3, "human"),))])


@pytest.mark.long
@pytest.mark.parametrize("name", ["detectrl_two_sided", "lastde"])
def test_published_texts_split_clean(shared: Path, name: str) -> None:
    corpus = list(corpora.get(f"jsonl(path={str(shared / f'data/dev/{name}.jsonl.gz')!r})"))
    draw = Random(1)
    naive = [replace(d, split=draw.choice(["train", "test"])) for d in corpus]
    assert {"cluster", "source", "copy", "near"} <= set(found(naive))
    assert hygiene.leaks(hygiene.split(corpus, shares=HALVES)) == []
