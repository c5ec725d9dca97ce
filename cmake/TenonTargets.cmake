# One function per kind of target. Sources are found by name, so that a new file needs no
# build edit: *_test.cc is a test, *_fuzz.cc a fuzzer, *_main.cc a program, and all other
# files belong to the library.

# Heavy headers, compiled once. Every MLIR-using library reuses this precompiled header.
if(TENON_BUILD_COMPILER)
  add_library(tenon_mlir_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/mlir_pch.cc)
  target_link_libraries(tenon_mlir_pch PRIVATE tenon_mlir_headers)
  target_compile_options(tenon_mlir_pch PRIVATE -Wno-deprecated-declarations)
  target_include_directories(tenon_mlir_pch PRIVATE ${CMAKE_SOURCE_DIR}
                             ${CMAKE_BINARY_DIR}/generated)
  target_precompile_headers(tenon_mlir_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/mlir_pch.h)
endif()

# tenon_library(<name> [MLIR] [TABLEGEN target...] [DEPS lib...]): the sources of this folder.
# MLIR adds the headers of LLVM and MLIR. Defines <name> and, if there are *_test.cc,
# <name>_test.
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
    _tenon_include(${name} INTERFACE)
    if(arg_MLIR)
      target_link_libraries(${name} INTERFACE tenon_mlir_headers)
    endif()
    if(arg_TABLEGEN)
      add_dependencies(${name} ${arg_TABLEGEN})
    endif()
  endif()
  install(TARGETS ${name} EXPORT tenon ARCHIVE DESTINATION lib COMPONENT sdk)
  if(tests AND TENON_BUILD_TESTS)
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

# tenon_fuzzer(<name> <source> [MLIR] [DEPS lib...]): a libFuzzer program, built when TENON_FUZZ is
# on. For coverage, configure with TENON_SANITIZE=fuzzer-no-link,address.
option(TENON_FUZZ "Build the libFuzzer programs" OFF)
function(tenon_fuzzer name source)
  if(TENON_FUZZ)
    tenon_program(${name} ${source} ${ARGN})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

function(_tenon_include name scope)
  target_include_directories(${name} ${scope}
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:include>)
endfunction()

function(_tenon_configure name mlir scope)
  _tenon_include(${name} ${scope})
  if(mlir)
    target_link_libraries(${name} ${scope} tenon_mlir_headers)
    # -fPIC: executables would get -fPIE, which the precompiled header does not match.
    target_compile_options(${name} PRIVATE -Wno-deprecated-declarations -fPIC)
    target_precompile_headers(${name} REUSE_FROM tenon_mlir_pch)
  endif()
endfunction()
