# Defines Tenon's libraries as targets tenon_*, and tenon_plugin() to build a plugin.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(nlohmann_json)
include(${CMAKE_CURRENT_LIST_DIR}/TenonMlir.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TenonLibraries.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TenonPlugin.cmake)
