// Results: plain data, as arrays.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "module.hpp"
#include "problem.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/report/figures.hpp"
#include "rgu/report/html_report.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu::python {
namespace {

std::string text_of(AnswerKind kind) { return std::string(name_of(kind)); }

// Every column of the metrics, by name.
py::dict metrics_of(const SeedRecord& seed) {
  py::dict columns;
  const std::size_t rows = seed.metrics.size();
  const auto integers = [&](Index Metrics::*member) {
    std::vector<std::int64_t> column;
    for (const Metrics& metrics : seed.metrics) column.push_back(metrics.*member);
    return array_of(std::move(column));
  };
  columns["iteration"] = integers(&Metrics::iteration);
  for (const MetricField& field : kMetricFields) {
    Vector column(static_cast<Index>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      column[static_cast<Index>(i)] = seed.metrics[i].*field.member;
    }
    if (column.size() > 0 && column.array().isNaN().all()) continue;  // nothing was measured
    columns[py::str(field.name.data(), field.name.size())] = array_of(std::move(column));
  }
  columns["samples"] = integers(&Metrics::samples);
  Vector seconds = Vector::Constant(static_cast<Index>(rows), Metrics::kNone);
  for (std::size_t i = 0; i < std::min(rows, seed.seconds.size()); ++i) {
    seconds[static_cast<Index>(i)] = seed.seconds[i];
  }
  columns["seconds"] = array_of(std::move(seconds));
  return columns;
}

// The members of a mixture as the rows of one array.
py::tuple mixture_of(const Vector& weights, const std::vector<const Vector*>& members) {
  Matrix rows(static_cast<Index>(members.size()), members.empty() ? 0 : members[0]->size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    rows.row(static_cast<Index>(i)) = *members[i];
  }
  return py::make_tuple(array_of(Vector(weights)), array_of(std::move(rows)));
}

py::object mixture_of(const MixtureRecord& mixture) {
  if (mixture.members.empty()) return py::none();
  std::vector<const Vector*> members;
  for (const Vector& member : mixture.members) members.push_back(&member);
  return mixture_of(mixture.weights, members);
}

py::object mixture_of(const Witness& witness) {
  if (witness.pieces.empty()) return py::none();
  Vector weights(std::ssize(witness.pieces));
  std::vector<const Vector*> members;
  for (const WitnessPiece& piece : witness.pieces) {
    weights(std::ssize(members)) = piece.weight;
    members.push_back(&piece.at->nature);
  }
  return mixture_of(weights, members);
}

py::object array_or_none(const Vector& vector) {
  return vector.size() > 0 ? py::object(array_of(Vector(vector))) : py::none();
}

// (last, drawn, average or None, (weights, members) or None).
py::tuple adversary_of(const AdversaryRecord& adversary) {
  return py::make_tuple(array_of(Vector(adversary.last)), array_of(Vector(adversary.drawn)),
                        array_or_none(adversary.average), mixture_of(adversary.mixture));
}

void bind_worst_case(py::module_& m) {
  py::class_<WorstCaseRecord>(m, "WorstCase", "The worst utility that nature can choose.")
      .def_readonly("value", &WorstCaseRecord::value, "Gamma: f at `nature`.")
      .def_property_readonly(
          "kind", [](const WorstCaseRecord& w) { return text_of(w.kind); },
          "\"exact\", \"certified\" (the maximum is at most `gap` above) or \"best found\".")
      .def_readonly("gap", &WorstCaseRecord::gap, "No member has more than value + gap.")
      .def_readonly("method", &WorstCaseRecord::method, "How it was found, in words.")
      .def_property_readonly(
          "nature",
          [](py::object self) { return view_of(self.cast<const WorstCaseRecord&>().nature, self); },
          "(n,): the worst xi, a read-only view.")
      .def("__repr__", [](const WorstCaseRecord& w) {
        return fmt::format("WorstCase(value={:.6g}, kind='{}', nature=({},))", w.value,
                           text_of(w.kind), w.nature.size());
      });
}

void bind_global(py::module_& m) {
  py::class_<GlobalSolution>(m, "GlobalSolution", "The best policy there is, with its proof.")
      .def_readonly("value", &GlobalSolution::value, "The worst case of `policy`.")
      .def_readonly("lower_bound", &GlobalSolution::lower_bound,
                    "No policy has a smaller worst case.")
      .def_property_readonly("gap", &GlobalSolution::gap, "value - lower_bound.")
      .def_property_readonly(
          "certified", [](const GlobalSolution& s) { return s.status == GlobalStatus::kCertified; },
          "Is the gap as small as was asked for?")
      .def_property_readonly(
          "kind", [](const GlobalSolution& s) { return text_of(s.kind); }, "Of the value.")
      .def_readonly("iterations", &GlobalSolution::iterations, "Steps made.")
      .def_readonly("method", &GlobalSolution::method, "In words.")
      .def_property_readonly(
          "policy",
          [](py::object self) { return view_of(self.cast<const GlobalSolution&>().policy, self); },
          "(S, A), a read-only view.")
      .def_property_readonly(
          "occupancy",
          [](py::object self) {
            return view_of(self.cast<const GlobalSolution&>().occupancy, self);
          },
          "(S, A), a read-only view.")
      .def_property_readonly(
          "nature",
          [](py::object self) { return view_of(self.cast<const GlobalSolution&>().nature, self); },
          "(n,): a xi at which the policy does worst, a read-only view.")
      .def_property_readonly(
          "mixture", [](const GlobalSolution& s) { return mixture_of(s.witness); },
          "(weights (k,), members (k, n)): the distribution over xi that proves the lower bound, "
          "an "
          "optimal strategy of the adversary where the gap is 0; None: not known.")
      .def("__repr__", [](const GlobalSolution& s) {
        return fmt::format("GlobalSolution(value={:.8g}, lower_bound={:.8g}, certified={})",
                           s.value, s.lower_bound,
                           s.status == GlobalStatus::kCertified ? "True" : "False");
      });
}

void bind_seed(py::module_& m) {
  py::class_<SeedRecord, std::shared_ptr<SeedRecord>>(m, "SeedRecord", "What one seed came to.")
      .def_readonly("seed", &SeedRecord::seed)
      .def_readonly("status", &SeedRecord::status)
      .def_readonly("solved", &SeedRecord::solved)
      .def_readonly("nominal", &SeedRecord::nominal)
      .def_readonly("worst_case", &SeedRecord::worst_case)
      .def_readonly("baseline_nominal", &SeedRecord::baseline_nominal)
      .def_readonly("baseline_worst_case", &SeedRecord::baseline_worst_case)
      .def_readonly("published_worst_case", &SeedRecord::published_worst_case)
      .def_readonly("notes", &SeedRecord::notes)
      .def_property_readonly("metrics", &metrics_of)
      .def_property_readonly("adversary",
                             [](const SeedRecord& seed) { return adversary_of(seed.adversary); })
      .def_property_readonly("multipliers",
                             [](const SeedRecord& seed) { return array_or_none(seed.multipliers); })
      .def_property_readonly("lower_bound",
                             [](const SeedRecord& seed) { return seed.certificate.lower_bound; })
      .def_property_readonly("optimality_gap", &SeedRecord::optimality_gap)
      .def_property_readonly(
          "policy",
          [](py::object self) { return view_of(self.cast<const SeedRecord&>().policy, self); })
      .def_property_readonly("occupancy", [](py::object self) {
        return view_of(self.cast<const SeedRecord&>().occupancy, self);
      });
}

}  // namespace

