# SPDX-License-Identifier: Apache-2.0
# This interface target has all compile options of the project.
add_library(denoir_options INTERFACE)
target_compile_features(denoir_options INTERFACE cxx_std_20)
target_compile_options(denoir_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
    # With contraction, results would depend on which instructions the compiler chooses to fuse.
    -ffp-contract=off -fvisibility=hidden>)
target_include_directories(denoir_options INTERFACE ${PROJECT_SOURCE_DIR})

set(DENOIR_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address,undefined' or 'thread'")
if(DENOIR_SANITIZE)
    target_compile_options(denoir_options INTERFACE -fsanitize=${DENOIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(denoir_options INTERFACE -fsanitize=${DENOIR_SANITIZE})
endif()
# The limits of tests are multiplied by this, because sanitizers are slow.
set(DENOIR_TEST_PACE 1)
if(DENOIR_SANITIZE)
    set(DENOIR_TEST_PACE 6)
endif()

option(DENOIR_TESTS "Build the tests" ON)
option(DENOIR_BENCH "Build the benchmarks" ON)
option(DENOIR_FUZZ "Build the fuzzers (clang alone has what they are linked with)" OFF)
# For a bare machine with a card: without media, text, pipeline and programs, and with header-only libraries from one folder.
option(DENOIR_MODELS_ONLY "Build kernels and models with their tests and benchmarks, nothing above them" OFF)
set(DENOIR_THIRD_PARTY "" CACHE PATH "Folder with include/fmt, include/nlohmann and googletest/, for machines that have none installed")
if(DENOIR_MODELS_ONLY)
    set(DENOIR_STUDIO OFF)
endif()
option(DENOIR_STUDIO "Build the studio (Qt 6.4 or newer)" ON)

find_program(DENOIR_CCACHE ccache)
if(DENOIR_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${DENOIR_CCACHE})
endif()

# denoir_precompile(denoir_ui <QtWidgets> <vector>) has these headers read once for all sources of a target, which spend most of their compile time in them.
# denoir_precompile(ui_theme_test REUSE_FROM denoir_widgets_test_headers) takes those of another target, which must have the same compile options.
function(denoir_precompile target)
    if(ARGV1 STREQUAL REUSE_FROM)
        target_precompile_headers(${target} ${ARGN})
    else()
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
    if(DENOIR_CCACHE)
        # ccache keeps no object made with a precompiled header unless it is told that nothing there depends on the time, or on macros defined before it.
        set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${DENOIR_CCACHE}")
    endif()
endfunction()

# denoir_library(core SOURCES a.cpp b.cpp LIBS public… PRIVATE private…) makes the library denoir_core; each folder is one. SHARED ON: a shared library.
function(denoir_library name)
    cmake_parse_arguments(ARG "" "SHARED" "SOURCES;LIBS;PRIVATE" ${ARGN})
    set(kind STATIC)
    if(ARG_SHARED)
        set(kind SHARED)
    endif()
    add_library(denoir_${name} ${kind} ${ARG_SOURCES})
    set_target_properties(denoir_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(denoir_${name} PUBLIC denoir_options ${ARG_LIBS} PRIVATE ${ARG_PRIVATE})
endfunction()
