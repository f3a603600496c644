"""The optimum of an instance, from HiGHS or CVXOPT, as an interval that NumPy recomputes from the raw model.

The upper end is the worst-case value of the policy that the solver found, its occupancy from a linear solve. The lower
end is an affine minorant of the objective, made of the solver's multipliers and corrected to be one exactly, minimised
over all policies by policy iteration. So neither end depends on the tolerances of the solver, only their distance does.
"""

import numpy as np
import sdpa
from models import Model
from program import Program, ReferenceFailed

SDPA_TOLERANCE = 1e-6  # its own are absolute
GOOD_WIDTH = 1e-8  # better ones are not looked for


class Interval:
    """lower <= optimum <= upper; unit is the size of the costs at the optimum."""

    def __init__(self, lower, upper, unit, occupancy, solver):
        self.lower, self.upper, self.unit, self.occupancy, self.solver = lower, upper, unit, occupancy, solver

    @property
    def size(self):
        """What the tolerances of optima are relative to: the optimum, or costs a thousand times larger where those cancel."""
        return max(abs(self.upper), 1e-3 * self.unit, 1e-300)

    @property
    def cost(self):
        """What rounding errors are relative to."""
        return max(abs(self.upper), self.unit, 1e-300)

    @property
    def width(self):
        """Of the interval, relative."""
        return (self.upper - self.lower) / self.size


def occupancy_variables(program, model: Model):
    """lambda (S A) as variables on the occupancy polytope; 0 in states that no policy reaches."""
    reached = np.repeat(model.reachable(), model.actions)
    free = program.variables(int(reached.sum()))
    program.nonnegative(free)
    program.begin = model.occupancy(np.full((model.states, model.actions), 1 / model.actions))[reached]
    matrix, right = model.flow()
    rows = model.reachable()
    program.equal(free.times(matrix[np.ix_(rows, reached)]) - right[rows])
    return free.times(np.eye(model.pairs)[:, reached])


def value_of(terms, occupancy):
    """The worst-case value of an occupancy; where the maximum is found by a conic solver, an upper bound on it."""
    return sum(weight * piece.value(occupancy) for weight, piece in terms)


def value_from_below(terms, occupancy):
    """A lower bound on the same value, equal to it where the maximum is exact."""
    return sum(
        weight * (piece.value_from_below if hasattr(piece, "value_from_below") else piece.value)(occupancy)
        for weight, piece in terms
    )


def optimum(model, terms):
    """The Interval of min over policies of sum of weight * Gamma, for terms (weight, piece)."""
    best = None
    for found in intervals(model, terms):
        if not np.isfinite(found.width):
            continue
        if best is not None:  # every end of every interval is a bound
            found.lower, found.upper = max(found.lower, best.lower), min(found.upper, best.upper)
        best = found
        if best.width <= GOOD_WIDTH:
            break
    if best is None:
        raise ReferenceFailed("the solver found nothing")
    return best


def intervals(model, terms):
    """One after the other, as different programs and tolerances give them."""
    # A Euclidean distance alone can be squared, which is better everywhere but at 0.
    alone = len(terms) == 1 and hasattr(terms[0][1], "alone")
    for squared in (True, False) if alone else (False,):
        program, occupancy = program_of(model, terms, squared)
        for solution in program.solutions():
            yield interval(model, terms, solution, solution.value(occupancy))


def program_of(model, terms, squared=False):
    """(program, lambda in it)."""
    program = Program()
    occupancy = occupancy_variables(program, model)
    for weight, piece in terms:
        program.weight, piece.alone = weight, squared
        piece.add(program, occupancy)
    return program, occupancy


def sdpa_disagrees(model, terms, known):
    """Whether SDPA, where it is installed, fits and has converged, contradicts the Interval `known`: in words, or empty."""
    program, _ = program_of(model, terms)
    if not (sdpa.is_installed() and sdpa.fits(program)):
        return ""
    primal, dual = sdpa.objectives(program)
    tolerance = SDPA_TOLERANCE * max(1.0, known.cost)
    if not abs(primal - dual) <= tolerance:
        return ""
    if known.lower - tolerance <= dual and primal <= known.upper + tolerance:
        return ""
    return f"SDPA has {dual:.9g} .. {primal:.9g}, not {known.lower:.9g} .. {known.upper:.9g}"


def interval(model, terms, solution, occupancy):
    found = model.nearest_occupancy(occupancy)
    upper = value_of(terms, found)
    bounds = []
    for variant in (0, 1):
        constant, gradient, unit = 0.0, np.zeros(model.pairs), 0.0
        for weight, piece in terms:
            offset, slope = piece.minorant(found, solution, variant)
            constant, gradient = constant + weight * offset, gradient + weight * slope
            unit += weight * piece.unit(found, slope)
        least, _ = model.least(gradient)
        bounds.append((constant + least, unit))
    lower, unit = max(bounds)
    return Interval(lower, upper, unit, found, solution.status)
