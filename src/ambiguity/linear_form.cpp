#include "rgu/ambiguity/linear_form.hpp"

#include <cmath>

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

enum class Variables { kOwn, kFurther };

constexpr Index kSmallestCross = 5;  // dimensions of an l_1 ball that is given by its facets

LinearForm between(const Vector& lower, const Vector& upper) {
  const Index n = lower.size();
  LinearForm form{.rows = Matrix(2 * n, n), .offsets = Vector(2 * n)};
  form.rows << Matrix::Identity(n, n), -Matrix::Identity(n, n);
  form.offsets << upper, -lower;
  return form;
}

// x >= 0, sum x <= total; with `exact`: sum x = total.
LinearForm below_total(Index n, double total, bool exact) {
  const Index sums = exact ? 2 : 1;
  LinearForm form{.rows = Matrix(n + sums, n), .offsets = Vector::Zero(n + sums)};
  form.rows.topRows(n) = -Matrix::Identity(n, n);
  form.rows.row(n).setOnes();
  form.offsets(n) = total;
  if (exact) {
    form.rows.row(n + 1).setConstant(-1);
    form.offsets(n + 1) = -total;
  }
  return form;
}

// |x - centre| <= e coordinate by coordinate, sum e <= radius.
LinearForm lifted_cross(const LpBall& ball) {
  const Index n = ball.dimension();
  LinearForm form{.rows = Matrix::Zero(2 * n + 1, 2 * n), .offsets = Vector(2 * n + 1), .extra = n};
  form.rows.topLeftCorner(n, n).setIdentity();
  form.rows.block(n, 0, n, n) = -Matrix::Identity(n, n);
  form.rows.topRightCorner(n, n) = -Matrix::Identity(n, n);
  form.rows.block(n, n, n, n) = -Matrix::Identity(n, n);
  form.rows.row(2 * n).tail(n).setOnes();
  form.offsets << ball.centre(), -ball.centre(), ball.radius();
  return form;
}

LinearForm facets_of_cross(const LpBall& ball) {
  const Index n = ball.dimension(), count = Index{1} << n;
  LinearForm form{.rows = Matrix(count, n), .offsets = Vector(count)};
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < n; ++i) form.rows(k, i) = (k >> i & 1) != 0 ? 1 : -1;
  }
  form.offsets = (form.rows * ball.centre()).array() + ball.radius();
  return form;
}

std::optional<LinearForm> form_of(const ConvexSet& set, Variables variables);

std::optional<LinearForm> form_of_ball(const LpBall& ball, Variables variables) {
  const bool interval = std::isinf(ball.p()) || ball.dimension() == 1 || ball.radius() == 0;
  if (interval) {
    return between(ball.centre().array() - ball.radius(), ball.centre().array() + ball.radius());
  }
  if (ball.p() != 1) return std::nullopt;
  if (ball.dimension() <= kSmallestCross) return facets_of_cross(ball);
  if (variables == Variables::kOwn) return std::nullopt;
  return lifted_cross(ball);
}

std::optional<std::vector<LinearForm>> forms_of(const SetParts& parts, Variables variables) {
  std::vector<LinearForm> forms;
  for (const auto& part : parts) {
    std::optional<LinearForm> form = form_of(*part, variables);
    if (!form) return std::nullopt;
    forms.push_back(*std::move(form));
  }
  return forms;
}

std::optional<LinearForm> form_of_product(const ProductSet& product, Variables variables) {
  auto forms = forms_of(product.parts(), variables);
  if (!forms) return std::nullopt;
  Index begin = 0;
  for (std::size_t k = 0; k < forms->size(); ++k) {
    LinearForm& form = (*forms)[k];
    const Index own = product.parts()[k]->dimension();
    Matrix rows = Matrix::Zero(form.rows.rows(), product.dimension() + form.extra);
    rows.middleCols(begin, own) = form.rows.leftCols(own);
    rows.rightCols(form.extra) = form.rows.rightCols(form.extra);
    form.rows = std::move(rows);
    begin += own;
  }
  return stacked(*forms, product.dimension());
}

std::optional<LinearForm> form_of(const ConvexSet& set, Variables variables) {
  if (const auto* box = dynamic_cast<const Box*>(&set)) return between(box->lower(), box->upper());
  if (const auto* ball = dynamic_cast<const LpBall*>(&set)) return form_of_ball(*ball, variables);
  if (const auto* polytope = dynamic_cast<const Polytope*>(&set)) {
    return LinearForm{.rows = polytope->normals(), .offsets = polytope->offsets()};
  }
  if (dynamic_cast<const ProbabilitySimplex*>(&set) != nullptr) {
    return below_total(set.dimension(), 1, true);
  }
  if (const auto* orthant = dynamic_cast<const CappedOrthant*>(&set)) {
    return below_total(set.dimension(), orthant->total(), false);
  }
  if (const auto* singleton = dynamic_cast<const Singleton*>(&set)) {
    return between(singleton->point(), singleton->point());
  }
  if (const auto* product = dynamic_cast<const ProductSet*>(&set)) {
    return form_of_product(*product, variables);
  }
  if (const auto* common = dynamic_cast<const IntersectionSet*>(&set)) {
    const auto forms = forms_of(common->parts(), variables);
    if (forms) return stacked(*forms, set.dimension());
  }
  return std::nullopt;
}

}  // namespace

std::optional<LinearForm> linear_form(const ConvexSet& set) {
  return form_of(set, Variables::kFurther);
}

std::optional<LinearForm> halfspace_form(const ConvexSet& set) {
  return form_of(set, Variables::kOwn);
}

LinearForm stacked(const std::vector<LinearForm>& forms, Index dimension) {
  Index count = 0, extra = 0;
  for (const LinearForm& form : forms) {
    count += form.offsets.size();
    extra += form.extra;
  }
  LinearForm all{
      .rows = Matrix::Zero(count, dimension + extra), .offsets = Vector(count), .extra = extra};
  Index row = 0, column = dimension;
  for (const LinearForm& form : forms) {
    const Index rows = form.offsets.size();
    all.rows.block(row, 0, rows, dimension) = form.rows.leftCols(dimension);
    all.rows.block(row, column, rows, form.extra) = form.rows.rightCols(form.extra);
    all.offsets.segment(row, rows) = form.offsets;
    row += rows;
    column += form.extra;
  }
  return all;
}

}  // namespace rgu
