# Installs the SDK, against which a hardware maker builds a plugin with find_package(Tenon):
# `cmake --install BUILD --component sdk --prefix FOLDER`.
include(CMakePackageConfigHelpers)

set(package lib/cmake/Tenon)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tenon DESTINATION include COMPONENT sdk
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.inc" PATTERN "test" EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/tenon DESTINATION include COMPONENT sdk
        FILES_MATCHING PATTERN "*.inc")
install(EXPORT tenon FILE TenonLibraries.cmake DESTINATION ${package} COMPONENT sdk)
install(FILES cmake/TenonConfig.cmake cmake/TenonMlir.cmake cmake/TenonPlugin.cmake
              cmake/plugin_exports.map
        DESTINATION ${package} COMPONENT sdk)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
                                 COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake DESTINATION ${package}
        COMPONENT sdk)
