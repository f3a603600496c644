#include "rgu/ambiguity/common_polyhedron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/linear_program.hpp"
#include "rgu/ambiguity/lp_ball.hpp"

namespace rgu {
namespace {

constexpr Index kMostDimensions = 200;
constexpr Index kMostRows = 2000;
constexpr double kTouching = 1e-9;  // parts that miss each other by less, in diameters, may touch
constexpr double kCommon = 1e-12;   // of the size of the set

Vector unbounded(Index size) { return Vector::Constant(size, kInfinity); }

double least_diameter(const SetParts& parts) {
  double least = kInfinity;
  for (const auto& part : parts) least = std::min(least, part->diameter());
  return least;
}

// Rows of length 1; zero rows, which say nothing in a set that is not empty, are left out.
void append_unit_rows(const Matrix& rows, const Vector& offsets, Halfspaces& to) {
  Index count = to.offsets.size();
  to.normals.conservativeResize(count + rows.rows(), rows.cols());
  to.offsets.conservativeResize(count + rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double length = rows.row(i).stableNorm();
    if (length == 0) continue;
    to.normals.row(count) = rows.row(i) / length;
    to.offsets(count) = offsets(i) / length;
    ++count;
  }
  to.normals.conservativeResize(count, rows.cols());
  to.offsets.conservativeResize(count);
}

// The facet of an l_1 ball that x violates most: signs, those of `towards` where x has none.
Vector facet_normal(const Vector& x, const Vector& towards) {
  return (x.array() == 0).select(towards.cwiseSign(), x.cwiseSign());
}

}  // namespace

double gap_by_parts(const SetParts& parts, const Eigen::MatrixXd& shares, const Vector& direction,
                    const Vector& x) {
  const Vector left = (direction - shares.rowwise().sum()) / static_cast<double>(parts.size());
  double gap = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Vector share = shares.col(static_cast<Index>(k)) + left;
    const CertifiedSupport highest = parts[k]->certified_support(share);
    gap += share.dot(highest.point - x) + highest.gap;
  }
  return std::max(0.0, gap);
}

std::shared_ptr<const CommonPolyhedron> CommonPolyhedron::of(const SetParts& parts) {
  if (parts[0]->dimension() > kMostDimensions) return nullptr;
  std::vector<LinearForm> forms;
  Index rows = 0;
  for (const auto& part : parts) {
    std::optional<LinearForm> form = linear_form(*part);
    if (!form) return nullptr;
    const bool lists_facets = form->extra == 0;
    if (!lists_facets && dynamic_cast<const LpBall*>(part.get()) == nullptr) return nullptr;
    rows += form->offsets.size();
    if (rows > kMostRows) return nullptr;
    forms.push_back(*std::move(form));
  }
  return std::shared_ptr<const CommonPolyhedron>(new CommonPolyhedron(parts, std::move(forms)));
}

CommonPolyhedron::CommonPolyhedron(const SetParts& parts, std::vector<LinearForm> forms)
    : ConvexSet(parts[0]->dimension()),
      parts_(parts),
      diameter_(least_diameter(parts)),
      forms_(std::move(forms)),
      all_(stacked(forms_, dimension())),
      centre_(deepest_point()) {
  list_facets();
}

// What linear programs count in: the size of the set, unless that is hardly more than rounding.
double CommonPolyhedron::unit_for(const Vector& member) const {
  return unit_of(std::max(diameter_, 1e-8 * member.norm()));
}

// max depth subject to rows (x, e) + |row| depth <= offsets, depth <= 1, in units of the set and
// then of what the last solution lacks: the linear program's tolerances are absolute.
Vector CommonPolyhedron::deepest_point() const {
  const Index columns = all_.rows.cols();
  Matrix rows(all_.rows.rows(), columns + 1);
  rows << all_.rows, all_.rows.rowwise().norm();
  Vector upper = unbounded(columns + 1);
  upper(columns) = 1;
  Vector at = Vector::Zero(columns);
  for (const auto& part : parts_) {
    at.head(dimension()) +=
        part->support_point(Vector::Zero(dimension())) / static_cast<double>(parts_.size());
  }
  double unit = unit_for(at);
  for (int pass = 0; pass < 5; ++pass) {
    LinearProgram program({.rows = rows,
                           .offsets = (all_.offsets - all_.rows * at) / unit,
                           .columns = {.lower = -unbounded(columns + 1), .upper = upper}});
    const Vector found = program.maximise(Vector::Unit(columns + 1, columns)).point;
    const double rounding = 1000 * kEps * at.norm();
    check(pass > 0 || unit * found(columns) >= -kTouching * diameter_ - rounding,
          "{} polyhedra have no common point", parts_.size());
    at += unit * found.head(columns);
    const double missed = (all_.rows * at - all_.offsets).maxCoeff();
    if (missed <= kCommon * diameter_ + 16 * kEps * at.norm()) break;
    unit = unit_of(missed);
  }
  return at.head(dimension());
}

