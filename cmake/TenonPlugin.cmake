# The SDK contains this file too, for plugins outside of Tenon's tree.
#
# tenon_fix_unwind_table(<name>): lets exceptions pass through all of LLVM's functions in this program
# or library (fix_unwind_table.py). Without it some end the process.
function(tenon_fix_unwind_table name)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fix_unwind_table.py)
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ${Python3_EXECUTABLE} ${script} $<TARGET_FILE:${name}>)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()

# tenon_plugin(<name> <source...> [RUNTIME_ONLY] [EXPORTS map] [DEPS lib...]): a PJRT plugin in the
# build folder's lib; without the compiler if it is RUNTIME_ONLY. It exports only GetPjrtApi, or the symbols in the version script EXPORTS. LLVM's
# symbols stay local, so that the process may contain other copies of LLVM. The plugin is never
# unloaded, because frameworks keep pointers to it.
function(tenon_plugin name)
  cmake_parse_arguments(arg "RUNTIME_ONLY" "EXPORTS" "DEPS" ${ARGN})
  add_library(${name} SHARED ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  target_link_libraries(${name} PRIVATE tenon_c_api tenon_extensions tenon_client ${arg_DEPS})
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin_exports.map)
  if(arg_EXPORTS)
    set(exports ${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS})
  endif()
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${exports}
    -Wl,--gc-sections -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,-z,nodelete)
  if(NOT TENON_SANITIZE)  # the program that loads the plugin contains the sanitizer's runtime
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${exports})
  if(TARGET tenon_compiler AND NOT arg_RUNTIME_ONLY)
    target_link_options(${name} PRIVATE -fuse-ld=lld)
    target_compile_definitions(${name} PRIVATE TENON_HAS_COMPILER)
    target_link_libraries(${name} PRIVATE tenon_compiler tenon_mlir_archives
      $<TARGET_NAME_IF_EXISTS:tenon_built_in_code>)
    tenon_fix_unwind_table(${name})
  endif()
endfunction()

