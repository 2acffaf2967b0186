"""Comparison with another process for users' functions that depend on properties of the process.

The order of a set of strings depends on a random hash seed, the order of a set of objects and the text of an object may
depend on addresses, and an uninitialised array has arbitrary contents. A function that could see one of these runs
again in processes with other, fixed values. A verdict is given only if this process agrees with all of them, so two
processes never give opposite verdicts because of hash seeds.
"""

from __future__ import annotations

import atexit
import dis
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from io import BytesIO
from numbers import Number
from types import CodeType, FunctionType, ModuleType
from typing import Any, ClassVar

from flint import arb

from fltheory.evidence.validation.introspection import is_dataclass_code
from fltheory.number.impurity import Impure, codes_of, inner_codes, is_user_module, reachable_objects
from fltheory.number.ownership import is_library
from fltheory.symbols import VOCABULARY, Meaning

HASH_SEEDS = (0, 1, 2)
FILL_BYTE = 85
IDLE = 300  # seconds after which an idle process ends
_SETS = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}
_TEXTS = {"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"}
_OF_SETS = {"&", "|", "^", "-", "and_", "or_", "xor", "sub"}  # operators that make a set from the keys of dictionaries
_SUSPECT_NAMES = {  # patterns of names and what such functions see; not settings, distribution
    r"(?<!off)(?<!data)(?<!re)set(?!t)|union|intersection|difference": "the order of a set",
    r"(?<![a-z])str(?![a-z])|string|repr(?!esent)|ascii|(?<![a-z])format|format(?![a-z])|(?<!con)text|dump": (
        "the text of an object"
    ),
    "getattr|attrgetter|methodcaller": "something by a name that can't be read",
    "ndarray|chararray|recarray|empty": "numbers of an array that was never filled",
}
_TEXT_BUILDING_OPCODES = (
    "LOAD_",
    "FORMAT_",
    "CONVERT_",
    "BUILD_STRING",
    "BINARY_OP",
    "CALL",
    "PRECALL",
    "PUSH_NULL",
)  # instructions before it is raised


def process_dependence(name: str, *functions: object) -> str | None:
    """Describe what users' functions could see that differs between processes, or return None."""
    if is_library(functions):
        return None
    return next((sight for part in _dependence_sources(name, functions) for sight in part), None)


def _dependence_sources(name: str, functions: object) -> Iterator[Iterator[str]]:
    codes = [code for code in codes_of(name, functions) if not is_dataclass_code(code)]
    caught = any(code.co_exceptiontable or {"exception", "exc_info"} & {*code.co_names} for code in codes)
    yield from (_code_dependences(code, caught) for code in codes)
    yield (
        "the order of a set"
        for held in reachable_objects(name, functions)
        if isinstance(held, set | frozenset) and not _holds_only_numbers(held)
    )


def _code_dependences(code: CodeType, caught: bool) -> Iterator[str]:
    """Yield what a code could see; ``caught``: whether some code could handle an error and read its text."""
    lines = list(dis.get_instructions(code))
    if any(isinstance(value, tuple) and "where" in value for value in code.co_consts):  # f(..., where=) without out=
        yield "numbers of an array that was never filled"
    percent = any(isinstance(value, str) and "%" in value for value in code.co_consts)
    made = {line.argrepr.rstrip("=") for line in lines if line.opname == "BINARY_OP"} | {*code.co_names}
    if {"keys", "items"} & {*code.co_names} and _OF_SETS & made:
        yield "the order of a set"
    for n, (line, after) in enumerate(zip(lines, [*lines[1:], None], strict=True), 1):
        asked = after is not None and after.opname == "CONTAINS_OP"
        if line.opname in _SETS or (
            isinstance(line.argval, frozenset) and not asked and not _holds_only_numbers(line.argval)
        ):
            yield "the order of a set"
        written = line.opname in _TEXTS or (percent and line.opname == "BINARY_OP" and line.argrepr in ("%", "%="))
        if written and (caught or not _is_raised_text(lines[n:])):
            yield "the text of an object"
    names = (name for name in code.co_names if name != "__setattr__")
    yield from (
        sight for name in names for word, sight in _SUSPECT_NAMES.items() if re.search(word, name, re.IGNORECASE)
    )


def _is_raised_text(lines: list[dis.Instruction]) -> bool:
    """Return whether a text is only used in an error that ends the run."""
    after = next((line for line in lines if not line.opname.startswith(_TEXT_BUILDING_OPCODES)), None)
    return after is not None and after.opname == "RAISE_VARARGS"


def _holds_only_numbers(held: set[Any] | frozenset[Any]) -> bool:
    return all(isinstance(part, Number) for part in held)


