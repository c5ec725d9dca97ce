# Installs what programs need to run .tenon files, and the plugins:
#   cmake --install BUILD --component runtime --prefix FOLDER   libtenon_runtime, its headers,
#       find_package(Tenon COMPONENTS runtime), pkg-config tenon-runtime
#   cmake --install BUILD --component plugin --prefix FOLDER    lib/tenon: the PJRT plugins
include(CMakePackageConfigHelpers)

set(package lib/cmake/Tenon)
install(TARGETS tenon_embed_static tenon_embed_shared EXPORT tenon_runtime_targets
        ARCHIVE DESTINATION lib COMPONENT runtime
        LIBRARY DESTINATION lib COMPONENT runtime NAMELINK_COMPONENT runtime)
install(FILES tenon/runtime.h tenon/runtime.hpp DESTINATION include/tenon COMPONENT runtime)
install(EXPORT tenon_runtime_targets FILE TenonRuntimeTargets.cmake NAMESPACE Tenon::
        DESTINATION ${package} COMPONENT runtime)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
                                 COMPATIBILITY ExactVersion)
foreach(component runtime sdk)
  install(FILES cmake/TenonConfig.cmake ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
          DESTINATION ${package} COMPONENT ${component})
endforeach()
configure_file(cmake/tenon-runtime.pc.in ${CMAKE_BINARY_DIR}/tenon-runtime.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon-runtime.pc DESTINATION lib/pkgconfig COMPONENT runtime)

# Some clients search a folder for pjrt_c_api_cpu_plugin.so. There is one such folder for each plugin.
foreach(name cpu runtime)
  set(plugin pjrt_plugin_tenon_${name})
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION lib/tenon COMPONENT plugin)
    set(folder ${CMAKE_BINARY_DIR}/plugin_names/${name})
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ../${plugin}.so ${folder}/pjrt_c_api_cpu_plugin.so SYMBOLIC)
    install(FILES ${folder}/pjrt_c_api_cpu_plugin.so DESTINATION lib/tenon/${name}
            COMPONENT plugin)
  endif()
endforeach()
