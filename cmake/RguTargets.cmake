# One target per folder, one test program per folder.

# rgu_library(NAME [SOURCES ...] [DEPENDS rgu::x ...] [PRIVATE_DEPENDS ...])
# makes rgu_NAME (alias rgu::NAME); without sources it is header-only.
function(rgu_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(rgu_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(rgu_${name} PRIVATE ${ARG_PRIVATE_DEPENDS})
    set_target_properties(rgu_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    rgu_compile_options(rgu_${name})
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

# Warnings, and sanitizers where asked for, on our own code only.
function(rgu_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
  if(RGU_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(RGU_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${RGU_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${RGU_SANITIZE})
  endif()
endfunction()

# rgu_test(NAME SOURCES ... DEPENDS ... [LABELS ...]): one GoogleTest program and one CTest entry. (One
# entry per test case would start two thousand processes: minutes, under sanitizers.)
function(rgu_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    RGU_REFERENCE_DIR="${RGU_TEST_SOURCE}/tests/reference"
    RGU_DATA_DIR="${RGU_TEST_SOURCE}/../shared/data")
  rgu_compile_options(${name})
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200 LABELS "${ARG_LABELS}")
endfunction()

# rgu_mpi_environment(TEST): lets Open MPI start it as root and on few cores; what MPI itself never frees is no leak.
# One thread in each process.
function(rgu_mpi_environment test)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1)
endfunction()
