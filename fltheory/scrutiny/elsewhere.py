"""Does another process answer the same? Asked where a user's function could see what differs from process to process.

Python orders a set of texts by a number that each process draws, a set of objects by their addresses; the text of an object may
hold its address, and an array that was never filled what was there before. A function that can see one of these is run once
more in processes with other such numbers. Theirs are always the same, and a verdict stands only where this process agrees
with all of them: so two processes never give opposite ones for the order of texts.
"""

from __future__ import annotations

import atexit
import dis
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from numbers import Number
from types import CodeType, ModuleType
from typing import Any, ClassVar

from fltheory.number.outside import Impure, codes_of, reached, users_module
from fltheory.number.whose import of_library
from fltheory.scrutiny.telling import of_a_dataclass
from fltheory.symbols import VOCABULARY, Meaning

HASH_SEEDS = (0, 1, 2)
FILLED = 85
IDLE = 300  # seconds after which a process that is asked nothing ends
_SETS = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}
_TEXTS = {"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"}
_OF_SETS = {"&", "|", "^", "-", "and_", "or_", "xor", "sub"}  # what makes a set of the keys of dictionaries
_WORDS = {  # parts of names, each with what functions so called see
    **dict.fromkeys(("set", "union", "intersection", "difference"), "the order of a set"),
    **dict.fromkeys(("str", "repr", "ascii", "format", "text", "dump"), "the text of an object"),
    **dict.fromkeys(("getattr", "attrgetter", "methodcaller"), "something by a name that can't be read"),
    **dict.fromkeys(("ndarray", "chararray", "recarray", "empty"), "numbers of an array that was never filled"),
}


def tells(name: str, *functions: object) -> str | None:
    """What differs from process to process and users' functions could see, in words; None if nothing."""
    if of_library(functions):
        return None
    return next((sight for part in _parts(name, functions) for sight in part), None)


def _parts(name: str, functions: object) -> Iterator[Iterator[str]]:
    yield from (_sights(code) for code in codes_of(name, functions) if not of_a_dataclass(code))
    yield (
        "the order of a set"
        for held in reached(name, functions)
        if isinstance(held, set | frozenset) and not _of_numbers(held)
    )


def _sights(code: CodeType) -> Iterator[str]:
    lines = list(dis.get_instructions(code))
    if any(isinstance(value, tuple) and "where" in value for value in code.co_consts):  # f(..., where=) without an out
        yield "numbers of an array that was never filled"
    percent = any(isinstance(value, str) and "%" in value for value in code.co_consts)
    made = {line.argrepr.rstrip("=") for line in lines if line.opname == "BINARY_OP"} | {*code.co_names}
    if {"keys", "items"} & {*code.co_names} and _OF_SETS & made:
        yield "the order of a set"
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        asked = after is not None and after.opname == "CONTAINS_OP"
        if line.opname in _SETS or (isinstance(line.argval, frozenset) and not asked and not _of_numbers(line.argval)):
            yield "the order of a set"
        elif line.opname in _TEXTS or (percent and line.opname == "BINARY_OP" and line.argrepr in ("%", "%=")):
            yield "the text of an object"
    names = (name for name in code.co_names if name != "__setattr__")
    yield from (sight for name in names for word, sight in _WORDS.items() if word in name)


def _of_numbers(held: set[Any] | frozenset[Any]) -> bool:
    return all(isinstance(part, Number) for part in held)


def require_same(name: str, functions: tuple[object, ...], ask: Callable[[], Any], same: Callable[[Any], bool]) -> None:
    """Impure where ``ask()`` answers in another process what is not the same as here, if there is something to be seen at all."""
    sight = tells(name, *functions)
    if sight is None:
        return
    for there in _elsewhere(name, sight, ask):
        if isinstance(there, Exception) or not same(there):
            other = f"ends in {type(there).__name__}: {there}" if isinstance(there, Exception) else "answers otherwise"
            raise Impure(
                f"{name} is not a pure function: in another process it {other}. It looks at {sight}, which differs from "
                "process to process: sort what a set holds, and decide by numbers, not by texts of objects"
            )


def _elsewhere(name: str, sight: str, ask: Callable[[], Any]) -> list[Any]:
    import cloudpickle

    known = cloudpickle.list_registry_pickle_by_value()
    modules = [m for word, m in list(sys.modules.items()) if _of_a_file(word, m) and word not in known]
    try:
        for module in modules:  # files that another process would not find under their names
            cloudpickle.register_pickle_by_value(module)
        question = _written(ask)
    except Exception as error:
        raise Impure(
            f"{name} looks at {sight}, which differs from process to process, and can't be tried in another process: {error}"
        ) from error
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    try:
        waiting = [_process(seed).submit(_answer, question, tuple(sys.path), dict(VOCABULARY)) for seed in HASH_SEEDS]
        return [one.result() for one in waiting]
    except Exception as error:  # such a process was killed, or its answer can't be sent
        _process.cache_clear()
        return [error]


def _written(ask: Callable[[], Any]) -> bytes:
    """What is asked, as bytes; code keeps the file that it is from, which tells the library's from a user's."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        dispatch_table: ClassVar[Any] = ChainMap({CodeType: _of_code}, cloudpickle.Pickler.dispatch_table)

    file = BytesIO()
    Pickler(file).dump(ask)
    return file.getvalue()


def _of_code(code: CodeType) -> tuple[Any, ...]:
    import cloudpickle

    make, given = cloudpickle.Pickler.dispatch_table[CodeType](code)
    return _from_file, (make, given, code.co_filename)


def _from_file(make: Callable[..., CodeType], given: tuple[Any, ...], filename: str) -> CodeType:
    return make(*given).replace(co_filename=filename)


def _of_a_file(word: str, module: object) -> bool:
    """Whether a module is a user's, of which another process may not know where it stands."""
    return (
        isinstance(module, ModuleType)
        and word == module.__name__
        and hasattr(module, "__file__")
        and users_module(word)
    )


@cache
def _process(seed: int) -> Any:
    from loky import ProcessPoolExecutor

    filled = (
        FILLED * seed
    )  # a byte that memory is filled with before it is given out, where the C library can (0: it is not)
    alone = {
        "PYTHONHASHSEED": str(seed),
        "MALLOC_PERTURB_": str(filled),
        "GLIBC_TUNABLES": f"glibc.malloc.perturb={filled}",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    process = ProcessPoolExecutor(max_workers=1, env=alone, timeout=IDLE)
    atexit.register(process.shutdown, kill_workers=True)  # before Python takes its modules away
    return process


def _answer(question: bytes, path: tuple[str, ...], letters: dict[str, Meaning]) -> Any:
    import pickle

    sys.path[:] = path
    for letter in letters.keys() - VOCABULARY.keys():  # those of one's own
        VOCABULARY[letter] = letters[letter]
    try:
        return pickle.loads(question)()
    except Exception as error:  # an answer too
        return error
