"""What holds wherever a letter is not 0, and at 0 too: polynomials in it, whose exponents are not negative."""

from tests.kernel.false.granted import NONZERO
from tests.kernel.written import combine, row

FALSE = [
    # an index jumps where its letter is 0
    row("b(floor(a(1)/a(1))) == b(1)", at="a(1)=0; b(0)=0; b(1)=1", reason=NONZERO),
    row("a(floor(a(1, 2)/a(1, 2)), 2) == a(1, 2)", at="a(1, 2)=0; a(0, 2)=5", reason=NONZERO),
    row("floor(x/x)**2 == 1", at="x=0", reason=NONZERO),
    # a letter for the base of a power stands for one number: for no base that changes in a sum, or by chance
    row("sum((i + x)**n, i, 1, m) == m*(i + x)**n for i in 1..2", at="i=1; x=0; n=1; m=2", reason="the sides differ"),
    row("mean((X + 1)**n) == (X + 1)**n", at="X=0|2; n=1", reason="the sides differ"),
]

TRUE = [
    row("a(1)**(n - 1)*a(1)*a(2) == a(1)**n*a(2)"),
    row("a(1)**(n - 1)*a(1)*b(2) == a(1)**n*b(2)"),
    row("integer(1)**(n - 1)*integer(1)*O == integer(1)**n*O"),
    row("x**0*x**(n - 1)*x == x**n"),
    row("x**(n - 1)*x*y**(1/2)*y**(1/2) == x**n*y", combine({"h1": "0"}), given=["0 <= y"]),
    # no letter alone is 0 where 1 - x y is: a letter for the whole base
    row("(1 - x*y)**(n - 1)*(1 - x*y)*p**w*p**(-w) == (1 - x*y)**n"),
    row("(1 - x*y)**(n - 1)*(1 - x*y)*(x + y)**2 == (1 - x*y)**n*(x*x + 2*x*y + y*y)"),
    row("(1 - x*y)**(2*(n - 1))*(1 - x*y)**2 == (1 - x*y)**(2*n)"),
    row("(1 - x*y)**(k - 1)*(1 - x*y) == (1 - x*y)**k", combine({"h1": "0"}), given=["x*y < 1"]),
]
