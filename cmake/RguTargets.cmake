# One target per folder, one test program per folder.

# Headers of others that nearly every source reads, compiled once for libraries and once for tests: half of the
# time of a build goes into them. Sources with instruction sets of their own must not see Eigen, and are left out.
function(rgu_precompile target kind)
  if(RGU_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM rgu_headers_${kind})
  endif()
endfunction()

# rgu_without_headers(SOURCE...): these sources get no precompiled headers.
function(rgu_without_headers)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# rgu_own_headers(TARGET HEADER...): precompiled headers for this target alone.
function(rgu_own_headers target)
  if(RGU_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# rgu_apart(SOURCE...): where sources are compiled in batches (CMAKE_UNITY_BUILD), these are compiled one by one, as
# their names without linkage are also those of others or stand in types that have it.
function(rgu_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# rgu_headers(KIND DEPENDS ... HEADERS ...): makes them.
function(rgu_headers kind)
  cmake_parse_arguments(ARG "" "" "DEPENDS;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/headers_${kind}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(rgu_headers_${kind} OBJECT ${source})
  target_link_libraries(rgu_headers_${kind} PRIVATE ${ARG_DEPENDS})
  target_compile_features(rgu_headers_${kind} PRIVATE cxx_std_20)
  target_precompile_headers(rgu_headers_${kind} PRIVATE ${ARG_HEADERS})
  rgu_compile_options(rgu_headers_${kind})
endfunction()

# rgu_library(NAME [SOURCES ...] [DEPENDS rgu::x ...] [PRIVATE_DEPENDS ...] [OWN_HEADERS])
# makes rgu_NAME (alias rgu::NAME); without sources it is header-only. OWN_HEADERS: not the precompiled ones.
function(rgu_library name)
  cmake_parse_arguments(ARG "OWN_HEADERS" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(rgu_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(rgu_${name} PRIVATE ${ARG_PRIVATE_DEPENDS})
    set_target_properties(rgu_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    rgu_compile_options(rgu_${name})
    if(NOT ARG_OWN_HEADERS)
      rgu_precompile(rgu_${name} library)
    endif()
  else()
    add_library(rgu_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(rgu::${name} ALIAS rgu_${name})
  target_link_libraries(rgu_${name} ${scope} ${ARG_DEPENDS})
  target_compile_features(rgu_${name} ${scope} cxx_std_20)
  target_include_directories(rgu_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(rgu_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY RGU_LIBRARIES rgu_${name})
endfunction()

set(RGU_CONTROL_FLOW -mbranch-protection=standard)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(RGU_CONTROL_FLOW -fcf-protection)
endif()

# Warnings, and sanitizers where asked for, on our own code only.
function(rgu_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
  # Hardened: overflows of buffers and stacks, overwritten tables of addresses. The checks of the standard
  # library's containers are for the preset dev: they cost time in inner loops.
  if(RGU_HARDEN AND NOT RGU_SANITIZE)
    target_compile_options(${target} PRIVATE -fstack-protector-strong -fstack-clash-protection ${RGU_CONTROL_FLOW}
      $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
    target_link_options(${target} PUBLIC -Wl,-z,relro,-z,now)
  endif()
  if(RGU_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(RGU_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${RGU_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all ${RGU_SANITIZE_LESS})
    target_link_options(${target} PUBLIC -fsanitize=${RGU_SANITIZE})
  endif()
endfunction()

# rgu_quick_to_compile(TARGET): for targets without inner loops. Release builds compile them with -O1, in two thirds of
# the time, and in larger batches.
function(rgu_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# rgu_test(NAME SOURCES ... DEPENDS ... [LABELS ...] [THREADED FILTER]): one GoogleTest program and one CTest
# entry. (One entry per test case would start two thousand processes: minutes, under sanitizers.) THREADED: what the
# filter lets through runs in threads; the preset tsan runs that.
function(rgu_test name)
  cmake_parse_arguments(ARG "OWN_HEADERS" "THREADED" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    RGU_REFERENCE_DIR="${RGU_TEST_SOURCE}/tests/reference"
    RGU_DATA_DIR="${RGU_TEST_SOURCE}/../shared/data")
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF) # tests name things shortly and alike
  rgu_compile_options(${name})
  rgu_quick_to_compile(${name})
  if(NOT ARG_OWN_HEADERS)
    rgu_precompile(${name} test)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  list(APPEND ARG_LABELS unit)
  if(ARG_THREADED)
    list(APPEND ARG_LABELS threads)
    if(RGU_SANITIZE STREQUAL thread) # the threads of OpenBLAS are not compiled by us, and look like races
      set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_FILTER=${ARG_THREADED};OPENBLAS_NUM_THREADS=1")
    endif()
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200 LABELS "${ARG_LABELS}")
  if(CMAKE_CROSSCOMPILING) # an emulated program cannot start itself, as death tests do, and takes ten times as long
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600 ENVIRONMENT "GTEST_FILTER=-*DeathTest.*")
  endif()
endfunction()

# rgu_mpi_environment(TEST): lets Open MPI start it as root and on few cores; what MPI itself never frees is no leak.
# One thread in each process.
function(rgu_mpi_environment test)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1)
endfunction()
