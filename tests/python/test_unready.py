"""Objects whose __init__ never ran are refused by a TypeError that names the class, never taken for what they are not."""

import subprocess
import sys
from pathlib import Path

import pytest

import rgu


def test_no_use_of_any_class_crashes():
    walk = subprocess.run([sys.executable, str(Path(__file__).with_name("walk_unready.py"))], capture_output=True,
                          text=True, timeout=600)
    lines = walk.stdout.splitlines()
    assert walk.returncode == 0, f"crashed at: {lines[-1] if lines else 'the start'}\n{walk.stderr}"
    assert lines[-1] == "done"
    assert int(lines[0].split()[0]) > 30
    assert [line for line in lines if line.startswith("wrong:")] == []


def test_the_class_is_named():
    for cls in (rgu.World, rgu.FiniteMdp, rgu.ambiguity.LpBall, rgu.utility.Entropy, rgu.policy.TabularSoftmax):
        with pytest.raises(TypeError, match=f"{cls.__name__}.__init__ was not called"):
            repr(cls.__new__(cls))


def test_an_argument_without_init_is_refused():
    ball = rgu.ambiguity.LpBall.__new__(rgu.ambiguity.LpBall)
    with pytest.raises(TypeError, match="__init__ was not called"):
        rgu.ambiguity.ProductSet([ball])
    with pytest.raises(TypeError, match="FiniteMdp.__init__ was not called"):
        rgu.occupancy(rgu.FiniteMdp.__new__(rgu.FiniteMdp), [[1.0]])


def test_init_may_be_called_later():
    ball = rgu.ambiguity.LpBall.__new__(rgu.ambiguity.LpBall)
    with pytest.raises(TypeError):
        ball.radius
    ball.__init__([0.0, 0.0], 2.0)
    assert ball.radius == 2.0


def test_a_derived_class_must_call_init():
    class Forgetful(rgu.utility.CustomUtility):
        def __init__(self):
            self.name = "mine"

    with pytest.raises(TypeError, match="__init__"):
        Forgetful()
