// The problem of the envelope as methods for models of any size see it: whole, or spread over
// processes.
#pragma once

#include <memory>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/convex_set.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// A linear minorant on Lambda: Gamma(l) >= offset + <slope, l>.
struct Cut {
  Matrix slope = {};  // (S, A)
  double offset = 0;
  std::vector<WitnessPiece> pieces = {};  // what it is the mean of; empty: not kept
};

// The mean of minorants by weights (negative ones count as 0), a minorant itself; the last where
// all weights are 0.
Cut mean_cut(const std::vector<Cut>& cuts, const Vector& weights);

// Gamma at a member of Lambda. The cut touches f at the worst xi found, so it is a minorant even
// where that is not the worst.
struct EnvelopePoint {
  Matrix occupancy = {};
  double value = 0;  // Gamma is at most this (best found: at least)
  AnswerKind kind = AnswerKind::kExact;
  Vector nature = {};
  Cut cut = {};
};

// What follows from playing one policy.
class EvaluatedPolicy {
 public:
  virtual ~EvaluatedPolicy() = default;
  virtual Matrix occupancy() const = 0;
  virtual Matrix action_value(const Matrix& cost) const = 0;  // Q, (S, A)
};

// min over Lambda of Gamma(lambda) = max over xi of f_xi(lambda), f convex in lambda. Where
// processes share a model, each holds the rows of its own states in every matrix over (state,
// action), all make the same calls, and every number is that of the whole, the same on all of them.
class EnvelopeModel {
 public:
  virtual ~EnvelopeModel() = default;
  virtual Index states() const = 0;      // of the whole
  virtual Index own_states() const = 0;  // of these, here
  virtual Index actions() const = 0;

  virtual std::unique_ptr<EvaluatedPolicy> evaluated(const Matrix& policy) const = 0;
  // The worst case of a member; `hint`, if not empty: a xi near the worst.
  virtual EnvelopePoint at(Matrix occupancy, const Vector& hint) const = 0;
  // As planned_bound (certificate.hpp), with the actions and values of the own states.
  virtual PlannedBound planned(const Cut& minorant, const Vector& guess) const = 0;
  virtual double sum(double own) const = 0;      // over the processes
  virtual double largest(double own) const = 0;  // of the processes

  double dot(const Matrix& a, const Matrix& b) const { return sum(a.cwiseProduct(b).sum()); }
  // The minorant at a member.
  double value(const Cut& cut, const Matrix& occupancy) const {
    return cut.offset + dot(cut.slope, occupancy);
  }
};

// A problem whose parts are all here. A view.
struct EnvelopeProblem {
  const FiniteMdp& mdp;
  const Utility& utility;
  const ConvexSet& ambiguity;
};

// Throws InvalidInput unless the parts fit together and the utility is convex in the occupancy.
void check_envelope_problem(const EnvelopeProblem& problem);

EnvelopePoint envelope_at(const EnvelopeProblem& problem, Matrix occupancy,
                          const Vector& hint = {});

// f_xi linearised at an occupancy.
Cut tangent_cut(const EnvelopeProblem& problem, const Matrix& occupancy, const Vector& nature);

// Such a problem as a model.
class WholeModel final : public EnvelopeModel {
 public:
  explicit WholeModel(const EnvelopeProblem& problem) : problem_(problem) {}

  const EnvelopeProblem& problem() const { return problem_; }

  Index states() const override { return problem_.mdp.states(); }
  Index own_states() const override { return states(); }
  Index actions() const override { return problem_.mdp.actions(); }
  std::unique_ptr<EvaluatedPolicy> evaluated(const Matrix& policy) const override;
  EnvelopePoint at(Matrix occupancy, const Vector& hint) const override;
  PlannedBound planned(const Cut& minorant, const Vector& guess) const override;
  double sum(double own) const override { return own; }
  double largest(double own) const override { return own; }

 private:
  EnvelopeProblem problem_;
};

}  // namespace rgu
