// Ambiguity sets.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "module.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/check.hpp"

namespace rgu::python {
namespace {

template <class Set>
using SetClass = py::class_<Set, ConvexSet, std::shared_ptr<Set>>;

SetParts parts_from(const std::vector<std::shared_ptr<ConvexSet>>& parts) {
  return {parts.begin(), parts.end()};
}

std::shared_ptr<Ellipsoid> ellipsoid(py::object centre, double radius, py::object weights,
                                     py::object matrix) {
  check(weights.is_none() != matrix.is_none(), "Ellipsoid takes either weights or a matrix");
  if (matrix.is_none()) {
    return std::make_shared<Ellipsoid>(WeightedBall{.centre = flat_from(centre, "centre"),
                                                    .weights = flat_from(weights, "weights"),
                                                    .radius = radius});
  }
  return std::make_shared<Ellipsoid>(QuadraticBall{.centre = flat_from(centre, "centre"),
                                                   .matrix = matrix_from(matrix, "matrix"),
                                                   .radius = radius});
}

// One number, or one for each coordinate.
Vector bound_from(py::handle value, const char* name, Index dimension) {
  const Vector bound = flat_from(value, name);
  return bound.size() == 1 && dimension > 1 ? Vector::Constant(dimension, bound(0)) : bound;
}

std::shared_ptr<Box> box(py::object lower, py::object upper, std::optional<Index> dimension) {
  if (dimension) check_count("dimension", *dimension);
  const Index size = dimension.value_or(
      std::max(flat_from(lower, "lower").size(), flat_from(upper, "upper").size()));
  check_room("Box", static_cast<double>(size), fmt::format("({},)", size));
  auto made = std::make_shared<Box>(
      Bounds{.lower = bound_from(lower, "lower", size), .upper = bound_from(upper, "upper", size)});
  check_size("Box: lower and upper", made->dimension(), size);
  return made;
}

std::string list_text(const SetParts& parts) {
  std::string text;
  for (const auto& part : parts) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", part->dimension());
  }
  return text;
}

void bind_set_base(py::module_& m) {
  py::class_<ConvexSet, std::shared_ptr<ConvexSet>>(
      m, "ConvexSet", "A compact convex set of vectors: what nature may choose from.")
      .def_property_readonly("dimension", &ConvexSet::dimension, "Length of a member.")
      .def(
          "project",
          [](const ConvexSet& set, py::object point) {
            return array_of(set.project(flat_from(point, "point")));
          },
          py::arg("point"), R"(The member nearest to `point` in the Euclidean norm.

point: (n,). Returns (n,).

>>> rgu.ambiguity.Box([0, 0], [1, 1]).project([2.0, -1.0])
array([1., 0.])
)")
      .def(
          "support_point",
          [](const ConvexSet& set, py::object direction) {
            return array_of(set.support_point(flat_from(direction, "direction")));
          },
          py::arg("direction"), R"(A member that maximises <direction, x>.

direction: (n,). Returns (n,).

>>> rgu.ambiguity.LpBall([0, 0], 1.0, p=1).support_point([1.0, -3.0])
array([ 0., -1.])
)")
      .def_property_readonly("diameter", &ConvexSet::diameter,
                             "Largest Euclidean distance between two members, or an upper bound.")
      .def(
          "contains",
          [](const ConvexSet& set, py::object point, double tolerance) {
            return contains(set, flat_from(point, "point"), tolerance);
          },
          py::arg("point"), py::arg("tolerance") = 1e-9, R"(Is `point` (n,) within `tolerance`?

>>> rgu.ambiguity.ProbabilitySimplex(3).contains([0.5, 0.5, 0.0])
True
)")
      .def(
          "distance",
          [](const ConvexSet& set, py::object point) {
            return distance(set, flat_from(point, "point"));
          },
          py::arg("point"), R"(Euclidean distance from `point` (n,) to the set.

>>> rgu.ambiguity.Box([0, 0], [1, 1]).distance([1.0, 3.0])
2.0
)")
      .def(
          "normal_residual",
          [](const ConvexSet& set, py::object point, py::object direction) {
            return set.normal_residual(flat_from(point, "point"),
                                       flat_from(direction, "direction"));
          },
          py::arg("point"), py::arg("direction"),
          R"(Distance of `direction` (n,) from the normal cone at the member `point` (n,).

Zero exactly when `point` maximises <direction, x> over the set.

>>> rgu.ambiguity.Box([0, 0], [1, 1]).normal_residual([1.0, 0.5], [2.0, 0.0])
0.0
)");
}

void bind_balls(py::module_& m) {
  SetClass<LpBall>(m, "LpBall", R"({x : |x - centre|_p <= radius}.

centre: (n,), or any shape, taken row by row; p in [1, inf].

>>> rgu.ambiguity.LpBall([1.0, 2.0], radius=0.5)
LpBall(dimension=2, radius=0.5, p=2)
)")
      .def(py::init([](py::object centre, double radius, double p) {
             return std::make_shared<LpBall>(
                 LpBallShape{.centre = flat_from(centre, "centre"), .radius = radius, .p = p});
           }),
           py::arg("centre"), py::arg("radius"), py::arg("p") = 2.0)
      .def_property_readonly(
          "centre",
          [](py::object self) { return view_of(self.cast<const LpBall&>().centre(), self); },
          "(n,), a read-only view.")
      .def_property_readonly("radius", &LpBall::radius, "The radius.")
      .def_property_readonly("p", &LpBall::p, "The p of the norm.")
      .def("__repr__", [](const LpBall& set) {
        return fmt::format("LpBall(dimension={}, radius={}, p={})", set.dimension(), set.radius(),
                           set.p());
      });
  SetClass<Ellipsoid>(m, "Ellipsoid", R"(A weighted Euclidean ball.

{x : sum_i weights_i (x_i - centre_i)^2 <= radius^2}, or with a symmetric positive definite
`matrix` (n, n) instead of weights {x : (x - centre)' matrix (x - centre) <= radius^2}.

>>> rgu.ambiguity.Ellipsoid([0.0, 0.0], 1.0, weights=[1.0, 4.0])
Ellipsoid(dimension=2, radius=1)
)")
      .def(py::init(&ellipsoid), py::arg("centre"), py::arg("radius"),
           py::arg("weights") = py::none(), py::arg("matrix") = py::none())
      .def_property_readonly("radius", &Ellipsoid::radius, "The radius.")
      .def("__repr__", [](const Ellipsoid& set) {
        return fmt::format("Ellipsoid(dimension={}, radius={})", set.dimension(), set.radius());
      });
  const auto matrix_text = [](const char* name, const auto& set) {
    return fmt::format("{}(rows={}, columns={}, radius={})", name, set.centre().rows(),
                       set.centre().cols(), set.radius());
  };
  SetClass<FrobeniusBall>(m, "FrobeniusBall",
                          R"(Matrices within `radius` of `centre` in the Frobenius norm.

centre: (d, d'). Members are matrices row by row: (d * d',).

>>> rgu.ambiguity.FrobeniusBall([[1.0, 0.0]], 0.5)
FrobeniusBall(rows=1, columns=2, radius=0.5)
)")
      .def(py::init([](py::object centre, double radius) {
             return std::make_shared<FrobeniusBall>(matrix_from(centre, "centre"), radius);
           }),
           py::arg("centre"), py::arg("radius"))
      .def_property_readonly("radius", &FrobeniusBall::radius, "The radius.")
      .def("__repr__", [=](const FrobeniusBall& set) { return matrix_text("FrobeniusBall", set); });
  SetClass<SpectralBall>(m, "SpectralBall",
                         R"(Matrices within `radius` of `centre` in the spectral norm.

centre: (d, d'). Members are matrices row by row: (d * d',).

>>> rgu.ambiguity.SpectralBall([[1.0, 0.0]], 0.5)
SpectralBall(rows=1, columns=2, radius=0.5)
)")
      .def(py::init([](py::object centre, double radius) {
             return std::make_shared<SpectralBall>(matrix_from(centre, "centre"), radius);
           }),
           py::arg("centre"), py::arg("radius"))
      .def_property_readonly("radius", &SpectralBall::radius, "The radius.")
      .def("__repr__", [=](const SpectralBall& set) { return matrix_text("SpectralBall", set); });
}

void bind_polyhedra(py::module_& m) {
  const auto sized = [](const char* name, const ConvexSet& set) {
    return fmt::format("{}(dimension={})", name, set.dimension());
  };
  SetClass<Box>(m, "Box", R"({x : lower <= x <= upper}.

lower, upper: (n,), or one number for all `dimension` coordinates.

>>> rgu.ambiguity.Box(0, 5, dimension=3)
Box(dimension=3)
)")
      .def(py::init(&box), py::arg("lower"), py::arg("upper"), py::arg("dimension") = py::none())
      .def_property_readonly(
          "lower", [](py::object self) { return view_of(self.cast<const Box&>().lower(), self); },
          "(n,), a read-only view.")
      .def_property_readonly(
          "upper", [](py::object self) { return view_of(self.cast<const Box&>().upper(), self); },
          "(n,), a read-only view.")
      .def("__repr__", [=](const Box& set) { return sized("Box", set); });
  SetClass<ProbabilitySimplex>(m, "ProbabilitySimplex", R"({x : x >= 0, sum x = 1}.

>>> rgu.ambiguity.ProbabilitySimplex(4)
ProbabilitySimplex(dimension=4)
)")
      .def(py::init<Index>(), py::arg("dimension"))
      .def("__repr__",
           [=](const ProbabilitySimplex& set) { return sized("ProbabilitySimplex", set); });
  SetClass<CappedOrthant>(m, "CappedOrthant", R"({x : x >= 0, sum x <= total}: multipliers.

>>> rgu.ambiguity.CappedOrthant(2, total=10.0)
CappedOrthant(dimension=2, total=10)
)")
      .def(py::init<Index, double>(), py::arg("dimension"), py::arg("total"))
      .def_property_readonly("total", &CappedOrthant::total, "The cap.")
      .def("__repr__", [](const CappedOrthant& set) {
        return fmt::format("CappedOrthant(dimension={}, total={})", set.dimension(), set.total());
      });
  SetClass<Polytope>(m, "Polytope", R"({x : normals x <= offsets}, bounded and not empty.

normals: (m, n), offsets: (m,).

>>> rgu.ambiguity.Polytope([[1, 1], [-1, 0], [0, -1]], [1, 0, 0])
Polytope(dimension=2, rows=3)
)")
      .def(py::init([](py::object normals, py::object offsets) {
             return std::make_shared<Polytope>(matrix_from(normals, "normals"),
                                               vector_from(offsets, "offsets"));
           }),
           py::arg("normals"), py::arg("offsets"))
      .def("__repr__", [](const Polytope& set) {
        return fmt::format("Polytope(dimension={}, rows={})", set.dimension(),
                           set.normals().rows());
      });
}

void bind_compounds(py::module_& m) {
  SetClass<Singleton>(m, "Singleton", R"(One point: nature has no choice.

>>> rgu.ambiguity.Singleton([1.0, 2.0])
Singleton(dimension=2)
)")
      .def(py::init([](py::object point) {
             return std::make_shared<Singleton>(flat_from(point, "point"));
           }),
           py::arg("point"))
      .def("__repr__", [](const Singleton& set) {
        return fmt::format("Singleton(dimension={})", set.dimension());
      });
  SetClass<ProductSet>(m, "ProductSet", R"(The product of sets: their vectors one after the other.

>>> rgu.ambiguity.ProductSet([rgu.ambiguity.ProbabilitySimplex(3), rgu.ambiguity.Box([0], [5])])
ProductSet(dimension=4, parts=[3, 1])
)")
      .def(py::init([](const std::vector<std::shared_ptr<ConvexSet>>& parts) {
             return std::make_shared<ProductSet>(parts_from(parts));
           }),
           py::arg("parts"))
      .def("__repr__", [](const ProductSet& set) {
        return fmt::format("ProductSet(dimension={}, parts=[{}])", set.dimension(),
                           list_text(set.parts()));
      });
  SetClass<IntersectionSet>(m, "IntersectionSet", R"(The common points of several sets.

>>> ball = rgu.ambiguity.LpBall([0.5, 0.5], 0.2)
>>> rgu.ambiguity.IntersectionSet([ball, rgu.ambiguity.ProbabilitySimplex(2)])
IntersectionSet(dimension=2, parts=2)
)")
      .def(py::init([](const std::vector<std::shared_ptr<ConvexSet>>& parts) {
             return std::make_shared<IntersectionSet>(parts_from(parts));
           }),
           py::arg("parts"))
      .def("__repr__", [](const IntersectionSet& set) {
        return fmt::format("IntersectionSet(dimension={}, parts={})", set.dimension(),
                           set.parts().size());
      });
}

}  // namespace

void bind_sets(py::module_& m) {
  bind_set_base(m);
  bind_balls(m);
  bind_polyhedra(m);
  bind_compounds(m);
}

}  // namespace rgu::python
