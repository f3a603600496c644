// The scripts and styles of the page, compiled into the library from the folder assets/.
#pragma once

#include <string_view>

namespace rgu::report {

struct Asset {
  std::string_view text;
  std::string_view sha256;  // of the text, 64 hexadecimal digits
};

const Asset& uplot_iife_min_js();
const Asset& uplot_min_css();
const Asset& license_uplot();
const Asset& report_js();
const Asset& report_css();

}  // namespace rgu::report
