// What alignment runs came to: in words, in large numbers and in tables, as HTML.
#pragma once

#include <string>
#include <vector>

#include "rgu/align/record.hpp"
#include "rgu/report/curves.hpp"

namespace rgu::align {

std::string result_section(const RunRecord& run);
std::string warning_section(const std::vector<RunRecord>& runs,
                            const std::vector<std::string>& names);  // names: none for a single run
std::string seeds_section(const RunRecord& run);
std::string comparison_section(const std::vector<RunRecord>& runs,
                               const std::vector<std::string>& names);

// Figures under a heading, in rows of three or of two; empty where there are none.
enum class FigureRows { kThree, kTwo };
std::string figures_html(std::string_view heading, const std::vector<report::CurveFigure>& figures,
                         FigureRows rows);

std::string facts_html(const RunRecord& run);

}  // namespace rgu::align
