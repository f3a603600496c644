# Installs BUILD into PREFIX, from nothing: no file of an earlier installation may be found later.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --component rgu --prefix ${PREFIX})
