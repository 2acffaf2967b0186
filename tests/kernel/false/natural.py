"""What lies in its natural domain, and what is read with x/0 = 0: each kind of term, by its letters and by lines."""

from tests.kernel.written import row


def stated(term, given=(), before=()):
    """A theorem that speaks of a term, and says nothing else."""
    return row(f"({term}) + z == ({term}) + z", given=given, before=before).theorems[-1]


# what it divides by is negative wherever the roots are some: it is negative, and its normal form shows no sign
FALLS = "-(-1/(x + y))**(1/2)*(-1/(w + y))**(1/2)*(1/(x + y))*(1/(w + y))"
BELOW = ("x + y < 0", "w + y < 0")
ROOT = "(a(i)/(1 + b(i)))**(1/2)/(1 + b(i))"

# a term and the lines that are given
NATURAL = [
    (term, stated(term, given))
    for term, *given in (
        ("z**((y/(1 + x))**(1/2)/(1 + x))", "0 < 1 + x", "0 <= y/(1 + x)"),
        (f"sum(z**({ROOT}), i, 1, n)", "0 < 1 + b(i) for i in 1..n", "0 < a(i)/(1 + b(i)) for i in 1..n"),
        ("1/p",),
        ("p**-3",),
        ("x**m",),
        ("x**-2", "0 < x"),
        ("x**-2", "x < 0"),
        ("x**k", "0 < x"),
        ("x**k", "0 <= k"),
        ("x**k", "1 <= k"),
        ("x**(k + j)", "x < 0"),
        ("log(p)",),
        ("log(x)", "0 < x"),
        ("z**(1/2)",),
        ("x**(1/2)", "0 <= x"),
        ("p**(-1/2)",),
        ("x**(-1/2)", "0 < x"),
        ("z**p",),
        ("p**x",),
        ("x**y", "0 < x"),
        ("binomial(n, m)",),
        ("binomial(k, j)", "0 <= k", "0 <= j"),
        ("sum(1/i, i, 1, n)",),
        ("sum(log(i), i, 1, n)",),
        ("sum(1/(i + 1), i, 0, n)",),
        ("sum(1/a(i), i, 1, n)", "0 < a(i) for i in 1..n"),
        ("sum(sum(1/(i + j), j, 1, i), i, 1, n)",),
        ("mean(1/P)",),
        ("mean(log(P))",),
        ("mean(Q**(1/2))",),
        ("mean(1/X)", "1 <= X"),
        ("mean(X)/p",),
    )
]
READ = [
    (f"{term}: {words}", stated(term, given), words)
    for term, words, *given in (
        ("1/x", "x is not seen to be nonzero"),
        ("1/z", "z is not seen to be nonzero"),
        ("1/x", "x is not seen to be nonzero", "0 <= x"),
        ("x**-2", "x is not seen to be nonzero"),
        ("x**k", "x is not seen to be nonzero"),
        ("x**k", "x is not seen to be nonzero", "k <= 0"),
        ("log(z)", "z is not seen to be positive"),
        ("log(x)", "x is not seen to be positive", "0 <= x"),
        ("x**(1/2)", "x is not seen to be nonnegative"),
        ("z**(-1/2)", "z is not seen to be positive"),
        ("x**(-1/2)", "x is not seen to be positive", "0 <= x"),
        ("x**z", "x is not seen to be nonnegative"),
        ("z**x", "z is not seen to be positive"),
        ("binomial(k, 2)", "k is not seen to be nonnegative"),
        ("binomial(n, k)", "k is not seen to be nonnegative"),
        ("binomial(z, 2)", "z is not seen to be whole"),
        ("binomial(n, 1/2)", "1/2 is not seen to be whole"),
        ("sum(1/i, i, 0, n)", "is not seen to be nonzero"),
        ("sum(1/(i - 1), i, 1, n)", "is not seen to be nonzero"),
        ("sum(1, i, 0*(1/x), n)", "x is not seen to be nonzero"),
        ("sum(1, i, 1, n + 0*(1/x))", "x is not seen to be nonzero"),
        ("sum(1/a(i), i, 1, n)", "is not seen to be nonzero", "0 < a(i) for i in 2..n"),
        ("mean(1/Q)", "is not seen to be nonzero"),
        ("mean(log(Q))", "is not seen to be positive"),
        ("mean(1/X)", "is not seen to be nonzero"),
        ("mean(X)/x", "x is not seen to be nonzero"),
        ("1/(1/x)", "is not seen to be nonzero"),
        *(
            (term, "is not seen to be nonnegative", *BELOW)
            for term in (
                f"0**({FALLS})",
                f"0**floor({FALLS})",
                f"z**({FALLS})",
                f"sum(i**({FALLS}), i, 0, n)",
                f"mean(Q**({FALLS}))",
            )
        ),
        (f"sum(z**({ROOT}), i, 1, n)", "is not seen to be", "1 + b(i) < 0 for i in 1..n", "a(i) < 0 for i in 1..n"),
    )
]
