"""Goals reduced to simpler ones: two inequalities for an equation, summands for sums, cases, induction, derivatives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sympy
from sympy import Abs, Expr, Integer, Max, Min, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.language import Given, Relation, eq, le
from fltheory.proof.terms import Draw, E, Indicator, Term, Total, free_symbols, is_random, is_vector, substitute
from fltheory.proving.board import Board, covers
from fltheory.proving.tactics.forward import extremes
from fltheory.proving.tactics.goals import Solve, apart, both, common_factor, from_rewritten, name_in, with_right_side
from fltheory.proving.tactics.roots import rooted
from fltheory.proving.tactics.sums import names_a_sum
from fltheory.proving.tactics.tangents import jensen

MOST_OPERATIONS = 30  # in inequalities of which one may be a multiple of the other
MOST_PEELED = 4  # sums from which the last term is taken


def reduced(board: Board, claim: Relation, solve: Solve) -> Iterator[Board]:
    """Yield the board with the claim, shown by one of the reductions; ``solve`` shows the goals that remain."""
    for tactic in (
        _generalised,
        _by_letter,
        _difference,
        rooted,
        _sum,
        _power,
        _cases,
        _induction,
        _derivative,
        _enclosed,
        _cleared,
        _mean,
        _two_sided,
    ):
        done = tactic(board, claim, solve)
        if done is not None:
            yield done


def simplified(board: Board, claim: Relation, solve: Solve) -> Iterator[Board]:
    """Yield the board with the claim, shown by goals that say less and hold whenever it does: they are as deep as it is."""
    means = () if claim.op == "==" or _has_draws(claim) else (_mean,)  # what holds surely says more: sought last
    for tactic in (_absolute, _larger, _indicators, _cofactor, _common_factor, _rewritten, jensen, *means):
        done = tactic(board, claim, solve)
        if done is not None:
            yield done


def _cofactor(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An inequality of which a known one is a positive multiple, such as a <= b by a^2 <= b^2."""
    if claim.op != "<=" or is_vector(claim.gap) or sympy.count_ops(claim.gap) > MOST_OPERATIONS:
        return None
    for name, known in board.relations.items():
        plain = known.op == "<=" and covers(known, claim) and not is_vector(known.gap)
        if not plain or sympy.count_ops(known.gap) > MOST_OPERATIONS or claim.gap == 0:
            continue
        factor = sympy.cancel(known.gap / claim.gap)
        if factor.is_positive and (done := board.accept(claim, by.linear({name: 1 / factor}))):
            return done
    return None


