# Defines Tenon::pjrt, the C++20 client over any PJRT plugin: #include "tenon/pjrt.hpp".
include(CMakeFindDependencyMacro)
find_dependency(Threads)
if(NOT TARGET Tenon::pjrt)
  get_filename_component(_tenon_pjrt_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
  add_library(Tenon::pjrt INTERFACE IMPORTED)
  set_target_properties(Tenon::pjrt PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${_tenon_pjrt_prefix}/include
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
endif()
