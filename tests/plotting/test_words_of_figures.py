"""Mathtext as readers get it: plain characters for screen readers, and shapes for signs of fonts that no browser has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fltheory.plotting.figures.glyphs import with_drawn_signs
from fltheory.plotting.figures.spoken import UnknownCommand, spoken
from fltheory.plotting.labels import plain_text
from fltheory.plotting.picture import Curve, Panel, Picture
from fltheory.plotting.plot import save_picture

SAID = {
    r"\tilde\eta=\frac{1}{60L}": "η̃=1/(60L)",
    r"w=(-\frac12,-\frac12,4)": "w=(-1/2,-1/2,4)",
    r"2L\sqrt{T\,\log\,K}": "2L√(T log K)",
    r"\frac{V}{C}\sqrt{T\,\log\,K}": "(V/C)√(T log K)",
    r"T\,\log(1+V)": "T log(1+V)",
    r"L_\infty\sqrt{t}/\log K": "L_∞√t/log K",
    r"|x_0-x^*|^2-\frac{1}{3}\tilde\eta(F(x_0)-F^*)+C\zeta_*^2": "|x_0-x^*|^2-(1/3)η̃(F(x_0)-F^*)+Cζ⋆^2",
    r"6\tilde\eta^3/M": "6η̃^3/M",
    r"(1-(1-\eta)^T)\,OPT-F(x_T)": "(1-(1-η)^T) OPT-F(x_T)",
    r"\sum_t\sum_i F_{i,t}p_i": "Σ_tΣ_i F_(i,t)p_i",
    r"\theta_0\rho\kappa\Sigma": "θ_0ρκΣ",
    r"\propto R^{-0.67}": "∝R^(-0.67)",
    r"1.3\times 10^{-5}": "1.3 × 10^-5",
    r"\bar x^{(R)}": "x̄^(R)",
    r"\mathrm{step\ size}": "step size",
    r"2\tilde L": "2L\u0303",
    r"\frac{a+b}{(c)}": "(a+b)/(c)",
}


@pytest.mark.parametrize("mathtext", SAID)
def test_mathtext_is_said_in_plain_characters(mathtext: str) -> None:
    assert spoken(mathtext) == SAID[mathtext]
    assert plain_text(f"at ${mathtext}$ and $T$") == f"at {SAID[mathtext]} and T"


@pytest.mark.parametrize("command", [r"\unheard", r"\Xyz{a}", r"a}"])
def test_a_command_without_plain_characters_is_refused(command: str) -> None:
    """Left out in silence it would change what is said."""
    with pytest.raises(ValueError, match=r"no plain characters|not opened") as caught:
        spoken(command)
    assert isinstance(caught.value, UnknownCommand) == command.startswith("\\")


def test_roots_sums_and_tall_brackets_are_shapes(tmp_path: Path) -> None:
    label = r"$\sqrt{T}$, $\sum_i\left(\frac{a}{b}\right)$"
    save_picture(
        Picture("A title", (Panel("", label, "y", (Curve("c", [1, 2], [1, 2], "first"),)),)), tmp_path / "a.svg"
    )
    text = (tmp_path / "a.svg").read_text()
    assert set(re.findall(r"px; font-family: '([^']+)'\"", text)) == {"DejaVu Sans"}
    assert len(re.findall(r'<path d="M [^"]* Z" transform="translate\(', text)) == 4


def test_the_shape_of_a_sign_stands_where_the_sign_stood() -> None:
    sign = '<tspan x="23.5" y="-0.5" style="font-size: 5.2px; font-family: \'STIXSizeOneSym\'; fill: #404040">√</tspan>'
    letter = sign.replace("STIXSizeOneSym", "DejaVu Sans").replace("√", "T")
    found = with_drawn_signs(f"<text>{letter}{sign}</text>")
    assert found.startswith(f"<text>{letter}</text>\n<path d=")
    assert found.endswith(' transform="translate(23.5 -0.5)" style="fill: #404040"/>')
    assert with_drawn_signs(f"<text>{letter}</text>") == f"<text>{letter}</text>"
