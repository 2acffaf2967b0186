"""The cases on which the upper bounds came nearest to the exact value in long searches by ``falsify``.

Many have so few rounds that the bound is vacuous there: its constants are tight only where it says little.
"""

from __future__ import annotations

from fltheory.case import Case
from fltheory.problems.separable import QuadraticClients

TIGHTEST: dict[str, Case] = {  # claim id: case, with bound / measured
    "sfl/T3-SC@corrected": Case(
        QuadraticClients(curvatures=(("33/1000", "3/100"),), slopes=((0, 0),), start=(1, 0)),
        n_local_steps=5,
        n_rounds=100,
        step_size="67/1000",
    ),  # 14.83
    "sfl/T3-SC@sharpened": Case(
        QuadraticClients(curvatures=("5657/1000000", "5657/1000000", "5657/1000000"), slopes=(0, 0, 0), start=1),
        n_local_steps=5,
        n_rounds=7,
        step_size="49/25",
    ),  # 9.7
    "sfl/T3-GC@printed": Case(
        QuadraticClients(curvatures=("3/20", "3/20"), slopes=(0, 0), start=1),
        n_local_steps=4,
        n_rounds=8,
        step_size="137/1000",
    ),  # 14.38
    "sfl/T3-GC@sharpened": Case(
        QuadraticClients(curvatures=("53/500", "53/500"), slopes=(-1, -1), start=0),
        n_local_steps=4,
        n_rounds=6,
        step_size="49/250",
    ),  # 12.64
    "sfl/C4-SC@explicit": Case(
        QuadraticClients(
            curvatures=(("39/10000", "1/250"), ("1/200", "13/2000")), slopes=((0, 0), (0, 0)), start=(1, 0)
        ),
        n_local_steps=22,
        n_rounds=10,
    ),  # 14.8
    "sfl/C4-GC@corrected": Case(
        QuadraticClients(curvatures=((2, 0),), slopes=((0, 0),), start=(1, 0)), n_local_steps=7973, n_rounds=8
    ),  # 14.23
    "sfl/T7@explicit": Case(
        QuadraticClients(curvatures=(("33/1000", "3/100"),), slopes=((0, 0),), start=(1, 0)),
        n_local_steps=5,
        n_rounds=100,
        step_size="67/1000",
    ),  # 14.83
    "sfl/T7@sharpened": Case(
        QuadraticClients(curvatures=("1/100", "1/100"), slopes=(0, 0), start=1),
        n_local_steps=5,
        n_rounds=7,
        step_size="33/10",
    ),  # 9.832
    "sfl/T7-GC@explicit": Case(
        QuadraticClients(curvatures=("9/100", "3/25"), slopes=(0, 0), start=1),
        n_local_steps=6,
        n_rounds=9,
        step_size="23/100",
    ),  # 14.45
    "sfl/T7-tuned@explicit": Case(
        QuadraticClients(
            curvatures=(("43/10000", "1/200"), ("1/200", "143/20000")), slopes=((0, 0), (0, 0)), start=(1, 0)
        ),
        n_local_steps=14,
        n_rounds=10,
    ),  # 14.87
    "sfl/T7-GC-tuned@explicit": Case(
        QuadraticClients(curvatures=((2, 0),), slopes=((0, 0),), start=(1, 0)), n_local_steps=6299, n_rounds=8
    ),  # 14.23
    "sfl/PP-SFL@sharpened": Case(
        QuadraticClients(curvatures=("3/100", "3/100"), slopes=(0, 0), start=1),
        n_local_steps=5,
        n_participating=2,
        n_rounds=7,
        step_size="5/9",
    ),  # 9.723
    "sfl/PP-SFL-GC@explicit": Case(
        QuadraticClients(curvatures=(0, 0, "1/2", 0), slopes=(0, "1/10", -6, "9/100"), start=4),
        n_local_steps=4,
        n_participating=1,
        n_rounds=33,
        step_size="83/1000",
    ),  # 13.4
    "sfl/PP-SFL-tuned@explicit": Case(
        QuadraticClients(curvatures=(66, 37), slopes=(0, 0), start=1),
        n_local_steps=159736,
        n_participating=1,
        n_rounds=11,
    ),  # 15.19
    "sfl/PP-PFL@sharpened": Case(
        QuadraticClients(curvatures=(("101/10000", "1/100"),), slopes=((0, 1),), start=(0, 0)),
        n_local_steps=5,
        n_participating=1,
        n_rounds=7,
        step_size="33/10",
    ),  # 9.832
    "sfl/PP-PFL-GC@explicit": Case(
        QuadraticClients(curvatures=(0, 0, "1/2", 0), slopes=(0, "2/25", -5, "2/25"), start=5),
        n_local_steps=4,
        n_participating=1,
        n_rounds=33,
        step_size="83/1000",
    ),  # 13.38
    "sfl/PP-PFL-tuned@explicit": Case(
        QuadraticClients(curvatures=(93, 40), slopes=(0, 0), start=1),
        n_local_steps=142712,
        n_participating=1,
        n_rounds=14,
    ),  # 15.41
    "sfl/C20@printed": Case(
        QuadraticClients(
            curvatures=(("1/1000", "1/5000"), ("3/5000", "1/5000"), ("3/10000", "1/5000"), ("3/5000", "1/5000")),
            slopes=((0, 0), (0, 0), (0, 0), (0, 0)),
            start=(0, 1),
        ),
        n_local_steps=1,
        n_rounds=1,
        step_size="1/2000000",
    ),  # 24
    "sfl/C20@corrected": Case(
        QuadraticClients(
            curvatures=(
                ("1/2000000", "1/10000000000"),
                ("3/1000000000", "9/10000000000"),
                ("3/5000000000", "1/10000000000"),
                ("1/1000000000", "1/5000000000"),
            ),
            slopes=((0, 0), (0, 0), (0, 0), (0, 0)),
            start=(0, 1),
        ),
        n_local_steps=1,
        n_rounds=1,
        step_size="1/100000000",
    ),  # 1
    "sfl/C20@sharpened": Case(
        QuadraticClients(curvatures=(("1/10000", "1/5"),), slopes=((0, 0),), start=(1, 0)),
        n_local_steps=1,
        n_rounds=1,
        step_size="1/10000000",
    ),  # 2
    "sfl/C20-tuned@explicit": Case(
        QuadraticClients(curvatures=((20, "1/25000"),), slopes=((0, 1),), start=(0, 0)), n_local_steps=1, n_rounds=1
    ),  # 2
    "sfl/PP-SFL@explicit": Case(
        QuadraticClients(curvatures=(("1/250", "1/100"), ("3/1000", "1/100")), slopes=((0, 0), (0, 0)), start=(1, 0)),
        n_local_steps=4,
        n_participating=2,
        n_rounds=40,
        step_size="25/24",
    ),  # 14.81
    "sfl/PP-PFL@explicit": Case(
        QuadraticClients(
            curvatures=(("3/100", "3/1000"), ("3/100", "359/125000"), ("3/100", "1/250")),
            slopes=((0, 0), (0, 0), (0, 0)),
            start=(0, 1),
        ),
        n_local_steps=5,
        n_participating=1,
        n_rounds=5000,
        step_size="1393/100000",
    ),  # 14.78
}
