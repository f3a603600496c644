// The envelope solver: the policy with the least worst case of all, with a proof.
#pragma once

#include <memory>
#include <vector>

#include "rgu/global/envelope_search.hpp"

namespace rgu {

struct EnvelopeOptions {
  GapTolerance tolerance = {};
  Index iterations = 10000;  // >= 0: the most steps
};

// min over Lambda of Gamma(lambda), for every utility that is convex in the occupancy: Gamma is
// then convex too, whether f is concave in xi or not. In this order, each from the best policy so
// far, until the gap is as small as asked for:
//   drift on a ball of maps      interior points (drift_interior_point.hpp), one step
//   what can be written out      (envelope_program.hpp) a linear program by the simplex method for
//     as one convex program      S A <= kSmallModel, and interior points while its rows fit memory
//   few numbers in xi, sparse    columns and cuts before those interior points
//   linear in a few xi on sets   programs on the hull of the adversary's answers so far
//     that are not polyhedra
//   a polyhedron and one ball    programs at lengths of the ball's dual vector
//   rewards in an l_p ball, or   interior points of the flow (reward_interior_point.hpp); on sparse
//     an l_1 ball and boxes      models with S A > kSmallModel before the programs
//   all, S A <= kSmallModel      projected descent, then cutting planes
//   S A <= kProjectableModel     policy descent, columns and cuts, projected descent, then columns
//                                and cuts again
//   larger models                policy descent, then columns and cuts; memory linear in the
//                                transitions
// A method that rounding stops is followed by the next one, so that the best policy and the best
// bound of all of them are returned.
// The first step of all evaluates the uniform policy, plans against its gradient and evaluates the
// plan: where Gamma is linear that is the end. Deterministic: equal calls make equal steps, to the
// last bit.
class EnvelopeSolver {
 public:
  // Keeps references to the parts. Throws InvalidInput unless they fit together, the utility is
  // convex in the occupancy and the tolerances are > 0.
  EnvelopeSolver(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity,
                 const GapTolerance& tolerance = {});
  // The same where processes share the model, or where it is seen through an interface of its own:
  // interior points of the flow for balls of rewards, policy descent, then columns and cuts. Keeps
  // a reference to the model.
  explicit EnvelopeSolver(const EnvelopeModel& model, const GapTolerance& tolerance = {});
  ~EnvelopeSolver();

  // Before the first step: a policy to begin with as well.
  void begin_with(const Matrix& policy) { search_.offer_policy(policy); }

  // One step. False, and nothing changes, where the gap is proven or no method has more to give.
  // Throws InvalidInput, naming two occupancies, where the utility turns out not to be convex in
  // the occupancy.
  bool advance();

  const GlobalSolution& best() const { return search_.best(); }
  // Has every method given what it can? Steps from here on change nothing.
  bool is_exhausted() const { return phases_.empty(); }

 private:
  struct Phase;

  void add(std::string_view name, std::unique_ptr<EnvelopeMethod> method);

  std::unique_ptr<WholeModel> whole_;  // null: the model is the caller's
  EnvelopeSearch search_;
  std::vector<Phase> phases_;  // the last one comes first
};

inline constexpr Index kSmallModel = 2000;
inline constexpr Index kProjectableModel = 20000;

GlobalSolution envelope_minimum(const FiniteMdp& mdp, const Utility& utility,
                                const ConvexSet& ambiguity, const EnvelopeOptions& options = {});

}  // namespace rgu
