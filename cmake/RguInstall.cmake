# The whole library as one target, its installation, and the package that find_package(rgu) finds.
# To be included after every rgu_library was made.

include(CMakePackageConfigHelpers)

get_property(rgu_libraries GLOBAL PROPERTY RGU_LIBRARIES)

# rgu::rgu links every folder's library except rgu::autodiff, which brings ADOL-C with it and is
# linked by those who ask for it.
set(rgu_core_libraries ${rgu_libraries})
list(REMOVE_ITEM rgu_core_libraries rgu_autodiff)
list(TRANSFORM rgu_core_libraries REPLACE "^rgu_" "rgu::" OUTPUT_VARIABLE rgu_core_aliases)
add_library(rgu INTERFACE)
add_library(rgu::rgu ALIAS rgu)
target_link_libraries(rgu INTERFACE ${rgu_core_aliases})

if(NOT RGU_INSTALL)
  return()
endif()

# Everything here belongs to the component rgu: `cmake --install DIR --component rgu`.
set(rgu_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rgu)
install(TARGETS rgu ${rgu_libraries} EXPORT rguTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rgu)
# Headers of rgu::autodiff are of no use without it.
if(NOT TARGET rgu_autodiff)
  set(rgu_left_out REGEX "/utility/(active|custom|tape)\\.hpp$" EXCLUDE)
endif()
foreach(library IN LISTS rgu_libraries)
  get_target_property(folder ${library} SOURCE_DIR)
  list(APPEND rgu_folders ${folder})
endforeach()
list(REMOVE_DUPLICATES rgu_folders)
install(DIRECTORY ${rgu_folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rgu COMPONENT rgu
  FILES_MATCHING PATTERN "*.hpp" ${rgu_left_out})
install(EXPORT rguTargets NAMESPACE rgu:: DESTINATION ${rgu_package_dir} COMPONENT rgu)

set(rgu_has_autodiff ${RGU_AUTODIFF})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rguConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rguConfig.cmake INSTALL_DESTINATION ${rgu_package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rguConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rguConfig.cmake ${PROJECT_BINARY_DIR}/rguConfigVersion.cmake
  DESTINATION ${rgu_package_dir} COMPONENT rgu)
