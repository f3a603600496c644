// A run as SVG files, for papers and slides.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"

namespace rgu {

struct Figure {
  std::string name;  // file stem: "objective"
  std::string title;
  std::string svg;  // a whole file, on white
};

// The curves, the nominal value against the worst case, and the maps of the seed with the lowest
// worst case. Names are different from each other. Throws InvalidInput as html_report does.
std::vector<Figure> figures(const RunRecord& run);

}  // namespace rgu
