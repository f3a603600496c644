// Plain data of one run: all that a report is made of.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/types.hpp"
#include "rgu/base/version.hpp"
#include "rgu/record/metrics.hpp"

namespace rgu {

// A member of the ambiguity set at which the policy does worst.
struct WorstCaseRecord {
  double value = Metrics::kNone;  // Gamma
  AnswerKind kind = AnswerKind::kExact;
  double gap = Metrics::kNone;  // the true maximum is at most value + gap; infinite for kBestFound
  std::string method;           // one line: how it was found
  Vector nature;                // the worst xi
};

// A linear minorant of f_xi, and its share in a witness.
struct WitnessPieceRecord {
  double weight = 0;
  Vector nature;     // xi
  Matrix occupancy;  // (S, A): where f_xi is linearised; empty where that does not matter
  Vector direction;  // of a drift: u; else empty
};

// What proves a lower bound (rgu::Witness in global/certificate.hpp).
struct WitnessRecord {
  std::vector<WitnessPieceRecord> pieces;  // empty: there is none
  Vector potential;                        // V: (S)
  double shortfall = Metrics::kNone;       // e

  bool exists() const { return !pieces.empty(); }
};

// What is proven about the policies that a problem admits.
struct CertificateRecord {
  double lower_bound = Metrics::kNone;  // no policy has a smaller worst case; NaN: nothing is known
  double best_known = Metrics::kNone;   // the smallest worst case that some policy is known to have
  double gap_asked = Metrics::kNone;    // the gap that ends the search; NaN: not known
  std::string method;                   // one line: how the bound was found
  WitnessRecord witness;                // of the bound

  bool exists() const { return !std::isnan(lower_bound); }
};

// A distribution over members of the ambiguity set.
struct MixtureRecord {
  Vector weights = {};               // >= 0, sum 1
  std::vector<Vector> members = {};  // as many
};

// The adversary's side of a run. Empty vectors: the method has none.
struct AdversaryRecord {
  Vector last = {};            // xi_K, of the last iterate
  Vector drawn = {};           // xi of the uniformly drawn iterate
  Vector average = {};         // of the iterates, where the method averages
  MixtureRecord mixture = {};  // the adversary's optimal strategy, where a witness proves it
};

// The limits of a constrained problem, at the policy that was found.
struct LimitRecord {
  Vector violation;  // (K): what each constraint is above its limit; empty: there are no limits
  Vector needed;  // the multipliers that it takes to keep them, where the ambiguity set lacks them
  // No policy keeps all limits: sum_k y_k (<c_k, lambda> - tau_k) >= excess > 0, whatever the
  // policy, by the potential V over states.
  Vector combination;  // y: (K); empty: not proven
  double excess = Metrics::kNone;
  Vector potential;  // V: (S)

  bool is_infeasible() const { return combination.size() > 0; }
};

// What rounding leaves of a value that is 0: shown as 0.
inline double shown_value(double value) { return std::abs(value) < 1e-13 ? 0.0 : value; }

// Where the states of a grid world lie: state -> row * columns + column. Cells without a state are
// walls. `marks`: one character a cell, row by row, as in the map ('S', 'G', 'H', '#', '.').
struct GridRecord {
  int rows = 0;
  int columns = 0;
  std::vector<int> cell_of_state;
  std::string marks;
};

// The sizes of a problem, and what a report needs to draw what was found.
struct WorldRecord {
  Index states = 0;
  Index actions = 0;
  // xi is a (rows, columns) matrix, row after row; {n, 1} for a plain vector.
  Index nature_rows = 0;
  Index nature_columns = 0;
  Vector nature_centre;                   // the nominal xi
  std::vector<std::string> action_names;  // may be empty
  std::optional<GridRecord> grid;
};

struct SeedRecord {
  std::uint64_t seed = 0;
  std::string status;  // how it ended, in words: "reached 300 iterations"
  bool solved = true;  // false: diverged, interrupted, infeasible: `status` and `notes` say
  std::vector<Metrics> metrics;
  std::vector<double> seconds;      // wall time at each of `metrics`; may be shorter after a crash
  Matrix policy;                    // (S, A): pi(a|s) of the last iterate
  Matrix occupancy;                 // (S, A): lambda(s,a)
  double nominal = Metrics::kNone;  // f at the centre of the ambiguity set
  WorstCaseRecord worst_case;
  // Of the policy that was trained without ambiguity; NaN: there is none.
  double baseline_nominal = Metrics::kNone;
  double baseline_worst_case = Metrics::kNone;
  double published_worst_case = Metrics::kNone;  // of the published method's policy; NaN: none
  CertificateRecord certificate;
  AdversaryRecord adversary;
  // Of a constrained problem: one for each limit, as the method found them; else empty.
  Vector multipliers;
  LimitRecord limits;
  std::vector<std::string> notes;    // about this seed
  std::optional<WorldRecord> world;  // its own, where it differs from that of the first seed

  // The worst case is within this of the global optimum; NaN: not known.
  double optimality_gap() const {
    const double slack = worst_case.kind == AnswerKind::kCertified ? worst_case.gap : 0;
    return worst_case.value + slack - certificate.lower_bound;
  }
};

// With the world of the first seed.
struct RunRecord : WorldRecord {
  std::string name;         // of the problem
  std::string description;  // one sentence
  std::string version;      // of rgu, and the compiler
  BuildFacts build;         // what its last bits may depend on; empty: not recorded
  std::string config;       // config.toml, complete
  std::string fingerprint;  // of the config and of the model file: what the run was made from
  std::string method;       // of the solver, in words
  std::string utility;      // in words, with its formula in plain text
  std::string ambiguity;    // in words, with its sizes
  double discount = 0;
  // Theory notes, and warnings such as a degenerate radius, a nonsmooth utility or a utility that
  // is not strongly concave; one paragraph each.
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  // Does each seed have a random world of its own? Then their values are not for ranking.
  bool own_instances = false;
  std::vector<SeedRecord> seeds;
};

inline const WorldRecord& world_of(const RunRecord& run, const SeedRecord& seed) {
  return seed.world ? *seed.world : run;
}

}  // namespace rgu