void bind_records(py::module_& m) {
  bind_worst_case(m);
  bind_global(m);
  bind_seed(m);
  py::class_<Solution, std::shared_ptr<Solution>>(m, "Solution", "The record of a run.")
      .def_property_readonly("name", [](const Solution& s) { return s.run.name; })
      .def_property_readonly("description", [](const Solution& s) { return s.run.description; })
      .def_property_readonly("version", [](const Solution& s) { return s.run.version; })
      .def_property_readonly("config", [](const Solution& s) { return s.run.config; })
      .def_property_readonly("method", [](const Solution& s) { return s.run.method; })
      .def_property_readonly("utility", [](const Solution& s) { return s.run.utility; })
      .def_property_readonly("ambiguity", [](const Solution& s) { return s.run.ambiguity; })
      .def_property_readonly("states", [](const Solution& s) { return s.run.states; })
      .def_property_readonly("actions", [](const Solution& s) { return s.run.actions; })
      .def_property_readonly("discount", [](const Solution& s) { return s.run.discount; })
      .def_property_readonly("warnings", [](const Solution& s) { return s.run.warnings; })
      .def_property_readonly("notes", [](const Solution& s) { return s.run.notes; })
      .def_readonly("sampled", &Solution::sampled)
      .def_property_readonly("nominal_nature",
                             [](py::object self) {
                               return view_of(self.cast<const Solution&>().run.nature_centre, self);
                             })
      .def_property_readonly(
          "nature_shape",
          [](const Solution& s) { return py::make_tuple(s.run.nature_rows, s.run.nature_columns); })
      .def("__len__", [](const Solution& s) { return s.run.seeds.size(); })
      .def(
          "seed",
          [](const std::shared_ptr<Solution>& s, std::size_t index) {
            return std::shared_ptr<SeedRecord>(s, &s->run.seeds.at(index));
          },
          py::arg("index"))
      .def(
          "parameters",
          [](py::object self, std::size_t index) {
            return view_of(self.cast<const Solution&>().parameters.at(index), self);
          },
          py::arg("index"))
      .def("html_report", [](const Solution& s) { return html_report(s.run); })
      .def("figures", [](const Solution& s) {
        py::dict pictures;
        for (const Figure& figure : figures(s.run)) pictures[py::str(figure.name)] = figure.svg;
        return pictures;
      });
  m.def(
      "load_run",
      [](const std::filesystem::path& path) {
        const py::gil_scoped_release release;
        auto solution = std::make_shared<Solution>(
            Solution{.run = read_run(RunFolder::open(path)), .parameters = {}});
        solution->parameters.resize(solution->run.seeds.size());
        return solution;
      },
      py::arg("path"));
}

}  // namespace rgu::python
