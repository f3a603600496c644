// Problems: from files, from parts, from environments.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <limits>

#include "module.hpp"
#include "problem.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/check.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/domain.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"
#include "utility_object.hpp"

namespace rgu::python {

Problem Problem::with_options(const std::vector<std::string>& further) const {
  Problem changed = *this;
  changed.overrides.insert(changed.overrides.end(), further.begin(), further.end());
  changed.config = read_config(source, changed.overrides);
  if (!is_file()) {
    changed.config.name = config.name;
    changed.config.description = config.description;
  }
  return changed;
}

Instance Problem::instance(std::uint64_t seed) const {
  check(!environment, "the model of an environment is not known: this needs one");
  return parts ? *parts : make_instance(config, seed);
}

namespace {

constexpr double kLogitBound = 10;  // Theta is the box [-10, 10] unless another one is given

// Problems of parts take [gradient], [solver], [stopping] and [output] from here; the other tables
// must be there, and are not looked at.
constexpr const char* kNoFile = R"(
name = "problem"
description = "a problem made by a program"
[model]
generator = "river-swim"
[utility]
type = "reward"
)";

Problem empty_problem(const std::string& name, const std::string& description) {
  Problem problem{
      .source = {.name = "options", .text = kNoFile, .folder = {}}, .overrides = {}, .config = {}};
  problem.config = read_config(problem.source);
  problem.config.name = name;
  problem.config.description = description;
  return problem;
}

// What both kinds of problems of parts have, checked against each other.
struct Players {
  std::shared_ptr<const PolicyClass> policy;
  std::shared_ptr<const Utility> utility;
  std::shared_ptr<const ConvexSet> parameters;
  std::shared_ptr<const ConvexSet> ambiguity;
  Vector nominal;
  Vector start;
};

struct PlayerArguments {
  py::object utility;
  std::shared_ptr<ConvexSet> ambiguity;
  std::shared_ptr<PolicyClass> policy;
  std::shared_ptr<ConvexSet> parameters;
  py::object nominal;
  py::object start;
};

std::shared_ptr<const ConvexSet> ambiguity_of(const PlayerArguments& given,
                                              const Utility& utility) {
  if (given.ambiguity) {
    check(given.ambiguity->dimension() == utility.nature_dimension(),
          "the ambiguity set has dimension {}, must have that of the utility's nature, {}",
          given.ambiguity->dimension(), utility.nature_dimension());
    return given.ambiguity;
  }
  if (given.nominal.is_none()) {
    check(utility.nature_dimension() == 0,
          "the utility has a nature of dimension {}: an ambiguity set, or a nominal nature, must "
          "be given",
          utility.nature_dimension());
    return std::make_shared<Singleton>(Vector());
  }
  return std::make_shared<Singleton>(flat_from(given.nominal, "nominal"));
}

Players players_from(const PlayerArguments& given) {
  Players players;
  players.utility = utility_from(given.utility);
  const Index states = players.utility->states(), actions = players.utility->actions();
  players.policy = given.policy;
  if (!players.policy) {
    players.policy = std::make_shared<TabularSoftmax>(TabularSoftmax::Sizes{states, actions});
  }
  const Index dimension = players.policy->dimension();
  players.parameters = given.parameters;
  if (!players.parameters) {
    players.parameters = std::make_shared<Box>(uniform_box(dimension, {-kLogitBound, kLogitBound}));
  }
  check_size("parameters: the set's dimension", players.parameters->dimension(), dimension);
  players.ambiguity = ambiguity_of(given, *players.utility);
  check_domain(*players.utility, *players.ambiguity);
  const Index nature = players.utility->nature_dimension();
  players.nominal = given.nominal.is_none() ? players.ambiguity->support_point(Vector::Zero(nature))
                                            : flat_from(given.nominal, "nominal");
  check_size("nominal nature", players.nominal.size(), nature);
  check_finite("nominal nature", players.nominal);
  players.start = given.start.is_none() ? players.parameters->project(Vector::Zero(dimension))
                                        : flat_from(given.start, "start parameters");
  check_size("start parameters", players.start.size(), dimension);
  check_finite("start parameters", players.start);
  players.start = players.parameters->project(players.start);
  const Matrix pi = players.policy->probabilities(players.start);
  check_shape("the policy's probabilities", pi, {states, actions});
  return players;
}

// (d, d') for drift, (S, A) for rewards and targets over state-actions, else (n, 1).
Shape nature_shape(const Utility& utility) {
  if (const auto* drift = dynamic_cast<const Drift*>(&utility)) {
    return {drift->dimension(), drift->feature_dimension()};
  }
  if (dynamic_cast<const RewardRobust*>(&utility) != nullptr ||
      dynamic_cast<const QuadraticTarget*>(&utility) != nullptr) {
    return {utility.states(), utility.actions()};
  }
  return {utility.nature_dimension(), 1};
}

Problem problem_from_parts(const World& world, const PlayerArguments& given,
                           const std::string& name, const std::string& description) {
  Players players = players_from(given);
  check(players.utility->states() == world.mdp.states() &&
            players.utility->actions() == world.mdp.actions(),
        "the utility is for {} states and {} actions, the model has {} and {}",
        players.utility->states(), players.utility->actions(), world.mdp.states(),
        world.mdp.actions());
  const Shape shape = nature_shape(*players.utility);
  Problem problem = empty_problem(name, description);
  problem.parts = Instance{.world = world,
                           .policy = players.policy,
                           .utility = players.utility,
                           .parameters = players.parameters,
                           .ambiguity = players.ambiguity,
                           .nominal = players.nominal,
                           .start = players.start,
                           .nature_rows = shape.rows,
                           .nature_columns = shape.columns,
                           .utility_text = py::repr(given.utility),
                           .ambiguity_text = given.ambiguity ? py::repr(py::cast(given.ambiguity))
                                                             : py::str("one point"),
                           .map = {},
                           .action_names = {}};
  return problem;
}

// Trajectories that a Python function draws.
class PythonSource final : public TrajectorySource {
 public:
  explicit PythonSource(py::function draw) : draw_(std::move(draw)) {}
  ~PythonSource() override { let_go(draw_.release().ptr()); }

