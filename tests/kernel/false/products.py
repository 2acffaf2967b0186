"""What is brought together in a product: powers, roots, absolute values, quotients; what is multiplied out, what stays whole."""

from tests.kernel.written import row

# A step that fails is tried again with powers of what may be 0 kept whole. With WHOLE on both sides it is, as nothing
# is known of 1 + X; of random numbers no limit is taken; sines are equal where the same normal forms stand in them.
WHOLE = "(X + 1)**(j - 1)"
WIDE = "abs(x + 1/(x + y))"  # whose square is divided by the square of x + y
SQUARE = "(x**2 + 2*x*y + y**2)"
DIVIDED = "abs((x + t)/(x + y))"
TURNED = "abs(x + 1/y)"  # whose square is divided by y
MANY = "1000000000000000000000000000000"

TRUE = [
    # what is brought together
    row("(abs(x)*abs(y))**2 == x**2*y**2"),
    row("p**(1/2)*e*p**(1/2) == e*p"),
    row("(p*q)**(1/2)*(q*p)**(1/2) == p*q"),
    row("(e**(1/2)*p)**w == e**(w/2)*p**w"),
    row("(x - x)**(1/2) == 0"),
    row("(z**k)**(1/2) == z**(k/2)"),
    row(f"sin((X - Y)**k*(X - Y)**(-k)) + {WHOLE} == sin(1) + {WHOLE}", given=["X < Y"]),
    row(f"(X - Y)**(2*k)*{WHOLE} == (X - Y)**k*(X - Y)**k*{WHOLE}"),
    # how far a power is multiplied out, and what that costs
    row("(x + y)**64 == (y + x)**64"),
    row(f"(-x)**{MANY} == x**{MANY}"),
    row("log(x**1000000 + 1) <= log(x**1000000 + 1) + z"),
    # what is divided
    row("sin(1/(1 - z/(z + q))) == sin((z + q)/q)"),
    row("sin(1/(x/2 + y/2)) == sin(2/(x + y))"),
    row("abs((X + Y)**(2*w) + t) <= abs((X + Y)**(2*w) + t) + z"),
    row(f"log((1/{TURNED} + t*{TURNED})/(x + w)) <= log((1/{TURNED} + t*{TURNED})/(x + w)) + z", given=["0 < y"]),
    row(f"log(y/(1/{DIVIDED} + {DIVIDED})) <= log(y/(1/{DIVIDED} + {DIVIDED})) + z"),  # nothing is supposed of x + y
    # powers that stay whole
    row(f"(X*Y)**k*{WHOLE} == X**k*Y**k*{WHOLE}"),
    row(f"(p + q)**(k + i)*{WHOLE} == (p + q)**k*(p + q)**i*{WHOLE}"),
    row(f"((Q + N**2)**(m + 1))**k*{WHOLE} == (Q + N**2)**(k*m + k)*{WHOLE}"),
    row("(X**2)**(k - 1) == X**(2*k - 2)"),
    row("sin((x/(x + y))**(1/2)) <= sin((x/(x + y))**(1/2)) + z"),
    row(f"((x + y)/((x + y)*z + (x + y)*p))**(1/2) + {WHOLE} == (z + p)**(-1/2) + {WHOLE}", given=["0 < x + y"]),
    row(
        f"(1 + 1/{WIDE} + {WIDE})**k*{SQUARE}**k*{WIDE}**k + {WHOLE}"
        f" == ({WIDE}*(x + y)**2 + (x + y)**2 + (x*(x + y) + 1)**2)**k + {WHOLE}",
        given=["0 < x + y", f"0 < {WIDE}"],
    ),
    # powers of powers, and of products
    row("(p**k)**y == p**(k*y)"),
    row("((z + 1)**4)**(1/4) == z + 1"),
    row("(pi*z)**(1/2) == pi**(1/2)*z**(1/2)"),
    row("(x**(2/3))**(1/2) == x**(1/3)"),
    row("(e**(1/2))**log(x) <= (e**(1/2))**log(x) + z"),
    row(
        f"({WIDE} - (x*(x + y) + 1)**2/({SQUARE}*{WIDE}))**k == 0**k*{WIDE}**(-k)*{SQUARE}**(-2*k)",
        given=["0 < x + y", f"0 < {WIDE}"],
    ),
    row("((-(x + y)**2)**(1/2))**2 == -(x + y)**2", given=["0 <= -(x + y)**2"]),
]

FALSE = [
    row("(x**(1/2))**-2 == 1/x", at="x=-1", reason="x is not seen to be nonnegative"),
    row("(x**(1/2))**4 == x**2", at="x=-1", reason="x is not seen to be nonnegative"),
    row("(x + y)**-65 == 0", at="x=1; y=0", reason="the power -65 is too large to be multiplied out"),
    row("((x**3 + 1)/(x + 1))**(1/2) == (x**2 - x + 1)**(1/2)", at="x=-1", reason="is not seen to be nonzero"),
    row("(x**2 + 1 + 2/x)**(1/2) == abs(x + 1)", at="x=2", given=["0 < x"], reason="the sides differ"),
    row(
        "x**(k + y + w) == x**k*x**y*x**w",
        at="x=-1; k=0; y=1/2; w=1/2",
        given=["x < 0"],
        reason="x is not seen to be positive",
    ),
    row(
        "x**(k/2 + j/2) == x**(k/2)*x**(j/2)",
        at="x=-1; k=1; j=1",
        given=["x < 0"],
        reason="x is not seen to be positive",
    ),
    row("(x**2)**(w - 1) == x**(2*w - 2)", at="x=-1; w=5/4", reason="the sides differ"),
    row("(x**2)**(k/2 - 1) == x**(k - 2)", at="x=-1; k=3", reason="the sides differ"),
    row("(x**y)**(k - 1) == x**(y*k - y)", at="x=-1; y=1/2; k=3", reason="x is not seen to be"),
    row("x**log(p) == p", at="x=1; p=2", reason="the sides differ"),
    row("exp(log(p)*log(q)) == p", at="p=2; q=1", reason="the sides differ"),
    row("exp(log(p)**2) == p", at="p=2", reason="the sides differ"),
    row("(-4*x)**(1/2) == (-x)**(1/2)", at="x=-1", reason="the sides differ"),
    row("(x/(x + y))**(1/2) == x/(x + y)", at="x=1; y=3", reason="the sides differ"),
    row("(x**z)**(1/2) == x**(z/2)", at="x=-1; z=2", reason="x is not seen to be nonnegative"),
    row("((x + y)**2*(x + w))**(1/2) == abs(x + y)", at="x=1; y=0; w=1", reason="the sides differ"),
]
