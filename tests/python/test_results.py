"""Pictures, tables and pages of results."""

import builtins
import sys

import numpy as np
import pytest

import rgu
from worlds import DESCENT


@pytest.fixture(scope="module")
def result():
    return rgu.solve(DESCENT, iterations=30, baseline=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return rgu.run(DESCENT, tmp_path_factory.mktemp("runs") / "run", seeds=2, iterations=10)


def test_metrics_are_columns(result):
    columns = result.metrics
    assert list(columns["iteration"]) == list(range(1, 31))
    assert all(len(column) == 30 for column in columns.values())
    assert (np.diff(columns["seconds"]) >= 0).all()
    assert columns["envelope"][-1] == pytest.approx(result.worst_case.value)


def test_plot(result, run, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = result.plot()
    assert [axes.get_title() for axes in figure.axes] == ["envelope", "objective"]
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000
    two = run.plot("residual")
    assert len(two.axes[0].lines) == 2 and two.axes[0].get_yscale() == "log"
    with pytest.raises(ValueError, match='no metric "speed"; there are iteration'):
        result.plot("speed")
    import matplotlib.pyplot as pyplot

    drawn, axes = pyplot.subplots()
    assert result.plot("objective", axes=axes) is drawn
    with pytest.raises(ValueError, match="1 axes for 2 metrics"):
        result.plot(axes=axes)
    pyplot.close("all")


def test_tables(result, run):
    pytest.importorskip("pandas")
    table = result.to_pandas()
    assert table.index.name == "iteration" and len(table) == 30
    assert table["objective"].iloc[3] == result.metrics["objective"][3]
    both = run.to_pandas()
    assert both.index.names == ["seed", "iteration"] and len(both) == 20


@pytest.mark.parametrize("module, call", [("matplotlib", "plot"), ("pandas", "to_pandas")])
def test_without_the_library_a_clear_message(result, module, call, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.split(".")[0] == module:
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=f"needs {module}.*Debian: python3-{module}"):
        getattr(result, call)()


def test_pages(result, run, tmp_path):
    for thing in (result, run):
        page = thing.report(tmp_path / "out.html").read_text()
        assert page.startswith("<!") and "exploration" in page and "</html>" in page
    with pytest.raises(OSError):
        result.report(tmp_path / "no" / "such" / "folder.html")
    assert all(svg.startswith("<") for svg in result.figures().values())


def test_html_is_escaped():
    world = rgu.generators.random_model(3, 2)
    problem = rgu.Problem(world, rgu.utility.Entropy(3, 2), name="<b>bad</b>", description="<script>")
    assert "<script>" not in problem._repr_html_() and "&lt;script&gt;" in problem._repr_html_()
    result = rgu.solve(problem)
    assert "<b>bad" not in result._repr_html_()
    assert "worst case" in result._repr_html_()


def test_a_run_is_found_from_other_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = rgu.run(DESCENT, "run", seeds=1, iterations=3)
    monkeypatch.chdir("/")
    assert run[0].parameters.shape == (50,)


def test_reprs(result, run):
    assert repr(run) == "Run('exploration', seeds=2, states=10, actions=5)"
    assert repr(result).startswith("Result(seed=0, status='iteration limit', worst_case=-0.")
    assert "policy=(10, 5)" in repr(result)
    assert "exploration" in run._repr_html_()
    assert len(run) == 2 and run[1].seed == 1
    assert "radius = 0.5" in run.config and run.version


def test_arrays_outlive_results():
    policy = rgu.solve(DESCENT, iterations=3).policy
    kept = policy.copy()
    for _ in range(3):
        rgu.solve(DESCENT, iterations=3)
    assert np.array_equal(policy, kept)
    assert not policy.flags.writeable


def test_notes_and_warnings():
    result = rgu.solve("paper/exploration", iterations=3)
    assert any("degenerate" in warning or "0 for every policy" in warning
               for warning in result.warnings)
