# Takes the first cmake, cpp and text blocks out of README as a project, its program and the output
# of that; builds it against the library installed in PREFIX, runs it and compares.
cmake_minimum_required(VERSION 3.25)

file(READ ${README} readme)

# fenced_block(LANGUAGE OUT): what stands between ```LANGUAGE and the next ```.
function(fenced_block language out)
  string(FIND "${readme}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${README} has no block of ${language}")
  endif()
  string(LENGTH "\n```${language}\n" fence)
  math(EXPR begin "${begin} + ${fence}")
  string(SUBSTRING "${readme}" ${begin} -1 rest)
  string(FIND "${rest}" "```" length)
  string(SUBSTRING "${rest}" 0 ${length} block)
  set(${out} "${block}" PARENT_SCOPE)
endfunction()

fenced_block(cmake project)
fenced_block(cpp program)
fenced_block(text expected)
set(SOURCE ${WORK}/source)
file(WRITE ${SOURCE}/CMakeLists.txt "${project}")
file(WRITE ${SOURCE}/main.cpp "${program}")

include(${CMAKE_CURRENT_LIST_DIR}/outside.cmake)

execute_process(COMMAND ${WORK}/build/hello OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "the program of ${README} printed\n${printed}instead of\n${expected}")
endif()
