"""The glossary has every word that a user meets: public names, commands, verdicts, evidence, readings, outcomes of proofs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import typer

import fltheory
from fltheory.command.cli import app
from fltheory.evidence.measured import EvidenceKind
from fltheory.evidence.verdict import STATUSES
from fltheory.model.bound import READINGS
from fltheory.proof.language import Outcome

PAGE = (Path(__file__).parents[1] / "docs/reference/glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", PAGE, re.MULTILINE)
CODE = re.findall(r"`([^`\n]+)`", PAGE)


def named(word: str) -> bool:
    """Whether a word stands in some piece of code of the page."""
    return any(re.search(rf"\b{word}\b", code) for code in CODE)


def test_words_of_answers_are_terms() -> None:
    words = (*STATUSES, *get_args(EvidenceKind), *READINGS, *get_args(Outcome))
    assert len(set(words)) > 15
    assert [word for word in words if word not in TERMS] == []


def test_public_names_and_commands_stand_beside_their_terms() -> None:
    commands = list(vars(typer.main.get_command(app))["commands"])
    assert [word for word in (*fltheory.__all__, *commands) if not named(word)] == []


def test_terms_stand_once_and_in_order() -> None:
    assert len(set(TERMS)) == len(TERMS) > 50
    words = [term for term in TERMS if term != "term" and not term.startswith("--")]
    assert words == sorted(words, key=str.casefold)


def test_a_word_that_is_missing_would_be_seen() -> None:
    assert not named("sharpen")
