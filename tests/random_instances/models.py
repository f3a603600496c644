"""Random finite models as raw arrays, and the exact numbers of a policy or a plan in them.

Nothing here uses rgu: kernels are NumPy arrays, policies are evaluated by a linear solve, plans come from policy
iteration and are returned with the error that their own Bellman residual admits.
"""

import numpy as np

KINDS = {
    "dense": 3,
    "skewed": 3,
    "sparse": 4,
    "deterministic": 2,
    "periodic": 2,
    "absorbing": 2,
    "unreachable": 2,
    "duplicate actions": 2,
    "one state": 1,
    "one action": 0.5,
}  # with their weights
DISCOUNTS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)


class Model:
    """Kernel (S, A, S), start (S), discount."""

    def __init__(self, kernel, start, discount, kind=""):
        self.kernel, self.start, self.discount, self.kind = kernel, start, discount, kind
        self.states, self.actions, _ = kernel.shape

    @property
    def pairs(self):
        return self.states * self.actions

    def flow(self):
        """A, b with A lambda = b and lambda >= 0 exactly on the occupancy polytope."""
        own = np.repeat(np.eye(self.states), self.actions, axis=1)
        return (
            own - self.discount * self.kernel.reshape(self.pairs, self.states).T,
            (1 - self.discount) * self.start,
        )

    def occupancy(self, policy):
        """lambda (S A) of a policy (S, A)."""
        chain = np.einsum("sa,sat->st", policy, self.kernel)
        matrix = (np.eye(self.states) - self.discount * chain).T
        masses = np.linalg.solve(matrix, (1 - self.discount) * self.start)
        masses += np.linalg.solve(matrix, (1 - self.discount) * self.start - matrix @ masses)
        return (np.maximum(masses, 0)[:, None] * policy).ravel()

    def policy_of(self, occupancy):
        """(S, A): the policy with that occupancy; even where there is no mass."""
        table = np.maximum(np.asarray(occupancy, float).reshape(self.states, self.actions), 0)
        masses = table.sum(axis=1, keepdims=True)
        even = np.full_like(table, 1 / self.actions)
        return np.where(masses > 0, table / np.where(masses > 0, masses, 1), even)

    def nearest_occupancy(self, occupancy):
        """The occupancy of the policy of a vector that is nearly an occupancy."""
        return self.occupancy(self.policy_of(occupancy))

    def least(self, cost):
        """A lower bound on min <cost, lambda> over all policies, tight up to rounding: (bound, policy (S, A)).

        With V(s) <= cost(s,a) + g (P V)(s,a) + e for all (s,a), (1-g) start'V - e is a bound for every V.
        """
        table = np.asarray(cost, float).reshape(self.states, self.actions)
        choice = table.argmin(axis=1)
        rows = np.arange(self.states)
        best = -np.inf
        for _ in range(1000):
            value = np.linalg.solve(
                np.eye(self.states) - self.discount * self.kernel[rows, choice], table[rows, choice]
            )
            ahead = table + self.discount * self.kernel @ value
            error = max(0.0, (value[:, None] - ahead).max())
            best = max(best, (1 - self.discount) * self.start @ value - error)
            better = ahead.argmin(axis=1)
            gain = ahead[rows, choice] - ahead[rows, better]
            keep = gain <= 1e-13 * (1 + np.abs(value))
            if keep.all():
                break
            choice = np.where(keep, choice, better)
        return best, np.eye(self.actions)[choice]

    def reachable(self):
        """Which states any policy can reach."""
        reached = self.start > 0
        while True:
            further = reached | (self.kernel[reached].sum(axis=(0, 1)) > 0)
            if (further == reached).all():
                return reached
            reached = further


def normalised(weights):
    return weights / weights.sum(axis=-1, keepdims=True)


def random_kernel(rng, kind, states, actions):
    if kind == "dense":
        return normalised(1e-3 + rng.random((states, actions, states)))
    if kind == "skewed":
        return normalised(rng.random((states, actions, states)) ** int(rng.integers(1, 6)) + 1e-12)
    kernel = np.zeros((states, actions, states))
    successors = {"deterministic": 1}.get(kind, min(3, states))
    for s in range(states):
        for a in range(actions):
            to = rng.choice(states, size=successors, replace=False)
            kernel[s, a, to] = normalised(0.05 + rng.random(successors))
    if kind == "periodic":
        period = int(rng.integers(2, 4))
        group = np.arange(states) % period
        for s in range(states):
            allowed = group == (group[s] + 1) % period
            kernel[s] = normalised(np.where(allowed, rng.random((actions, states)) ** 2 + 1e-9, 0.0))
    if kind == "absorbing":
        for s in rng.choice(states, size=max(1, states // 4), replace=False):
            kernel[s] = 0
            kernel[s, :, s] = 1
    if kind == "unreachable":
        # The last states lead anywhere, but nothing leads to them.
        hidden = max(1, states // 3)
        kernel[:, :, states - hidden :] = 0
        empty = kernel.sum(axis=2) == 0
        kernel[empty, 0] = 1
        kernel = normalised(kernel)
    if kind == "duplicate actions":
        kernel[:, -1] = kernel[:, 0]
    return kernel


def random_model(rng, most_states=None, most_pairs=200):
    """One of all kinds, sizes, discounts and start distributions; five actions at the most."""
    most_states = max(40, most_pairs // 5) if most_states is None else most_states
    kind = str(rng.choice(list(KINDS), p=np.array(list(KINDS.values())) / sum(KINDS.values())))
    states = (
        int(rng.integers(3, most_states + 1))
        if rng.random() < 0.6
        else int(rng.integers(3, min(12, most_states) + 1))
    )
    actions = int(rng.integers(2, 6))
    if kind == "one state":
        states = 1
    if kind == "one action":
        actions = 1
    states = max(1, min(states, most_pairs // actions))
    kernel = random_kernel(rng, kind, states, actions)
    discount = float(rng.choice(DISCOUNTS)) if rng.random() < 0.7 else float(1 - 10 ** rng.uniform(-4, -0.3))
    drawn = rng.random()
    if drawn < 0.4:
        start = np.full(states, 1 / states)
    elif drawn < 0.7:
        start = normalised(rng.random(states) + 1e-3)
    else:
        start = np.eye(states)[rng.integers(states)]
    if kind == "unreachable":
        start[states - max(1, states // 3) :] = 0
        start = normalised(start) if start.sum() > 0 else np.eye(states)[0]
    return Model(kernel, start, discount, kind)


def random_policy(rng, model):
    drawn = rng.random()
    if drawn < 0.3:
        return np.eye(model.actions)[rng.integers(model.actions, size=model.states)]
    return normalised(rng.random((model.states, model.actions)) ** int(rng.integers(1, 4)) + 1e-9)


def random_table(rng, model):
    """Costs or rewards (S A) of size about 1; often with ties, zeros or a constant."""
    drawn = rng.random()
    table = (
        rng.standard_normal((model.states, model.actions))
        if drawn < 0.5
        else rng.random((model.states, model.actions))
    )
    if 0.2 < drawn < 0.35:
        table = np.round(2 * table) / 2
    elif 0.8 < drawn < 0.87:
        table = np.where(rng.random(table.shape) < 0.8, 0.0, table)
    elif 0.87 < drawn < 0.93:
        table = np.repeat(table[:, :1], model.actions, axis=1)  # actions only matter by where they lead
    if model.kind == "duplicate actions":
        table[:, -1] = table[:, 0]
    return table.ravel()
