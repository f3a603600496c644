// A user's own utility, differentiated automatically. Part of rgu::autodiff, the only target that
// needs ADOL-C; FunctionUtility takes gradients given by hand instead.
//
//   struct Peak {
//     template <class T>
//     T operator()(const rgu::OccupancyView<T>& lambda, const rgu::NatureView<T>& xi) const {
//       using std::exp;
//       return lambda(0, 1) * exp(xi(0));
//     }
//   };
//   const rgu::CustomUtility utility(Peak{}, {.shape = {.states = 2, .actions = 2},
//                                             .nature_dimension = 1,
//                                             .traits = {.convex_in_occupancy = true}});
#pragma once

#include <cassert>
#include <utility>

#include "rgu/utility/active.hpp"
#include "rgu/utility/function.hpp"
#include "rgu/utility/tape.hpp"

namespace rgu {

// lambda(s, a), for any scalar. A view: the entries, row s after row, belong to someone else.
template <class T>
class OccupancyView {
 public:
  OccupancyView(const T* entries, OccupancyShape shape) : entries_(entries), shape_(shape) {}

  Index states() const { return shape_.states; }
  Index actions() const { return shape_.actions; }
  const T& operator()(Index state, Index action) const {
    assert(0 <= state && state < states() && 0 <= action && action < actions());
    return entries_[state * shape_.actions + action];
  }

 private:
  const T* entries_;
  OccupancyShape shape_;
};

// xi(i), for any scalar. A view, as above.
template <class T>
class NatureView {
 public:
  NatureView(const T* entries, Index size) : entries_(entries), size_(size) {}

  Index size() const { return size_; }
  const T& operator()(Index i) const {
    assert(0 <= i && i < size_);
    return entries_[i];
  }

 private:
  const T* entries_;
  Index size_;
};

// The utility with the value function(lambda, xi), and both gradients by reverse mode at a small
// multiple of the cost of the value. `function` is called with T = Active, whose header lists the
// operations it offers, and must be a pure function of its arguments: it runs once or twice to be
// recorded and is then played back. It may branch on the values; a new branch is a new recording.
//
// May be evaluated from several threads, which take turns. Stays where it is made (not copied, not
// moved); to share it, put it in a std::shared_ptr. Throws InvalidInput as DeclaredUtility and Tape
// do; what the function throws passes through.
template <class Function>
class CustomUtility final : public DeclaredUtility {
 public:
  CustomUtility(Function function, UtilityDeclaration declaration)
      : DeclaredUtility(std::move(declaration)),
        function_(std::move(function)),
        tape_(states() * actions() + nature_dimension(),
              [this](const Active* inputs) { return recorded(inputs); }) {}
  CustomUtility(const CustomUtility&) = delete;
  CustomUtility& operator=(const CustomUtility&) = delete;

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    check_arguments(occupancy, nature);
    Vector inputs(occupancy.size() + nature.size());
    inputs << flatten(occupancy), nature;
    Vector gradient;
    const double value = tape_.differentiate(inputs, gradient);
    return {.value = value,
            .occupancy = Eigen::Map<const Matrix>(gradient.data(), states(), actions()),
            .nature = gradient.tail(nature.size())};
  }

  // How often the function was recorded so far: more than once only because of branches, or
  // because many custom utilities are in use at once.
  int recordings() const { return tape_.recordings(); }

 private:
  Active recorded(const Active* inputs) const {
    const OccupancyView<Active> lambda(inputs, {.states = states(), .actions = actions()});
    const NatureView<Active> xi(inputs + states() * actions(), nature_dimension());
    return function_(lambda, xi);
  }

  Function function_;
  mutable Tape tape_;  // a cache of the recording, behind its own mutex
};

}  // namespace rgu
