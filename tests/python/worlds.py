"""Small models that several tests share."""

import numpy as np

import rgu

# A built-in problem by a method of many iterations.
DESCENT = rgu.Problem.from_file(
    "exploration",
    {"solver": {"method": "worst-case"}, "stopping.iterations": 1000, "output.published": False},
)


def random_kernel(states, actions, seed=0):
    """(S, A, S), rows sum to 1."""
    return np.random.default_rng(seed).dirichlet(np.ones(states), size=(states, actions))


def sparse_kernel(states, actions, seed=0):
    """(S, A, S) with about two thirds of zeros."""
    kernel = random_kernel(states, actions, seed)
    kernel[kernel < np.quantile(kernel, 0.66)] = 0
    for s in range(states):
        kernel[s, :, (s + 1) % states] += 1e-3
    return kernel / kernel.sum(axis=2, keepdims=True)


def table_of(kernel, reward):
    """A Gymnasium dictionary of the same model, without ends of episodes."""
    states, actions, _ = kernel.shape
    return {
        s: {
            a: [(kernel[s, a, n], n, reward[s, a], False) for n in range(states) if kernel[s, a, n] > 0]
            for a in range(actions)
        }
        for s in range(states)
    }


class Discrete:
    def __init__(self, n):
        self.n = n


class TabularEnvironment:
    """A model behind Gymnasium's interface."""

    def __init__(self, kernel, start, terminal=(), limit=None):
        self.kernel, self.start, self.terminal, self.limit = kernel, start, set(terminal), limit
        self.observation_space = Discrete(kernel.shape[0])
        self.action_space = Discrete(kernel.shape[1])
        self.rng = np.random.default_rng(0)

    def reset(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.steps = 0
        self.state = int(self.rng.choice(len(self.start), p=self.start))
        return self.state, {}

    def step(self, action):
        self.steps += 1
        self.state = int(self.rng.choice(len(self.start), p=self.kernel[self.state, action]))
        ended = self.state in self.terminal
        cut = self.limit is not None and self.steps >= self.limit and not ended
        return self.state, 0.0, ended, cut, {}


class VectorEnvironment:
    """Several of them side by side, with resets of its own at the step of an end, as vectors have."""

    def __init__(self, kernel, start, count, terminal=()):
        self.num_envs = count
        self.single_observation_space = Discrete(kernel.shape[0])
        self.single_action_space = Discrete(kernel.shape[1])
        self.parts = [TabularEnvironment(kernel, start, terminal) for _ in range(count)]

    def reset(self, seed=None):
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        return np.array([part.reset(seed=s)[0] for part, s in zip(self.parts, seeds)]), {}

    def step(self, actions):
        results = [part.step(int(action)) for part, action in zip(self.parts, actions)]
        observations = np.array([result[0] for result in results])
        ended = np.array([result[2] for result in results])
        info = {}
        if ended.any():
            info["final_obs"] = np.array([o if e else None for o, e in zip(observations, ended)])
            for i in np.flatnonzero(ended):
                observations[i] = self.parts[i].reset()[0]
        return observations, np.zeros(self.num_envs), ended, np.zeros(self.num_envs, bool), info