void CommonPolyhedron::list_facets() {
  facets_ = {.normals = Matrix(0, dimension()), .offsets = Vector(0), .scale = 1};
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const LinearForm& form = forms_[k];
    if (form.extra == 0) {
      append_unit_rows(form.rows, form.offsets - form.rows * centre_, facets_);
    } else if (const auto* ball = dynamic_cast<const LpBall*>(parts_[k].get())) {
      crosses_.push_back({.centre = ball->centre() - centre_, .radius = ball->radius()});
    }
  }
  const double scale = std::max(diameter_, 1e-3 * centre_.norm());
  facets_.scale = scale > 0 ? scale : 1;
}

// In the coordinates z of x = centre + image z; `point` and the result are z.
Vector CommonPolyhedron::nearest_in_image(const Vector& point, const Matrix& image) const {
  const bool same = image.size() == 0;
  const auto in_set = [&](const Vector& z) { return same ? z : Vector(image * z); };
  Halfspaces set{.normals = Matrix(0, dimension()), .offsets = Vector(0), .scale = 1};
  append_unit_rows(same ? facets_.normals : Matrix(facets_.normals * image), facets_.offsets, set);
  // The size of the set in those coordinates, at most.
  const double shrink = same ? 1 : image.colwise().norm().minCoeff();
  set.scale = facets_.scale / shrink;
  const Vector towards = in_set(point);
  const auto add_facet = [&](const Cross& cross, const Vector& x) {
    const Matrix normal = facet_normal(x - cross.centre, towards - cross.centre).transpose();
    const Vector offset = (normal * cross.centre).array() + cross.radius;
    append_unit_rows(same ? normal : Matrix(normal * image), offset, set);
  };
  const int rounds = 100 + 20 * static_cast<int>(dimension());
  for (int k = 0; k < rounds; ++k) {
    const Vector z = project_onto_halfspaces(set, point).nearest;
    const Vector x = in_set(z);
    bool inside = true;
    for (const Cross& cross : crosses_) {
      const double outside = (x - cross.centre).lpNorm<1>() - cross.radius;
      if (outside <= kCommon * facets_.scale * std::sqrt(static_cast<double>(x.size()))) continue;
      inside = false;
      add_facet(cross, x);
    }
    if (inside) return z;
  }
  throw NotConverged(
      fmt::format("projection onto {} polyhedra: l_1 balls still have violated facets after {}",
                  parts_.size(), rounds));
}

Vector CommonPolyhedron::project(const Vector& point) const {
  check_argument("point", point, dimension());
  const Vector offset = point - centre_;
  const Vector nearest = nearest_in_image(offset, Matrix());
  return nearest == offset ? point : Vector(centre_ + nearest);
}

Vector CommonPolyhedron::nearest(const Vector& point, const AxesMetric& metric) const {
  const Matrix axes =
      metric.axes.size() > 0 ? metric.axes : Matrix::Identity(dimension(), dimension());
  const Matrix image = axes * metric.root.cwiseInverse().asDiagonal();
  const Vector z = metric.root.cwiseProduct(axes.transpose() * (point - centre_));
  return centre_ + image * nearest_in_image(z, image);
}

Vector CommonPolyhedron::support_point(const Vector& direction) const {
  return certified_support(direction).point;
}

CertifiedSupport CommonPolyhedron::certified_support(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  if (length == 0 || diameter_ == 0) return {.point = centre_, .gap = 0};
  const double unit = unit_for(centre_);
  Vector from = Vector::Zero(all_.rows.cols());
  from.head(dimension()) = centre_;
  LinearProgram program(
      {.rows = all_.rows,
       .offsets = (all_.offsets - all_.rows * from) / unit,
       .columns = {.lower = -unbounded(from.size()), .upper = unbounded(from.size())}});
  Vector objective = Vector::Zero(from.size());
  objective.head(dimension()) = direction / length;
  const LinearProgramSolution vertex = program.maximise(objective);
  // The linear program allows a violation of 1e-10; the projection removes it.
  const Vector x = project(centre_ + unit * vertex.point.head(dimension()));
  Eigen::MatrixXd shares(dimension(), std::ssize(forms_));
  Index row = 0;
  for (std::size_t k = 0; k < forms_.size(); ++k) {
    const Index rows = forms_[k].offsets.size();
    shares.col(static_cast<Index>(k)) = length * forms_[k].rows.leftCols(dimension()).transpose() *
                                        vertex.multipliers.segment(row, rows);
    row += rows;
  }
  return {.point = x, .gap = gap_by_parts(parts_, shares, direction, x)};
}

}  // namespace rgu
