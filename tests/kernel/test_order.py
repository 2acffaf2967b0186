"""Terms are ordered by what they are: what was read before changes no answer."""

from __future__ import annotations

import subprocess
import sys

from fltheory.kernel.language.terms import fresh, make, number, symbol

READS = """
from fltheory.kernel.language.terms import read
from fltheory.kernel.normal import normal, term_of
TERMS = [["*", ["symbol", c, "real"], ["+", ["symbol", d, "positive"], "1/2"]] for c in "abcde" for d in "vwxyz"]
first = [read(t) for t in (TERMS if {forwards} else TERMS[::-1])]
print(term_of(normal(read(["^", ["+", *sorted(TERMS, key=str)], "2"]))))
"""


def test_a_normal_form_does_not_hang_on_what_was_read_before() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", READS.replace("{forwards}", order)], capture_output=True, text=True, check=True
        ).stdout
        for order in ("True", "False")
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 1000


def test_the_simpler_comes_first_and_letters_made_up_here_by_their_age() -> None:
    a, b = symbol("a", "real"), symbol("b", "real")
    product = make("*", a, b)
    assert max(a, b, number(7)) < product < make("+", product, a)
    assert (a < b) != (b < a)
    older, younger = fresh(a), fresh(a)
    assert older < younger
    assert a < older