def _common_factor(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An inequality whose parts all have a nonnegative number as a factor, from that without it."""
    if claim.op == "<" or is_vector(claim.gap):
        return None
    factor, rest = common_factor(claim.gap, any_sign=claim.op == "==")
    if factor == 1:
        return None
    left, right = apart(rest)
    plain = Relation(left, claim.op, right, claim.over)
    found = both(board, (plain,), solve)
    return found and found[0].accept(claim, by.linear({found[1][0]: factor}))


def _rewritten(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A relation with the sums in the place of the numbers that an equation defines by them."""
    if is_vector(claim.gap):
        return None
    gap, weights = sympy.expand(claim.gap), dict[str, Expr]()
    for name, known in board.relations.items():
        if known.op != "==" or not names_a_sum(known) or not covers(known, claim):
            continue
        found = with_right_side(gap, known)
        if found is not None and not found[0].has(known.left):
            gap, weights[name] = found[0], -found[1]
    return from_rewritten(board, claim, gap, weights, solve) if weights else None


def _has_draws(claim: Relation) -> bool:
    return claim.left.has(Draw) or claim.right.has(Draw)


def _absolute(board: Board, claim: Relation, solve: Solve) -> Board | None:
    if claim.op != "<=" or not isinstance(claim.left, Abs):
        return None
    inside = claim.left.args[0]
    found = both(board, (le(inside, claim.right, *claim.over), le(-inside, claim.right, *claim.over)), solve)
    return found and found[0].accept(claim, by.absolute(*found[1]))


def _larger(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A bound on a maximum, from that on both numbers; a bound by a minimum in the same way."""
    upper = isinstance(claim.left, Max)
    term = claim.left if upper else claim.right
    if claim.op != "<=" or not isinstance(term, Max if upper else Min) or len(term.args) != 2:
        return None
    if free_symbols(term) & {i for i, _, _ in claim.over} or is_random(term):
        return None
    names = list[str]()
    for value in term.args:
        each = le(value, claim.right, *claim.over) if upper else le(claim.left, value, *claim.over)
        shown = both(board, (each,), solve)
        if shown is None:
            return None
        board, (name,) = shown
        names.append(name)
    found = list[str]()
    first, second = term.args
    splits = (le(second, first), le(first, second)) if upper else (le(first, second), le(second, first))
    for value, supposed, name in zip(term.args, splits, names, strict=True):
        inner = board.suppose(supposed)
        there = inner.accept(eq(term, value), by.fact("max" if upper else "min", term))
        done = there and there.accept(claim, by.linear({name: 1, there.last: 1 if upper else -1}))
        if done is None:
            return None
        found.append(done.last)
        board = done.back(board)
    return board.accept(claim, by.cases(*found))


def _indicators(board: Board, claim: Relation, solve: Solve) -> Board | None:
    if claim.op != "<=" or not (isinstance(claim.left, Indicator) and isinstance(claim.right, Indicator)):
        return None
    found = both(board, (le(claim.left.args[0], claim.right.args[0], *claim.over),), solve)
    return found and found[0].accept(claim, by.monotone(*found[1]))


def _sum(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A relation between sums of one range, from that of their terms."""
    if is_vector(claim.gap):
        return None
    for index, low, high in dict.fromkeys(t.args[1:] for t in sorted(claim.gap.atoms(Total), key=str)):
        body = _under_one_sum(claim.gap, index, low, high)
        if body is None or index in {i for i, _, _ in claim.over}:
            continue
        left, right = apart(body)
        each = Relation(left, claim.op, right, (*claim.over, (index, low, high)))
        found = both(board, (each,), solve)
        done = found and found[0].accept(claim, by.sum_over(index, *found[1]))
        if done:
            return done
    return None


def _under_one_sum(gap: Expr, index: Symbol, low: Expr, high: Expr) -> Expr | None:
    """Return the term whose sum over the range is the given number, if each part has such a sum as a factor."""
    found = list[Expr]()
    for part in sympy.Add.make_args(sympy.expand(gap)):
        factors = list(sympy.Mul.make_args(part))
        place = next((n for n, f in enumerate(factors) if _sum_of(f, low, high) is not None), None)
        if place is None:
            return None
        total = _sum_of(factors[place], low, high)
        assert total is not None
        rest = sympy.Mul(*factors[:place], *factors[place + 1 :], *([total] if factors[place] != total else []))
        if index in free_symbols(rest):
            return None
        found.append(rest * substitute(total.args[0], {total.args[1]: index}))
    return sympy.Add(*found)


def _sum_of(factor: Expr, low: Expr, high: Expr) -> Total | None:
    base = factor.base if isinstance(factor, sympy.Pow) and factor.exp == 2 else factor
    return base if isinstance(base, Total) and base.args[2:] == (low, high) else None


def _cleared(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A relation between quotients, from the one without denominators."""
    if is_vector(claim.gap):
        return None
    top, below = sympy.fraction(sympy.together(claim.gap))
    below = sympy.factor(below)
    signs = [n for n, r in board.relations.items() if r.op == "<" and not is_vector(r.gap)]
    if not below.atoms(Symbol, Term) or not (below.is_positive or (signs and below.is_positive is None)):
        return None
    left, right = apart(sympy.expand(top))
    plain = Relation(left, claim.op, right, claim.over)
    found = both(board, (plain,), solve)
    return found and found[0].accept(claim, by.linear({found[1][0]: 1 / below}, *signs))


def _mean(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An inequality between sums of expectations, from that of their arguments."""
    gap = claim.gap
    if is_vector(gap) or not gap.has(E):
        return None
    parts = [_inside_mean(part) for part in sympy.Add.make_args(sympy.expand(gap))]
    if all(inner == 1 for _, inner in parts) or any(
        is_random(outer) or (outer.has(E) and inner != 1) for outer, inner in parts
    ):
        return None
    left, right = apart(sympy.Add(*(outer * inner for outer, inner in parts)))
    inside = Relation(left, claim.op, right, claim.over)
    found = both(board, (inside,), solve)
    if found is None:
        return None
    done = found[0].accept(claim, by.expectation(*found[1]))
    if done is not None:
        return done
    averaged = Relation(E(left), claim.op, E(right), claim.over)
    between = found[0].accept(averaged, by.expectation(*found[1]))
    return between and between.accept(claim, by.linear({between.last: 1}))


def _inside_mean(part: Expr) -> tuple[Expr, Expr]:
    """Return a number as a factor and what is averaged."""
    factors = sympy.Mul.make_args(part)
    means = [f for f in factors if isinstance(f, E)]
    if len(means) != 1:
        return part, Integer(1)
    return sympy.Mul(*(f for f in factors if f is not means[0])), means[0].args[0]


def _power(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An inequality between powers with one exponent, from that of the bases; exp(n a) is the power n of exp(a)."""
    if claim.op != "<=" or is_vector(claim.gap):
        return None
    exponents = [s.as_base_exp()[1] for s in (claim.left, claim.right) if not isinstance(s, sympy.exp)]
    for exponent in exponents[:1]:
        low, high = _root(claim.left, exponent), _root(claim.right, exponent)
        if exponent == 1 or low is None or high is None:
            return None
        found = both(board, (le(0, low, *claim.over), le(low, high, *claim.over)), solve)
        if found is None:
            return None
        done = found[0].accept(claim, by.power(exponent, *found[1]))
        if done is None and (low**exponent, high**exponent) != (claim.left, claim.right):
            powers = le(low**exponent, high**exponent, *claim.over)
            between = found[0].accept(powers, by.power(exponent, *found[1]))
            done = between and between.accept(claim, by.linear({between.last: 1}))
        return done
    return None


def _root(number: Expr, exponent: Expr) -> Expr | None:
    """Return the base of a number as a power with a given exponent."""
    if isinstance(number, sympy.exp):
        return sympy.exp(sympy.expand(number.exp / exponent))
    base, own = number.as_base_exp()
    return base if own == exponent else None


def _cases(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Cases by the order of the arguments of a maximum, minimum or absolute value."""
    if claim.op == "<":
        return None
    for term in extremes(claim, *(board.relations.values()))[:2]:
        found = _by_case(board, claim, term, solve)
        if found is not None:
            return found
    return None


def _by_case(board: Board, claim: Relation, term: Expr, solve: Solve) -> Board | None:
    if isinstance(term, Abs):
        inside = term.args[0]
        splits = ((le(0, inside), inside), (le(inside, 0), -inside))
    elif len(term.args) == 2:
        first, second = term.args
        larger, smaller = (first, second) if isinstance(term, Max) else (second, first)
        splits = ((le(second, first), larger), (le(first, second), smaller))
    else:
        return None
    if free_symbols(term) & {i for i, _, _ in claim.over} or set(board.assuming) & {s for s, _ in splits}:
        return None
    names = list[str]()
    for supposed, value in splits:
        inner = board.suppose(supposed)
        if isinstance(term, Abs):
            other = inner.accept(le(value, term), by.fact("abs", value))
            if other is None:
                return None
            unused = dict.fromkeys(inner.assumptions, 0)  # an assumption has weight 1 unless it says otherwise
            under = other.accept(le(value, value), by.linear(unused))
            below = under and under.accept(le(-value, value), by.linear(unused | {f"assumed {len(inner.assuming)}": 2}))
            if under is None or below is None:
                return None
            both = (under.last, below.last) if value == inside else (below.last, under.last)
            inner = below.accept(le(term, value), by.absolute(*both)) or below
        else:
            fact = by.fact("max", term) if isinstance(term, Max) else by.fact("min", term)
            there = inner.accept(eq(term, value), fact)
            if there is None:
                return None
            inner = there
        shown = solve(inner, claim)
        if shown is None:
            return None
        names.append(shown.last)
        board = shown.back(board)
    return board.accept(claim, by.cases(*names))


def _induction(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Induction on an index of the claim."""
    if is_vector(claim.gap) and claim.op != "==":
        return None
    for index, low, _high in claim.over:
        if not low.is_Integer or board.assuming:
            continue
        others = tuple(r for r in claim.over if r[0] != index)
        base = Relation(substitute(claim.left, {index: low}), claim.op, substitute(claim.right, {index: low}), others)
        after = Relation(
            substitute(claim.left, {index: index + 1}),
            claim.op,
            substitute(claim.right, {index: index + 1}),
            tuple((i, lo, hi - 1 if i == index else hi) for i, lo, hi in claim.over),
        )
        tied = any(index in free_symbols(lo) | free_symbols(hi) for _, lo, hi in others)
        now = Relation(claim.left, claim.op, claim.right, others if tied else ())
        first = solve(board, base)
        if first is None:
            continue
        start = name_in(first, base)
        step = solve(first.suppose(now), after)
        if step is None:
            continue
        name = step.last
        done = step.back(board).accept(claim, by.induction(index, start, name))
        if done is not None:
            return done
    return None


def _generalised(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A claim about the last round, from the claim about every round: the invariant that an induction shows."""
    inside = {i for i, _, _ in claim.over}
    for index, low, high in dict.fromkeys(r for relation in board.relations.values() for r in relation.over):
        for last in _last_rounds(claim, high):
            if {index, last} & inside or index == last or not low.is_Integer:
                continue
            for first in (low, low + 1) if last.is_positive and low == 0 else (low,):
                left, right = (substitute(side, {last: index}) for side in (claim.left, claim.right))
                every = Relation(left, claim.op, right, (*claim.over, (index, first, last)))
                if board.stating(every) is not None:
                    continue
                shown = _induction(board, every, solve)
                done = shown and shown.accept(claim, by.instance({index: last}, shown.last))
                if done:
                    return done
    return None


def _last_rounds(claim: Relation, high: Expr) -> list[Symbol]:
    """Return the symbols of a claim that may be the last of the rounds 0, ..., ``high``; of endless rounds, any count."""
    letters = free_symbols(claim.left) | free_symbols(claim.right)
    if high is sympy.oo:
        return sorted((s for s in letters if s.is_integer and s.is_nonnegative), key=str)[:2]
    last = sympy.expand(high + 1)
    return [last] if isinstance(last, Symbol) and last in letters else []


def _by_letter(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A claim about a number N = 1, 2, ... that no hypothesis mentions, by induction on it."""
    given = [h.relation for h in board.hypotheses if isinstance(h, Given)]
    taken = {s for r in given for s in free_symbols(r.left) | free_symbols(r.right)}
    taken |= {i for i, _, _ in claim.over} | {s for r in board.assuming for s in free_symbols(r.gap)}
    letters = [s for s in free_symbols(claim.left) | free_symbols(claim.right) if s.is_integer and s.is_nonnegative]
    for letter in sorted((s for s in letters if s not in taken), key=str)[:2]:
        low = Integer(1) if letter.is_positive else Integer(0)
        index = Symbol(
            f"{letter.name}_k",
            **({"integer": True, "positive": True} if low else {"integer": True, "nonnegative": True}),
        )
        every = Relation(
            substitute(claim.left, {letter: index}),
            claim.op,
            substitute(claim.right, {letter: index}),
            (*claim.over, (index, low, letter)),
        )
        shown = _induction(board, every, solve)
        done = shown and shown.accept(claim, by.instance({index: letter}, shown.last))
        if done:
            return done
    return None


def _peeled(gap: Expr, known: Expr) -> Expr:
    """Return a number with the last term apart of each sum that is one term longer than a known one."""
    shorter = sorted(known.atoms(Total), key=str)
    for _ in range(MOST_PEELED):
        for total, short in itertools.product(sorted(gap.atoms(Total), key=str), shorter):
            body, index, low, high = total.args
            longer = short.args[2] == low and sympy.expand(high - short.args[3]) == 1
            if longer and sympy.expand(substitute(short.args[0], {short.args[1]: index}) - body) == 0:
                gap = gap.xreplace({total: short + substitute(body, {index: high})})
                break
        else:
            return gap
    return gap


def _difference(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """What is left of a goal when an assumption is subtracted from it, as in the step of an induction."""
    if claim.op == "==" or is_vector(claim.gap):
        return None
    inside = {i for i, _, _ in claim.over}
    for name, known in board.assumptions.items():
        if known.op == "==" or {i for i, _, _ in known.over} - inside:
            continue
        rest = sympy.expand(normal_form(_peeled(claim.gap, known.gap) - known.gap))
        if rest.is_number or len(rest.atoms(Total)) >= max(1, len(claim.gap.atoms(Total))):
            continue  # nothing is gone
        left, right = apart(rest)
        found = both(board, (Relation(left, claim.op, right, claim.over),), solve)
        done = found and found[0].accept(claim, by.linear({name: 1, found[1][0]: 1}))
        if done:
            return done
    return None


def _derivative(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A function of x >= 0 that is nonnegative at 0 and does not fall."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    gap = claim.gap
    given = [h.relation for h in board.hypotheses if isinstance(h, Given)]
    taken = {s for r in given for s in free_symbols(r.left) | free_symbols(r.right)}
    letters = sorted(
        (s for s in free_symbols(gap) - taken if s.is_nonnegative and not s.is_positive and not s.is_integer), key=str
    )
    for x in letters:
        if not gap.has(sympy.exp, sympy.log):
            return None
        start = le(0, gap.xreplace({x: 0 * x}))
        slope = le(0, sympy.factor(sympy.together(sympy.diff(gap, x))))
        found = both(board, (start, slope), solve)
        if found is not None:
            done = found[0].accept(
                claim, by.derivative(x, *found[1], *(s.id for s in found[0].lines if s.id not in found[1]))
            )
            if done is not None:
                return done
    return None


def _enclosed(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A function of one number on an interval with rational ends, by enclosures of its values."""
    letters = sorted(free_symbols(claim.left) | free_symbols(claim.right), key=str)
    if (
        claim.op != "<="
        or claim.over
        or len(letters) != 1
        or claim.gap.atoms(Term)
        or not claim.gap.has(sympy.exp, sympy.log)
    ):
        return None
    (x,) = letters
    low, high = (0 if x.is_nonnegative else None), None
    names = list[str]()
    for name, known in board.relations.items():
        if known.op in ("<=", "<") and not known.over and x in (known.left, known.right):
            end = known.left if known.right == x else known.right
            if end.is_Rational:
                low, high = (end, high) if known.right == x else (low, end)
                names.append(name)
    if low is None or high is None:
        return None
    ends = (sympy.sympify(low), sympy.sympify(high))
    tried = [z for z in dict.fromkeys((*ends, Integer(0), Integer(1))) if ends[0] <= z <= ends[1]]
    zeros = tuple((x, z) for z in tried if claim.gap.subs(x, z) == 0)
    return board.accept(claim, by.ball(((x, *ends),), *names, zeros=zeros))


def _two_sided(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An equation from two inequalities."""
    if claim.op != "==" or is_vector(claim.gap):
        return None
    found = both(board, (le(claim.left, claim.right, *claim.over), le(claim.right, claim.left, *claim.over)), solve)
    return found and found[0].accept(claim, by.antisymmetry(*found[1]))
