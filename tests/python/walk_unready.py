"""Uses objects whose __init__ never ran in every way that there is; run by test_unready.py, in a process of its own.

Each line of the output is a class and a use, written before the use, so that the last one tells what crashed; lines with
"wrong:" tell of uses that did not end in an exception, or in one that does not say why.
"""

import copy
import inspect
import operator
import pickle

import rgu
import rgu._core


def modules():
    found = [rgu, rgu._core]
    for module in found:
        for value in vars(module).values():
            if inspect.ismodule(value) and value.__name__.startswith("rgu") and value not in found:
                found.append(value)
    return found


def bound_classes():
    """Those of C++: their metaclass is pybind11's."""
    found = {value for module in modules() for value in vars(module).values()
             if isinstance(value, type) and type(value).__name__ == "pybind11_type"}
    return sorted(found, key=lambda cls: cls.__name__)


def made_without_init(cls):
    class Derived(cls):
        def __init__(self):
            pass

    return {"itself": cls.__new__(cls), "a Python class derived from it": Derived.__new__(Derived)}


def members(cls):
    """The names of properties and methods that classes of rgu define."""
    return sorted({name for base in cls.__mro__ if base is not object and base.__name__ != "pybind11_object"
                   for name in vars(base)} - {"__init__", "__new__", "__module__", "__doc__", "__dict__"})



def uses(cls, thing):
    """Pairs of a name and a call; those that must tell what is missing come with True."""
    for name in members(cls):
        static = isinstance(inspect.getattr_static(cls, name), staticmethod)
        if isinstance(inspect.getattr_static(cls, name), property):
            yield f".{name}", lambda name=name: getattr(thing, name), True
        elif callable(getattr(cls, name)) and not static:
            yield f".{name}()", lambda name=name: getattr(thing, name)(), name == "__repr__"
            for number, arguments in enumerate((([0.5],), ([0.5], [0.5]), (thing,), ("x",), (1,))):
                yield f".{name} {number}", lambda name=name, a=arguments: getattr(thing, name)(*a), False
    own_repr = any("__repr__" in vars(base) for base in cls.__mro__ if base.__module__.startswith("rgu"))
    yield "repr", lambda: repr(thing), own_repr
    yield "str", lambda: str(thing), own_repr
    for name, use in {"hash": hash, "bool": bool, "len": len, "iter": iter, "dir": dir, "vars": vars,
                      "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps,
                      "reduce": lambda x: x.__reduce_ex__(4), "format": format}.items():
        yield name, lambda use=use: use(thing), False
    for name in ("eq", "ne", "lt", "add", "mul", "contains", "getitem"):
        compare = getattr(operator, name)
        yield name, lambda compare=compare: compare(thing, thing), False


def functions():
    """Everything that may be called with it."""
    for module in modules():
        for name, value in sorted(vars(module).items()):
            if callable(value) and not name.startswith("__") and value.__module__ is not None \
                    and value.__module__.startswith("rgu"):
                yield f"{module.__name__}.{name}", value


def attempt(cls, kind, name, use, must_tell):
    print(f"{cls.__name__} ({kind}): {name}", flush=True)
    try:
        use()
    except Exception as error:  # of any kind, but no crash
        told = isinstance(error, TypeError) and "__init__ was not called" in str(error)
        if "pybind11" in str(error) or "internal" in str(error):
            print(f"wrong: {cls.__name__} {name}: {error!r}")
        elif must_tell and not told:
            print(f"wrong: {cls.__name__} {name} raises {error!r}")
        return
    if must_tell:
        print(f"wrong: {cls.__name__} {name} works")


def derived_without_super(cls):
    """Python makes the object, and pybind11 itself finds that nothing was made."""
    class Forgetful(cls):
        def __init__(self):
            pass

    class Hasty(cls):
        def __init__(self):
            repr(self)
            for name in members(cls):
                getattr(self, name)

    for derived in (Forgetful, Hasty):
        print(f"{cls.__name__}: {derived.__name__}", flush=True)
        try:
            derived()
        except TypeError:
            continue
        print(f"wrong: {derived.__name__} of {cls.__name__} works")


def main():
    classes = bound_classes()
    print(f"{len(classes)} classes")
    for cls in classes:
        for kind, thing in made_without_init(cls).items():
            for name, use, must_tell in uses(cls, thing):
                attempt(cls, kind, name, use, must_tell)
            for name, function in functions():
                for arguments in ((thing,), (thing, thing), (thing, [[0.5]]), ([(1.0, thing)],), ([thing],)):
                    attempt(cls, kind, f"{name} of {len(arguments)}",
                            lambda f=function, a=arguments: f(*a), False)
        derived_without_super(cls)
    print("done")


main()
