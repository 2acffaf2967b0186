"""Single edits of functions: one operator, sign, number, condition, branch, exception or call of a file is changed."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
REPLACED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
OTHER_CALLS = {"min": "max", "max": "min", "all": "any", "any": "all", "floor": "ceil", "ceil": "floor"}
LONGEST = 140  # characters of code that is shown
UNTOUCHED = ("annotation", "returns", "decorator_list", "type_params")
COUNTS = "spend"  # what counts work: that it counts is edited, how much it counts is a matter of taste


@dataclass(frozen=True)
class Edit:
    """The ``number``-th edit of a file: the lines that it touches, its kind, the function, and the code before and after.

    ``of`` is a digest of the function, and ``place`` counts the edits that look alike in it: with them an edit keeps its name when
    other functions of the file change.
    """

    number: int
    of: str
    place: int
    line: int
    last: int
    kind: str
    function: str
    before: str
    after: str


@dataclass(frozen=True)
class _Place:
    """Where something is replaced: a field of a node, or an entry of a list there; None takes the entry out."""

    parent: ast.AST
    field: str
    at: int | None
    new: object
    kind: str
    function: str
    node: ast.AST


def edits(source: str) -> list[Edit]:
    """All edits of a file, the same ones each time."""
    tree = ast.parse(source)
    functions = [(own.lineno, own.end_lineno or 0, _digest(own)) for own in _functions(tree)]
    found: list[Edit] = []
    alike = Counter[tuple[str, str, str]]()
    for number, place in enumerate(_places(tree)):
        node = place.node
        line = node.ifs[place.at or 0].lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", 0)
        own = node if place.parent is node else place.new
        before, after = ast.unparse(node), _applied(place, own) if isinstance(own, ast.AST) else ""
        last = getattr(node, "end_lineno", line) if place.kind in ("statement", "exception") else line
        texts = (place.function, before, after)
        of = next(digest for first, last_of_it, digest in functions if first <= line <= last_of_it)
        found.append(
            Edit(number, of, alike[texts], line, last, place.kind, place.function, _short(before), _short(after))
        )
        alike[texts] += 1
    return found


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for own in tree.body:
        if isinstance(own, ast.FunctionDef):
            yield own
        elif isinstance(own, ast.ClassDef):
            yield from (f for f in own.body if isinstance(f, ast.FunctionDef))


def _digest(node: ast.AST) -> str:
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:12]


def edited(source: str, number: int) -> ast.Module:
    """The file with that edit."""
    tree = ast.parse(source)
    place = next(p for n, p in enumerate(_places(tree)) if n == number)
    _put(place, place.new)
    return ast.fix_missing_locations(tree)


def _short(text: str) -> str:
    own = text.split("\n")[0]
    return own if len(own) <= LONGEST else own[: LONGEST - 3] + "..."


def _put(place: _Place, new: object) -> object:
    if place.at is None:
        before = getattr(place.parent, place.field)
        setattr(place.parent, place.field, new)
        return before
    own = getattr(place.parent, place.field)
    before = own[place.at]
    if new is None:
        del own[place.at]
    else:
        own[place.at] = new
    return before


def _applied(place: _Place, own: ast.AST) -> str:
    """A node's text with the edit in place."""
    before = _put(place, place.new)
    try:
        return ast.unparse(own)
    finally:
        if place.at is not None and place.new is None:
            getattr(place.parent, place.field).insert(place.at, before)
        else:
            _put(place, before)


def _places(tree: ast.Module) -> Iterator[_Place]:
    for own in tree.body:
        yield from _inside(own, "")


def _inside(node: ast.AST, function: str) -> Iterator[_Place]:
    """Edits of functions alone; what a module or a class says of itself is left as it is."""
    if isinstance(node, ast.FunctionDef):
        function = f"{function}.{node.name}" if function else node.name
    elif isinstance(node, ast.ClassDef) and not function:
        for own in node.body:
            if isinstance(own, ast.FunctionDef):
                yield from _inside(own, node.name)
        return
    for field, value in ast.iter_fields(node):
        if field in UNTOUCHED:
            continue
        for at, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr) or _is_free(child, node, field):
                continue
            if _in_body(node, field) or (function and not isinstance(node, ast.FunctionDef | ast.arguments)):
                yield from _of(child, node, field, at, function)
            yield from _inside(child, function)


def _is_free(child: ast.AST, parent: ast.AST, field: str) -> bool:
    """The ``strict`` of zip, which catches mistakes of the program alone, and how much work is counted."""
    counted = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == COUNTS
    return (counted and field == "args") or (isinstance(child, ast.keyword) and child.arg == "strict")


def _in_body(node: ast.AST, field: str) -> bool:
    return isinstance(node, ast.FunctionDef) and field == "body"


def _of(node: ast.AST, parent: ast.AST, field: str, at: int | None, function: str) -> Iterator[_Place]:
    """The edits of one node."""

    def here(kind: str, new: object) -> _Place:
        return _Place(parent, field, at, new, kind, function, node)

    def within(kind: str, name: str, place: int | None, new: object) -> _Place:
        return _Place(node, name, place, new, kind, function, node)

    match node:
        case ast.Compare(ops=ops):
            for k, op in enumerate(ops):
                yield from (within("comparison", "ops", k, new()) for new in COMPARED.get(type(op), ()))
        case ast.BinOp(op=op, left=left) if type(op) in REPLACED:
            if not (
                isinstance(left, ast.Constant | ast.JoinedStr)
                and not isinstance(getattr(left, "value", 0), int | float)
            ):
                yield within("operator", "op", None, REPLACED[type(op)]())
        case ast.Constant(value=bool() as own):
            yield here("constant", ast.Constant(not own))
        case ast.Constant(value=int() as own):
            yield here("constant", ast.Constant(own + 1))
        case ast.BoolOp(op=op, values=values):
            yield within("and/or", "op", None, ast.Or() if isinstance(op, ast.And) else ast.And())
            if len(values) == 2:
                yield from (here("operand", value) for value in values)
            else:
                yield from (within("operand", "values", k, None) for k in range(len(values)))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield here("sign", operand)
        case ast.If() | ast.IfExp():
            yield within("branch", "test", None, ast.Constant(True))
            yield within("branch", "test", None, ast.Constant(False))
        case ast.comprehension(ifs=ifs):
            yield from (within("filter", "ifs", k, None) for k in range(len(ifs)))
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_CALLS:
            yield within("call", "func", None, ast.Name(OTHER_CALLS[name], ast.Load()))
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            yield here("call", inner)
        case ast.Raise():
            yield here("exception", ast.Pass())
        case ast.Expr(value=ast.Call()):
            yield here("statement", ast.Pass())
        case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.Call(func=ast.Name(id="all" | "any"))):
            yield within("answer", "value", None, ast.Constant(True))
            yield within("answer", "value", None, ast.Constant(False))
