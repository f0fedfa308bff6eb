# SPDX-License-Identifier: Apache-2.0
# denoir_per_isa(denoir_kernels denoir_backend ISAS avx2 avx512 SOURCES a.cpp FLAGS -fno-math-errno) compiles inner loops into a target, once for any
# processor of the architecture (baseline) and once for each instruction set, which DENOIR_ISA names; the target chooses at run time. The object libraries
# are denoir_kernels_baseline, denoir_kernels_avx2, … They are optimised in every configuration: unoptimised vector code is a hundred times slower, and
# tests would not end.
set(DENOIR_FLAGS_baseline "")
set(DENOIR_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(DENOIR_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
set(DENOIR_FLAGS_avx512_bf16 ${DENOIR_FLAGS_avx512} -mavx512bf16)
set(DENOIR_FLAGS_amx ${DENOIR_FLAGS_avx512} -mavx512bf16 -mamx-tile -mamx-bf16 -DDENOIR_TILES)
function(denoir_per_isa name target)
    cmake_parse_arguments(ARG "" "" "ISAS;SOURCES;FLAGS" ${ARGN})
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(ARG_ISAS "")
    endif()
    foreach(isa baseline ${ARG_ISAS})
        add_library(${name}_${isa} OBJECT ${ARG_SOURCES})
        set_target_properties(${name}_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_link_libraries(${name}_${isa} PRIVATE denoir_core)
        target_compile_definitions(${name}_${isa} PRIVATE DENOIR_ISA=${isa})
        target_compile_options(${name}_${isa} PRIVATE -O3 ${ARG_FLAGS} ${DENOIR_FLAGS_${isa}})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}_${isa}>)
    endforeach()
endfunction()
