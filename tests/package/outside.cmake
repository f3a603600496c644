# Configures and builds the project SOURCE in WORK/build against the library installed in PREFIX.
cmake_minimum_required(VERSION 3.25)

# Eigen allocates differently under the address sanitizer: both sides must be built alike.
set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

file(REMOVE_RECURSE ${WORK}/build)
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_PREFIX_PATH=${PREFIX}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -D CMAKE_CXX_FLAGS=${flags})
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} --build ${WORK}/build)
