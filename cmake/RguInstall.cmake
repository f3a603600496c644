# The whole library as one target, its installation, and the package that find_package(rgu) finds.
# To be included after every rgu_library was made.

include(CMakePackageConfigHelpers)

get_property(rgu_libraries GLOBAL PROPERTY RGU_LIBRARIES)

# rgu::rgu links every folder's library except those that bring much with them and are linked by those
# who ask for them: rgu::autodiff (ADOL-C), rgu::llm_* (Unicode and compression; llm_torch: LibTorch),
# rgu::align*, which stands on those, and rgu::mpi and rgu::large (MPI and PETSc).
set(rgu_core_libraries ${rgu_libraries})
set(rgu_llm_libraries ${rgu_libraries})
list(FILTER rgu_llm_libraries INCLUDE REGEX "^rgu_(llm_|align)")
set(rgu_rank_libraries ${rgu_libraries})
list(FILTER rgu_rank_libraries INCLUDE REGEX "^rgu_(mpi|large)$")
list(REMOVE_ITEM rgu_core_libraries rgu_autodiff ${rgu_llm_libraries} ${rgu_rank_libraries})
list(TRANSFORM rgu_core_libraries REPLACE "^rgu_" "rgu::" OUTPUT_VARIABLE rgu_core_aliases)
add_library(rgu INTERFACE)
add_library(rgu::rgu ALIAS rgu)
target_link_libraries(rgu INTERFACE ${rgu_core_aliases})

if(NOT RGU_INSTALL)
  return()
endif()

# Everything here belongs to the component rgu: `cmake --install DIR --component rgu`.
set(rgu_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rgu)
list(REMOVE_ITEM rgu_libraries ${rgu_llm_libraries} ${rgu_rank_libraries})
install(TARGETS rgu ${rgu_libraries} EXPORT rguTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rgu)
# The words of one instruction set are for sources that are compiled for it; headers of rgu::autodiff are of no use
# without it.
set(rgu_left_out REGEX "/base/word_[a-z0-9]+\\.hpp$" EXCLUDE)
if(NOT TARGET rgu_autodiff)
  list(APPEND rgu_left_out REGEX "/utility/(active|custom|tape)\\.hpp$" EXCLUDE)
endif()
foreach(library IN LISTS rgu_libraries)
  get_target_property(folder ${library} SOURCE_DIR)
  list(APPEND rgu_folders ${folder})
endforeach()
list(REMOVE_DUPLICATES rgu_folders)
install(DIRECTORY ${rgu_folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rgu COMPONENT rgu
  FILES_MATCHING PATTERN "*.hpp" ${rgu_left_out})
install(EXPORT rguTargets NAMESPACE rgu:: DESTINATION ${rgu_package_dir} COMPONENT rgu)

# The components llm and torch have files of targets of their own, read only where they are asked for.
# rgu_install_component(NAME LIBRARY...): NAME is spelled as in rguConfig.cmake.in.
function(rgu_install_component name)
  install(TARGETS ${ARGN} EXPORT rgu_${name}_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rgu)
  install(EXPORT rgu_${name}_targets NAMESPACE rgu:: DESTINATION ${rgu_package_dir} COMPONENT rgu)
  foreach(library IN LISTS ARGN)
    get_target_property(folder ${library} SOURCE_DIR)
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR}/src ${folder})
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rgu/${place} COMPONENT rgu
      FILES_MATCHING PATTERN "*.hpp" PATTERN "cli" EXCLUDE)
  endforeach()
endfunction()
if(RGU_LLM)
  rgu_install_component(llm rgu_llm_files rgu_llm_text rgu_llm_decode)
endif()
if(TARGET rgu_llm_torch)
  rgu_install_component(torch rgu_llm_torch rgu_align rgu_align_training)
endif()

set(rgu_has_autodiff ${RGU_AUTODIFF})
set(rgu_has_llm ${RGU_LLM})
set(rgu_has_torch OFF)
if(TARGET rgu_llm_torch)
  set(rgu_has_torch ON)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rguConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rguConfig.cmake INSTALL_DESTINATION ${rgu_package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rguConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rguConfig.cmake ${PROJECT_BINARY_DIR}/rguConfigVersion.cmake
  DESTINATION ${rgu_package_dir} COMPONENT rgu)
