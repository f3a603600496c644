"""Ambiguity sets: what nature may choose from."""

from ._core import (
    Box,
    CappedOrthant,
    ConvexSet,
    Ellipsoid,
    FrobeniusBall,
    IntersectionSet,
    LpBall,
    Polytope,
    ProbabilitySimplex,
    ProductSet,
    Singleton,
    SpectralBall,
)

__all__ = [
    "Box",
    "CappedOrthant",
    "ConvexSet",
    "Ellipsoid",
    "FrobeniusBall",
    "IntersectionSet",
    "LpBall",
    "Polytope",
    "ProbabilitySimplex",
    "ProductSet",
    "Singleton",
    "SpectralBall",
]
