# find_package(Tenon COMPONENTS runtime): Tenon::runtime and Tenon::runtime_static, the C library of
# tenon/runtime.h. Needs nothing else.
#
# find_package(Tenon COMPONENTS sdk): Tenon's libraries as targets tenon_*, and tenon_plugin() to
# build a plugin. Needs LLVM and MLIR.
#
# Without components: sdk if it is installed here, or else runtime.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
if(NOT Tenon_FIND_COMPONENTS)
  set(Tenon_FIND_COMPONENTS sdk)
  if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/TenonLibraries.cmake)
    set(Tenon_FIND_COMPONENTS runtime)
  endif()
endif()
foreach(component ${Tenon_FIND_COMPONENTS})
  if(component STREQUAL "runtime" AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/TenonRuntimeTargets.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/TenonRuntimeTargets.cmake)
    set(Tenon_runtime_FOUND TRUE)
  elseif(component STREQUAL "sdk" AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/TenonLibraries.cmake)
    find_dependency(nlohmann_json)
    include(${CMAKE_CURRENT_LIST_DIR}/TenonMlir.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/TenonLibraries.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/TenonPlugin.cmake)
    set(Tenon_sdk_FOUND TRUE)
  elseif(Tenon_FIND_REQUIRED_${component} OR component STREQUAL "sdk" OR component STREQUAL "runtime")
    set(Tenon_FOUND FALSE)
    set(Tenon_NOT_FOUND_MESSAGE "the component '${component}' of Tenon is not installed here")
  endif()
endforeach()
