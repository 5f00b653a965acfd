"""Answers of models: what is recognised, what is cut off, and what is left alone."""

from __future__ import annotations

import time

import pytest

from evenhand.levels.answers import read_answer
from evenhand.models.chat import Completion

TEXT = "The old mill stood by the river. Nobody had worked there for years."


def read(text: str, finish: str = "stop", prompt: str = "", source: str = ""):
    return read_answer(Completion(text, finish, 9, "m", "why" if finish == "error" else None), prompt, source)


@pytest.mark.parametrize(
    "lead",
    [
        "Here is the rewritten text:\n\n",
        "Here's a revised version of the text with a few corrections: ",
        "Sure! Here is the improved version:\n",
        "Certainly, here are my changes:\n\n",
        "Sure, I can help with that. Below is the essay:\n\n",
        "Rewritten text:\n\n",
        "**Revised text:**\n\n",
        "Rewrite the text with modifications:\n\n",
        "The text has been reworked for clarity. Here's a new version:\n\nRewritten text:\n\n",
        "Title: The Mill\n\n",
        "# Title: The Mill\n\n",
        "Here is the rewritten text:\n\nTitle: The Mill\n\n",
        "Certainly! Below is the improved essay.\n\n",
        "Okay.\n\n",
        "Here you go:\n\n",
        "Got it! Here's the result:\n\n",
        "<think>\nThe mill is old.\n\nI keep that.\n</think>\n\n",
        "The mill is old. I keep that.</think>\n\nHere is the rewritten text:\n\n",
    ],
)
def test_lead_ins_go_and_the_raw_answer_stays(lead):
    answer = read(lead + TEXT)
    assert (answer.text, answer.marks, answer.raw) == (TEXT, ("lead-in",), lead + TEXT)


@pytest.mark.parametrize(
    "tail",
    [
        "\n\nLet me know if you want more changes!",
        "\n\nI hope this helps.",
        "\n\nNote: I kept the structure.\nI changed two words.",
        "\nI made the following changes:\n\n1. One\n2. Two",
        "\n\n**Changes made:**\n- One\n- Two",
        "\n\nKey improvements include:\n\n1. One",
        "\n\n---\n\nHere is a summary of the changes I made:\n\n* One",
        "\n\n**Note:** The revised text keeps your style.",
        f"\n\nI made these changes:\n\n1. {'One ' * 30}\n2. Two\n\nLet me know if it works.",
        "\n\n---\nI've corrected the grammar throughout.",
    ],
)
def test_lead_outs_go(tail):
    assert (read(TEXT + tail).text, read(TEXT + tail).marks) == (TEXT, ("lead-out",))


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "Here in the valley: nothing but rain, said the miller. He was right.",
        "This is a story about a mill. It is short.",
        "This is what the miller said: go home. Here is the thing: nobody went.",
        "I cannot recall a colder winter. The river froze.",
        "We asked for one thing: time. Sure enough, it came.",
        "The text of the treaty: that was what they fought about in the end, for years.",
        "He said he was sorry. He could not come, he wrote, and let me know by post.",
        "The following year brought a flood: the mill was lost.",
        "Of course, not everybody agrees. The mill is old.",
        "Sure enough, the mill stood. It was old.",
        "Absolutely. There is no doubt that mills matter.",
        "Certainly, we must keep it! The mill is old.",
        "This is an essay about mills: they stood.",
        "I cannot help thinking that the mill stood.",
        "The answer is simple. Here is why. The mill is old.",
        "The mill should stay. Here are three reasons:\n\n1. It is old.\n2. It stands.",
        "Here is what stood there:\n\n- a mill\n- a house",
        "This is what I believe:\nThe mill is old.",
        "In this essay I will show two facts:\nThe mill is old.",
    ],
)
def test_ordinary_prose_is_left_alone(text):
    assert (read(text).text, read(text).marks) == (" ".join(text.split()), ())


def test_a_list_that_was_asked_for_stays_without_its_lead_in():
    answer = read("Here are the key points:\n\n- The mill is old.\n- It stands.")
    assert (answer.text, answer.marks) == ("- The mill is old. - It stands.", ("lead-in",))


@pytest.mark.parametrize(
    "start",
    [
        "Is there anything more beautiful than a mill?",
        "I made my first journey in spring, and it was long.",
        "I hope that the mill will stand.",
        "I have changed since then.",
        "Note: mills were rare.",
        "Many changes came to the valley.",
        "Some of the changes that the valley needs are: more mills.",
        "I changed the tone of my voice.",
        "Note: the law is old.",
    ],
)
def test_a_paragraph_of_the_text_is_no_lead_out(start):
    whole = f"{TEXT}\n\n{start} The river rose.\n\nThat was the end."
    assert (read(whole).text, read(whole).marks) == (" ".join(whole.split()), ())


