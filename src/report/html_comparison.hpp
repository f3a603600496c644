// Several runs side by side: the same axes, one table.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"

namespace rgu {

// The runs are told apart by their methods, or by their problems where the methods are the same.
// Throws InvalidInput without runs, and as html_report does.
std::string html_comparison(const std::vector<RunRecord>& runs);

}  // namespace rgu
