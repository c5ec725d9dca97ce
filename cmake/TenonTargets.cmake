# One function per kind of target. Sources are found by name, so that a new file needs no
# build edit: *_test.cc is a test, *_fuzz.cc a fuzzer, *_main.cc a program, the rest library.

# Heavy headers, compiled once. Every MLIR-using library reuses this precompiled header.
add_library(tenon_mlir_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/mlir_pch.cc)
target_link_libraries(tenon_mlir_pch PRIVATE tenon_mlir_headers)
target_compile_options(tenon_mlir_pch PRIVATE -Wno-deprecated-declarations)
target_include_directories(tenon_mlir_pch PRIVATE ${CMAKE_SOURCE_DIR}
                           ${CMAKE_BINARY_DIR}/generated)
target_precompile_headers(tenon_mlir_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/mlir_pch.h)

# tenon_library(<name> [MLIR] [TABLEGEN target...] [DEPS lib...]): the sources of this folder.
# MLIR: uses LLVM/MLIR headers. Makes <name> and, if there are *_test.cc, <name>_test.
function(tenon_library name)
  cmake_parse_arguments(arg "MLIR" "" "TABLEGEN;DEPS;TEST_DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  file(GLOB others CONFIGURE_DEPENDS *_fuzz.cc *_main.cc)
  if(tests OR others)
    list(REMOVE_ITEM sources ${tests} ${others})
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    _tenon_configure(${name} "${arg_MLIR}" PUBLIC)
    target_link_libraries(${name} PUBLIC ${arg_DEPS})
    if(arg_TABLEGEN)
      add_dependencies(${name} ${arg_TABLEGEN})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_DEPS})
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR}
                               ${CMAKE_BINARY_DIR}/generated)
    if(arg_MLIR)
      target_link_libraries(${name} INTERFACE tenon_mlir_headers)
    endif()
    if(arg_TABLEGEN)
      add_dependencies(${name} ${arg_TABLEGEN})
    endif()
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    _tenon_configure(${name}_test "${arg_MLIR}" PRIVATE)
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_TEST_DEPS} GTest::gtest
                          GTest::gtest_main)
    if(arg_MLIR)
      target_link_libraries(${name}_test PRIVATE tenon_mlir_archives)
    endif()
    add_test(NAME ${name}_test COMMAND ${name}_test)
    set_property(GLOBAL APPEND PROPERTY TENON_GTESTS ${name}_test)
  endif()
endfunction()

# tenon_program(<name> <source> [MLIR] [DEPS lib...]): an executable in build/<preset>/bin.
function(tenon_program name source)
  cmake_parse_arguments(arg "MLIR" "" "DEPS" ${ARGN})
  add_executable(${name} ${source})
  _tenon_configure(${name} "${arg_MLIR}" PRIVATE)
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  if(arg_MLIR)
    target_link_libraries(${name} PRIVATE tenon_mlir_archives)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# tenon_plugin(<name> <source> [TEST source] [DEPS lib...]): a PJRT plugin in
# build/<preset>/lib. It exports GetPjrtApi alone and keeps LLVM to itself, so that it lives
# beside other copies of LLVM in one process. It is never unloaded: frameworks keep pointers.
# TEST: a gtest that loads it, by the path TENON_PLUGIN.
function(tenon_plugin name source)
  cmake_parse_arguments(arg "" "TEST" "DEPS" ${ARGN})
  add_library(${name} SHARED ${source})
  set_target_properties(${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  target_link_libraries(${name} PRIVATE tenon_c_api tenon_extensions tenon_client ${arg_DEPS})
  set(exports ${CMAKE_SOURCE_DIR}/cmake/plugin_exports.map)
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${exports}
    -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,-z,nodelete)
  if(NOT TENON_SANITIZE)  # a sanitizer's runtime is in the program that loads the plugin
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${exports})
  if(TARGET tenon_compiler)
    target_compile_definitions(${name} PRIVATE TENON_HAS_COMPILER)
    target_link_libraries(${name} PRIVATE tenon_compiler tenon_mlir_archives)
  endif()
  if(arg_TEST)
    add_executable(${name}_test ${arg_TEST})
    _tenon_configure(${name}_test "" PRIVATE)
    target_compile_definitions(${name}_test PRIVATE TENON_PLUGIN="$<TARGET_FILE:${name}>")
    target_link_libraries(${name}_test PRIVATE tenon_abi GTest::gtest GTest::gtest_main dl)
    add_dependencies(${name}_test ${name})
    add_test(NAME ${name}_test COMMAND ${name}_test)
    set_property(GLOBAL APPEND PROPERTY TENON_GTESTS ${name}_test)
  endif()
endfunction()

# tenon_fuzzer(<name> <source> [MLIR] [DEPS lib...]): a libFuzzer program, built when TENON_FUZZ is
# on. For coverage, configure with TENON_SANITIZE=fuzzer-no-link,address.
option(TENON_FUZZ "Build the libFuzzer programs" OFF)
function(tenon_fuzzer name source)
  if(TENON_FUZZ)
    tenon_program(${name} ${source} ${ARGN})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

function(_tenon_configure name mlir scope)
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR}
                             ${CMAKE_BINARY_DIR}/generated)
  if(mlir)
    target_link_libraries(${name} ${scope} tenon_mlir_headers)
    # -fPIC: executables would get -fPIE, which the precompiled header does not match.
    target_compile_options(${name} PRIVATE -Wno-deprecated-declarations -fPIC)
    target_precompile_headers(${name} REUSE_FROM tenon_mlir_pch)
  endif()
endfunction()