@pytest.mark.parametrize(
    "start", ["Feel free to disagree.", "Let me know what you think, Senator.", "The changes are these:"]
)
def test_what_a_paragraph_follows_is_no_lead_out(start):
    whole = f"{TEXT}\n\n{start}\n\nThe river rose in the spring of that year, and it took the wheel, the roof and the"
    whole += " stones of the house with it, so that nothing was left which one might have mended."
    assert (read(whole).text, read(whole).marks) == (" ".join(whole.split()), ())


def test_what_the_source_says_itself_is_neither_lead_in_nor_lead_out():
    own = f"Title: The Mill\n\n{TEXT}\n\nI made these changes: none."
    answer = read(own.replace("old", "ancient"), prompt=f"Rewrite this text: {own}", source=own)
    assert (answer.text, answer.marks) == (" ".join(own.replace("old", "ancient").split()), ())
    letter = f"{TEXT}\n\nPlease let me know what you think."
    assert read(letter, prompt=f"Rewrite this text: {TEXT} Let me know, please let me know soon.").marks == ()


@pytest.mark.parametrize(
    "text",
    [
        "I must decline to write this essay.",
        "As a large language model, I have seen no mill.",
        "I'm sorry, but I can't assist with that request.",
        "As an AI language model, I am unable to write opinions.",
        "I'm not able to help with that, as I'm only a language model.",
        "I cannot fulfill this request.",
        "Unfortunately, I am unable to provide a rewrite of this text.",
    ],
)
def test_refusals_are_marked_and_kept(text):
    assert (read(text).text, read(text).marks[0]) == (text, "refusal")


def test_words_of_refusal_late_in_a_text_are_no_refusal():
    assert read(f"{TEXT} {' '.join(map(str, range(60)))}. As an AI language model, I know.").marks == ()


@pytest.mark.parametrize(
    "text",
    [
        "The text is reorganized in a coherent manner. The main idea is kept.",
        "I made several improvements to the original. Some words are new.",
        "The original text highlights the role of mills.",
    ],
)
def test_comments_on_the_text_are_marked_and_kept(text):
    assert (read(text, source=TEXT).text, read(text, source=TEXT).marks) == (text, ("comment",))
    assert read(text).marks == ()  # where there is no text to improve, it may speak of one


def test_a_text_that_repeats_itself_is_marked():
    assert read("The town is the cradle of all humanity. " * 6).marks == ("loop",)
    assert read(TEXT).marks == ()


def test_echoes_of_the_prompt():
    prompt = f"Rewrite this text: {TEXT}"
    assert read(f"Rewrite this text: {TEXT[:32]}", prompt=prompt).text == TEXT[:32]
    both = read(f"{prompt}\n\nA mill was there.", prompt=prompt)
    assert (both.text, both.marks) == ("A mill was there.", ("echo",))


def test_an_answer_that_is_the_prompt_is_a_copy_of_the_source():
    answer = read(f"Rewrite this text: {TEXT}", prompt=f"Rewrite this text: {TEXT}", source=TEXT)
    assert (answer.text, answer.marks) == (TEXT, ("echo", "copy"))


def test_copies_of_the_source():
    assert read(f"Here is the text:\n{TEXT}", source=TEXT.replace(" ", "\n")).marks == ("lead-in", "copy")
    assert read(TEXT[:-1], source=TEXT).marks == ()


def test_thinking_that_ends_in_no_answer_is_no_text():
    answer = read("<think>The mill is old. I should say", "length")
    assert (answer.text, answer.marks) == ("", ("lead-in", "cut", "empty"))


def test_quotes_around_the_whole():
    assert (read(f'"{TEXT}"').text, read(f'"{TEXT}"').marks) == (TEXT, ("quoted",))
    two = '"Yes," he said. "No," she said. "Why?"'
    assert (read(two).text, read(two).marks) == (two, ())


def test_a_cut_answer_ends_at_its_last_whole_sentence():
    cut = read(f"{TEXT} And then the", "length")
    assert (cut.text, cut.marks) == (TEXT, ("cut",))
    assert read("No sentence end in these words", "length").text == "No sentence end in these words"


def test_no_answer_and_an_empty_one():
    assert (read("", "error").text, read("", "error").marks) == ("", ("error",))
    assert read(" \n ").marks == ("empty",)
    assert read("").marks == ("empty",)


def test_lines_become_one_line():
    assert read("One.\n\nTwo.\tThree.").text == "One. Two. Three."


def test_rules_and_line_ends_without_end_cost_no_time():
    """A small model that loops writes them up to its limit; squared, these were minutes."""
    started = time.monotonic()
    for loop in ("\n***" * 20_000, "\n" * 80_000, " \n " * 30_000):
        assert read(f"{TEXT}{loop}.").text.startswith(TEXT)
    assert time.monotonic() - started < 10
