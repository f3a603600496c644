#include "rgu/large/spread_model.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/base/together.hpp"
#include "rgu/large/spread_kernel.hpp"

namespace rgu {
namespace {

static_assert(std::is_same_v<PetscInt, std::int32_t>,
              "the kernel's indices are handed to PETSc as they are");

constexpr double kMostRows = std::numeric_limits<PetscInt>::max();

void check_own(const WorldSlice& slice) {
  check_slice(slice);
  check(static_cast<double>(slice.states) * static_cast<double>(slice.actions) <= kMostRows,
        "model has {} x {} state-action pairs, must have at most {}: PETSc's indices have 32 bits",
        slice.states, slice.actions, kMostRows);
}

std::string about(const WorldSlice& slice) {
  std::string names;
  for (const auto& [name, signal] : slice.signals) names += name + '\n';
  return fmt::format("{} {} {} {}", slice.states, slice.actions, slice.discount, names);
}

// The slices must be parts of one world, one after the other.
void check_fit(const WorldSlice& slice, Ranks& ranks) {
  const std::vector<std::string> all = ranks.gather(about(slice));
  for (const std::string& other : all) {
    check(other == all.front(), "the slices of the ranks are not of one model");
  }
  const std::vector<std::string> places =
      ranks.gather(fmt::format("{} {}", slice.own.first, slice.own.last));
  Index next = 0;
  for (const std::string& place : places) {
    const std::size_t blank = place.find(' ');
    check(std::stoll(place.substr(0, blank)) == next, "the slices of the ranks leave states out");
    next = std::stoll(place.substr(blank + 1));
  }
  check(next == slice.states, "the slices of the ranks end at state {}, must end at {}", next,
        slice.states);
  const double total = sum(ranks, slice.start.sum());
  check(std::abs(total - 1) <= FiniteMdp::kRowSumTolerance,
        "start distribution sums to {}, must be 1 within {}", total, FiniteMdp::kRowSumTolerance);
}

}  // namespace

StateRange own_states(Index states, const Ranks& ranks) {
  const Share own = own_share(ranks, states);
  return {.first = own.first, .last = own.first + own.count};
}

SpreadModel::SpreadModel(WorldSlice slice, Ranks& ranks)
    : states_(slice.states),
      actions_(slice.actions),
      own_(slice.own),
      discount_(slice.discount),
      start_(std::move(slice.start)),
      signals_(std::move(slice.signals)),
      ranks_(ranks),
      kernel_(std::make_unique<Kernel>()) {
  slice.start = start_;
  slice.signals = {};
  together(ranks, [&] {
    check_own(slice);
    return true;
  });
  check_fit(slice, ranks);
  transitions_ = sum(ranks, static_cast<double>(slice.rows.nonZeros()));
  Mat matrix = nullptr;
  check_petsc(MatCreateMPIAIJWithArrays(
      PETSC_COMM_WORLD, static_cast<PetscInt>(own_.size() * actions_),
      static_cast<PetscInt>(own_.size()), static_cast<PetscInt>(states_ * actions_),
      static_cast<PetscInt>(states_), slice.rows.outerIndexPtr(), slice.rows.innerIndexPtr(),
      slice.rows.valuePtr(), &matrix));
  kernel_->matrix.reset(matrix);
  kernel_->values = right_vector(matrix);
  kernel_->products = left_vector(matrix);
}

SpreadModel::~SpreadModel() = default;

Matrix SpreadModel::expected_next(const Vector& value) const {
  check_size("value", value.size(), own_.size());
  copy(value.data(), kernel_->values.get());
  check_petsc(MatMult(kernel_->matrix.get(), kernel_->values.get(), kernel_->products.get()));
  const Vector products = own_entries(kernel_->products.get());
  return as_matrix(products, own_.size(), actions_);
}

Vector SpreadModel::push_forward(const Matrix& mass) const {
  check_shape("mass", mass, {own_.size(), actions_});
  copy(mass.data(), kernel_->products.get());
  check_petsc(
      MatMultTranspose(kernel_->matrix.get(), kernel_->products.get(), kernel_->values.get()));
  return own_entries(kernel_->values.get());
}

const Matrix& signal_named(const SpreadModel& model, const std::string& name) {
  const auto found = model.signals().find(name);
  if (found != model.signals().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, values] : model.signals()) names.push_back(known);
  throw InvalidInput(fmt::format("no signal '{}' in the world, which has {}{}", name,
                                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                                 did_you_mean(name, names)));
}

}  // namespace rgu
