"""Every example in a docstring runs and prints what it says; everything public has a docstring."""

import doctest
import inspect

import pytest

import rgu
import rgu._core

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [rgu, rgu.utility, rgu.ambiguity, rgu.policy, rgu.generators]


def public_objects():
    """(dotted name, object) of all that users see, classes with their members."""
    found = {}
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or isinstance(thing, str):
                continue
            found[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                for member_name, member in inspect.getmembers(thing):
                    if not member_name.startswith("_"):
                        found[f"{module.__name__}.{name}.{member_name}"] = member
    return found


OBJECTS = public_objects()
INHERITED = {"count", "index"}  # of NamedTuple


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_docstring(name):
    thing = OBJECTS[name]
    text = inspect.getdoc(thing)
    if name.rsplit(".", 1)[-1] in INHERITED:
        return
    assert text, f"{name} has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {"rgu": rgu}, name, None, 0)
    lines = []
    failed = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lines.append).failed
    assert failed == 0, "".join(lines)


def test_that_functions_have_examples():
    lacking = [
        name
        for name, thing in OBJECTS.items()
        if (inspect.isroutine(thing) or inspect.isclass(thing))
        and name.rsplit(".", 1)[-1] not in INHERITED
        and ">>>" not in (inspect.getdoc(thing) or "")
    ]
    # Results are only made by calls that have examples; base classes are not made at all.
    allowed = {"WorstCase", "GlobalSolution", "Certificate", "Verification", "Adversary", "Mixture", "ConvexSet",
               "PolicyClass", "Utility",
               "evaluate", "to_pandas"}
    assert [name for name in lacking if name.rsplit(".", 1)[-1] not in allowed] == []


def test_package_docstring():
    assert doctest.testmod(rgu, optionflags=FLAGS).failed == 0
