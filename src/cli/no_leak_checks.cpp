// For programs with MPI under AddressSanitizer: what MPI and what it loads never free is no leak of
// ours.
extern "C" const char* __asan_default_options();  // NOLINT: the sanitizer's name for it

extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
