# LLVM and MLIR 22, linked statically.
#
# The exported MLIR CMake targets link libLLVM.so. Together with static archives that would
# put two copies of LLVM into one process, so this file lists the archives by hand.
find_program(TENON_LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
find_program(TENON_MLIR_TBLGEN NAMES mlir-tblgen-22 REQUIRED)

function(_tenon_llvm_config out)
  execute_process(COMMAND ${TENON_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE value
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(value UNIX_COMMAND "${value}")
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

_tenon_llvm_config(TENON_LLVM_INCLUDE --includedir)
_tenon_llvm_config(TENON_LLVM_LIBDIR --libdir)
_tenon_llvm_config(_llvm_archives --link-static --libfiles
  core support analysis passes codegen target targetparser bitreader bitwriter irreader object mc
  x86codegen x86asmparser x86desc x86info x86disassembler
  aarch64codegen aarch64asmparser aarch64desc aarch64info aarch64disassembler)
# Backends that tenon-compile has and the plugin does not.
_tenon_llvm_config(_object_archives --link-static --libfiles
  riscvcodegen riscvdesc riscvinfo webassemblycodegen webassemblydesc webassemblyinfo
  armcodegen armdesc arminfo)
list(REMOVE_ITEM _object_archives ${_llvm_archives})
# The SPIR-V back end, which only programs and plugins for such devices have.
_tenon_llvm_config(_spirv_archives --link-static --libfiles spirvcodegen spirvdesc spirvinfo)
list(REMOVE_ITEM _spirv_archives ${_llvm_archives})
# The same for PTX.
_tenon_llvm_config(_nvptx_archives --link-static --libfiles nvptxcodegen nvptxdesc nvptxinfo)
list(REMOVE_ITEM _nvptx_archives ${_llvm_archives})
file(GLOB _mlir_archives ${TENON_LLVM_LIBDIR}/libMLIR*.a)
list(FILTER _mlir_archives EXCLUDE REGEX "libMLIR(CAPI|Test|Python)")

# Headers only, for Tenon's static libraries.
add_library(tenon_mlir_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(tenon_mlir_headers SYSTEM INTERFACE ${TENON_LLVM_INCLUDE})
target_compile_definitions(tenon_mlir_headers INTERFACE
  __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)

# The archives, for executables and shared objects.
add_library(tenon_mlir_archives INTERFACE IMPORTED GLOBAL)
target_link_libraries(tenon_mlir_archives INTERFACE
  ${_mlir_archives} ${_llvm_archives} rt dl m z zstd Threads::Threads)

# To be linked before the other archives.
add_library(tenon_object_archives INTERFACE IMPORTED GLOBAL)
target_link_libraries(tenon_object_archives INTERFACE ${_object_archives} tenon_mlir_archives)
add_library(tenon_spirv_archives INTERFACE IMPORTED GLOBAL)
target_link_libraries(tenon_spirv_archives INTERFACE ${_spirv_archives} tenon_mlir_archives)

add_library(tenon_nvptx_archives INTERFACE IMPORTED GLOBAL)
target_link_libraries(tenon_nvptx_archives INTERFACE ${_nvptx_archives} tenon_mlir_archives)

# tenon_tablegen(<target> <file.td> <out1> <gen1> [<out2> <gen2> ...]): runs mlir-tblgen on
# file.td once per output, with the generator options <gen>.
function(tenon_tablegen target td)
  set(outs)
  set(args ${ARGN})
  file(RELATIVE_PATH rel ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(dir ${CMAKE_BINARY_DIR}/generated/${rel})
  file(MAKE_DIRECTORY ${dir})
  file(GLOB_RECURSE td_deps CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tenon/dialects/*.td)
  while(args)
    list(POP_FRONT args out gen)
    separate_arguments(gen UNIX_COMMAND "${gen}")
    add_custom_command(OUTPUT ${dir}/${out}
      COMMAND ${TENON_MLIR_TBLGEN} ${gen} -I ${TENON_LLVM_INCLUDE} -I ${CMAKE_SOURCE_DIR}
              ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${dir}/${out} --write-if-changed
      DEPENDS ${td_deps} COMMENT "tblgen ${rel}/${out}" VERBATIM)
    list(APPEND outs ${dir}/${out})
  endwhile()
  add_custom_target(${target} DEPENDS ${outs})
endfunction()
