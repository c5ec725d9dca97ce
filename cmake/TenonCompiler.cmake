# Language level, warnings, build types, sanitizers and ccache, for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(CMAKE_C_FLAGS_DEV "-O1 -g1")
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
# Other compilers can build what needs no LLVM; the code is free from warnings of this one.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Werror)
endif()
if(TENON_BUILD_COMPILER)
  add_link_options(-fuse-ld=lld)
endif()

set(TENON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=undefined -fno-sanitize=vptr,function)
  add_link_options(-fsanitize=${TENON_SANITIZE})
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  # Precompiled headers are cached only with these sloppiness settings (ccache manual).
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros
      ${TENON_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros
      ${TENON_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
