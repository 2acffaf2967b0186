"""A range of step sizes in a printed reading is one that the paper prints there: each is listed with the paper's words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fltheory import Claim, find
from fltheory.claims.catalogue import catalogue
from fltheory.symbols import VOCABULARY

STEPS = {
    name
    for name in VOCABULARY
    if "step_size" in name or name in ("largest_step", "least_step", "sampler_rate", "meta_rate")
}
C_2 = "title of C.2: 1/(102010 λ₁NR) <= η <= 1/(101 λ₀N)"
D_2 = "title of D.2: 1/(102010 λ₁MKR) <= η <= 1/(101 λ₀MK)"
D_3 = "title of D.3: η <= 1/λ"
T_6 = "Theorem 6: such that for η <= 1/(101LMK)"
T_18 = "Theorem 18: such that for η <= 1/(161LM)"
PRINTED = {  # by claim: where its paper prints the range, and its words
    "sfl/T3-GC@printed": "Theorem 3: there exist η̃ <= 1/(6L)",
    "sfl/T3-NC@printed": "Theorem 3: there exist η̃ <= 1/(6L(1 + β²/M))",
    "sfl/C20@printed": "Corollary 20: where η̃ = ηMK <~ 1/L",
    "sfl/T15@printed": "Theorem 15: there exists η̃ = γηMK <~ 1/(L(1 + β²/M)) (γ >= 1)",
    "sfl/T15-tuned@printed": "Theorem 15: (γ >= 1)",
    "sfl/T16@printed": "Theorem 16: there exists η̃ = γηK <~ 1/(L(1 + β²)) (γ >= 1)",
    "sfl/T16-tuned@printed": "Theorem 16: (γ >= 1)",
    "sfl/U9@printed": "E.2, proof of Theorem 15: since ηγ <= 1/(6LMK(1 + β²/M)); γ >= 1 in the theorem",
    "sfl/S4.3-SC@printed": "Section 4.3: the optimization term being present only when η̃ is of the order of 1/L",
    "sfl/s3@printed": "Table 5: 1/(101λN) <= η <= 1/λ",
    "sfl/L10@printed": "Lemma 10: and η <= 1/(101λN)",
    "sfl/L14@printed": "Lemma 14: and η <= 1/(101λMK)",
    "sfl/T6-SC@printed": T_6,
    "sfl/T6-SC-last@printed": T_6,
    "sfl/T6-GC@printed": T_6,
    "sfl/T18-SC@printed": T_18,
    "sfl/T18-GC@printed": T_18,
    **{f"sfl/{name}@printed": D_2 for name in ("I8", "I9", "I10", "I11", "I11a", "I-sym", "I-inv", "I-inv-start")},
    **{f"sfl/{name}@printed": C_2 for name in ("J", "J-behind", "J-sym", "J-inv-start")},
    **{f"sfl/{name}@printed": D_3 for name in ("I12", "I13")},
    "osmd/C-45@printed": "before (45): let μ_l <= 1/(√2 BL)",
    "osmd/C-45-client@printed": "before (45): let μ_l <= 1/(√2 BL)",
    "osmd/C-T5@printed": "Theorem 5: μᵗ = μ >= 1",
    "osmd/C-T9b@printed": "Theorem 9, by Theorem 5: μᵗ = μ >= 1",
    "fedcg/T4.3-tuned@printed": "Theorem 4.3, second display: setting η = 1/R",
    "fedcg/C-102@printed": "(102) to (105): in a proof that ends with η = 1/R; false all the same",
    "delta_sgd/29@printed": "Theorem 1: suppose that γ = O(1/(K√T)) and η₀ = O(γ)",
}


def ranged(claims: Iterable[Claim]) -> list[str]:
    """The printed readings that hold only for some sizes of a step."""
    return [
        claim.id
        for claim in claims
        if claim.reading == "printed"
        and any(s.name in STEPS for bound in claim.bounds for k in bound.conditions for s in k.free_symbols)
    ]


def test_every_range_of_steps_is_printed() -> None:
    assert set(ranged(catalogue())) == set(PRINTED)


def test_a_range_that_the_paper_does_not_print_is_told() -> None:
    """The negative control: Theorem 3.2 says "for every η > 0"; its corrected reading does not, and is no printed one."""
    printed, corrected = find("fedcg/T3.2-range@printed"), find("fedcg/T3.2-range@corrected")
    narrowed = replace(printed, bounds=(replace(printed.bound, conditions=corrected.bound.conditions),))
    assert ranged([printed, corrected]) == []
    assert set(ranged([narrowed])) - set(PRINTED) == {printed.id}


def test_theorems_for_every_step_are_asked_at_steps_beyond_1() -> None:
    """Both ranges of the sum: refuted at η = 3, and true again where η <= 1/T is asked for."""
    for name in ("T3.2", "T3.2-range", "T3.5", "T3.5-range", "T4.3"):
        printed, corrected = find(f"fedcg/{name}@printed"), find(f"fedcg/{name}@corrected")
        assert (printed.entry.recorded, corrected.entry.recorded) == ("violated", "holds")
        assert any(case.settings and dict(case.settings)["server_step_size"] > 1 for case in printed.cases)
