// A run as one web page that needs nothing else: it can be sent to a colleague.
#pragma once

#include <string>

#include "rgu/record/run_record.hpp"

namespace rgu {

// The whole page: result, warnings, every seed, curves, maps, settings, theory. It reaches no
// network. Throws InvalidInput where the shapes in the record contradict each other.
std::string html_report(const RunRecord& run);

}  // namespace rgu
