// The program rgu, but for main.
#pragma once

namespace rgu {

// Parses, does and says what the arguments ask for. Returns the exit code.
int run_rgu(int argc, char** argv);

}  // namespace rgu
