"""Eight texts whose authors are beyond doubt: which way round is a detector that someone trained?"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

PANEL_HUMAN = (
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife. "
    "However little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so "
    "well fixed in the minds of the surrounding families, that he is considered the rightful property of some one or other "
    "of their daughters.",
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse, and nothing "
    "particular to interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a way "
    "I have of driving off the spleen and regulating the circulation.",
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and "
    "dedicated to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether that "
    "nation, or any nation so conceived and so dedicated, can long endure.",
    "I went to the woods because I wished to live deliberately, to front only the essential facts of life, and see if I could "
    "not learn what it had to teach, and not, when I came to die, discover that I had not lived.",
)
"""Austen 1813, Melville 1851, Lincoln 1863, Thoreau 1854: in the public domain."""
PANEL_MACHINE = (
    "Regular exercise offers numerous benefits for both physical and mental health. It can help improve cardiovascular "
    "function, strengthen muscles, and reduce stress. Additionally, engaging in regular physical activity can enhance mood and "
    "promote overall well-being. In conclusion, making exercise a part of your daily routine is essential for a healthy life.",
    "Technology has transformed the way people communicate in today's fast-paced world. On the one hand, it allows individuals "
    "to stay connected regardless of distance. On the other hand, it may lead to reduced face-to-face interaction. Overall, it "
    "is important to strike a balance between the digital and the physical world.",
    "Education plays a crucial role in shaping the future of society. It provides individuals with the knowledge and skills they "
    "need to succeed. Furthermore, it fosters critical thinking and creativity. Ultimately, investing in education is key to "
    "building a more equitable and prosperous future for everyone.",
    "Climate change is one of the most pressing challenges facing our planet today. It is caused primarily by human activities, "
    "such as the burning of fossil fuels and deforestation. To address this issue, it is important for governments, businesses, "
    "and individuals to work together and take meaningful action.",
)
"""Written by a language model."""


def direction(detector: Any) -> dict[str, Any]:
    """Mean scores of the panel's texts by class, for a card; {} where it abstains on one. Tells on standard error where every
    human text scores above every machine text: labels of two numbers, which nothing else can check, may be swapped."""
    human, machine = (np.asarray(detector(list(panel))) for panel in (PANEL_HUMAN, PANEL_MACHINE))
    if np.isnan(human).any() or np.isnan(machine).any():
        return {}
    if human.min() > machine.max():
        print(
            f"{detector.name}: four human classics score above four machine texts, every one: unless the training texts are of "
            "an odd kind, their labels may be swapped (0 is human, 1 is machine)",
            file=sys.stderr,
            flush=True,
        )
    return {"panel": {"human": round(float(human.mean()), 4), "machine": round(float(machine.mean()), 4)}}
