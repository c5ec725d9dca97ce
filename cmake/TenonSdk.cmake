# Installs the SDK, against which a hardware maker builds a plugin with find_package(Tenon):
# `cmake --install BUILD --component sdk --prefix FOLDER`. TenonRuntime.cmake installs the package file.
set(package lib/cmake/Tenon)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tenon DESTINATION include COMPONENT sdk
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.inc" PATTERN "test" EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/tenon DESTINATION include COMPONENT sdk
        FILES_MATCHING PATTERN "*.inc")
install(EXPORT tenon FILE TenonLibraries.cmake DESTINATION ${package} COMPONENT sdk)
install(FILES cmake/TenonMlir.cmake cmake/TenonPlugin.cmake cmake/plugin_exports.map
        cmake/fix_unwind_table.py DESTINATION ${package} COMPONENT sdk)
