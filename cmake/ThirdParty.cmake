# SPDX-License-Identifier: Apache-2.0
# fmt and nlohmann_json are installed, or their headers are in DENOIR_THIRD_PARTY/include.
if(DENOIR_THIRD_PARTY)
    foreach(library fmt::fmt nlohmann_json::nlohmann_json)
        add_library(${library} INTERFACE IMPORTED GLOBAL)
        set_target_properties(${library} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${DENOIR_THIRD_PARTY}/include
            INTERFACE_INCLUDE_DIRECTORIES ${DENOIR_THIRD_PARTY}/include)
    endforeach()
    set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
else()
    find_package(fmt REQUIRED)
    find_package(nlohmann_json REQUIRED)
endif()
