#include "rgu/mdp/io/place.hpp"

#include <cmath>

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kLongest ? "..." : "");
}

std::string excerpt(std::string_view text) { return fmt::format("'{}'", printable(text)); }

bool is_distribution(std::span<const double> probabilities) {
  double sum = 0;
  for (const double p : probabilities) {
    if (!(p >= 0)) return false;
    sum += p;
  }
  return std::abs(sum - 1.0) <= FiniteMdp::kRowSumTolerance;
}

void check_distribution(const Place& place, std::string_view thing,
                        std::span<const double> probabilities) {
  if (is_distribution(probabilities)) return;
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i];
    check_at(std::isfinite(p) && p >= 0, place, "{} holds {} at {}, must be finite and >= 0", thing,
             p, i);
    sum += p;
  }
  fail_at(place, "{} sums to {:.17g}, must be 1 within {:g}", thing, sum,
          FiniteMdp::kRowSumTolerance);
}

}  // namespace rgu