def require_process_independent(
    name: str, functions: tuple[object, ...], ask: Callable[[], Any], same: Callable[[Any], bool]
) -> None:
    """Raise Impure if ``ask()`` returns something else in other processes; called only if the code depends on these."""
    sight = process_dependence(name, *functions)
    if sight is None:
        return
    for there in _answers_in_processes(name, sight, ask):
        if isinstance(there, Exception) or not same(there):
            other = f"raises {type(there).__name__}: {there}" if isinstance(there, Exception) else "differs"
            raise Impure(
                f"{name} is not a pure function: in another process it {other}. It depends on {sight}, which changes with "
                "the process: sort the elements of sets, and decide by numbers, not by texts of objects"
            )


def _answers_in_processes(name: str, sight: str, ask: Callable[[], Any]) -> list[Any]:
    import cloudpickle

    known = cloudpickle.list_registry_pickle_by_value()
    modules = [m for word, m in list(sys.modules.items()) if _is_user_file_module(word, m) and word not in known]
    try:
        for module in modules:  # modules that another process could not import by name
            cloudpickle.register_pickle_by_value(module)
        question = _pickle_question(ask)
    except Exception as error:
        raise Impure(
            f"{name} depends on {sight}, which differs between processes, and can't be run in another process: {error}"
        ) from error
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    try:
        waiting = [
            _worker_process(seed).submit(_answer_in_worker, question, tuple(sys.path), dict(VOCABULARY))
            for seed in HASH_SEEDS
        ]
        return [one.result() for one in waiting]
    except Exception as error:  # the process was killed, or its answer can't be sent
        _worker_process.cache_clear()
        return [error]


def _pickle_question(ask: Callable[[], Any]) -> bytes:
    """Pickle a call; code keeps its file name, which distinguishes the library's code from a user's."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        dispatch_table: ClassVar[Any] = ChainMap(
            {CodeType: _reduce_code, cached_property: _reduce_cached_property, arb: _reduce_ball},
            cloudpickle.Pickler.dispatch_table,
        )

        def reducer_override(self, held: Any) -> Any:
            """Reduce a function with the globals that classes in it use, which cloudpickle omits."""
            given = super().reducer_override(held)
            if isinstance(held, FunctionType) and isinstance(given, tuple) and len(given) > 2:
                lines = (line for code in inner_codes(held.__code__) for line in dis.get_instructions(code))
                names = {line.argval for line in lines if line.opname == "LOAD_NAME"}
                kept = {name: held.__globals__[name] for name in sorted(names) if name in held.__globals__}
                given[2][1]["__globals__"].update(kept)
            return given

    file = BytesIO()
    Pickler(file).dump(ask)
    return file.getvalue()


def _reduce_code(code: CodeType) -> tuple[Any, ...]:
    import cloudpickle

    make, given = cloudpickle.Pickler.dispatch_table[CodeType](code)
    return _from_file, (make, given, code.co_filename)


def _reduce_cached_property(held: cached_property[Any]) -> tuple[Any, ...]:
    """Reduce a cached property without the lock that Python 3.11 stores in it."""
    return cached_property, (held.func,), {"attrname": held.attrname}


def _reduce_ball(ball: arb) -> tuple[Any, ...]:
    """Reduce a ball, such as an irrational step size: python-flint does not. The radius may grow in its ninth digit."""
    if not ball.is_finite():
        return arb, (float(ball.mid()), float(ball.rad()))
    return _ball, (tuple(map(int, ball.mid().man_exp())), tuple(map(int, ball.rad().man_exp())))


def _ball(middle: tuple[int, int], radius: tuple[int, int]) -> arb:
    return arb(arb(middle), arb(radius))


def _from_file(make: Callable[..., CodeType], given: tuple[Any, ...], filename: str) -> CodeType:
    return make(*given).replace(co_filename=filename)


def _is_user_file_module(word: str, module: object) -> bool:
    """Return whether a module is a user's, which another process may not find."""
    return (
        isinstance(module, ModuleType)
        and word == module.__name__
        and hasattr(module, "__file__")
        and is_user_module(word)
    )


@cache
def _worker_process(seed: int) -> Any:
    from loky import ProcessPoolExecutor

    filled = FILL_BYTE * seed  # a byte that fills allocated memory, if the C library supports it (0: no fill)
    alone = {
        "PYTHONHASHSEED": str(seed),
        "MALLOC_PERTURB_": str(filled),
        "GLIBC_TUNABLES": f"glibc.malloc.perturb={filled}",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    process = ProcessPoolExecutor(max_workers=1, env=alone, timeout=IDLE)
    atexit.register(process.shutdown, kill_workers=True)  # before Python unloads its modules
    return process


def _answer_in_worker(question: bytes, path: tuple[str, ...], letters: dict[str, Meaning]) -> Any:
    import pickle

    sys.path[:] = path
    for letter in letters.keys() - VOCABULARY.keys():  # user-defined constants
        VOCABULARY[letter] = letters[letter]
    try:
        return pickle.loads(question)()
    except Exception as error:  # counts as an answer
        return error