  Trajectories draw(const Matrix& pi, BatchSize batch, StreamFamily streams) const override {
    const py::gil_scoped_acquire acquire;
    const py::object drawn = draw_(array_of(pi), batch.trajectories, batch.horizon,
                                   py::make_tuple(streams.seed, streams.stream));
    check(py::isinstance<py::tuple>(drawn) && py::len(drawn) == 2,
          "trajectories must return two arrays, states and actions");
    const auto pair = py::reinterpret_borrow<py::tuple>(drawn);
    return {.horizon = batch.horizon,
            .states = numbers(pair[0], "states", batch),
            .actions = numbers(pair[1], "actions", batch)};
  }

 private:
  static std::vector<std::int32_t> numbers(py::handle value, const char* name, BatchSize batch) {
    const py::array raw = py::array::ensure(value);
    if (!raw) PyErr_Clear();
    check(raw && std::string("iu").find(raw.dtype().kind()) != std::string::npos,
          "trajectories: {} must be an array of whole numbers", name);
    check(raw.ndim() == 2 && raw.shape(0) == batch.trajectories && raw.shape(1) == batch.horizon,
          "trajectories: {} have shape {}, must be ({}, {})", name, shape_text(raw),
          batch.trajectories, batch.horizon);
    const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> wide(raw);
    std::vector<std::int32_t> narrow(static_cast<std::size_t>(wide.size()));
    for (py::ssize_t i = 0; i < wide.size(); ++i) {
      const std::int64_t number = wide.data()[i];
      check(number >= -1 && number <= std::numeric_limits<std::int32_t>::max(),
            "trajectories: one of the {} is {}", name, number);
      narrow[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(number);
    }
    return narrow;
  }

  py::function draw_;
};

Problem problem_from_environment(py::function draw, double discount, const PlayerArguments& given,
                                 const std::string& name, const std::string& description) {
  Players players = players_from(given);
  check(discount > 0 && discount < 1, "discount is {}, must lie strictly between 0 and 1",
        discount);
  Problem problem = empty_problem(name, description);

  problem.environment =
      EnvironmentProblem{.source = std::make_shared<PythonSource>(std::move(draw)),
                         .policy = players.policy,
                         .utility = players.utility,
                         .parameters = players.parameters,
                         .ambiguity = players.ambiguity,
                         .nominal = players.nominal,
                         .start = players.start,
                         .discount = discount};
  return problem;
}

py::dict sizes_of(const Problem& problem, std::uint64_t seed) {
  py::dict sizes;
  const auto put = [&](const Utility& utility, const PolicyClass& policy, double discount) {
    sizes["states"] = utility.states();
    sizes["actions"] = utility.actions();
    sizes["nature"] = utility.nature_dimension();
    sizes["parameters"] = policy.dimension();
    sizes["discount"] = discount;
  };
  if (problem.environment) {
    const EnvironmentProblem& e = *problem.environment;
    put(*e.utility, *e.policy, e.discount);
    sizes["utility"] = py::repr(py::cast(std::const_pointer_cast<Utility>(e.utility)));
    sizes["ambiguity"] = py::repr(py::cast(std::const_pointer_cast<ConvexSet>(e.ambiguity)));
    const RunRecord record = about(problem.config, e);
    sizes["method"] = record.method;
    return sizes;
  }
  const Instance instance = problem.instance(seed);
  put(*instance.utility, *instance.policy, instance.world.mdp.discount());
  sizes["transitions"] = instance.world.mdp.transitions();
  sizes["utility"] = instance.utility_text;
  sizes["ambiguity"] = instance.ambiguity_text;
  sizes["method"] = chosen_method_text(problem.config, instance);
  return sizes;
}

}  // namespace

void bind_problems(py::module_& m) {
  py::class_<Problem, std::shared_ptr<Problem>>(m, "Problem")
      .def_static(
          "from_file",
          [](const std::string& name, const std::vector<std::string>& overrides) {
            const ConfigSource source = find_problem(name);
            return std::make_shared<Problem>(Problem{.source = source,
                                                     .overrides = overrides,
                                                     .config = read_config(source, overrides)});
          },
          py::arg("name"), py::arg("overrides"))
      .def_static(
          "from_text",
          [](const std::string& text, const std::vector<std::string>& overrides) {
            const ConfigSource source{.name = "text", .text = text, .folder = {}};
            return std::make_shared<Problem>(Problem{.source = source,
                                                     .overrides = overrides,
                                                     .config = read_config(source, overrides)});
          },
          py::arg("text"), py::arg("overrides"))
      .def_static(
          "from_parts",
          [](const World& world, py::object utility, std::shared_ptr<ConvexSet> ambiguity,
             std::shared_ptr<PolicyClass> policy, std::shared_ptr<ConvexSet> parameters,
             py::object nominal, py::object start, const std::string& name,
             const std::string& description) {
            return std::make_shared<Problem>(
                problem_from_parts(world, {utility, ambiguity, policy, parameters, nominal, start},
                                   name, description));
          },
          py::arg("world"), py::arg("utility"), py::arg("ambiguity"), py::arg("policy"),
          py::arg("parameters"), py::arg("nominal"), py::arg("start"), py::arg("name"),
          py::arg("description"))
      .def_static(
          "from_environment",
          [](py::function draw, double discount, py::object utility,
             std::shared_ptr<ConvexSet> ambiguity, std::shared_ptr<PolicyClass> policy,
             std::shared_ptr<ConvexSet> parameters, py::object nominal, py::object start,
             const std::string& name, const std::string& description) {
            return std::make_shared<Problem>(problem_from_environment(
                std::move(draw), discount, {utility, ambiguity, policy, parameters, nominal, start},
                name, description));
          },
          py::arg("draw"), py::arg("discount"), py::arg("utility"), py::arg("ambiguity"),
          py::arg("policy"), py::arg("parameters"), py::arg("nominal"), py::arg("start"),
          py::arg("name"), py::arg("description"))
      .def(
          "with_options",
          [](const Problem& problem, const std::vector<std::string>& overrides) {
            return std::make_shared<Problem>(problem.with_options(overrides));
          },
          py::arg("overrides"))
      .def_property_readonly("name", [](const Problem& p) { return p.config.name; })
      .def_property_readonly("description", [](const Problem& p) { return p.config.description; })
      .def_property_readonly("seeds", [](const Problem& p) { return p.config.seeds; })
      .def_property_readonly("is_file", &Problem::is_file)
      .def_property_readonly("is_environment",
                             [](const Problem& p) { return p.environment.has_value(); })
      .def("to_toml", [](const Problem& p) { return to_toml(p.config); })
      .def("sizes", &sizes_of, py::arg("seed"))
      .def(
          "world",
          [](const Problem& p, std::uint64_t seed) {
            return std::make_shared<World>(p.instance(seed).world);
          },
          py::arg("seed"))
      .def(
          "utility",
          [](const Problem& p, std::uint64_t seed) {
            const auto utility = p.environment ? p.environment->utility : p.instance(seed).utility;
            return std::const_pointer_cast<Utility>(utility);
          },
          py::arg("seed"))
      .def(
          "ambiguity",
          [](const Problem& p, std::uint64_t seed) {
            const auto set = p.environment ? p.environment->ambiguity : p.instance(seed).ambiguity;
            return std::const_pointer_cast<ConvexSet>(set);
          },
          py::arg("seed"))
      .def(
          "nominal",
          [](const Problem& p, std::uint64_t seed) {
            return array_of(p.environment ? p.environment->nominal : p.instance(seed).nominal);
          },
          py::arg("seed"));
  m.def("built_in_problems", [] {
    py::dict problems;
    for (const BuiltIn& problem : built_ins()) {
      problems[py::str(problem.name.data(), problem.name.size())] =
          py::str(problem.description.data(), problem.description.size());
    }
    return problems;
  });
}

}  // namespace rgu::python
