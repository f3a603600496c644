// A text that tries to break out of every place where a page may show it.
#pragma once

#include <string>

namespace rgu {

inline std::string hostile_text() {
  return "</script><script>alert(1)</script><script>window.hacked=1</script>"
         "<img src=x onerror=window.hacked=2><svg onload=window.hacked=3></svg>"
         "<iframe srcdoc='<script>parent.hacked=4</script>'></iframe>"
         "</style></title></textarea></pre><a href=\"javascript:window.hacked=5\">x</a>"
         "\" onmouseover=\"window.hacked=6\" onfocus=window.hacked=7 autofocus "
         "${window.hacked=8} javascript:window.hacked=9 ../../x <base href=//evil.invalid>"
         "<meta http-equiv=refresh content=0;url=//evil.invalid><!-- \" ' & \u2028 ]]> "
         "\u202Egpj.exe \xff\x01" +
         std::string(1, '\0') + std::string(2000, 'w');
}

}  // namespace rgu
