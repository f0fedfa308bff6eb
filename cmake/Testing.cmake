# SPDX-License-Identifier: Apache-2.0
if(DENOIR_THIRD_PARTY)
    set(INSTALL_GTEST OFF)
    set(BUILD_GMOCK OFF)
    add_subdirectory(${DENOIR_THIRD_PARTY}/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    foreach(library gtest gtest_main)
        if(NOT TARGET GTest::${library})
            add_library(GTest::${library} ALIAS ${library})
        endif()
    endforeach()
else()
    find_package(GTest REQUIRED)
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Headers that most tests include are read once for all of them (denoir_precompile). Tests spend little time in their own code, so the compiler shall not
# spend much on it either. With -O1 GCC 12 warns of arrays and strings without reason.
set(denoir_test_options $<$<CONFIG:Release>:-O1> -Wno-array-bounds $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
function(denoir_test_headers name)
    cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests/${name}.cpp CONTENT "")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/tests/${name}.cpp)
    target_link_libraries(${name} PRIVATE denoir_core ${ARG_LIBS})
    target_compile_options(${name} PRIVATE ${denoir_test_options})
    denoir_precompile(${name} <algorithm> <cmath> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
        <vector> <fmt/format.h> ${ARG_HEADERS})
endfunction()
denoir_test_headers(denoir_test_headers HEADERS <gtest/gtest.h> LIBS GTest::gtest)
if(DENOIR_STUDIO)
    denoir_test_headers(denoir_qt_test_headers HEADERS <QtCore> LIBS Qt6::Gui Qt6::Concurrent)
    denoir_test_headers(denoir_widgets_test_headers HEADERS <QtWidgets> LIBS Qt6::Widgets)
endif()

# denoir_add_test(cli_help_test COMMAND help_test.py TIMEOUT 60 LABELS full ENVIRONMENT DENOIR_ISA=avx2 FIXTURES_REQUIRED tiny_model RUN_SERIAL ON)
# registers a test; every test is registered by this function. The label is quick by default (run every time; full: run by hand), the limit is 300 s by
# default and is multiplied by DENOIR_TEST_PACE. FIXTURES_SETUP: what the test makes for others that require it. DENOIR_DEVICE: requests that name no device
# use the processor, even if there is a card.
function(denoir_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT;LABELS;FIXTURES_SETUP;RUN_SERIAL" "COMMAND;ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
    if(NOT ARG_LABELS)
        set(ARG_LABELS quick)
    endif()
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * ${DENOIR_TEST_PACE}")
    add_test(NAME ${name} COMMAND ${ARG_COMMAND})
    set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT} RUN_SERIAL "${ARG_RUN_SERIAL}"
        ENVIRONMENT "DENOIR_DEVICE=cpu;${ARG_ENVIRONMENT}" FIXTURES_SETUP "${ARG_FIXTURES_SETUP}" FIXTURES_REQUIRED "${ARG_FIXTURES_REQUIRED}")
endfunction()

# denoir_test(core_tensor_test SOURCES tensor_test.cpp LIBS denoir_core DEFINES A="b" …) adds a program, usually one for a class or folder. Its GoogleTest
# cases are one entry of ctest. Further words are those of denoir_add_test.
function(denoir_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT;LABELS" "SOURCES;LIBS;DEFINES;ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE DENOIR_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures" ${ARG_DEFINES})
    target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
    target_compile_options(${name} PRIVATE ${denoir_test_options})
    denoir_precompile(${name} REUSE_FROM denoir_test_headers)
    denoir_add_test(${name} COMMAND ${name} TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS} ENVIRONMENT ${ARG_ENVIRONMENT}
        FIXTURES_REQUIRED ${ARG_FIXTURES_REQUIRED})
endfunction()
