# Installs the C++ client over any plugin (tenon/pjrt.hpp), for find_package(TenonPjrt) and for
# pkg-config: headers alone, under share, because nothing depends on the machine.
include(CMakePackageConfigHelpers)

get_filename_component(_root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
install(FILES ${_root}/tenon/pjrt.hpp DESTINATION include/tenon COMPONENT pjrt)
install(FILES ${_root}/tenon/pjrt/raw.hpp DESTINATION include/tenon/pjrt COMPONENT pjrt)
install(FILES ${_root}/tenon/pjrt/c_api/api_table.inc DESTINATION include/tenon/pjrt/c_api
        COMPONENT pjrt)
install(DIRECTORY ${_root}/tenon/pjrt/cpp ${_root}/tenon/pjrt/abi
        DESTINATION include/tenon/pjrt COMPONENT pjrt
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*_extension.h" PATTERN "pjrt_c_api.h"
        PATTERN "device_event.h")
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TenonPjrtConfig.cmake
        DESTINATION share/cmake/TenonPjrt COMPONENT pjrt)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/TenonPjrtConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TenonPjrtConfigVersion.cmake
        DESTINATION share/cmake/TenonPjrt COMPONENT pjrt)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tenon-pjrt.pc.in
               ${CMAKE_CURRENT_BINARY_DIR}/tenon-pjrt.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenon-pjrt.pc DESTINATION share/pkgconfig
        COMPONENT pjrt)
