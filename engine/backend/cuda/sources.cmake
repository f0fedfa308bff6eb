# SPDX-License-Identifier: Apache-2.0
# The kernels, for a device compiler or, in the tests, any compiler; and the sources that do not use the device's language.
set(cuda_kernels kernels/eight_bit.cu kernels/elementwise.cu kernels/matrix.cu kernels/rows.cu kernels/window.cu)
set(cuda_backend_sources attention.cpp conv.cpp cuda_backend.cpp driver_check.cpp guard.cpp linear.cpp memory_plan.cpp product_cache.cpp recordings.cpp staging.cpp tensors.cpp
    weight_stream.cpp weights.cpp)
