# Tests of the generators and file formats.
set(RGU_WORLD_TESTS
  binary_file_test.cpp
  csv_file_test.cpp
  generators_test.cpp
  json_file_test.cpp
  prism_file_test.cpp
  world_file_test.cpp
  world_slice_test.cpp)
