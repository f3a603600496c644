"""Models from arrays, SciPy matrices, Gymnasium dictionaries, files and generators."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import rgu
from worlds import random_kernel, sparse_kernel, table_of

S, A = 7, 3


@pytest.fixture
def start():
    return np.random.default_rng(5).dirichlet(np.ones(S))


@pytest.fixture
def policy():
    return np.random.default_rng(6).dirichlet(np.ones(A), size=S)


def occupancy_by_numpy(kernel, start, discount, policy):
    chain = np.einsum("sa,san->sn", policy, kernel)
    states = (1 - discount) * np.linalg.solve(np.eye(len(start)) - discount * chain.T, start)
    return states[:, None] * policy


@pytest.mark.parametrize("seed", range(3))
def test_all_ways_to_give_a_model_agree(seed, start, policy):
    kernel = sparse_kernel(S, A, seed)
    flat = kernel.reshape(S * A, S)
    reward = np.random.default_rng(seed).normal(size=(S, A))
    models = {
        "dense": rgu.FiniteMdp(kernel, start, 0.9),
        "flat": rgu.FiniteMdp(flat, start, 0.9),
        "nested lists": rgu.FiniteMdp(kernel.tolist(), list(start), 0.9),
        "csr": rgu.FiniteMdp(scipy.sparse.csr_matrix(flat), start, 0.9),
        "csc": rgu.FiniteMdp(scipy.sparse.csc_matrix(flat), start, 0.9),
        "coo": rgu.FiniteMdp(scipy.sparse.coo_matrix(flat), start, 0.9),
        "array": rgu.FiniteMdp(scipy.sparse.csr_array(flat), start, 0.9),
        "per action": rgu.FiniteMdp(
            [scipy.sparse.csr_matrix(kernel[:, a]) for a in range(A)], start, 0.9
        ),
        "gymnasium": rgu.FiniteMdp(table_of(kernel, reward), start, 0.9),
    }
    expected = occupancy_by_numpy(kernel, start, 0.9, policy)
    for name, model in models.items():
        assert (model.states, model.actions) == (S, A), name
        assert np.abs(rgu.occupancy(model, policy) - expected).max() < 1e-12, name
        given = model.kernel.toarray() if model.is_sparse else model.kernel.reshape(S * A, S)
        assert np.array_equal(given, flat), name
        assert model.is_sparse == (name not in ("dense", "flat", "nested lists")), name


def test_unsorted_and_repeated_entries_are_summed(start):
    kernel = sparse_kernel(S, A)
    sorted_matrix = scipy.sparse.csr_matrix(kernel.reshape(S * A, S))
    data, indices, pointers = [], [], [0]
    for row in range(S * A):
        entries = slice(sorted_matrix.indptr[row], sorted_matrix.indptr[row + 1])
        row_data, row_indices = sorted_matrix.data[entries], sorted_matrix.indices[entries]
        data += list(row_data[::-1] / 2) * 2
        indices += list(row_indices[::-1]) * 2
        pointers.append(len(data))
    messy = scipy.sparse.csr_matrix((data, indices, pointers), shape=(S * A, S))
    model = rgu.FiniteMdp(messy, start, 0.9)
    assert np.allclose(model.kernel.toarray(), sorted_matrix.toarray(), rtol=0, atol=1e-16)
    assert messy.nnz == len(data)  # the caller's matrix is as it was


def test_sparse_matrices_that_were_tampered_with_are_refused(start):
    def matrix():
        return scipy.sparse.csr_matrix(sparse_kernel(S, A).reshape(S * A, S))

    for column in (10**9, -1, S):
        wrong = matrix()
        wrong.indices[-1] = column
        wrong.has_sorted_indices = wrong.has_canonical_format = True
        with pytest.raises(ValueError, match=f"row {S * A - 1} of the sparse matrix has column {column}"):
            rgu.FiniteMdp(wrong, start, 0.9)
    short = matrix()
    short.has_sorted_indices = short.has_canonical_format = True
    short.data, short.indices = short.data[:2], short.indices[:2]
    with pytest.raises(ValueError, match="do not fit each other"):
        rgu.FiniteMdp(short, start, 0.9)
    back = matrix()
    back.has_sorted_indices = back.has_canonical_format = True
    back.indptr[3] = 0
    with pytest.raises(ValueError, match="do not ascend"):
        rgu.FiniteMdp(back, start, 0.9)


def test_sparse_dictionaries_and_lazy_tables(start):
    kernel = sparse_kernel(S, A)
    keys = scipy.sparse.dok_matrix(kernel.reshape(S * A, S))
    assert np.array_equal(rgu.FiniteMdp(keys, start, 0.9).kernel.toarray(), kernel.reshape(S * A, S))

    class Lazy(dict):
        def __getitem__(self, s):
            return {a: [(1.0, (s + a) % 50, 1.0 * s, False)] for a in range(3)}

    world = rgu.World.from_gymnasium(Lazy({s: None for s in range(50)}), None, 0.9)
    assert np.array_equal(world.signals["reward"][:, 0], np.arange(50.0))
    with pytest.raises(TypeError):
        world.signals["cost"] = world.signals["reward"]


def test_other_dtypes_and_layouts_are_taken(start, policy):
    kernel = random_kernel(S, A)
    expected = rgu.occupancy(rgu.FiniteMdp(kernel, start, 0.9), policy)
    strided = np.asfortranarray(kernel)
    backwards = kernel[::-1, ::-1, ::-1][::-1, ::-1, ::-1]
    for other in (strided, backwards):
        assert np.array_equal(rgu.occupancy(rgu.FiniteMdp(other, start, 0.9), policy), expected)
    integers = rgu.FiniteMdp(np.eye(3, dtype=int).reshape(3, 1, 3), None, 0.5)
    assert np.allclose(rgu.occupancy(integers, np.ones((3, 1))), 1 / 3)


def test_views_share_memory_and_outlive_the_model(start):
    model = rgu.FiniteMdp(random_kernel(S, A), start, 0.9)
    view = model.kernel
    assert np.shares_memory(view, model.kernel)
    assert not view.flags.writeable and not model.start.flags.writeable
    kept = view.copy()
    del model
    assert np.array_equal(view, kept)
    sparse = rgu.FiniteMdp(scipy.sparse.csr_matrix(sparse_kernel(S, A).reshape(S * A, S)), start, 0.9)
    assert np.shares_memory(sparse.kernel.data, sparse.kernel.data)
    with pytest.raises(ValueError):
        view[0, 0, 0] = 1


CHAIN = {  # 0 -> 1 -> 2, which ends the episode
    0: {0: [(1.0, 1, 0.0, False)], 1: [(1.0, 0, 1.0, False)]},
    1: {0: [(0.5, 2, 10.0, True), (0.5, 1, 0.0, False)], 1: [(1.0, 0, 0.0, False)]},
    2: {0: [(1.0, 2, 0.0, True)], 1: [(1.0, 2, 0.0, True)]},
}


def test_terminal_states_absorb():
    world = rgu.World.from_gymnasium(CHAIN, [1, 0, 0], 0.9)
    kernel = world.mdp.kernel.toarray().reshape(3, 2, 3)
    assert np.array_equal(kernel[2], [[0, 0, 1], [0, 0, 1]])
    assert np.array_equal(kernel[1, 0], [0, 0.5, 0.5])
    assert np.array_equal(world.signals["reward"], [[0, 1], [5, 0], [0, 0]])


def test_terminal_states_with_rules_of_their_own_are_closed():
    table = {**CHAIN, 2: {0: [(1.0, 0, 7.0, False)], 1: [(1.0, 1, 7.0, False)]}}
    world = rgu.World.from_gymnasium(table, [1, 0, 0], 0.9)
    assert np.array_equal(world.mdp.kernel.toarray()[4:], [[0, 0, 1], [0, 0, 1]])
    assert np.array_equal(world.signals["reward"][2], [0, 0])


def test_terminal_extra_and_restart():
    extra = rgu.World.from_gymnasium(CHAIN, [1, 0, 0], 0.9, terminal="extra")
    kernel = extra.mdp.kernel.toarray().reshape(4, 2, 4)
    assert extra.mdp.states == 4
    assert np.array_equal(kernel[1, 0], [0, 0.5, 0, 0.5])
    assert np.array_equal(kernel[3], [[0, 0, 0, 1], [0, 0, 0, 1]])
    restart = rgu.World.from_gymnasium(CHAIN, [0.5, 0.5, 0], 0.9, terminal="restart")
    assert np.array_equal(restart.mdp.kernel.toarray()[2], [0.25, 0.75, 0])


def test_a_state_that_ends_and_does_not_end_is_refused():
    table = {**CHAIN, 0: {0: [(1.0, 2, 0.0, False)], 1: [(1.0, 0, 0.0, False)]}}
    with pytest.raises(ValueError, match="state 2 is entered by transitions that end .* from state 0"):
        rgu.World.from_gymnasium(table, [1, 0, 0], 0.9)
    assert rgu.World.from_gymnasium(table, [1, 0, 0], 0.9, terminal="extra").mdp.states == 4


@pytest.mark.parametrize(
    "table, message",
    [
        ({}, "number of states in P"),
        ({0: {0: [(1.0, 5, 0.0, False)]}}, r"P\[0\]\[0\]\[0\] leads to state 5"),
        ({0: {0: [(1.0, 0, 0.0)]}}, r"P\[0\]\[0\]\[0\] is no \(probability"),
        ({0: {0: [("x", 0, 0.0, False)]}}, r"P\[0\]\[0\]\[0\] is .* must be four numbers"),
        ({0: {1: [(1.0, 0, 0.0, False)]}}, r"P\[0\]\[0\] is missing"),
        ({1: {0: []}}, r"P\[0\] is missing"),
        ({0: {0: [(1.0, 0.7, 0.0, False)]}}, "must be four numbers"),
        ({0: {0: [(1.0, 0, float("nan"), False)]}}, "expected reward"),
        ({0: {0: [(0.5, 0, 0.0, False)]}}, "s=0 a=0 sums to 0.5"),
        ({0: {0: [(1.0, 0, 0.0, False)]}, 1: {}}, r"P\[1\] has 0 actions"),
    ],
)
def test_bad_dictionaries(table, message):
    with pytest.raises(ValueError, match=message):
        rgu.FiniteMdp(table, None, 0.9)


def test_bad_models(start):
    kernel = random_kernel(S, A)
    wrong = kernel.copy()
    wrong[2, 1, 3] = np.nan
    cases = [
        ((wrong, start, 0.9), "s=2 a=1 s'=3 is nan"),
        ((kernel, start, 1.0), "discount is 1"),
        ((kernel, start[:-1], 0.9), "start distribution"),
        ((kernel * 0.5, start, 0.9), "s=0 a=0 sums to 0.5"),
        ((-kernel, start, 0.9), "must be finite and >= 0"),
        ((np.ones((2, 3, 4)) / 4, None, 0.9), r"shape \(2, 3, 4\), must be \(S, A, S\)"),
        ((np.ones(4), None, 0.9), r"shape \(4,\)"),
        ((scipy.sparse.csr_matrix(np.ones((3, 2)) / 2), None, 0.9), "3 rows for 2 states"),
        (([scipy.sparse.eye(3), scipy.sparse.eye(4)], None, 0.9), "action 1 has shape"),
        (([scipy.sparse.eye(3), np.eye(3)], None, 0.9), "entry 1 of the list"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            rgu.FiniteMdp(*arguments)
    for bad in (kernel.astype(complex), np.array([["a"]]), object(), np.array([[None]])):
        with pytest.raises(TypeError, match="transitions"):
            rgu.FiniteMdp(bad, None, 0.9)


def test_files_and_generators(tmp_path):
    world = rgu.generators.garnet(20, 3, 4, seed=7)
    for name in ("world.rgum", "world.json", "world.csv", "world.tra"):
        rgu.write_world(tmp_path / name, world)
        read = rgu.read_world(tmp_path / name, discount=0.95)
        assert (read.mdp.kernel != world.mdp.kernel).nnz == 0, name
        assert np.array_equal(read.signals["reward"], world.signals["reward"]), name
    with pytest.raises(ValueError, match="must end in .rgum, .json"):
        rgu.read_world(tmp_path / "world.xyz")
    with pytest.raises((OSError, ValueError), match="missing.json"):
        rgu.read_world(tmp_path / "missing.json")
    with pytest.raises(ValueError, match='missing_actions is "maybe"'):
        rgu.read_world(tmp_path / "world.csv", 0.9, missing_actions="maybe")
    with pytest.raises(OSError):
        rgu.write_world(tmp_path / "no" / "such" / "world.json", world)
    same = rgu.generators.garnet(20, 3, 4, seed=7)
    assert (same.mdp.kernel != world.mdp.kernel).nnz == 0
    assert (rgu.generators.garnet(20, 3, 4, seed=8).mdp.kernel != world.mdp.kernel).nnz > 0
    assert rgu.generators.grid_world("SG").mdp.states == 2
    assert rgu.generators.random_grid_map(5, 5, seed=1).startswith("S")


def test_problem_files_draw_the_same_models():
    assert np.array_equal(
        rgu.Problem.from_file("exploration").world(3).mdp.kernel,
        rgu.generators.random_model(10, 5, 0.95, seed=3).mdp.kernel,
    )


def test_repr_tells_sizes(start):
    assert repr(rgu.FiniteMdp(random_kernel(S, A), start, 0.9)) == (
        "FiniteMdp(states=7, actions=3, transitions=147, discount=0.9, dense)"
    )
    assert "signals=['reward']" in repr(rgu.generators.river_swim())


CONVERSION = """
import resource, time
import numpy as np
import scipy.sparse
import rgu
states, actions, successors = 25000, 4, 10
rng = np.random.default_rng(0)
columns = np.sort(rng.integers(0, states // successors, (states * actions, successors)) * successors
                  + np.arange(successors), axis=1)
data = rng.random(columns.shape)
data /= data.sum(axis=1, keepdims=True)
pointers = np.arange(0, columns.size + 1, successors)
matrix = scipy.sparse.csr_matrix((data.ravel(), columns.ravel(), pointers), shape=(states * actions, states))
assert matrix.nnz == 10**6
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begin = time.perf_counter()
model = rgu.FiniteMdp(matrix, None, 0.95)
seconds = time.perf_counter() - begin
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(seconds, grown)
assert model.transitions == 10**6
"""


def test_a_million_transitions_convert_in_a_second_without_a_dense_copy():
    # Dense they would be 20 GB. In a process of its own: its largest memory is looked at.
    done = subprocess.run(
        [sys.executable, "-c", CONVERSION], capture_output=True, text=True, check=True
    )
    seconds, grown = map(float, done.stdout.split())
    assert seconds < 1
    assert grown < 100  # MB; the entries themselves are 12
