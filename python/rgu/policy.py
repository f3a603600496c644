"""Families of policies pi_theta."""

from ._core import LogLinearSoftmax, PolicyClass, TabularSoftmax

__all__ = ["LogLinearSoftmax", "PolicyClass", "TabularSoftmax"]
