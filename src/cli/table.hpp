// Tables of text for the terminal.
#pragma once

#include <string>
#include <vector>

namespace rgu {

using TableRow = std::vector<std::string>;

// The first row is the head; numbers are set flush right. Every line ends in a line break;
// what cells hold cannot break one.
std::string table(const std::vector<TableRow>& rows);

// "-0.1321", "3.2e-05", "-" for NaN.
std::string short_number(double value);

// "mean +- standard deviation"; without the second for one value.
std::string mean_and_deviation(const std::vector<double>& values);

}  // namespace rgu
