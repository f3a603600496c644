"""A dense interior-point method for one quadratic program."""

from numeric import np


def longest_step(x, move):
    """The largest step in (0, 1] that keeps x positive, with a little to spare."""
    shrinking = move < 0
    return min(1.0, 0.995 * np.min(-x[shrinking] / move[shrinking], initial=np.inf))


def nearest(matrix, right, point):
    """The x nearest to `point` in {x >= 0 : matrix x = right}, and the multipliers s of x >= 0.

    Mehrotra's predictor and corrector on x - matrix' y - s = point, matrix x = right, x s = 0, from
    a start that need not satisfy the equations. Equations and x s hold to about 1e-12 of |point|.
    """
    x, s, y = np.ones(len(point)), np.ones(len(point)), np.zeros(len(right))
    scale = 1 + np.abs(point).max()
    for _ in range(100):
        dual = point + matrix.T @ y + s - x
        primal = right - matrix @ x
        gap = x @ s / len(x)
        if max(np.abs(dual).max(), np.abs(primal).max(), gap) < 1e-13 * scale:
            return x, s

        def newton(target):
            """Moves that solve the linearised equations with x s = target."""
            bend = 1 / (1 + s / x)
            reduced = dual + target / x - s
            dy = np.linalg.solve((matrix * bend) @ matrix.T, primal - matrix @ (bend * reduced))
            dx = bend * (reduced + matrix.T @ dy)
            return dx, dy, target / x - s - s / x * dx

        dx, dy, ds = newton(np.zeros(len(x)))
        step = min(longest_step(x, dx), longest_step(s, ds))
        centring = ((x + step * dx) @ (s + step * ds) / (x @ s)) ** 3
        dx, dy, ds = newton(centring * gap - dx * ds)
        step = min(longest_step(x, dx), longest_step(s, ds))
        x, y, s = x + step * dx, y + step * dy, s + step * ds
    raise ArithmeticError("the interior-point method did not converge")
