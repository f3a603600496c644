#include "rgu/align/training/together.hpp"

namespace rgu::align {
namespace {

// How a task ended: the first letter of its message.
constexpr char kWell = 'w';
constexpr char kError = 'e';
constexpr char kStopped = 's';

std::string message_of(const std::function<std::string()>& task) {
  try {
    return kWell + task();
  } catch (const Interrupted&) {
    return {kStopped};
  } catch (const InvalidInput& error) {
    return kError + std::string(error.what());
  }
}

}  // namespace

std::vector<std::string> gathered(Ranks& ranks, const std::function<std::string()>& task) {
  if (ranks.size() == 1) return {task()};
  std::vector<std::string> all = ranks.gather(message_of(task));
  for (const std::string& message : all) {
    if (message.front() == kStopped) throw Interrupted();
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::string& message = all[rank];
    const bool well = message.front() == kWell;
    message.erase(0, 1);
    if (!well)
      throw SharedComplaint(rank == 0 ? message : fmt::format("rank {}: {}", rank, message));
  }
  return all;
}

}  // namespace rgu::align
