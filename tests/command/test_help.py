"""Help that a reader can use: whole sentences, nothing cut off, and examples that the commands take."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from typer.core import TyperArgument, TyperOption
from typer.testing import CliRunner

from fltheory import find
from fltheory.command.cli import app

ROOT = typer.main.get_command(app)
COMMANDS = sorted(vars(ROOT)["commands"].items())
VERBS = re.compile(
    "(Check|Choose|Compute|Draw|Hold|Include|Judge|Limit|List|Name|Overwrite|Print|Put|Read|Run|Seed|Set|Spend|Stop|Store|Use"
    "|Vary|Write) "
)


def examples(name: str) -> list[list[str]]:
    """The arguments of the examples of a command's help, as a shell passes them on."""
    text = re.sub(r"\\\n *", "", CliRunner().invoke(app, [name, "--help"]).output)  # a shell joins such lines
    return [shlex.split(line)[1:] for line in re.findall(r"^    (fltheory .*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_every_command_has_examples_that_it_takes(name: str) -> None:
    found = examples(name)
    assert found
    for words in found:
        assert words[0] == name
        dict(COMMANDS)[name].make_context(name, words[1:])
        for word in words:
            if re.fullmatch(r"\w+/[^/*]+@\w+", word):
                find(word)


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_every_option_is_told_in_a_sentence(name: str, command: typer.core.TyperCommand) -> None:
    texts = [p.help or "" for p in command.params if isinstance(p, TyperArgument | TyperOption)]
    assert [text for text in texts if not VERBS.match(text) or not text.endswith(".")] == []


def test_no_summary_is_cut_off() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output
    assert all(name in listed for name, _ in COMMANDS)
    assert not re.findall(r"\.\.\.$", listed.partition("Commands:")[2], re.MULTILINE)
