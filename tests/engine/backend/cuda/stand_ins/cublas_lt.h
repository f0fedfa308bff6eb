// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcublasLt: multiplies on the fake device, plainly, what NVIDIA's manual says that a call means. What
// the manual forbids it writes down as misuse. So blas_lt.cpp runs from its first line to its last without a card;
// how fast the real library is and what it suggests, this cannot show.
#pragma once
#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace denoir::test {

/// One of the ways that the library suggests, in this order.
struct FakeAlgorithm {
    float milliseconds = 1;
    std::size_t workspace = 0;    ///< bytes that it overwrites
    std::uint32_t alignment = 16; ///< bytes that addresses and rows of all matrices are multiples of
    /// Sums are cut into parts; as those of cuBLAS 12.8 and 13.1 do, it leaves out the last values of a K that is no
    /// multiple of 128.
    bool splits_k = false;
    cublasStatus_t suggested = CUBLAS_STATUS_SUCCESS, checked = CUBLAS_STATUS_SUCCESS, starts = CUBLAS_STATUS_SUCCESS;
};

struct FakeCublasLt {
    /// Asks the fake device whose stream it is for `work`.
    std::function<void(void* stream, std::function<void()> work)> submit;
    std::size_t version = CUBLAS_VERSION;
    cublasStatus_t creates = CUBLAS_STATUS_SUCCESS;
    std::vector<FakeAlgorithm> algorithms{1};

    std::vector<std::string> misuse;
    std::vector<std::size_t> started; ///< algorithms by number
    int questions = 0;                ///< for suggestions
    int alive = 0;                    ///< handles, descriptions, layouts and preferences that are not destroyed
    float milliseconds = 0;           ///< of the products that have run
};

} // namespace denoir::test

/// The only one.
extern "C" denoir::test::FakeCublasLt* fake_cublas_lt();
