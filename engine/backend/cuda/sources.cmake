# SPDX-License-Identifier: Apache-2.0
# Sources that a device compiler, and for the tests any compiler, makes into kernels; and those that know no device language.
set(cuda_kernels kernels/eight_bit.cu kernels/elementwise.cu kernels/matrix.cu kernels/rows.cu kernels/window.cu)
set(cuda_backend_sources attention.cpp conv.cpp cuda_backend.cpp driver_check.cpp guard.cpp linear.cpp memory_plan.cpp product_cache.cpp recordings.cpp staging.cpp tensors.cpp
    weight_stream.cpp weights.cpp)
